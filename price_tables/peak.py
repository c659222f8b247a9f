"""Hours of the day in which prices differ: is it such an hour, and what does a token cost in it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from messages.errors import Message
from price_tables.book import STORAGE, PeakSchedule, Segment, canonical

_HOLIDAY_ZONE = timedelta(hours=8)  # holidays are dates in UTC+8


def is_peak(schedule: PeakSchedule, at: datetime) -> bool:
    """Does `at` (aware) lie in the schedule's hours? Holidays are dates in UTC+8. After
    `covers_through` weekdays count as working days: see `peak_assumption`."""
    moment = at.astimezone(UTC)
    minute = moment.hour * 60 + moment.minute
    if not any(start <= minute < end for start, end in schedule.windows_min):
        return False
    if schedule.weekdays_only and moment.weekday() >= 5:
        return False
    return (moment + _HOLIDAY_ZONE).date() not in schedule.holidays


def peak_assumption(schedule: PeakSchedule, at: datetime) -> Message | None:
    """What `is_peak` had to assume at `at`; None where the list of holidays reaches that far."""
    last = schedule.covers_through
    if last is None or (at.astimezone(UTC) + _HOLIDAY_ZONE).date() <= last:
        return None
    return Message("prices.holidays_unknown", {"covers_through": last.isoformat()})


def peak_prices(segment: Segment) -> Mapping[str, Decimal]:
    """A segment's prices inside its peak hours; storage is not a token price and stays."""
    if segment.peak is None:
        return segment.usd_per_mtok
    factor = segment.peak.multiplier
    return {
        name: price if name == STORAGE else canonical(price * factor)
        for name, price in segment.usd_per_mtok.items()
    }
