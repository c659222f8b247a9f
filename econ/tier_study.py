"""Places for keys and values side by side: load or compute again, and what each would answer of a
workload.

One prefix: transfer time against prefill time (`econ.offload`). A workload: one replay (rules
`engine`, policy `lru-leaf`) of caches as large as the first place, the first two, and so on; what
a larger one hits beyond a smaller one lies in the place that was added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from econ.offload import Choice, Link, TierHits, choose, split_by_tier, tier_hits
from econ.replay import row_hits_at
from econ.replay_input import Blocks
from econ.roofline import Prefill, Speeds, prefill
from price_tables.hardware import ModelSpec

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
PrefillTime = Callable[[IntArray], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """One place. `capacity_bytes` None: not part of the chain, only compared."""

    link: Link
    capacity_bytes: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TierRow:
    """One place with its choice for one prefix, and what it answers of a workload (None: not
    asked). `capacity_blocks`: whole blocks that fit into it alone."""

    choice: Choice
    capacity_blocks: int | None = None
    hits: TierHits | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TierStudy:
    """`requests` and `prompt_tokens` are None without a workload."""

    model: str
    prefix_tokens: int
    kv_bytes: float
    recompute: Prefill
    rows: tuple[TierRow, ...]
    requests: int | None = None
    prompt_tokens: int | None = None

    @property
    def break_even_bytes_per_s(self) -> float:
        """The bandwidth at which loading the prefix takes as long as computing it."""
        return self.kv_bytes / self.recompute.prefill_s


def prefill_time(model: ModelSpec, speeds: Speeds, parameters: float | None = None) -> PrefillTime:
    """Seconds to compute prompts of so many tokens from nothing; equal lengths are computed
    once."""
    one = partial(prefill, model, speeds, parameters=parameters)

    def seconds(tokens: IntArray) -> FloatArray:
        lengths, places = np.unique(tokens, return_inverse=True)
        times = [one(prompt_tokens=int(n)).prefill_s if n else 0.0 for n in lengths.tolist()]
        return np.asarray(times, dtype=np.float64)[places]

    return seconds


def tier_study(
    model: ModelSpec,
    speeds: Speeds,
    tiers: Sequence[Tier],
    *,
    prefix_tokens: int,
    bytes_per_token: float,
    parameters: float | None = None,
    blocks: Blocks | None = None,
) -> TierStudy:
    """Every place for a prefix of `prefix_tokens` >= 1; with `blocks` (rules `engine`) also what
    the places with a capacity answer of the workload, in their order."""
    kv_bytes = prefix_tokens * bytes_per_token
    again = prefill(model, speeds, prompt_tokens=prefix_tokens, parameters=parameters)
    rows = [
        TierRow(choice=choose(tier.link, kv_bytes=kv_bytes, recompute_s=again.prefill_s))
        for tier in tiers
    ]
    if blocks is not None:
        seconds = prefill_time(model, speeds, parameters)
        rows = _with_hits(rows, tiers, blocks, bytes_per_token, seconds)
    return TierStudy(
        model=model.id,
        prefix_tokens=prefix_tokens,
        kv_bytes=kv_bytes,
        recompute=again,
        rows=tuple(rows),
        requests=None if blocks is None else len(blocks.file_blocks),
        prompt_tokens=None if blocks is None else blocks.total_tokens,
    )


def _with_hits(
    rows: Sequence[TierRow],
    tiers: Sequence[Tier],
    blocks: Blocks,
    bytes_per_token: float,
    prefill_s: PrefillTime,
) -> list[TierRow]:
    size = mean_block_tokens(blocks) * bytes_per_token
    chain = [at for at, tier in enumerate(tiers) if tier.capacity_bytes is not None]
    fits = [int((tiers[at].capacity_bytes or 0) // size) for at in chain]
    found = list(rows)
    parts = split_by_tier(_cumulative_hits(blocks, np.cumsum(fits, dtype=np.int64).tolist()))
    for at, own, (first, hits) in zip(chain, fits, parts, strict=True):
        answered = tier_hits(
            tiers[at].link,
            first_token=first,
            hit_tokens=hits,
            bytes_per_token=bytes_per_token,
            prefill_s=prefill_s,
        )
        found[at] = TierRow(choice=rows[at].choice, capacity_blocks=own, hits=answered)
    return found


def _cumulative_hits(blocks: Blocks, capacities: Sequence[int]) -> list[IntArray]:
    """Hit tokens of each request at each capacity; none at 0."""
    some = [capacity for capacity in capacities if capacity > 0]
    hits = iter(row_hits_at(blocks, some, "lru-leaf"))
    nothing = np.zeros(len(blocks.file_blocks), dtype=np.int64)
    return [blocks.tokens_of(next(hits)) if capacity > 0 else nothing for capacity in capacities]


def mean_block_tokens(blocks: Blocks) -> float:
    """Tokens of a block; the mean where they differ, 1 without blocks."""
    size = blocks.block_tokens
    if isinstance(size, int):
        return float(size)
    return float(np.mean(size)) if len(size) else 1.0
