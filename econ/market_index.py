"""Which months index series of different base years share, before they share an axis.

`econ.observation.rebased` divides each by its own value at one month; these say which month.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

Point = tuple[date, Decimal]


def window(points: Sequence[Point], months: int) -> list[Point]:
    """The points of the last `months` months up to the newest one; all of them for 0."""
    if not months or not points:
        return list(points)
    last = max(at for at, _ in points)
    first = last.year * 12 + last.month - months
    return [(at, value) for at, value in points if at.year * 12 + at.month > first]


def common_base(series: Mapping[str, Sequence[Point]]) -> date | None:
    """The earliest month that all series have; None where no month is common."""
    months = [{at for at, _ in points} for points in series.values()]
    common = set.intersection(*months) if months else set()
    return min(common, default=None)
