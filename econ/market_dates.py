"""Dates that follow from dated figures: when a report of the same kind is to be looked for next."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

REPORT_MONTHS = 3
"""Financial Instruments and Exchange Act of Japan, article 24: an annual report is due within three
months of the end of the business year."""


def later(day: date, months: int) -> date:
    """`day` moved by whole months; the end of a month stays one."""
    total = day.year * 12 + day.month - 1 + months
    year, month = divmod(total, 12)
    last = calendar.monthrange(year, month + 1)[1]
    ends = day.day == calendar.monthrange(day.year, day.month)[1]
    return date(year, month + 1, last if ends else min(day.day, last))


def next_results(period_end: date, published: date, after: date) -> date:
    """The first day after `after` on which quarterly results are as old as the last ones were:
    end of a later quarter plus the same number of days."""
    lag = published - period_end
    if lag < timedelta(0):
        raise ValueError("published before its period ended")
    quarters = 1
    while later(period_end, 3 * quarters) + lag <= after:
        quarters += 1
    return later(period_end, 3 * quarters) + lag


def next_report_due(year_end: date, after: date) -> date:
    """The first day after `after` by which an annual report for a later year than `year_end` is
    due."""
    years = 1
    while later(year_end, 12 * years + REPORT_MONTHS) <= after:
        years += 1
    return later(year_end, 12 * years + REPORT_MONTHS)
