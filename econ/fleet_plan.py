"""The smallest fleet that keeps two promises, and what its reserved hours make of a token.

Hours are reserved from the first arrival to the last token, idle ones included. They are split by
the work that was done in them, idle time in proportion:

    uncached input   what prefill of those tokens alone would take
    cached input     what prefill takes longer because of the tokens in front that were found:
                     attention still reads them
    output           the busy seconds of decode
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from econ.fleet import FleetResult
from econ.fleet_names import MOST_REPLICAS

HOUR_S = 3600
MTOK = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is promised: seconds at a percentile (50, 95 or 99). None: not promised."""

    ttft_s: float | None = None
    tpot_s: float | None = None
    percentile: int = 95

    def kept_by(self, found: FleetResult) -> bool:
        """Neither saturated nor later than promised, and nothing was turned away."""
        if found.saturated or found.too_long or not found.ttft.n:
            return False
        return _within(found.ttft.at(self.percentile), self.ttft_s) and (
            not found.tpot.n or _within(found.tpot.at(self.percentile), self.tpot_s)
        )


def _within(seconds: float | None, limit: float | None) -> bool:
    return limit is None or (seconds is not None and seconds <= limit)


def smallest(
    target: Target, served: Callable[[int], FleetResult], most: int = MOST_REPLICAS
) -> FleetResult | None:
    """The fewest replicas that keep the target: doubled until they do, then halved in between.
    None where even `most` do not. `served(n)` serves the workload on n replicas."""
    few, many = 0, 1
    found = served(many)
    while not target.kept_by(found):
        if many >= most or found.too_long:
            return None
        few, many = many, min(2 * many, most)
        found = served(many)
    while many - few > 1:
        middle = (few + many) // 2
        tried = served(middle)
        if target.kept_by(tried):
            many, found = middle, tried
        else:
            few = middle
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetCost:
    """USD of the reserved hours, and a million tokens of each kind; None where there are none."""

    usd_per_gpu_hour: Decimal
    reserved_gpu_hours: Decimal
    usd: Decimal
    uncached_input: Decimal | None
    cached_input: Decimal | None
    output: Decimal | None
    source: str
    as_of: str


def cost_of(
    found: FleetResult, *, gpus_per_replica: int, usd_per_gpu_hour: Decimal, output_tokens: int,
    source: str, as_of: str,
) -> FleetCost:  # fmt: skip
    """What the fleet costs while it serves the workload once; see the module for the split."""
    hours = Decimal(repr(found.span_s)) / HOUR_S * found.replicas * gpus_per_replica
    usd = hours * usd_per_gpu_hour
    work = (found.uncached_work_s, found.cached_work_s, found.decode_busy_s)
    tokens = (found.total_tokens - found.hit_tokens, found.hit_tokens, output_tokens)
    whole = Decimal(repr(sum(work)))
    each = [
        usd * Decimal(repr(part)) / whole * MTOK / count if count and whole else None
        for part, count in zip(work, tokens, strict=True)
    ]
    return FleetCost(
        usd_per_gpu_hour=usd_per_gpu_hour,
        reserved_gpu_hours=hours,
        usd=usd,
        uncached_input=each[0],
        cached_input=each[1],
        output=each[2],
        source=source,
        as_of=as_of,
    )
