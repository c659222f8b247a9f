"""Index series of different base years on one axis: each is divided by its own value at one month.

    rebased(t) = 100 x value(t) / value(base month)

A month that a series does not have stays missing; it is never filled or drawn through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from econ.observation import HUNDRED

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


def rebased(points: Sequence[Point], base: date) -> list[Point]:
    """The points with 100 at `base`. ValueError: there is no value, or a zero, at `base`."""
    at_base = dict(points).get(base)
    if not at_base:
        raise ValueError(f"no value at {base}")
    return [(at, HUNDRED * value / at_base) for at, value in points]
