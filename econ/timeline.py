"""Time in bins: a width that gives a readable number of points, and a bin for every row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

from econ.workload import IntArray, Workload

Mask = npt.NDArray[np.bool_]

SECOND_US = 1_000_000
DAY_S = 86_400
WIDTHS_S = (
    *(1, 2, 5, 10, 15, 30),
    *(60, 120, 300, 600, 900, 1800),
    *(3600, 7200, 10_800, 21_600, 43_200, DAY_S),
)
COMFORTABLE_BINS = 120
MAX_BINS = 500
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Bins of `bin_s` seconds, the first starting at `start_us`; `of_row` is each row's bin, -1
    for a row without a time. `dated`: microseconds since 1970 in UTC, else since the first
    request. Bins of a day or less start on whole multiples of their width, UTC.
    """

    dated: bool
    bin_s: int
    start_us: int
    bins: int
    of_row: IntArray

    def sums(self, values: IntArray, rows: Mask) -> tuple[int, ...]:
        """The exact sum of `values` in each bin over the rows that are True in `rows`."""
        counted = rows & (self.of_row >= 0)
        totals = np.zeros(self.bins, dtype=np.int64)
        np.add.at(totals, self.of_row[counted], values[counted])
        return tuple(totals.tolist())

    def starts_s(self) -> tuple[int, ...]:
        """Where each bin starts: seconds since 1970 (UTC), or since the first request."""
        first_s = self.start_us // SECOND_US
        return tuple(first_s + number * self.bin_s for number in range(self.bins))

    def starts_utc(self) -> tuple[datetime, ...] | None:
        """Where each bin starts, in UTC; None for a workload without dates."""
        if not self.dated:
            return None
        return tuple(EPOCH + timedelta(seconds=start_s) for start_s in self.starts_s())


def timeline(workload: Workload, rows: Mask) -> Timeline | None:
    """The timeline of the chosen rows by arrival; None if none of them has a time.

    A row that is a bucket counts whole in the bin in which it starts, and no bin is narrower than
    the widest bucket: nothing is spread over hours that the file does not tell apart.
    """
    moments_us, known = _moments_us(workload)
    known &= rows
    if not known.any():
        return None
    first_us, last_us = int(moments_us[known].min()), int(moments_us[known].max())
    bin_s = _width_s(first_us, last_us, _widest_bucket_s(workload, known))
    bin_us = bin_s * SECOND_US
    aligned_us = min(bin_us, DAY_S * SECOND_US)
    start_us = first_us // aligned_us * aligned_us
    of_row = np.where(known, (moments_us - start_us) // bin_us, -1)
    return Timeline(
        dated=workload.dated,
        bin_s=bin_s,
        start_us=start_us,
        bins=(last_us - start_us) // bin_us + 1,
        of_row=of_row,
    )


def _moments_us(workload: Workload) -> tuple[IntArray, Mask]:
    """Each row's arrival in microseconds (0 where unknown), and where it is known."""
    if workload.dated:
        times = workload.times("arrival_utc")
        known = np.asarray(~np.isnat(times))
        return np.where(known, times.astype(np.int64), 0), known
    seconds = workload.floats("arrival_s")
    known = np.isfinite(seconds)
    moments = np.rint(np.where(known, seconds, 0.0) * SECOND_US)
    return moments.astype(np.int64), known


def _widest_bucket_s(workload: Workload, known: Mask) -> int:
    """Seconds of the widest bucket; where ends are not given, the narrowest step between starts."""
    if workload.granularity != "bucket" or not workload.dated:
        return 0
    starts = workload.times("arrival_utc")[known]
    widths = workload.times("bucket_end_utc")[known] - starts
    widths = widths[~np.isnat(widths)]
    if len(widths):
        return _whole_seconds(int(widths.max().astype(np.int64)))
    steps = np.diff(np.unique(starts))
    return _whole_seconds(int(steps.min().astype(np.int64))) if len(steps) else DAY_S


def _whole_seconds(microseconds: int) -> int:
    return -(-microseconds // SECOND_US)


def _width_s(first_us: int, last_us: int, at_least_s: int) -> int:
    """The narrowest width with at most 120 bins; one day up to 500 bins; then whole days."""
    for width_s in WIDTHS_S:
        bins = last_us // (width_s * SECOND_US) - first_us // (width_s * SECOND_US) + 1
        if width_s >= at_least_s and bins <= COMFORTABLE_BINS:
            return width_s
    days = last_us // (DAY_S * SECOND_US) - first_us // (DAY_S * SECOND_US) + 1
    return DAY_S * max(-(-days // MAX_BINS), -(-at_least_s // DAY_S))
