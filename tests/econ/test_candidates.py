"""All requests as one model: the short way equals the long way, and unknown is never zero."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ import candidates
from econ.billing import BillingOptions, Pricing
from econ.break_even import break_even_rows, hit_ratio_to_pay, uses_to_pay
from econ.candidates import candidate_refs, candidate_rows
from econ.cards import ModelRef, cards_of
from econ.report import PolicyRow, ReportParams
from messages.errors import InputError, Message
from price_tables.book import RateCard
from price_tables.load import load_book
from tests.econ.hand import AS_OF, OPUS_5, PEAK, Cards, card, opus_5, segment, sol, table

LONG = {"uncached": "10", "output": "50"}
TIERED = card("tiered", segment(OPUS_5), segment(LONG, above_tokens=200_000))


def ref(model: str) -> ModelRef:
    """The model of its maker on the default surface."""
    return ModelRef(None, None, model, None)


def rows_of(given: list[dict[str, Any]], *cards: RateCard, **options: Any) -> list[PolicyRow]:
    """One candidate row for each card."""
    pricing = Pricing(cards=Cards(*cards), options=BillingOptions(**options), default_at=AS_OF)
    return candidate_rows(table(given), [ref(c.model) for c in cards], pricing)


def test_a_candidate_bills_every_request_without_caching() -> None:
    given = [
        {
            "model": "whatever",
            "input_tokens": 200_000,
            "output_tokens": 10,
            "cached_read_tokens": 9,
        },
        {"model": "other", "input_tokens": 200_001, "output_tokens": 20},
        {"input_tokens": 5, "output_tokens": 5, "failed": 1},
    ]
    (row,) = rows_of(given, TIERED)
    assert row.usd is not None
    assert row.usd.to_json() == "3.00126"
    assert (row.policy, row.status, row.model) == ("none", "priced", "tiered")
    assert row.tokens_low == {"uncached": 400_001, "output": 30}
    assert {b: a.to_json() for b, a in row.usd_by_bucket.items()} == {
        "uncached": "3.00001",
        "output": "0.00125",
    }
    assert [source.tier_above_tokens for source in row.sources] == [0, 200_000]
    (again,) = rows_of(given, TIERED, include_failed=True)
    assert again.tokens_low == {"uncached": 400_006, "output": 35}


def test_writes_that_the_candidate_does_not_sell_do_not_matter_without_caching() -> None:
    plain = card("plain", segment({"uncached": "1", "output": "1"}))
    (row,) = rows_of(
        [{"input_tokens": 10, "output_tokens": 0, "cache_write_1h_tokens": 10, "n_requests": 3}],
        plain,
    )
    assert row.status == "priced"


def test_a_candidate_that_did_not_exist_then_is_unpriced_with_the_reason() -> None:
    late = card("late", segment(OPUS_5, valid_from=datetime(2026, 6, 1, tzinfo=UTC)))
    given = [
        {"input_tokens": 1, "output_tokens": 1, "arrival_utc": at}
        for at in ("2026-05-01", "2026-07-01")
    ]
    for chosen in (given, given[:1]):
        (row,) = rows_of(chosen, late)
        assert (row.status, row.usd, row.saving) == ("unpriced", None, None)
        assert row.reason is not None
        assert (row.reason.id, row.reason.n) == ("report.some_unpriced", 1)


def test_a_candidate_that_refuses_long_prompts_is_unpriced() -> None:
    refusal = Message("prices.long_prompt_refused", {})
    fast = card("fast", segment(OPUS_5), segment({}, above_tokens=10, refused=refusal))
    long, short = {"input_tokens": 11, "output_tokens": 1}, {"input_tokens": 10, "output_tokens": 1}
    assert [r.status for r in rows_of([long, short], fast)] == ["unpriced"]
    assert [r.status for r in rows_of([short], fast)] == ["priced"]


def test_unknown_names_are_rows_too() -> None:
    pricing = Pricing(cards=Cards(), options=BillingOptions(), default_at=AS_OF)
    (row,) = candidate_rows(
        table([{"input_tokens": 1, "output_tokens": 1}]), [ref("nope")], pricing
    )
    assert (row.model, row.status) == ("nope", "unpriced")
    assert candidate_rows(table([]), [ref("nope")], pricing) == []


def test_only_failed_rows_leave_nothing_to_compare() -> None:
    (row,) = rows_of([{"input_tokens": 1, "output_tokens": 1, "failed": 1}], TIERED)
    assert row.usd is not None
    assert row.usd.to_json() == "0"


@given(
    st.lists(
        st.tuples(st.integers(0, 400_000), st.integers(0, 5_000), st.integers(0, 60 * 24 * 60)),
        min_size=1,
        max_size=30,
    )
)
def test_the_short_way_equals_the_long_way(requests: list[tuple[int, int, int]]) -> None:
    start = np.datetime64("2026-08-01T00:00:00")
    given = [
        {"input_tokens": n, "output_tokens": out, "arrival_utc": start + np.timedelta64(m, "m")}
        for n, out, m in requests
    ]
    refusal = Message("prices.long_prompt_refused", {})
    cards = (
        TIERED,
        sol(),
        opus_5(),
        card("ds", segment(OPUS_5, peak=PEAK)),
        card("late", segment(OPUS_5, valid_from=datetime(2026, 8, 15, tzinfo=UTC))),
        card("fast", segment(OPUS_5), segment({}, above_tokens=90_000, refused=refusal)),
        card("blind", segment({"uncached": "1"})),
    )
    pricing = Pricing(cards=Cards(*cards), options=BillingOptions(), default_at=AS_OF)
    workload = table(given)
    for known, row in zip(cards, rows_of(given, *cards), strict=True):
        slow = candidates._long_way(workload, ref(known.model), known, pricing)
        assert (row.status, row.usd) == (slow.status, slow.usd)
        assert (row.reason and row.reason.n) == (slow.reason and slow.reason.n)
        assert row.tokens_low == slow.tokens_low
        assert dict(row.usd_by_bucket) == dict(slow.usd_by_bucket)
        assert row.sources == slow.sources


def test_what_is_not_chosen_is_every_model_of_the_book() -> None:
    book = load_book()
    everything = candidate_refs(book, ReportParams())
    assert len(everything) == sum(len(t.models) for t in book.tables.values())
    assert candidate_refs(book, ReportParams(models=("a", "b"), surface="us", mode="batch")) == [
        ModelRef(None, "us", "a", "batch"),
        ModelRef(None, "us", "b", "batch"),
    ]
    assert candidate_refs(book, ReportParams(models=("a",), providers=("openai", "bedrock"))) == [
        ModelRef("openai", None, "a", None),
        ModelRef("bedrock", None, "a", None),
    ]
    only = candidate_refs(book, ReportParams(providers=("deepseek",)))
    assert {r.provider for r in only} == {"deepseek"}
    assert len(only) == len(book.tables["deepseek"].models)


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError) as caught:
        candidate_refs(load_book(), ReportParams(providers=("openia",)))
    assert "openai" in str(caught.value.message.values["expected"])


def test_from_the_second_use_on_five_minutes_pay_and_one_hour_from_the_third() -> None:
    rows = break_even_rows([opus_5(), opus_5()], AS_OF)
    assert [(r.policy, r.uses, round(r.token_hit_ratio or 0, 6)) for r in rows] == [
        ("5m", 2, 0.217391),
        ("1h", 3, 0.526316),
    ]
    assert [str(r.write_factor) for r in rows] == ["1.25", "2"]
    assert rows[0].source.prices.keys() == {"uncached", "read", "write_5m", "write_1h"}


@pytest.mark.parametrize(
    ("write", "read", "uses"),
    [("1.25", "0.1", 2), ("2", "0.1", 3), ("2.5", "0.05", 3), ("2.8", "0.1", 4), ("1", "0.5", 2)],
)
def test_caching_pays_above_w_minus_r_over_one_minus_r(write: str, read: str, uses: int) -> None:
    assert uses_to_pay(Fraction(write), Fraction(read)) == uses


def test_reads_that_cost_as_much_as_input_never_pay() -> None:
    assert uses_to_pay(Fraction(2), Fraction(1)) is None
    assert hit_ratio_to_pay(Fraction(2), Fraction(1)) is None
    assert hit_ratio_to_pay(Fraction(1), Fraction(1, 2)) == 0.0


def test_free_writes_are_one_implicit_policy_and_no_reads_are_none() -> None:
    free = card("free", segment({"uncached": "2", "read": "1", "write_5m": "2", "output": "1"}))
    blind = card("blind", segment({"uncached": "2", "output": "1"}))
    gone = card("gone", segment(OPUS_5, valid_to=datetime(2026, 1, 1, tzinfo=UTC)))
    (row,) = break_even_rows([free, blind, gone], AS_OF)
    assert (row.model, row.policy, row.uses, row.token_hit_ratio) == ("free", "implicit", 2, 0.0)


def test_every_shipped_model_has_a_break_even_that_can_be_computed() -> None:
    book = load_book()
    found = [cards_of(book)(r) for r in candidate_refs(book, ReportParams())]
    known = [c for c in found if isinstance(c, RateCard)]
    assert len(known) > 200
    rows = break_even_rows(known, book.as_of)
    assert all(row.uses is None or row.uses >= 2 for row in rows)
    assert {"5m", "1h", "30m", "12h", "implicit"} <= {row.policy for row in rows}


def test_every_shipped_model_prices_a_dated_and_an_undated_workload_exactly() -> None:
    book = load_book()
    pricing = Pricing(cards=cards_of(book), options=BillingOptions(), default_at=book.as_of)
    refs = candidate_refs(book, ReportParams())
    undated = table([{"input_tokens": n, "output_tokens": 7} for n in (1, 150_000, 300_000)])
    rows = candidate_rows(undated, refs, pricing)
    assert sum(row.status == "priced" for row in rows) > 180
    assert all(
        row.usd is not None and row.usd.low_e13 > 0 for row in rows if row.status == "priced"
    )
    assert all(row.reason is not None for row in rows if row.status == "unpriced")
    at = replace(pricing, options=BillingOptions(at=book.as_of))
    dated = table(
        [
            {"input_tokens": n, "output_tokens": 7, "arrival_utc": "2026-11-29"}
            for n in (1, 150_000, 300_000)
        ]
    )
    assert [r.usd for r in candidate_rows(dated, refs, at)] == [r.usd for r in rows]
