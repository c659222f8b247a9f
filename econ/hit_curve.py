"""What a workload would cost on one model at every token hit ratio, from none to all.

Every token that is not read is written at the lifetime's price; output is the same everywhere. The
factors are those of the base tier.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from econ.report import BreakEven, PolicyRow

STEPS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class HitCurve:
    """One lifetime: USD at the hit ratios 0, 5 %, ... 1; `break_even` 0..1, None = never pays."""

    policy: str
    ratios: tuple[float, ...]
    usd: tuple[Decimal, ...]
    break_even: float | None


def hit_curves(none: PolicyRow, rows: Iterable[BreakEven]) -> tuple[HitCurve, ...]:
    """A curve for each lifetime of the model of `none`, the row of that model without caching."""
    prompt, output = none.usd_by_bucket.get("uncached"), none.usd_by_bucket.get("output")
    if prompt is None or output is None:
        return ()
    ratios = tuple(step / STEPS for step in range(STEPS + 1))
    own = [r for r in rows if (r.provider, r.model) == (none.provider, none.model)]
    return tuple(
        HitCurve(
            policy=row.policy,
            ratios=ratios,
            usd=tuple(
                output.high_usd + prompt.high_usd * _factor(row, Decimal(step) / STEPS)
                for step in range(STEPS + 1)
            ),
            break_even=row.token_hit_ratio,
        )
        for row in own
    )


def _factor(row: BreakEven, hit: Decimal) -> Decimal:
    return hit * row.read_factor + (1 - hit) * row.write_factor


def at_ends(row: PolicyRow) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """1e-13 USD of each bucket in the cheaper and in the dearer case of `row`. What is read less in
    the dearer case costs less there, so its low amount belongs to the high end."""
    low, high = {}, {}
    for bucket, usd in row.usd_by_bucket.items():
        ends = (usd.low_e13, usd.high_e13)
        falls = row.tokens_high.get(bucket, 0) < row.tokens_low.get(bucket, 0)
        low[bucket], high[bucket] = reversed(ends) if falls else ends
    return low, high
