"""Dollars on the hit-ratio curve: what a cache of each size saves an hour, and what it costs.

    saved  hit tokens / hours x USD a hit token is worth
    rent   GB x USD a GB and hour
    net    saved - rent

A hit token is worth what it would have cost: on one's own device the seconds of its prefill at the
device's hourly price, at an API its input price less its read price. The knee is the size with the
greatest net: up to there a further GB saves at least what it costs, taken together; beyond it no
size brings its rent back. A curve may rise in steps, so the sizes are compared as wholes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from econ.curve import Curve

BYTES_A_GB = 1_000_000_000
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DollarCurve:
    """By size of the cache, no cache first. All money in USD an hour of the workload. `knee` is an
    index; 0 = no cache of any size brings its rent back."""

    capacity_blocks: IntArray
    gb: FloatArray
    hit_ratio: FloatArray
    saved: FloatArray
    rent: FloatArray
    usd_per_hit_token: float
    usd_per_gb_hour: float
    hours: float
    knee: int

    @property
    def net(self) -> FloatArray:
        """Saved less rent; negative = a loss."""
        return self.saved - self.rent

    def next_gb(self, at: int) -> float | None:
        """What a GB more saves an hour from point `at` on, until the next point; None at the end
        of the curve."""
        if at + 1 >= len(self.gb):
            return None
        return float((self.saved[at + 1] - self.saved[at]) / (self.gb[at + 1] - self.gb[at]))

    def at(self, gb: float) -> int:
        """The largest point that fits into so many GB."""
        return max(int(np.searchsorted(self.gb, gb, side="right")) - 1, 0)


def dollar_curve(
    curve: Curve,
    *,
    hours: float,
    block_bytes: float,
    usd_per_hit_token: float,
    usd_per_gb_hour: float,
) -> DollarCurve:
    """`hours` that the workload took and `block_bytes` above zero; money at least zero."""
    if hours <= 0 or block_bytes <= 0:
        raise ValueError("hours and bytes must be above zero")
    if usd_per_hit_token < 0 or usd_per_gb_hour < 0:
        raise ValueError("prices must not be negative")
    blocks = np.concatenate(([0], curve.capacity_blocks)).astype(np.int64)
    tokens = np.concatenate(([0], curve.hit_tokens)).astype(np.float64)
    gb = np.asarray(blocks * (block_bytes / BYTES_A_GB), dtype=np.float64)
    saved = tokens / hours * usd_per_hit_token
    rent = np.asarray(gb * usd_per_gb_hour, dtype=np.float64)
    return DollarCurve(
        capacity_blocks=blocks,
        gb=gb,
        hit_ratio=tokens / max(curve.total_tokens, 1),
        saved=saved,
        rent=rent,
        usd_per_hit_token=usd_per_hit_token,
        usd_per_gb_hour=usd_per_gb_hour,
        hours=hours,
        knee=int(np.argmax(saved - rent)),
    )


def recompute_usd_per_token(
    hit_tokens: IntArray, prefill_s: Callable[[IntArray], FloatArray], usd_per_hour: Decimal
) -> float:
    """What computing a hit token again costs on one's own device: the mean over all hits of an
    unlimited cache, since a token deep in a prompt takes longer than one at its head. 0 without
    hits."""
    total = int(hit_tokens.sum())
    if not total:
        return 0.0
    seconds = float(prefill_s(hit_tokens).sum())
    return seconds / total * float(usd_per_hour) / 3600
