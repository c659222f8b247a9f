"""The periods of a workload that a reader can compare: its months, weeks and days (UTC)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta

from econ.report import CostReport
from econ.report_params import Period

UNITS = ("month", "week", "day")
MONTH_DAYS = 31


def month_of(day: date) -> Period:
    """The calendar month that the day lies in."""
    first = day.replace(day=1)
    after = (first + timedelta(days=MONTH_DAYS)).replace(day=1)
    return Period(since=first, until=after - timedelta(days=1))


def week_of(day: date) -> Period:
    """The ISO week that the day lies in, Monday to Sunday."""
    monday = day - timedelta(days=day.weekday())
    return Period(since=monday, until=monday + timedelta(days=6))


def day_of(day: date) -> Period:
    """The day alone."""
    return Period(since=day, until=day)


OF: dict[str, Callable[[date], Period]] = {"month": month_of, "week": week_of, "day": day_of}


def touched(report: CostReport, unit: str) -> list[Period]:
    """The periods of this unit on whose days something was priced, in their order."""
    days = [
        date.fromisoformat(row.key)
        for row in report.groups
        if row.by == "day" and row.key and row.no_cache is not None
    ]
    found = dict.fromkeys(OF[unit](day) for day in sorted(days))
    return list(found)


def units(report: CostReport) -> list[str]:
    """The units in which the workload has two periods or more."""
    return [unit for unit in UNITS if len(touched(report, unit)) > 1]


def key_of(period: Period) -> str:
    """The period in a URL: its first day."""
    return period.since.isoformat()


def chosen(
    periods: Sequence[Period], before: str | None, after: str | None
) -> tuple[Period, Period]:
    """The two that the URL names, else the last two; at least two `periods` are needed."""
    known = {key_of(period): period for period in periods}
    return known.get(before or "", periods[-2]), known.get(after or "", periods[-1])
