"""Days, periods, groups, ratios, baselines: what is shown beside the bill."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from econ.baselines import baselines_of, month_of, not_cacheable_of, saving_of
from econ.best_reachable import Best, best_reachable
from econ.bill_sheet import Bill
from econ.billing import BillingOptions, Pricing, bill_with
from econ.days import days_touched, zone
from econ.groups import MANY_SESSIONS, default_groups, group_rows
from econ.policy_rows import as_billed_row
from econ.rate_grid import to_us
from econ.ratios import ratios_of, token_hit_ratio
from econ.select import select
from econ.unpriced import unpriced_rows
from econ.usage import usage_of
from econ.workload import Prefix, Text, Workload
from messages.errors import InputError
from price_tables.book import PriceBook
from tests.econ.hand import AS_OF, PEAK, Cards, card, opus_5, segment, table

OPUS = {"model": "claude-opus-5", "output_tokens": 0}
NO_BEST = Best(amount=None)


def rows(*given: dict[str, Any], **over: Any) -> Workload:
    """A workload of claude-opus-5 rows."""
    return table([{**OPUS, **row} for row in given], **over)


def bill_of(workload: Workload, **options: Any) -> Bill:
    """Its bill at 5 / 0.50 / 6.25 / 10 / 25."""
    return bill_with(workload, Cards(opus_5()), BillingOptions(**options), AS_OF)


def test_d06_the_token_hit_ratio_counts_writes_in_the_denominator() -> None:
    assert token_hit_ratio(6, 19_242, 19_442) == pytest.approx(0.497, abs=5e-4)
    bill = bill_of(
        rows(
            {"input_tokens": 38_690, "cached_read_tokens": 19_242, "cache_write_5m_tokens": 19_442}
        )
    )
    found = ratios_of(bill)
    assert round(found.token_hit or 0, 3) == 0.497
    assert (found.request_hit, found.n) == (1.0, 1)


def test_d06_nothing_to_divide_by_is_no_data_not_zero() -> None:
    assert token_hit_ratio(0, 0, 0) is None
    for workload in (rows(), rows({"input_tokens": 10})):
        found = ratios_of(bill_of(workload))
        assert (found.token_hit, found.request_hit, found.usd_weighted_hit) == (None, None, None)
        assert found.n == 0


def test_the_three_ratios_differ_and_have_their_own_names() -> None:
    dear = card("dear", segment({"uncached": "50", "read": "5", "output": "1"}))
    workload = table(
        [
            {**OPUS, "input_tokens": 100, "cached_read_tokens": 50},
            {**OPUS, "input_tokens": 100, "cached_read_tokens": 0},
            {**OPUS, "model": "dear", "input_tokens": 100, "cached_read_tokens": 100},
        ]
    )
    found = ratios_of(bill_with(workload, Cards(opus_5(), dear), BillingOptions(), AS_OF))
    assert found.token_hit == 0.5
    assert found.request_hit == pytest.approx(2 / 3)
    assert found.usd_weighted_hit == (250 + 5_000) / (1_000 + 5_000)


def test_request_hits_cannot_be_told_from_sums() -> None:
    bucket = {"input_tokens": 10, "cached_read_tokens": 5, "n_requests": 4}
    found = ratios_of(bill_of(rows(bucket)))
    assert (found.token_hit, found.request_hit, found.n) == (0.5, None, 4)
    uncounted = rows({**bucket, "n_requests": None}, granularity="bucket")
    assert ratios_of(bill_of(uncounted)).n == 1


def test_all_hit_ratios_are_of_the_rows_in_the_baselines_that_say_what_the_cache_did() -> None:
    said = {"input_tokens": 100, "cached_read_tokens": 25, "cache_write_5m_tokens": 0}
    workload = rows(
        said,
        {**said, "cached_read_tokens": 100, "model": "nobody-knows"},
        {"input_tokens": 900},
    )
    bill = bill_of(workload)
    found = ratios_of(bill)
    assert (found.token_hit, found.request_hit, found.usd_weighted_hit) == (0.25, 1.0, 0.25)
    assert found.n == 1
    assert as_billed_row(bill).hit_ratio_low == 0.25
    by_model = {row.key: row.token_hit for row in group_rows(workload, bill, ["model"], None)}
    assert by_model == {"claude-opus-5": 0.25, "nobody-knows": None}


def test_rows_that_name_no_model_are_a_group_of_their_own() -> None:
    workload = rows({"input_tokens": 100}, {"input_tokens": 300, "model": None})
    found = group_rows(workload, bill_of(workload), ["model"], None)
    assert [(row.key, row.priced_as, row.rows) for row in found] == [
        ("", "claude-opus-5", 1),
        ("claude-opus-5", None, 1),
    ]


def test_the_hit_ratio_of_free_prompts_has_no_dollar_weight() -> None:
    free = card("free", segment({"uncached": "0", "read": "0", "output": "1"}))
    workload = table(
        [{"model": "free", "output_tokens": 1, "input_tokens": 4, "cached_read_tokens": 4}]
    )
    found = ratios_of(bill_with(workload, Cards(free), BillingOptions(), AS_OF))
    assert (found.token_hit, found.usd_weighted_hit) == (1.0, None)


def test_the_baselines_stand_side_by_side_over_the_same_rows() -> None:
    bill = bill_of(
        rows(
            {"input_tokens": 1_000_000, "cached_read_tokens": 850_000, "output_tokens": 1_000},
            {"input_tokens": 1_000_000, "model": "nobody-knows"},
        )
    )
    base = baselines_of(bill, NO_BEST)
    saving = saving_of(bill, base, None)
    assert base.no_cache is not None
    assert base.no_cache.to_json() == "5.025"
    assert base.billed is not None
    assert base.billed.to_json() == "1.2"
    assert (base.rows, base.requests) == (1, 1)
    assert saving.earned is not None
    assert saving.earned.to_json() == "3.825"
    assert saving.earned_ratio == pytest.approx(3.825 / 5.025)
    assert base.best_reachable is None
    assert "best_reachable_usd" in base.reasons
    part = not_cacheable_of(bill)
    assert part is not None
    assert part.to_json() == "0.025"


def test_a_file_without_cache_columns_says_so_instead_of_zero() -> None:
    bill = bill_of(rows({"input_tokens": 10}))
    base = baselines_of(bill, NO_BEST)
    assert base.billed is None
    assert base.reasons["billed_usd"].id == "report.not_in_this_file"
    assert saving_of(bill, base, None).earned is None


def test_where_nothing_has_a_price_every_baseline_says_so() -> None:
    for row in (
        {"model": "nobody-knows", "input_tokens": 10},
        {"model": "nobody-knows", "input_tokens": 10, "cached_read_tokens": 3},
    ):
        bill = bill_of(rows(row))
        base = baselines_of(bill, NO_BEST)
        assert (base.no_cache, base.billed, not_cacheable_of(bill)) == (None, None, None)
        assert base.reasons["no_cache_usd"].id == "report.nothing_priced"


def test_sums_over_requests_name_the_file_that_would_give_the_best_policy() -> None:
    workload = rows({"input_tokens": 10, "n_requests": 3})
    pricing = Pricing(cards=Cards(opus_5()), options=BillingOptions(), default_at=AS_OF)
    book = PriceBook(version="none", as_of=AS_OF, tables={})
    best = best_reachable(workload, bill_of(workload), book, pricing)
    base = baselines_of(bill_of(workload), best)
    assert base.reasons["best_reachable_usd"].id == "report.best_needs_requests"


def test_the_saving_of_a_range_has_no_ratio() -> None:
    peaked = card("ds", segment({"uncached": "1", "read": "0.1", "output": "2"}, peak=PEAK))
    day = {
        "model": "ds",
        "output_tokens": 0,
        "input_tokens": 1_000_000,
        "cached_read_tokens": 500_000,
        "n_requests": 9,
        "arrival_utc": "2026-11-27",
        "bucket_end_utc": "2026-11-28",
    }
    bill = bill_with(table([day]), Cards(peaked), BillingOptions(), AS_OF)
    saving = saving_of(bill, baselines_of(bill, NO_BEST), None)
    assert saving.earned is not None
    assert saving.earned.to_json() == {"value": None, "low": "0.45", "high": "0.9"}
    assert saving.earned_ratio is None


def test_a_month_is_30_4375_days_over_the_days_that_were_touched() -> None:
    bill = bill_of(
        rows(
            {"input_tokens": 1_000_000, "arrival_utc": "2026-10-01T23:59:59"},
            {"input_tokens": 1_000_000, "arrival_utc": "2026-10-02T00:00:00"},
            {"input_tokens": 1_000_000, "arrival_utc": "2026-10-04T00:00:00"},
        )
    )
    base = baselines_of(bill, NO_BEST)
    month = month_of(bill, base, None, None, None)
    assert month is not None
    assert month.factor == Fraction("30.4375") / 3
    assert month.no_cache is not None
    assert month.no_cache.to_json() == "152.1875"
    assert month.billed is None
    tokyo = month_of(bill, base, None, zone("Asia/Tokyo"), None)
    assert tokyo is not None
    assert tokyo.factor == Fraction("30.4375") / 2


def test_an_undated_workload_has_a_month_only_if_the_user_enters_a_factor() -> None:
    bill = bill_of(rows({"input_tokens": 1_000_000}))
    base = baselines_of(bill, NO_BEST)
    assert month_of(bill, base, None, None, None) is None
    month = month_of(bill, base, None, None, Decimal("1.5"))
    assert month is not None
    assert month.no_cache is not None
    assert month.no_cache.to_json() == "7.5"
    assert month.source.id == "report.month_entered"


def test_a_bucket_touches_every_day_that_it_spans() -> None:
    def days(*stretches: tuple[str, str]) -> int | None:
        return days_touched(
            usage_of(
                rows(
                    *(
                        {"input_tokens": 1, "n_requests": 2, "arrival_utc": a, "bucket_end_utc": b}
                        for a, b in stretches
                    )
                )
            ),
            None,
        )

    assert days(("2026-10-01", "2026-10-08")) == 7
    assert days(("2026-10-03", "2026-10-04"), ("2026-10-01", "2026-10-08")) == 7
    assert days(("2026-10-01", "2026-10-03"), ("2026-10-02", "2026-10-05")) == 4
    assert days(("0001-01-01", "9999-12-31")) == 3_652_058


def test_a_zone_that_does_not_exist_is_refused_by_name() -> None:
    for name in ("Tokyo/Asia", "../../etc/passwd", "x\0y"):
        with pytest.raises(InputError) as caught:
            zone(name)
        assert caught.value.message.values["found"] == name
    assert zone("UTC") is None


@pytest.mark.parametrize(
    ("tz", "moment", "day"),
    [
        (None, "2024-02-29T23:59:59", "2024-02-29"),
        ("Asia/Tokyo", "2026-10-31T15:00:00", "2026-11-01"),
        ("Europe/Berlin", "2026-10-24T22:00:00", "2026-10-25"),  # summer time, +2
        ("Europe/Berlin", "2026-10-25T22:30:00", "2026-10-25"),  # the clocks went back, +1
        ("America/New_York", "2026-03-08T04:59:59", "2026-03-07"),
    ],
)
def test_days_follow_the_zone_and_its_summer_time(tz: str | None, moment: str, day: str) -> None:
    workload = rows({"input_tokens": 1, "arrival_utc": moment})
    (group,) = group_rows(workload, bill_of(workload), ["day"], zone(tz))
    assert group.key == day


def test_groups_list_what_is_unassigned_and_what_is_unpriced() -> None:
    workload = rows(
        {"input_tokens": 1_000_000, "team": "search", "arrival_utc": "2026-10-02"},
        {"input_tokens": 3_000_000, "team": "ads", "arrival_utc": "2026-10-01"},
        {"input_tokens": 2_000_000},
        {"input_tokens": 7, "team": "new", "model": "nobody-knows"},
        {"input_tokens": 5, "team": "ads", "model": "nobody-knows"},
    )
    found = group_rows(workload, bill_of(workload), ["team", "day", "model"], None)
    teams = [
        (g.key, g.no_cache and g.no_cache.to_json(), g.unpriced_rows)
        for g in found
        if g.by == "team"
    ]
    assert teams == [("ads", "15", 1), ("", "10", 0), ("search", "5", 0), ("new", None, 1)]
    assert [g.key for g in found if g.by == "day"] == ["2026-10-01", "2026-10-02", ""]
    assert [(g.key, g.requests) for g in found if g.by == "model"] == [
        ("claude-opus-5", 3),
        ("nobody-knows", 2),
    ]
    assert all(group.billed is None for group in found)


def test_an_unknown_group_is_refused_with_the_known_ones() -> None:
    workload = rows({"input_tokens": 1})
    with pytest.raises(InputError) as caught:
        group_rows(workload, bill_of(workload), ["planet"], None)
    assert "workspace" in str(caught.value.message.values["expected"])


def test_grouping_is_by_what_the_workload_has_and_by_few_sessions() -> None:
    assert default_groups(rows({"input_tokens": 1})) == ("model",)
    full = {"input_tokens": 1, "arrival_utc": "2026-10-01", "session_id": "s", "team": "t"}
    assert default_groups(rows(full)) == ("day", "model", "session", "team")
    many = rows(*({**full, "session_id": f"s{i}"} for i in range(MANY_SESSIONS + 1)))
    assert "session" not in default_groups(many)


def test_groups_of_nothing_are_none() -> None:
    assert group_rows(rows(), bill_of(rows()), ["day", "model", "team"], None) == ()


def structured() -> Workload:
    """Three dated requests with message blocks and breakpoints."""
    workload = rows(
        {"input_tokens": 3, "arrival_utc": "2026-10-01T12:00:00"},
        {"input_tokens": 2, "arrival_utc": "2026-10-02T00:00:00"},
        {"input_tokens": 4, "arrival_utc": "2026-10-03T00:00:00"},
        {"input_tokens": 9},
    )
    prefix = Prefix(
        offsets=np.array([0, 2, 3, 5, 6]),
        block_ids=np.array([10, 11, 10, 12, 13, 14]),
        block_tokens=np.array([1, 2, 2, 2, 2, 9]),
        bp_offsets=np.array([0, 1, 1, 3, 3]),
        bp_blocks=np.array([2, 1, 2]),
        bp_ttl_s=np.array([300, 3600, 300]),
    )
    return Workload(name="x", format="y", rows=4, columns=workload.columns, prefix=prefix)


def test_a_period_keeps_its_days_and_their_part_of_the_prefixes() -> None:
    part = select(structured(), date(2026, 10, 2), date(2026, 10, 3))
    assert part.ints("input_tokens").tolist() == [2, 4]
    assert part.prefix is not None
    assert part.prefix.offsets.tolist() == [0, 1, 3]
    assert part.prefix.block_ids.tolist() == [10, 12, 13]
    assert part.prefix.block_tokens.tolist() == [2, 2, 2]  # type: ignore[union-attr]
    assert part.prefix.bp_offsets is not None
    assert part.prefix.bp_offsets.tolist() == [0, 0, 2]
    assert part.prefix.bp_blocks is not None
    assert part.prefix.bp_blocks.tolist() == [1, 2]
    assert part.prefix.bp_ttl_s is not None
    assert part.prefix.bp_ttl_s.tolist() == [3600, 300]


def test_an_open_period_is_open_at_that_end_and_leaves_undated_rows_out() -> None:
    workload = structured()
    assert select(workload, None, None) is workload
    assert select(workload, None, date(2026, 10, 1)).rows == 1
    assert select(workload, date(2026, 10, 2), None).rows == 2
    assert select(workload, date(2027, 1, 1), None).rows == 0


def test_a_period_of_equal_blocks_keeps_their_size() -> None:
    prefix = Prefix(offsets=np.array([0, 2, 3]), block_ids=np.array([1, 2, 1]), block_tokens=512)
    base = rows(
        {"input_tokens": 3, "arrival_utc": "2026-10-01"},
        {"input_tokens": 2, "arrival_utc": "2026-10-02"},
    )
    workload = Workload(name="x", format="y", rows=2, columns=base.columns, prefix=prefix)
    part = select(workload, date(2026, 10, 2), None)
    assert part.prefix is not None
    assert (part.prefix.block_tokens, part.prefix.bp_offsets) == (512, None)
    assert part.prefix.block_ids.tolist() == [1]


def test_a_naive_moment_is_read_as_utc() -> None:
    assert to_us(AS_OF) == to_us(AS_OF.replace(tzinfo=None))


def test_groups_of_a_range_are_ranges() -> None:
    peaked = card("ds", segment({"uncached": "1", "output": "2"}, peak=PEAK))
    day = {
        "model": "ds",
        "output_tokens": 0,
        "input_tokens": 1_000_000,
        "n_requests": 9,
        "arrival_utc": "2026-11-27",
        "bucket_end_utc": "2026-11-28",
    }
    workload = table([day])
    bill = bill_with(workload, Cards(peaked), BillingOptions(), AS_OF)
    (group,) = group_rows(workload, bill, ["day"], None)
    assert group.no_cache is not None
    assert group.no_cache.to_json() == {"value": None, "low": "1", "high": "2"}


def test_text_columns_group_by_value_not_by_code() -> None:
    workload = rows({"input_tokens": 1}, {"input_tokens": 2})
    columns = {
        **workload.columns,
        "team": Text(np.array([1, 1], dtype=np.int32), ("unused", "used")),
    }
    same = Workload(name="x", format="y", rows=2, columns=columns)
    assert [g.key for g in group_rows(same, bill_of(same), ["team"], None)] == ["used"]


def test_a_group_says_what_it_saved_and_how_much_of_it_hit() -> None:
    row = {"input_tokens": 1_000_000, "cached_read_tokens": 500_000, "team": "a"}
    workload = rows(row, {**row, "team": "b", "model": "nobody-knows"})
    known, unknown = group_rows(workload, bill_of(workload), ["team"], None)
    assert known.saving is not None
    assert known.saving.to_json() == "2.25"
    assert (known.token_hit, unknown.token_hit, unknown.saving) == (0.5, None, None)
    silent = rows({"input_tokens": 5})
    (group,) = group_rows(silent, bill_of(silent), ["model"], None)
    assert (group.token_hit, group.saving) == (None, None)


def test_a_group_with_an_uncounted_sum_does_not_say_how_many_requests_it_is() -> None:
    bucket = {"input_tokens": 1, "n_requests": 3, "model": "nobody-knows", "team": "a"}
    workload = rows(bucket, {**bucket, "n_requests": None}, granularity="bucket")
    found = bill_of(workload)
    (group,) = group_rows(workload, found, ["model"], None)
    assert group.requests is None
    (unpriced,) = unpriced_rows(found)
    assert (unpriced.rows, unpriced.requests) == (2, None)


def test_one_name_from_two_providers_is_one_unpriced_row() -> None:
    one = {"input_tokens": 1, "model": "nobody-knows"}
    counted = rows({**one, "provider": "openai"}, {**one, "provider": "anthropic"})
    (row,) = unpriced_rows(bill_of(counted))
    assert (row.rows, row.requests, row.input_tokens) == (2, 2, 2)
    bucket = {**one, "n_requests": 1}
    silent = rows(
        {**bucket, "provider": "openai"},
        {**bucket, "provider": "anthropic", "n_requests": None},
        granularity="bucket",
    )
    (row,) = unpriced_rows(bill_of(silent))
    assert row.requests is None
