"""Net saving by hour, for workloads that are too short for a chart by day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from econ.bill_sheet import Bill
from econ.money import Amount, grouped_totals
from econ.timeline import EPOCH
from econ.workload import IntArray, TimeArray, Workload

HOUR_S = 3600
HOUR_US = HOUR_S * 1_000_000
MOST_HOURS = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class HourSaving:
    """One UTC hour: no caching - billed over its priced rows, signed; None where it has none."""

    start_utc: datetime
    rows: int
    saving: Amount | None


def has_hours(workload: Workload) -> bool:
    """Whether there may be a saving by hour at all: known before anything is billed. Not for files
    that do not say what was cached, undated ones, sums over requests, and more than 48 hours."""
    if not workload.observed or not workload.dated or workload.granularity == "bucket":
        return False
    hours = _hours(workload.times("arrival_utc"))
    return int(hours.max()) - int(hours.min()) < MOST_HOURS


def _hours(times: TimeArray) -> IntArray:
    return np.asarray(times[~np.isnat(times)].astype(np.int64) // HOUR_US)


def saving_by_hour(workload: Workload, bill: Bill) -> tuple[HourSaving, ...] | None:
    """Every UTC hour from the first priced row to the last, at most 48.

    None where `has_hours` says no, and where no priced row has a time.
    """
    if not has_hours(workload):
        return None
    times = workload.times("arrival_utc")
    counted = bill.priced & ~np.isnat(times)
    if not counted.any():
        return None
    hours = _hours(times[counted])
    first = int(hours.min())
    bins = int(hours.max()) - first + 1
    codes = hours - first
    rows = np.bincount(codes, minlength=bins).tolist()
    low = grouped_totals(codes, bill.saving.low[counted], bins)
    high = grouped_totals(codes, bill.saving.high[counted], bins)
    return tuple(
        HourSaving(
            start_utc=EPOCH + timedelta(seconds=(first + i) * HOUR_S),
            rows=rows[i],
            saving=Amount(low_e13=low[i], high_e13=high[i]) if rows[i] else None,
        )
        for i in range(bins)
    )
