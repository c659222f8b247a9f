"""FOCUS-style rows: each token once, costs that add up to the bill, nothing that runs."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from econ.focus_csv import focus_csv
from econ.focus_rows import FocusRow, focus_rows
from econ.receipt import Receipt
from econ.report import CostReport, Rate, ReportParams
from econ.report_build import billing_options, build_report
from econ.workload import Workload
from price_tables.load import load_book
from tests.econ.hand import table

NOTHING = Receipt(files=(), rows_read=0, rows_kept=0)
REVIEW = {
    "model": "=1+1",
    "arrival_utc": "2026-10-01",
    "input_tokens": 100_000,
    "cached_read_tokens": 90_000,
    "output_tokens": 1_000,
}


def rows_of(workload: Workload, **params: Any) -> tuple[CostReport, list[FocusRow]]:
    """The report and its rows."""
    asked = ReportParams(**params)
    report = build_report(workload, NOTHING, load_book(), asked)
    return report, focus_rows(workload, load_book(), billing_options(workload, asked), asked)


def read(data: bytes) -> list[dict[str, str]]:
    """The file as Python's csv reads it."""
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(data[3:].decode(), newline="")))


def test_d39_one_request_is_three_rows_whose_costs_sum_to_twelve_cents() -> None:
    report, rows = rows_of(table([REVIEW]), model_names={"=1+1": "claude-opus-5"})
    yen = Rate(currency="JPY", per_usd=Decimal(150), date=None, source="user")
    lines = read(focus_csv(rows, report, (yen,)))
    shown = {
        (r["x_CacheAction"], r["x_TokenDirection"]): (
            r["ConsumedQuantity"],
            Decimal(r["BilledCost"]),
        )
        for r in lines
    }
    assert shown == {
        ("None", "Input"): ("10000", Decimal("0.05")),
        ("Read", "Input"): ("90000", Decimal("0.045")),
        ("None", "Output"): ("1000", Decimal("0.025")),
    }
    assert sum(Decimal(r["BilledCost"]) for r in lines) == Decimal("0.12")
    assert sum(Decimal(r["x_BilledCostJPY"]) for r in lines) == Decimal(18)
    first = lines[0]
    assert first["x_Model"] == "'=1+1"
    assert (first["ServiceName"], first["BillingCurrency"]) == ("anthropic", "USD")
    assert first["ChargePeriodStart"] == "2026-10-01T00:00:00Z"
    assert first["ChargePeriodEnd"] == "2026-10-02T00:00:00Z"
    assert first["x_ReportId"] == report.report_id
    assert first["x_PriceBook"] == report.price_book_version


def test_a_row_without_a_price_has_tokens_and_no_cost() -> None:
    report, rows = rows_of(table([{**REVIEW, "model": "nobody-knows"}]))
    lines = read(focus_csv(rows, report))
    assert {r["BilledCost"] for r in lines} == {""}
    assert sum(int(r["ConsumedQuantity"]) for r in lines) == 101_000


def test_a_file_that_says_nothing_of_the_cache_has_no_billed_cost() -> None:
    plain = {k: v for k, v in REVIEW.items() if k != "cached_read_tokens"}
    _, rows = rows_of(table([{**plain, "model": "claude-opus-5"}]))
    assert {row.cost for row in rows} == {None}


def test_more_than_two_months_of_days_are_charged_by_the_month() -> None:
    days = [f"2026-{month:02}-{day:02}" for month in (8, 9, 10) for day in range(1, 29)]
    known = {**REVIEW, "model": "claude-opus-5"}
    _, rows = rows_of(table([{**known, "arrival_utc": day} for day in days]))
    assert sorted({str(row.start)[:10] for row in rows}) == [
        "2026-08-01", "2026-09-01", "2026-10-01"
    ]  # fmt: skip
    assert {str(row.end)[:10] for row in rows} == {"2026-09-01", "2026-10-01", "2026-11-01"}


REQUEST = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["claude-opus-5", "claude-sonnet-5", "gpt-5.6-sol", "nobody"]),
        "arrival_utc": st.sampled_from(["2026-10-01", "2026-10-02", "2026-11-05"]),
        "input_tokens": st.integers(10_000, 900_000),
        "cached_read_tokens": st.integers(0, 10_000),
        "output_tokens": st.integers(0, 9_000),
    }
)


@settings(max_examples=20, deadline=None)
@given(st.lists(REQUEST, min_size=1, max_size=12))
def test_the_rows_add_up_to_the_bill_and_to_its_tokens(requests: list[dict[str, Any]]) -> None:
    report, rows = rows_of(table(requests))
    billed = sum(row.cost.low_e13 for row in rows if row.cost is not None)
    assert billed == (report.baselines.billed.low_e13 if report.baselines.billed else 0)
    tokens = sum(row.tokens for row in rows)
    assert tokens == sum(r["input_tokens"] + r["output_tokens"] for r in requests)
