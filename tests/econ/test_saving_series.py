"""Net saving by hour."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import numpy as np

from econ.billing import BillingOptions, bill
from econ.saving_series import HourSaving, saving_by_hour
from econ.workload import Text, Workload
from price_tables.load import load_book

BOOK = load_book()
NOON = np.datetime64("2026-10-08T12:00", "us")


def workload(minutes: list[int], reads: list[int], **more: object) -> Workload:
    """Requests of 1,000 prompt tokens on claude-opus-5, so many minutes after noon."""
    rows = len(minutes)
    columns = {
        "arrival_utc": NOON + np.asarray(minutes, dtype="timedelta64[m]"),
        "input_tokens": np.full(rows, 1_000),
        "output_tokens": np.zeros(rows, dtype=np.int64),
        "cached_read_tokens": np.asarray(reads),
        "cache_write_5m_tokens": 1_000 - np.asarray(reads),
        "model": Text.constant("claude-opus-5", rows),
    }
    return Workload(name="w", format="x", rows=rows, columns=columns, **more)  # type: ignore[arg-type]


def hours_of(made: Workload) -> tuple[HourSaving, ...] | None:
    return saving_by_hour(made, bill(made, BOOK, BillingOptions()))


def test_each_hour_has_its_own_signed_saving_and_silence_is_not_zero() -> None:
    """Opus 5: 1,000 tokens cost 0.005 uncached, 0.0005 read, 0.00625 written."""
    hours = hours_of(workload([0, 59, 120], [1_000, 1_000, 0]))
    assert hours is not None
    assert [hour.start_utc for hour in hours] == [
        datetime(2026, 10, 8, clock, tzinfo=UTC) for clock in (12, 13, 14)
    ]
    assert [hour.rows for hour in hours] == [2, 0, 1]
    savings = [hour.saving for hour in hours]
    assert savings[0] is not None
    assert savings[0].usd == Decimal("0.009")
    assert savings[1] is None
    assert savings[2] is not None
    assert savings[2].usd == Decimal("-0.00125")


def test_the_hours_add_up_to_the_whole_saving() -> None:
    made = workload([0, 10, 70, 130], [0, 500, 1_000, 250])
    whole = bill(made, BOOK, BillingOptions()).saving.amount
    hours = hours_of(made)
    assert hours is not None
    assert sum(h.saving.low_e13 for h in hours if h.saving) == whole.low_e13


def test_long_bucketed_or_unobserved_workloads_have_no_hours() -> None:
    assert hours_of(workload([0, 60 * 49], [0, 0])) is None
    assert hours_of(workload([0, 60], [0, 0], granularity="bucket")) is None
    made = workload([0], [0])
    columns = {n: c for n, c in made.columns.items() if "cache" not in n}
    bare = Workload(name="w", format="x", rows=1, columns=columns)
    assert hours_of(bare) is None
    undated = {n: c for n, c in made.columns.items() if n != "arrival_utc"}
    assert hours_of(Workload(name="w", format="x", rows=1, columns=undated)) is None
