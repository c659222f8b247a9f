"""The worked values of the demands, at the prices that are shipped."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from econ.bill_sheet import Bill
from econ.billing import PRICED, UNPRICED, BillingOptions, bill, value_of_removed
from econ.groups import group_rows
from price_tables.book import PriceBook
from price_tables.load import load_book
from tests.econ.hand import table


@pytest.fixture(scope="module")
def book() -> PriceBook:
    return load_book()


def billed(book: PriceBook, *rows: dict[str, Any], **options: Any) -> Bill:
    """The bill of these rows at shipped prices."""
    filled = [{"output_tokens": 0, **row} for row in rows]
    return bill(table(filled), book, BillingOptions(**options))


def test_d01_openai_usage_has_reads_and_writes_inside_its_total(book: PriceBook) -> None:
    row = {
        "model": "gpt-5.6-sol",
        "arrival_utc": "2026-09-01",
        "input_tokens": 2_600,
        "cached_read_tokens": 2_000,
        "cache_write_30m_tokens": 400,
    }
    found = billed(book, row, {**row, "cached_read_tokens": 2_700})
    assert found.usage.tokens["uncached"][0] == 200
    assert found.billed.amount.to_json() == "0.0036"
    assert found.status.tolist() == [PRICED, UNPRICED]


def test_d05_a_removed_read_is_worth_five_cents_not_fifty(book: PriceBook) -> None:
    found = billed(
        book,
        {
            "model": "claude-opus-5",
            "input_tokens": 1_000_000,
            "cached_read_tokens": 850_000,
            "cache_write_5m_tokens": 50_000,
        },
    )
    assert found.no_cache.amount.to_json() == "5"
    assert found.billed.amount.to_json() == "1.2375"
    assert found.saving.amount.to_json() == "3.7625"
    assert value_of_removed(found, "read", 100_000).to_json() == "0.05"


def test_d08_names_are_matched_and_never_guessed(book: PriceBook) -> None:
    names = (
        "claude-opus-5",
        "claude-opus-5-5",
        "claude-opus-5[1m]",
        "anthropic.claude-opus-5",
        "global.anthropic.claude-opus-5",
        "claude-haiku-4-5-20251001",
        "claude-opus-55",
        "claude-opus-5-7",
    )
    rows = [{"model": n, "input_tokens": 100_000, "cached_read_tokens": 100_000} for n in names]
    found = billed(book, *rows)
    assert [v / 10**13 for v in found.billed.low.tolist()] == [
        0.05, 0.02, 0.05, 0.055, 0.05, 0.01, 0, 0
    ]  # fmt: skip
    assert found.status.tolist() == [PRICED] * 6 + [UNPRICED] * 2


def test_d10_a_second_before_the_price_change_costs_the_old_price(book: PriceBook) -> None:
    row = {"model": "gpt-5.6-sol", "input_tokens": 100_000}
    found = billed(
        book,
        {**row, "arrival_utc": "2026-08-20T23:59:59"},
        {**row, "arrival_utc": "2026-08-21T00:00:00"},
    )
    assert [v / 10**13 for v in found.no_cache.low.tolist()] == [0.5, 0.4]


def test_d12_batch_halves_reads_and_writes(book: PriceBook) -> None:
    row = {"model": "claude-opus-5", "mode": "batch", "input_tokens": 1_000_000, "n_requests": 100}
    found = billed(
        book,
        {**row, "cached_read_tokens": 1_000_000},
        {**row, "cache_write_5m_tokens": 1_000_000},
        {**row, "input_tokens": 1_000_000},
    )
    assert [v / 10**13 for v in found.billed.low.tolist()] == [0.25, 3.125, 2.5]
    one = {"model": "claude-opus-5", "mode": "batch", "input_tokens": 10_000}
    hits = billed(
        book,
        {**one, "cache_write_5m_tokens": 10_000},
        *[{**one, "cached_read_tokens": 10_000}] * 99,
    )
    assert hits.billed.amount.to_json() == "0.27875"
    assert hits.no_cache.amount.to_json() == "2.5"
    misses = billed(book, *[{**one, "cache_write_5m_tokens": 10_000}] * 100)
    assert misses.billed.amount.to_json() == "3.125"
    assert misses.saving.amount.to_json() == "-0.625"


def test_d13_in_region_costs_a_tenth_more_than_global(book: PriceBook) -> None:
    row = {
        "provider": "bedrock",
        "model": "claude-sonnet-4-6",
        "input_tokens": 3_000_000,
        "cached_read_tokens": 1_000_000,
        "cache_write_5m_tokens": 1_000_000,
        "output_tokens": 1_000_000,
        "n_requests": 1_000,
    }
    found = billed(book, {**row, "surface": "global"}, {**row, "surface": "in-region"})
    assert [v / 10**13 for v in found.billed.low.tolist()] == [22.05, 24.255]


def test_d13_an_unknown_surface_is_unpriced_never_the_direct_price(book: PriceBook) -> None:
    row = {"provider": "bedrock", "model": "claude-sonnet-4-6", "input_tokens": 1}
    found = billed(book, {**row, "surface": "moon"})
    assert found.status.tolist() == [UNPRICED]


def test_d17_the_lifetime_that_was_written_decides_per_session(book: PriceBook) -> None:
    one = {"model": "claude-opus-5", "input_tokens": 100_000}
    rows = [
        {
            **one,
            "session_id": "A",
            "arrival_utc": "2026-11-01T09:00",
            "cache_write_1h_tokens": 100_000,
        },
        {
            **one,
            "session_id": "B",
            "arrival_utc": "2026-11-01T09:00",
            "cache_write_5m_tokens": 100_000,
        },
        {
            **one,
            "session_id": "A",
            "arrival_utc": "2026-11-01T09:20",
            "cached_read_tokens": 100_000,
        },
        {
            **one,
            "session_id": "B",
            "arrival_utc": "2026-11-01T09:20",
            "cache_write_5m_tokens": 100_000,
        },
    ]
    workload = table([{"output_tokens": 0, **row} for row in rows])
    found = bill(workload, book, BillingOptions())
    sessions = {
        group.key: group.billed and group.billed.to_json()
        for group in group_rows(workload, found, ["session"], None)
    }
    assert sessions == {"A": "1.05", "B": "1.25"}
    assert found.billed.amount.to_json() == "2.3"
    assert found.no_cache.amount.to_json() == "2"
    assert found.saving.amount.to_json() == "-0.3"


def test_a_us_inference_region_costs_a_tenth_more_on_every_bucket(book: PriceBook) -> None:
    row = {"model": "claude-opus-5", "input_tokens": 1_000_000, "cached_read_tokens": 500_000}
    found = billed(book, {**row, "geo": "global"}, {**row, "geo": "us"})
    assert [v / 10**13 for v in found.billed.low.tolist()] == [2.75, 3.025]


def test_deepseek_doubles_in_peak_hours_by_completion_time(book: PriceBook) -> None:
    row = {"model": "deepseek-flash", "input_tokens": 1_000_000, "cached_read_tokens": 0}
    found = billed(
        book,
        {**row, "arrival_utc": "2026-11-27T00:59:00"},
        {**row, "arrival_utc": "2026-11-27T00:59:00", "finished_s": 61.0},
    )
    low, high = found.no_cache.low.tolist()
    assert high == 2 * low > 0


def test_repricing_a_closed_week_is_a_what_if_and_says_so(book: PriceBook) -> None:
    row = {"model": "gpt-5.6-sol", "input_tokens": 100_000, "arrival_utc": "2026-08-01"}
    then = billed(book, row, at=datetime(2026, 9, 1, tzinfo=UTC))
    assert then.no_cache.amount.to_json() == "0.4"
    assert then.assumptions[0].id == "report.repriced_at"
