"""How long a block waits until it is used again, and how many are used again at all.

A use is a request that has the block, wherever in its prompt. The bins are (nearly) logarithmic and
have every provider's lifetime as an edge, so what a lifetime would catch is a plain sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from econ.replay_input import US_PER_S, Blocks
from econ.workload import IntArray

MINUTE_S, HOUR_S = 60, 3_600
LIFETIMES_S = (5 * MINUTE_S, 30 * MINUTE_S, HOUR_S, 12 * HOUR_S)
"""What providers offer: 5 minutes, 30 minutes, 1 hour, 12 hours."""

EDGES_S = (
    *(0, 1, 2, 5, 10, 20, 30),
    *(MINUTE_S * m for m in (1, 2, 5, 10, 20, 30)),
    *(HOUR_S * h for h in (1, 2, 4, 8, 12, 24)),
)
"""Bin i holds gaps from EDGES_S[i] up to, not including, EDGES_S[i + 1]; the last has no end. At a
provider's limit an entry has expired, so a gap of exactly that length lies beyond it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reuse:
    """`uses[i]`: uses of a block whose last use lies in bin i of `edges_s` before; None where a
    request has no time. Shares 0..1, None where there are no blocks."""

    edges_s: tuple[int, ...]
    uses: tuple[int, ...] | None
    unique_blocks: int
    reused_blocks: int
    requests_of_most_used: int
    median_first_reuse_s: float | None

    @property
    def reused_share(self) -> float | None:
        """Share of the distinct blocks that two or more requests have."""
        return self.reused_blocks / self.unique_blocks if self.unique_blocks else None

    def within(self, lifetime_s: int) -> float | None:
        """Share of the uses again that come sooner than `lifetime_s`, an edge of the bins."""
        if self.uses is None or not sum(self.uses):
            return None
        return sum(self.uses[: self.edges_s.index(lifetime_s)]) / sum(self.uses)


def reuse(blocks: Blocks) -> Reuse:
    """Uses and gaps of all blocks, in the order of the requests."""
    from econ.replay_gaps import gaps

    timed = not np.isnan(blocks.arrival_s).any()
    arrival_us = blocks.arrival_us() if timed else np.zeros(len(blocks.file_blocks), np.int64)
    edges_us = np.asarray(EDGES_S, dtype=np.int64) * US_PER_S
    uses, requests, first_us = gaps(
        blocks.offsets, blocks.ids, blocks.id_space, arrival_us, edges_us
    )
    waited = first_us[requests > 1]
    return Reuse(
        edges_s=EDGES_S,
        uses=tuple(uses.tolist()) if timed else None,
        unique_blocks=int((requests > 0).sum()),
        reused_blocks=int((requests > 1).sum()),
        requests_of_most_used=int(requests.max(initial=0)),
        median_first_reuse_s=_median_s(waited) if timed else None,
    )


def _median_s(waited_us: IntArray) -> float | None:
    return float(np.median(waited_us)) / US_PER_S if len(waited_us) else None
