"""Figures that others have published of one public trace, beside ours.

The trace is Mooncake's `conversation_trace.jsonl` (FAST '25 release, Apache-2.0), known by its
counts, not by its name. Sources of each figure: docs/replay.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from econ.curve import Curve
from econ.replay import Hits, hits_at, row_hits_at
from econ.replay_input import Blocks
from econ.replay_names import Policy
from econ.workload import IntArray

COUNTS = {"requests": 12_031, "total_blocks": 288_500, "footprint_blocks": 182_790}
TOKENS, UNLIMITED_HITS = 144_793_823, 105_710

What = Literal["share", "block", "token", "request", "token_last_half"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One figure. `what`: share of the unlimited hits, or the ratio by block, token or request;
    `token_last_half` counts the later half of the requests. `about`: published in words only.
    `digits`: how many decimals of the ratio were published."""

    tool: str
    date: str
    what: What
    policy: Policy
    capacity_blocks: int | None
    ratio: Decimal
    digits: int
    about: bool = False


PAPER = "Mooncake, FAST '25, Fig. 9"


def _paper(tokens: int, share: str, about: bool = False) -> Published:
    return Published(
        tool=PAPER,
        date="2025-02",
        what="share",
        policy="lru",
        capacity_blocks=tokens // 512,
        ratio=Decimal(share),
        digits=2,
        about=about,
    )


SHARES = (_paper(3_000_000, "0.41"), _paper(50_000_000, "1", about=True))
"""The share of the unlimited hits at 3 and 50 million tokens, in blocks of 512."""

_LAST_HALF_TOKENS = 67_915_607
_SIMULATOR: Mapping[Policy, Mapping[int, int]] = {
    "lru-leaf": {6553: 10_394_228, 13107: 16_995_095, 26214: 22_411_828, 52428: 25_671_028},
    "fifo": {6553: 9_717_517, 13107: 14_697_452, 26214: 19_698_815, 52428: 23_706_725},
    "clairvoyant": {6553: 26_215_927, 13107: 27_038_068},
}
_LIBCACHESIM: Mapping[Policy, Mapping[int, str]] = {
    "lru": {1000: "0.044475", 10000: "0.211165", 30000: "0.325709", 100000: "0.363688"},
    "fifo": {1000: "0.043532", 10000: "0.186523", 30000: "0.302087", 100000: "0.359276"},
}
_LENS = {128: "0.042", 512: "0.043", 2048: "0.056", 8192: "0.185", 32768: "0.342", None: "0.374"}


def _ratio(value: str | Decimal, digits: int, **rest: Any) -> Published:
    return Published(date="2026-11-29", ratio=Decimal(value), digits=digits, **rest)


OTHERS: tuple[Published, ...] = (
    *(
        _ratio(value, 6, tool="libCacheSim 0.3.5", what="block", policy=policy, capacity_blocks=at)
        for policy, sizes in _LIBCACHESIM.items()
        for at, value in sizes.items()
    ),
    _ratio("0.1958", 4, tool="vLLM 0.33.0 BlockPool", what="block", policy="lru-leaf",
           capacity_blocks=9139),
    *(
        _ratio(Decimal(hits) / _LAST_HALF_TOKENS, 6, tool="kvcache-simulator 0.1.3",
               what="token_last_half", policy=policy, capacity_blocks=at)
        for policy, sizes in _SIMULATOR.items()
        for at, hits in sizes.items()
    ),
    *(
        _ratio(value, 3, tool="LLMTrafficLens 0.13.4", what="token", policy="lru",
               capacity_blocks=at)
        for at, value in _LENS.items()
    ),
    _ratio("0.384258", 6, tool="AIPerf 0.13.0", what="request", policy="lru-leaf",
           capacity_blocks=None),
)  # fmt: skip
"""What other programs gave for this file when they were run on it. The size of vLLM's
pool was not noted: 5 % of the distinct blocks is the round share that fits its figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A published figure and ours; `gap` = ours - published, both 0..1."""

    theirs: Published
    ours: float

    @property
    def gap(self) -> float:
        """Positive where ours is higher; 0 where they agree in every published digit."""
        if round(self.ours, self.theirs.digits) == round(float(self.theirs.ratio), 6):
            return 0.0
        return self.ours - float(self.theirs.ratio)


def is_known(main: Curve) -> bool:
    """The counts are those of the published trace."""
    same = all(getattr(main, name) == value for name, value in COUNTS.items())
    last = int(main.hit_blocks[-1]) if len(main.hit_blocks) else 0
    return same and main.total_tokens == TOKENS and last == UNLIMITED_HITS


def ours_beside(blocks: Blocks) -> tuple[float, ...]:
    """Our ratio for each of `SHARES`, then each of `OTHERS`, replayed on `blocks`."""
    rows = (*SHARES, *OTHERS)
    found: dict[tuple[Policy, int | None], IntArray] = {}
    for policy in {row.policy for row in rows}:
        sizes = sorted({row.capacity_blocks or 0 for row in rows if row.policy == policy})
        asked = [size or None for size in sizes]
        hits = row_hits_at(blocks, asked, policy)
        found |= {(policy, size): hit for size, hit in zip(asked, hits, strict=True)}
    return tuple(_ours(blocks, row, found[row.policy, row.capacity_blocks]) for row in rows)


def _ours(blocks: Blocks, row: Published, row_hits: IntArray) -> float:
    hits: Hits = hits_at(blocks, row.capacity_blocks, row_hits)
    if row.what == "share":
        return hits.hit_blocks / UNLIMITED_HITS
    if row.what == "token_last_half":
        half = len(row_hits) // 2
        tokens = int(blocks.tokens_of(row_hits)[half:].sum())
        return tokens / int(blocks.input_tokens[half:].sum())
    ratio = {
        "block": hits.block_hit_ratio,
        "token": hits.token_hit_ratio,
        "request": hits.mean_request_hit_ratio,
    }[row.what]
    return ratio or 0.0


def compared(ours: tuple[float, ...]) -> tuple[tuple[Compared, ...], tuple[Compared, ...]]:
    """(shares, other tools) with our figures beside; `ours` as `ours_beside` gives them."""
    rows = [
        Compared(theirs=theirs, ours=own)
        for theirs, own in zip((*SHARES, *OTHERS), ours, strict=True)
    ]
    return tuple(rows[: len(SHARES)]), tuple(rows[len(SHARES) :])
