"""Peak hours: which requests fall into them, and which buckets may.

A schedule is laid out as a list of stretches over the days that the data touches; a moment or a
bucket then finds its place by binary search. After the last day that the holiday list covers a
weekday may be a holiday nobody has announced: both prices are possible there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from econ.workload import IntArray
from price_tables.book import PeakSchedule

DAY_US = 86_400_000_000
MINUTE_US = 60_000_000
CHINA_OFFSET_US = 8 * 60 * MINUTE_US  # holidays are dates in UTC+8

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Possible:
    """For each row: some of it may fall outside peak hours, some of it may fall inside."""

    off: BoolArray
    peak: BoolArray


@dataclass(frozen=True, slots=True)
class _Stretches:
    """Disjoint, ascending, half-open stretches of time in microseconds."""

    starts: IntArray
    ends: IntArray

    def touches(self, since: IntArray, until: IntArray) -> BoolArray:
        """Some part of [since, until) lies in a stretch."""
        first = np.searchsorted(self.ends, since, side="right")
        known = first < len(self.starts)
        result = np.zeros(len(since), dtype=np.bool_)
        result[known] = self.starts[first[known]] < until[known]
        return result

    def covers(self, since: IntArray, until: IntArray) -> BoolArray:
        """All of [since, until) lies in one stretch."""
        last = np.searchsorted(self.starts, since, side="right") - 1
        known = last >= 0
        result = np.zeros(len(since), dtype=np.bool_)
        result[known] = until[known] <= self.ends[last[known]]
        return result


def possible(schedule: PeakSchedule, since_us: IntArray, until_us: IntArray) -> Possible:
    """What the hours of `schedule` allow for [since, until); a moment is one microsecond long."""
    sure, perhaps = _layout(schedule, int(since_us.min()), int(until_us.max()))
    in_doubt = perhaps.touches(since_us, until_us)
    return Possible(
        off=~sure.covers(since_us, until_us),
        peak=sure.touches(since_us, until_us) | in_doubt,
    )


def in_doubt(schedule: PeakSchedule, since_us: IntArray, until_us: IntArray) -> BoolArray:
    """Rows that touch peak hours of a weekday for which no holiday list is known yet."""
    _, perhaps = _layout(schedule, int(since_us.min()), int(until_us.max()))
    return perhaps.touches(since_us, until_us)


def _layout(schedule: PeakSchedule, since_us: int, until_us: int) -> tuple[_Stretches, _Stretches]:
    # One day earlier, because a window may run past midnight.
    days = np.arange(since_us // DAY_US - 1, until_us // DAY_US + 1, dtype=np.int64)
    if schedule.weekdays_only:
        days = days[(days + 3) % 7 < 5]  # 1970-01-01 was a Thursday
    windows = np.array(schedule.windows_min, dtype=np.int64).reshape(-1, 2)
    windows[:, 1] += np.where(windows[:, 1] <= windows[:, 0], 24 * 60, 0)
    starts = (days[:, None] * DAY_US + windows[None, :, 0] * MINUTE_US).reshape(-1)
    ends = (days[:, None] * DAY_US + windows[None, :, 1] * MINUTE_US).reshape(-1)
    local_days = (starts + CHINA_OFFSET_US) // DAY_US
    holidays = np.array([_day_number(day) for day in schedule.holidays], dtype=np.int64)
    working = ~np.isin(local_days, holidays)
    covered = np.ones(len(starts), dtype=np.bool_)
    if schedule.covers_through is not None:
        covered = local_days <= _day_number(schedule.covers_through)
    return _merged(starts, ends, working & covered), _merged(starts, ends, working & ~covered)


def _day_number(day: object) -> int:
    return int(np.datetime64(str(day), "D").astype(np.int64))


def _merged(starts: IntArray, ends: IntArray, keep: BoolArray) -> _Stretches:
    order = np.argsort(starts[keep], kind="stable")
    starts, ends = starts[keep][order], np.maximum.accumulate(ends[keep][order])
    if len(starts) == 0:
        return _Stretches(starts, ends)
    apart = starts[1:] > ends[:-1]
    return _Stretches(
        starts[np.concatenate(([True], apart))], ends[np.concatenate((apart, [True]))]
    )
