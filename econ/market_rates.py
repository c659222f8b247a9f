"""One currency beside the original, at the average rate of the figure's own period.

A single day's spot rate is no average: without enough days of the period there is no conversion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

ENOUGH_OF_WEEKDAYS = Decimal("0.8")
"""Share of the period's weekdays that must have a rate; holidays have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AverageRate:
    """Units of a currency for one USD, as the mean of `days` daily rates."""

    per_usd: Decimal
    days: int
    first: date
    last: date

    def to_usd(self, amount: Decimal) -> Decimal:
        """The amount in USD."""
        return amount / self.per_usd


def average_rate(
    daily: Sequence[tuple[date, Decimal]], start: date, end: date
) -> AverageRate | None:
    """The mean of the daily rates of start..end, both included; None where too few are known."""
    found = [(day, rate) for day, rate in daily if start <= day <= end]
    if not found or len(found) < _weekdays(start, end) * ENOUGH_OF_WEEKDAYS:
        return None
    mean = sum((rate for _, rate in found), Decimal(0)) / len(found)
    days = [day for day, _ in found]
    return AverageRate(per_usd=mean, days=len(found), first=min(days), last=max(days))


def _weekdays(start: date, end: date) -> int:
    whole, rest = divmod((end - start).days + 1, 7)
    return whole * 5 + sum((start.weekday() + at) % 7 < 5 for at in range(rest))
