"""Days: which day a moment belongs to, in UTC or in a zone, and how many a workload touches."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from econ.usage import NO_TIME, Usage
from econ.workload import IntArray
from messages.errors import input_error

DAY_US = 86_400_000_000
QUARTER_US = 15 * 60 * 1_000_000  # zones change their offset on quarter hours
NO_DAY = np.iinfo(np.int64).min
_EPOCH_DAY = date(1970, 1, 1)


def zone(name: str | None) -> ZoneInfo | None:
    """The zone called `name`; None = UTC. Raises InputError for a name that does not exist."""
    if name is None or name.upper() == "UTC":
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise input_error("report.unknown_tz", found=name) from error


def day_numbers(times_us: IntArray, tz: ZoneInfo | None) -> IntArray:
    """Days since 1970-01-01 in `tz`; NO_DAY where there is no time."""
    known = times_us != NO_TIME
    local = np.where(known, times_us, 0)
    if tz is not None:
        local = local + _offsets_us(local, tz)
    return np.where(known, local // DAY_US, NO_DAY)


def day_of(number: int) -> date:
    """The date of a day number."""
    return _EPOCH_DAY + timedelta(days=number)


def days_touched(usage: Usage, tz: ZoneInfo | None) -> int | None:
    """Distinct days on which something was used, a bucket's whole stretch included; None = undated.

    The union of stretches: each adds the days that no earlier one has reached.
    """
    dated = usage.dated
    if not dated.any():
        return None
    first = day_numbers(usage.since_us[dated], tz)
    last = day_numbers(usage.until_us[dated] - 1, tz)
    order = np.argsort(first, kind="stable")
    first, last = first[order], last[order]
    reached = np.concatenate(([first[0] - 1], np.maximum.accumulate(last)[:-1]))
    return int(np.maximum(0, last - np.maximum(first - 1, reached)).sum())


def _offsets_us(times_us: IntArray, tz: ZoneInfo) -> IntArray:
    quarters, inverse = np.unique(times_us // QUARTER_US, return_inverse=True)
    offsets = np.array(
        [_offset_us(int(quarter) * QUARTER_US, tz) for quarter in quarters], dtype=np.int64
    )
    return np.asarray(offsets[inverse.reshape(-1)])


def _offset_us(time_us: int, tz: ZoneInfo) -> int:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time_us)
    offset = moment.astimezone(tz).utcoffset()
    return 0 if offset is None else offset // timedelta(microseconds=1)
