"""Why a period cost more: four parts that add up exactly."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.billing import BillingOptions, Pricing
from econ.cards import ModelRef
from econ.change import Spend, change_between, decompose
from econ.report import Change, Period
from messages.errors import InputError
from tests.econ.hand import AS_OF, OPUS_5, PEAK, Cards, card, opus_5, segment, sol, table

AUGUST = Period(since=date(2026, 8, 1), until=date(2026, 8, 20))
SEPTEMBER = Period(since=date(2026, 9, 1), until=date(2026, 9, 30))


def change_of(rows: list[dict[str, Any]], *cards: Any) -> Change:
    """The change from August to September."""
    pricing = Pricing(
        cards=Cards(*(cards or (opus_5(), sol()))), options=BillingOptions(), default_at=AS_OF
    )
    filled = [{"model": "claude-opus-5", "output_tokens": 0, **row} for row in rows]
    return change_between(table(filled), (AUGUST, SEPTEMBER), pricing)


def usd(change: Change) -> dict[str, Any]:
    """The parts as JSON would print them."""
    names = ("volume", "mix", "caching", "price", "total")
    return {name: getattr(change, name).to_json() for name in names}


def test_more_of_the_same_is_volume_alone() -> None:
    row = {"input_tokens": 1_000_000, "cached_read_tokens": 500_000}
    found = change_of(
        [{**row, "arrival_utc": "2026-08-10"}] + [{**row, "arrival_utc": "2026-09-10"}] * 3
    )
    assert usd(found) == {
        "volume": "5.5", "mix": "0", "caching": "0", "price": "0", "total": "5.5"
    }  # fmt: skip


def test_the_same_tokens_at_another_price_is_price_alone() -> None:
    row = {"model": "gpt-5.6-sol", "input_tokens": 1_000_000, "cached_read_tokens": 0}
    found = change_of([{**row, "arrival_utc": "2026-08-20"}, {**row, "arrival_utc": "2026-09-01"}])
    assert usd(found) == {
        "volume": "0", "mix": "0", "caching": "0", "price": "-1", "total": "-1"
    }  # fmt: skip
    assert len(found.sources) == 2


def test_more_reads_of_the_same_tokens_is_caching_alone() -> None:
    row = {"input_tokens": 1_000_000}
    found = change_of(
        [
            {**row, "cached_read_tokens": 0, "arrival_utc": "2026-08-20"},
            {**row, "cached_read_tokens": 1_000_000, "arrival_utc": "2026-09-01"},
        ]
    )
    assert usd(found) == {
        "volume": "0", "mix": "0", "caching": "-4.5", "price": "0", "total": "-4.5"
    }  # fmt: skip


def test_the_same_tokens_on_a_dearer_model_is_mix_alone() -> None:
    dear = card("dear", segment({**OPUS_5, "uncached": "50"}))
    found = change_of(
        [
            {"input_tokens": 1_000_000, "arrival_utc": "2026-08-20"},
            {"input_tokens": 1_000_000, "model": "dear", "arrival_utc": "2026-09-01"},
        ],
        opus_5(),
        dear,
    )
    assert usd(found) == {
        "volume": "0", "mix": "45", "caching": "0", "price": "0", "total": "45"
    }  # fmt: skip
    assert found.assumptions == ()


def test_a_model_without_a_price_in_the_old_period_keeps_its_own_and_is_counted() -> None:
    fresh = card("fresh", segment(OPUS_5, valid_from=datetime(2026, 9, 1, tzinfo=UTC)))
    found = change_of(
        [
            {"input_tokens": 1_000_000, "arrival_utc": "2026-08-20"},
            {"input_tokens": 1_000_000, "arrival_utc": "2026-09-02"},
            {"input_tokens": 1_000_000, "model": "fresh", "arrival_utc": "2026-09-02"},
        ],
        opus_5(),
        fresh,
    )
    assert usd(found)["price"] == "0"
    assert usd(found)["total"] == "5"
    assert [(m.id, m.n) for m in found.assumptions] == [("report.change_new_models", 1)]


def test_a_period_without_anything_priced_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        change_of([{"input_tokens": 1, "arrival_utc": "2026-08-20"}])
    assert caught.value.message.values["since"] == "2026-09-01"


def test_ranges_are_compared_at_their_low_ends_and_say_so() -> None:
    peaked = card("claude-opus-5", segment(OPUS_5, peak=PEAK))
    day = {"input_tokens": 1_000_000, "n_requests": 2}
    found = change_of(
        [
            {**day, "arrival_utc": "2026-08-20", "bucket_end_utc": "2026-08-21"},
            {**day, "arrival_utc": "2026-09-01", "bucket_end_utc": "2026-09-02"},
        ],
        peaked,
    )
    assert usd(found)["total"] == "0"
    assert [m.id for m in found.assumptions] == ["report.change_low_ends"]


SPENDS = st.dictionaries(
    st.integers(0, 4).map(lambda n: ModelRef(None, None, f"m{n}", None)),
    st.builds(Spend, st.integers(0, 10**9), st.integers(0, 10**18), st.integers(0, 10**18)),
    max_size=5,
)


@given(SPENDS, SPENDS, SPENDS)
def test_the_four_parts_add_up_exactly(
    before: dict[ModelRef, Spend], after: dict[ModelRef, Spend], at_old: dict[ModelRef, Spend]
) -> None:
    before = {ModelRef(None, None, "always", None): Spend(1, 7, 9), **before}
    parts = decompose(before, after, at_old)
    total = sum(s.cost_e13 for s in after.values()) - sum(s.cost_e13 for s in before.values())
    assert parts.volume_e13 + parts.mix_e13 + parts.caching_e13 + parts.price_e13 == total
