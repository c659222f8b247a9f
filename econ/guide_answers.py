"""Six common sentences, answered: by a device profile where it measured that, else by computing.

Each answer says which: `measured` rows are those of the profile, None where it has none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from econ import guide_attention as small
from econ.device_cases import KvFormat, decode_steps, formats, is_share, pair_near, series
from econ.guide_quant import Kind, quantise
from kvcore.profile import CaseResult, DeviceProfile, find

TOKENS = (5, 17, 3, 44, 9, 28, 61, 2, 33, 12)
BLOCK_TOKENS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Two:
    """Two figures of one measurement, what they were taken at, and the rows behind them."""

    first: float
    last: float
    first_at: int
    last_at: int
    rows: tuple[CaseResult, ...]


def made_again() -> tuple[int, int]:
    """Positions whose keys and values are the same bits when they are made again, of all."""
    weights = small.small_weights()
    once = small.names_of_bits(small.run(weights, TOKENS), len(TOKENS))
    again = small.names_of_bits(small.run_cached(weights, TOKENS), len(TOKENS))
    return sum(a == b for a, b in zip(once, again, strict=True)), len(TOKENS)


def scattered_is_equal() -> bool:
    """Whether attention through a block table gives the bits of attention over one piece."""
    return small.through_blocks(small.small_weights(), TOKENS, BLOCK_TOKENS)


def output_error(kind: Kind) -> float:
    """How far attention's output moves, by root mean square over its size, when the keys and values
    of the small transformer's last layer are stored as `kind`, a scale for each vector."""
    weights = small.small_weights()
    run = small.run(weights, TOKENS)
    keys, values = run.keys[-1], run.values[-1]
    width = keys.shape[-1]
    back = [
        np.array(quantise([float(x) for x in part.ravel()], kind, width).back).reshape(part.shape)
        for part in (keys, values)
    ]
    query = np.stack([keys[-1:].repeat(2, axis=1)[0]])
    seen = np.ones((1, len(TOKENS)), dtype=np.bool_)
    exact = small.attend(query, keys, values, seen)
    moved = small.attend(query, back[0], back[1], seen)
    return float(np.sqrt(((moved - exact) ** 2).mean() / (exact**2).mean()))


def first_token(profile: DeviceProfile) -> Two | None:
    """Cold and warm time to the first token, at the longest prompt."""
    pair = pair_near(profile, None)
    if pair is None:
        return None
    at = pair.prompt_tokens
    return Two(first=pair.cold_s, last=pair.warm_s, first_at=at, last_at=at,
               rows=(pair.cold, pair.warm))  # fmt: skip


def steps(profile: DeviceProfile) -> Two | None:
    """A decode step at the shortest and the longest context."""
    found = decode_steps(profile)
    if len(found) < 2:
        return None
    a, b = found[0], found[-1]
    return Two(first=a.step_s, last=b.step_s, first_at=a.context_tokens,
               last_at=b.context_tokens, rows=(a.row, b.row))  # fmt: skip


def waste(profile: DeviceProfile) -> Two | None:
    """Held and unused: reserved in one piece, and in blocks of 16 tokens."""
    rows = [*find(profile, "block_waste", allocation="contiguous")][:1]
    rows += [*find(profile, "block_waste", allocation="paged", block_tokens=16)][:1]
    rows = [row for row in rows if is_share(row.median)]
    if len(rows) < 2:
        return None
    return Two(first=rows[0].median or 0.0, last=rows[1].median or 0.0, first_at=0, last_at=16,
               rows=tuple(rows))  # fmt: skip


def replies(profile: DeviceProfile) -> Two | None:
    """A whole request with the longest answer, cold and with its prefix kept."""
    rows = series(profile, "reply", "reply_tokens")
    cold = [row for row in rows if not row.params.get("reused_tokens")]
    warm = [row for row in rows if row.params.get("reused_tokens")]
    if not cold or not warm:
        return None
    a, b = cold[-1], warm[-1]
    at = int(a.params["reply_tokens"])
    if int(b.params["reply_tokens"]) != at:
        return None
    return Two(first=a.median or 0.0, last=b.median or 0.0, first_at=at, last_at=at, rows=(a, b))


def coarsest(profile: DeviceProfile) -> KvFormat | None:
    """The stored format with the fewest bits whose error was measured."""
    found = [row for row in formats(profile) if row.kl_nats is not None and row.bits]
    return min(found, key=lambda row: row.bits or 0.0, default=None)
