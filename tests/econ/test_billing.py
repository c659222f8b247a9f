"""Billing by hand-made cards: dates, tiers, modes, surfaces, peaks, buckets, gaps."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from econ.bill_sheet import Bill
from econ.billing import (
    NOT_BILLED,
    PRICED,
    UNPRICED,
    BillingOptions,
    Ends,
    ModelRef,
    bill_with,
    value_of_removed,
)
from econ.unpriced import unpriced_rows
from messages.errors import InputError, Message
from tests.econ.hand import AS_OF, OPUS_5, PEAK, Cards, card, opus_5, segment, sol, table

LONG = {"uncached": "10", "read": "1", "write_5m": "12.5", "output": "50"}


def tiered(**over: Any) -> Any:
    """claude-opus-5 with a dearer row above 200,000 prompt tokens."""
    return card("claude-opus-5", segment(OPUS_5), segment(LONG, above_tokens=200_000), **over)


def billed(rows: list[dict[str, Any]], *cards: Any, **options: Any) -> Bill:
    """The bill of rows of claude-opus-5 (unless they say otherwise) at hand-made cards."""
    over = options.pop("workload", {})
    filled = [{"model": "claude-opus-5", "output_tokens": 0, **row} for row in rows]
    known = Cards(*(cards or (opus_5(),)))
    return bill_with(table(filled, **over), known, BillingOptions(**options), AS_OF)


def usd(ends: Ends) -> Any:
    """The total as JSON would print it."""
    return ends.amount.to_json()


def said(bill: Bill) -> dict[str, int | None]:
    """Assumptions by id, with their counts."""
    return {message.id: message.n for message in bill.assumptions}


def test_d05_what_caching_earned_is_signed_and_a_removed_read_is_worth_a_read() -> None:
    bill = billed(
        [
            {
                "input_tokens": 1_000_000,
                "cached_read_tokens": 850_000,
                "cache_write_5m_tokens": 50_000,
            }
        ]
    )
    assert usd(bill.no_cache) == "5"
    assert usd(bill.billed) == "1.2375"
    assert usd(bill.saving) == "3.7625"
    assert value_of_removed(bill, "read", 100_000).to_json() == "0.05"


@pytest.mark.parametrize("tokens", [0, 11])
def test_only_tokens_that_were_billed_can_be_removed(tokens: int) -> None:
    bill = billed([{"input_tokens": 20, "cached_read_tokens": 10}])
    with pytest.raises(InputError) as caught:
        value_of_removed(bill, "read", tokens)
    assert caught.value.message.values["expected"] == 10
    with pytest.raises(InputError):
        value_of_removed(bill, "write_5m", 1)


def test_a_write_that_is_never_read_loses_money() -> None:
    bill = billed([{"input_tokens": 100_000, "cache_write_1h_tokens": 100_000}])
    assert usd(bill.saving) == "-0.5"


def test_d10_each_request_is_priced_at_its_own_day() -> None:
    bill = billed(
        [
            {"model": "gpt-5.6-sol", "input_tokens": 100_000, "arrival_utc": at}
            for at in ("2026-08-20T23:59:59.999999", "2026-08-21T00:00:00")
        ],
        sol(),
    )
    assert [value / 10**13 for value in bill.no_cache.low.tolist()] == [0.5, 0.4]
    assert bill.assumptions == ()
    assert len(bill.sources) == 2


def test_undated_rows_are_priced_at_the_moment_given_and_say_so() -> None:
    rows = [{"model": "gpt-5.6-sol", "input_tokens": 100_000}]
    assert usd(billed(rows, sol()).no_cache) == "0.4"
    old = billed(rows, sol(), at=datetime(2026, 8, 20, tzinfo=UTC))
    assert usd(old.no_cache) == "0.5"
    assert said(old) == {"report.assume_at": 1}
    assert old.assumptions[0].values["at"] == "2026-08-20 00:00 UTC"


def test_a_moment_given_for_dated_rows_reprices_all_of_them_and_says_so() -> None:
    rows = [
        {"model": "gpt-5.6-sol", "input_tokens": 100_000, "arrival_utc": "2026-08-20T00:00:00"},
        {"model": "gpt-5.6-sol", "input_tokens": 100_000},
    ]
    bill = billed(rows, sol(), at=datetime(2026, 9, 1, tzinfo=UTC))
    assert usd(bill.no_cache) == "0.8"
    assert said(bill) == {"report.repriced_at": None}
    own = billed(rows, sol())
    assert usd(own.no_cache) == "0.9"
    assert said(own) == {"report.assume_at": 1}


def test_a_long_prompt_reprices_the_whole_request_reads_and_writes_included() -> None:
    row = {"input_tokens": 200_000, "cached_read_tokens": 150_000, "cache_write_5m_tokens": 40_000}
    assert usd(billed([row], tiered()).billed) == "0.375"
    above = {**row, "input_tokens": 200_001, "output_tokens": 10}
    assert usd(billed([above], tiered()).billed) == "0.75051"
    assert usd(billed([above], tiered()).no_cache) == "2.00051"


def test_the_tier_is_tested_per_request_never_on_a_sum() -> None:
    bill = billed([{"input_tokens": 150_000}] * 2, tiered())
    assert usd(bill.no_cache) == "1.5"


def test_the_highest_tier_that_matches_wins() -> None:
    three = card(
        "claude-opus-5",
        segment(LONG, above_tokens=200_000),
        segment({"uncached": "20", "output": "90"}, above_tokens=400_000),
        segment(OPUS_5),
    )
    bill = billed([{"input_tokens": n} for n in (0, 400_000, 400_001)], three)
    assert bill.no_cache.low.tolist() == [0, 4 * 10**13, 400_001 * 20 * 10**7]


def test_a_row_without_a_model_is_priced_as_the_default_and_says_so() -> None:
    bill = billed([{"model": None, "input_tokens": 1_000_000}])
    assert usd(bill.no_cache) == "5"
    assert said(bill) == {"report.assume_model": 1, "report.assume_at": 1}


def test_a_provider_without_the_assumed_model_leaves_the_bill_to_the_models_maker() -> None:
    row = {"model": None, "provider": "openai", "surface": "regional", "input_tokens": 1_000_000}
    bill = billed([row, {**row, "provider": "anthropic", "surface": None}], opus_5(), sol())
    assert usd(bill.no_cache) == "10"
    assert {payee.ref.provider for payee in bill.payees} == {None, "anthropic"}
    named = billed([{**row, "model": "claude-opus-5"}], opus_5(), sol())
    assert named.status.tolist() == [UNPRICED]


def test_an_unknown_model_is_unpriced_with_its_reason_and_never_zero() -> None:
    bill = billed([{"model": "claude-opus-55", "input_tokens": 7, "output_tokens": 2}] * 2)
    assert bill.status.tolist() == [UNPRICED, UNPRICED]
    (row,) = unpriced_rows(bill)
    assert (row.model, row.rows, row.requests) == ("claude-opus-55", 2, 2)
    assert (row.input_tokens, row.output_tokens) == (14, 4)
    assert row.reason.id == "prices.unknown_model"


def test_tokens_in_a_bucket_without_a_price_make_the_row_unpriced() -> None:
    bill = billed(
        [
            {"input_tokens": 10, "cache_write_12h_tokens": 5},
            {"input_tokens": 10, "cache_write_12h_tokens": 0},
        ]
    )
    assert bill.status.tolist() == [UNPRICED, PRICED]
    assert bill.reasons[0] == Message(
        "report.no_bucket_price",
        {"model": "claude-opus-5", "provider": "anthropic", "bucket": "write_12h"},
    )


def test_a_card_without_an_input_price_prices_nothing_that_has_a_prompt() -> None:
    odd = card("claude-opus-5", segment({"read": "1", "output": "2"}))
    bill = billed([{"input_tokens": 10, "cached_read_tokens": 10}], odd)
    assert bill.status.tolist() == [UNPRICED]


def test_a_moment_that_no_price_covers_is_unpriced_in_the_look_ups_own_words() -> None:
    late = card("claude-opus-5", segment(OPUS_5, valid_from=datetime(2026, 6, 1, tzinfo=UTC)))
    rows = [{"input_tokens": 10, "arrival_utc": at} for at in ("2026-05-01", "2026-06-01")]
    bill = billed(rows, late)
    assert bill.status.tolist() == [UNPRICED, PRICED]
    assert bill.reasons[0].id == "prices.outside_periods"


def test_a_bucket_that_outlives_the_prices_is_unpriced() -> None:
    gone = card("claude-opus-5", segment(OPUS_5, valid_to=datetime(2026, 6, 1, tzinfo=UTC)))
    row = {
        "input_tokens": 10,
        "n_requests": 2,
        "arrival_utc": "2026-05-31T00:00:00",
        "bucket_end_utc": "2026-06-02T00:00:00",
    }
    bill = billed([row], gone)
    assert [reason.id for reason in bill.reasons] == ["report.bucket_outlives_price"]


def test_a_mode_that_refuses_long_prompts_leaves_them_unpriced() -> None:
    refusal = Message("prices.long_prompt_refused", {"model": "claude-opus-5"})
    fast = card(
        "claude-opus-5", segment(OPUS_5), segment({}, above_tokens=200_000, refused=refusal)
    )
    bill = billed([{"input_tokens": 300_000}, {"input_tokens": 200_000}], fast)
    assert bill.status.tolist() == [UNPRICED, PRICED]
    assert bill.reasons == (refusal,)


def test_failed_rows_are_not_billed_unless_asked_for() -> None:
    rows = [{"input_tokens": 1_000_000, "failed": 1}, {"input_tokens": 1_000_000, "failed": 0}]
    bill = billed(rows)
    assert bill.status.tolist() == [NOT_BILLED, PRICED]
    assert usd(bill.no_cache) == "5"
    assert said(bill)["report.failed_not_billed"] == 1
    assert usd(billed(rows, include_failed=True).no_cache) == "10"


def test_a_failed_row_is_not_listed_as_unpriced() -> None:
    bill = billed([{"model": "nobody-knows", "input_tokens": 1, "failed": 1}])
    assert unpriced_rows(bill) == ()


def test_rows_without_counts_or_with_parts_above_the_total_are_unpriced() -> None:
    bill = billed(
        [
            {"input_tokens": None},
            {"input_tokens": 5, "output_tokens": None},
            {"input_tokens": 5, "cached_read_tokens": 6},
        ]
    )
    assert bill.status.tolist() == [UNPRICED] * 3
    assert [bill.reasons[code].id for code in bill.reason_code] == [
        "report.no_token_counts",
        "report.no_token_counts",
        "report.parts_exceed_total",
    ]


def test_d13_the_surface_and_a_region_change_the_price() -> None:
    dearer = {bucket: str(Decimal(price) * Decimal("1.1")) for bucket, price in OPUS_5.items()}
    us = card("claude-opus-5", segment(dearer), surface="us")
    bill = billed(
        [
            {"input_tokens": 1_000_000, "surface": "global"},
            {"input_tokens": 1_000_000, "surface": "us"},
            {"input_tokens": 1_000_000, "geo": "us"},
            {"input_tokens": 1_000_000, "geo": "not_available"},
            {"input_tokens": 1_000_000, "geo": "eu"},
            {"input_tokens": 1_000_000, "geo": "US", "provider": "bedrock"},
        ],
        opus_5(),
        us,
        opus_5(provider="bedrock"),
    )
    assert [v / 10**13 for v in bill.no_cache.low.tolist()] == [5, 5.5, 5.5, 5, 0, 5]
    assert bill.status.tolist() == [PRICED] * 4 + [UNPRICED, PRICED]


def test_the_users_own_name_for_a_model_is_priced_as_the_model_it_stands_for() -> None:
    bill = billed(
        [{"model": "=1+1", "input_tokens": 1_000_000}], model_names={"=1+1": "claude-opus-5"}
    )
    assert usd(bill.no_cache) == "5"
    assert bill.payees[0].name == "=1+1"


def test_every_row_can_be_billed_as_one_model() -> None:
    as_sol = ModelRef(None, None, "gpt-5.6-sol", None)
    bill = billed([{"input_tokens": 1_000_000}], opus_5(), sol(), override=as_sol)
    assert usd(bill.no_cache) == "4"


def test_a_row_above_922_337_dollars_is_exact() -> None:
    tokens = 10**13
    rows = [{"input_tokens": tokens, "cached_read_tokens": 1, "output_tokens": tokens + 1}]
    bill = billed(rows)
    assert bill.no_cache.low.dtype == object
    assert usd(bill.no_cache) == "300000000.000025"
    assert usd(bill.saving) == "0.0000045"
    assert usd(bill.billed) == "300000000.0000205"


def test_a_row_of_just_under_922_337_dollars_stays_in_an_int64() -> None:
    tokens = 184_467_440_737
    bill = billed([{"input_tokens": tokens}] * 3)
    assert bill.no_cache.low.dtype == np.int64
    assert usd(bill.no_cache) == "2767011.611055"


def test_an_observed_row_that_says_nothing_of_the_cache_is_billed_as_uncached_and_counted() -> None:
    bill = billed([{"input_tokens": 10, "cached_read_tokens": 5}, {"input_tokens": 10}])
    assert said(bill)["report.row_without_cache"] == 1
    assert usd(bill.billed) == "0.0000775"


def test_nothing_at_all_costs_nothing_and_fails_nowhere() -> None:
    bill = bill_with(table([]), Cards(), BillingOptions(), AS_OF)
    assert usd(bill.billed) == "0"
    assert bill.assumptions == ()
    assert unpriced_rows(bill) == ()


def test_a_file_without_cache_columns_is_billed_without_caching_alone() -> None:
    bill = billed([{"input_tokens": 1_000_000, "output_tokens": 1_000_000}])
    assert not bill.observed
    assert usd(bill.no_cache) == "30"
    assert bill.usd_by_bucket == bill.no_cache_by_bucket


def test_thousands_of_names_are_sorted_out_row_by_row() -> None:
    names = [f"m{i % 1_100}" for i in range(2_200)]
    teams = [f"t{i}" for i in range(1_100)]
    rows = [
        {
            "model": name,
            "mode": teams[i % 1_100],
            "surface": teams[(i * 7) % 1_100],
            "input_tokens": 1,
        }
        for i, name in enumerate(names)
    ]
    bill = billed(rows)
    assert bill.status.tolist() == [UNPRICED] * 2_200
    assert len(unpriced_rows(bill)) == 1_100


PEAKED = card("ds", segment({"uncached": "1", "read": "0.1", "output": "2"}, peak=PEAK))
MILLION = {"model": "ds", "input_tokens": 1_000_000}


@pytest.mark.parametrize(
    ("completed", "expected"),
    [
        ("2026-11-27T00:59:59.999999", "1"),  # a Friday
        ("2026-11-27T01:00:00", "2"),
        ("2026-11-27T03:59:59.999999", "2"),
        ("2026-11-27T04:00:00", "1"),
        ("2026-11-27T09:59:59", "2"),
        ("2026-11-28T02:00:00", "1"),  # a Saturday
        ("2026-10-01T02:00:00", "1"),  # a holiday
        ("2026-09-30T16:00:00", "1"),
    ],
)
def test_peak_hours_double_on_working_days_and_end_exclusively(
    completed: str, expected: str
) -> None:
    assert usd(billed([{**MILLION, "arrival_utc": completed}], PEAKED).no_cache) == expected


def test_the_completion_of_a_request_decides_its_peak() -> None:
    row = {**MILLION, "arrival_utc": "2026-11-27T00:59:50", "finished_s": 10.0}
    bill = billed([row, {**row, "finished_s": 9.5}, {**row, "finished_s": None}], PEAKED)
    assert [v / 10**13 for v in bill.no_cache.low.tolist()] == [2, 1, 1]


def test_a_bucket_across_a_peak_boundary_is_a_range() -> None:
    day = {**MILLION, "n_requests": 9, "arrival_utc": "2026-11-27", "bucket_end_utc": "2026-11-28"}
    bill = billed([{**day, "cached_read_tokens": 500_000}], PEAKED)
    assert usd(bill.no_cache) == {"value": None, "low": "1", "high": "2"}
    assert usd(bill.billed) == {"value": None, "low": "0.55", "high": "1.1"}
    assert usd(bill.saving) == {"value": None, "low": "0.45", "high": "0.9"}
    assert said(bill) == {"report.bucket_crosses": 1}
    assert bill.usd_by_bucket["read"].to_json() == {"value": None, "low": "0.05", "high": "0.1"}


def test_a_bucket_inside_or_outside_the_peak_is_exact() -> None:
    inside = {
        **MILLION,
        "n_requests": 2,
        "arrival_utc": "2026-11-27T01:00:00",
        "bucket_end_utc": "2026-11-27T04:00:00",
    }
    weekend = {**inside, "arrival_utc": "2026-11-28T00:00:00", "bucket_end_utc": "2026-11-29"}
    bill = billed([inside, weekend], PEAKED)
    assert usd(bill.no_cache) == "3"
    assert bill.assumptions == ()


def test_after_the_last_known_holiday_a_peak_is_a_range() -> None:
    bill = billed([{**MILLION, "arrival_utc": "2027-01-04T02:00:00"}], PEAKED)
    assert usd(bill.no_cache) == {"value": None, "low": "1", "high": "2"}
    assert said(bill) == {"report.holidays_unknown": 1}


def test_repriced_rows_keep_their_own_hours() -> None:
    change = datetime(2026, 8, 1, tzinfo=UTC)
    cheaper = card(
        "ds",
        segment({"uncached": "1", "output": "2"}, valid_to=change),
        segment({"uncached": "3", "output": "2"}, valid_from=change, peak=PEAK),
    )
    row = {**MILLION, "arrival_utc": "2026-03-02T02:00:00"}
    assert usd(billed([row], cheaper).no_cache) == "1"
    assert usd(billed([row], cheaper, at=datetime(2026, 9, 1, tzinfo=UTC)).no_cache) == "6"
    day = {**row, "n_requests": 3, "arrival_utc": "2026-03-02", "bucket_end_utc": "2026-03-03"}
    again = billed([day], cheaper, at=datetime(2026, 9, 1, tzinfo=UTC))
    assert usd(again.no_cache) == {"value": None, "low": "3", "high": "6"}


def test_a_bucket_cut_by_a_price_change_uses_the_hours_of_each_part() -> None:
    change = datetime(2026, 11, 27, 4, tzinfo=UTC)
    late = card(
        "ds",
        segment({"uncached": "1", "output": "2"}, valid_to=change),
        segment({"uncached": "3", "output": "2"}, valid_from=change, peak=PEAK),
    )
    row = {
        **MILLION,
        "n_requests": 2,
        "arrival_utc": "2026-11-27T02:00:00",
        "bucket_end_utc": "2026-11-27T06:00:00",
    }
    # The peak of 01:00 to 04:00 lies before the change, that of 06:00 after the bucket.
    assert usd(billed([row], late).no_cache) == {"value": None, "low": "1", "high": "3"}


def test_undated_rows_of_a_model_with_peak_hours_say_at_which_hour_they_are_priced() -> None:
    bill = billed([MILLION], PEAKED, at=datetime(2026, 11, 27, 2, tzinfo=UTC))
    assert usd(bill.no_cache) == "2"
    assert said(bill) == {"report.assume_at": 1, "report.peak_by_at": 1}
    assert bill.assumptions[1].values["at"] == "2026-11-27 02:00 UTC"
    assert bill.sources[0].peak


def bucket(**over: Any) -> dict[str, Any]:
    """A day of many requests."""
    return {
        "input_tokens": 1_000_000,
        "n_requests": 50,
        "arrival_utc": "2026-10-01",
        "bucket_end_utc": "2026-10-02",
        **over,
    }


def test_a_buckets_own_flag_decides_its_tier() -> None:
    bill = billed([bucket(long_context=1), bucket(long_context=0), bucket()], tiered())
    assert [v / 10**13 for v in bill.no_cache.low.tolist()] == [10, 5, 5]
    assert said(bill) == {"report.base_tier_assumed": 1}


def test_a_bucket_too_small_for_a_long_prompt_is_no_lower_bound() -> None:
    bill = billed([bucket(input_tokens=200_000)], tiered())
    assert bill.assumptions == ()


def test_a_flag_on_a_model_without_tiers_changes_nothing() -> None:
    assert usd(billed([bucket(long_context=1)]).no_cache) == "5"


def test_a_bucket_of_one_request_is_a_request() -> None:
    assert usd(billed([bucket(n_requests=1)], tiered()).no_cache) == "10"


def test_rows_of_a_bucketed_file_are_buckets_without_a_count() -> None:
    rows = [bucket(n_requests=None)]
    assert usd(billed(rows, tiered(), workload={"granularity": "bucket"}).no_cache) == "5"
    said_by_row = [bucket(n_requests=None, granularity="bucket")]
    assert usd(billed(said_by_row, tiered()).no_cache) == "5"


def test_a_bucket_across_a_price_change_is_a_range() -> None:
    rows = [
        {
            "model": "gpt-5.6-sol",
            "input_tokens": 1_000_000,
            "output_tokens": 100_000,
            "n_requests": 7,
            "arrival_utc": "2026-08-20T12:00:00",
            "bucket_end_utc": end,
        }
        for end in ("2026-08-21T12:00:00", "2026-08-21T00:00:00", None)
    ]
    bill = billed(rows, sol())
    assert bill.no_cache.low.tolist() == [6 * 10**13, 8 * 10**13, 8 * 10**13]
    assert bill.no_cache.high.tolist() == [8 * 10**13] * 3
    assert said(bill) == {"report.bucket_crosses": 1}
    assert len(bill.sources) == 2


def test_a_range_keeps_each_end_whichever_price_makes_it() -> None:
    change = datetime(2026, 8, 21, tzinfo=UTC)
    swapped = card(
        "x",
        segment({"uncached": "1", "read": "1", "output": "9"}, valid_to=change),
        segment({"uncached": "9", "read": "0", "output": "1"}, valid_from=change),
    )
    rows = [
        {
            "model": "x",
            "input_tokens": 1_000_000,
            "cached_read_tokens": reads,
            "n_requests": 2,
            "arrival_utc": "2026-08-20",
            "bucket_end_utc": "2026-08-22",
        }
        for reads in (0, 1_000_000)
    ]
    bill = billed(rows, swapped)
    assert usd(bill.no_cache) == {"value": None, "low": "2", "high": "18"}
    assert usd(bill.billed) == {"value": None, "low": "1", "high": "10"}
    assert usd(bill.saving) == {"value": None, "low": "0", "high": "9"}
