"""Exact money: conversions, sums, rounding for show, and the edge of an int64."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.money import (
    Amount,
    e13_from_usd,
    e13_per_token,
    fits_int64,
    grouped_totals,
    plain,
    product,
    rounded,
    shown,
    total,
    usd_from_e13,
    usd_text,
)
from messages.errors import DataError

INT64 = st.integers(-(2**63), 2**63 - 1)


def test_a_dollar_is_ten_trillion_steps() -> None:
    assert e13_from_usd(Decimal("5.575")) == 55_750_000_000_000
    assert usd_text(55_750_000_000_000) == "5.575"
    assert usd_text(0) == "0"
    assert usd_text(-1) == "-0.0000000000001"


def test_a_price_is_whole_steps_per_token() -> None:
    assert e13_per_token(Decimal("0.0000001")) == 1
    assert e13_per_token(Decimal("6.25")) == 62_500_000


def test_a_price_finer_than_the_scale_is_refused_with_its_value() -> None:
    with pytest.raises(DataError) as caught:
        e13_per_token(Decimal("0.00000001"))
    assert caught.value.message.values["price"] == "0.00000001"


def test_half_a_cent_is_shown_as_a_cent_away_from_zero() -> None:
    assert shown(Decimal("0.005"), 2) == Decimal("0.01")
    assert shown(Decimal("-0.005"), 2) == Decimal("-0.01")
    assert shown(Decimal("5.575"), 2) == Decimal("5.58")
    assert [rounded(Fraction(n, 2)) for n in (-3, -1, 1, 3, 4)] == [-2, -1, 1, 2, 2]


def test_digits_have_no_exponent_and_no_minus_zero() -> None:
    assert plain(Decimal("1E+3")) == "1000"
    assert plain(Decimal("-0.00")) == "0"
    assert plain(Decimal("0.0000001")) == "0.0000001"


def test_a_product_of_long_decimals_is_exact() -> None:
    dollars, rate = "922337.2036854775807", "150.1234567891"
    assert Fraction(product(Decimal(dollars), Decimal(rate))) == Fraction(dollars) * Fraction(rate)


def test_an_int64_row_holds_922_337_dollars_and_no_more() -> None:
    limit = 2**63 - 1
    assert usd_from_e13(limit) == Decimal("922337.2036854775807")
    assert fits_int64([(limit, 1)])
    assert not fits_int64([(limit, 1), (1, 1)])


@given(st.lists(INT64, max_size=50))
def test_totals_are_exact_beyond_int64(values: list[int]) -> None:
    assert total(np.array(values, dtype=np.int64)) == sum(values)
    assert total(np.array(values, dtype=object)) == sum(values)


@given(st.lists(st.tuples(st.integers(0, 4), INT64), max_size=60))
def test_grouped_totals_are_exact_and_add_up(rows: list[tuple[int, int]]) -> None:
    codes = np.array([code for code, _ in rows], dtype=np.int64)
    expected = [sum(v for c, v in rows if c == code) for code in range(5)]
    for dtype in (np.int64, object):
        values = np.array([value for _, value in rows], dtype=dtype)
        assert grouped_totals(codes, values, 5) == expected


@given(st.integers(-(10**40), 10**40))
def test_dollars_and_steps_convert_both_ways_without_loss(e13: int) -> None:
    assert e13_from_usd(usd_from_e13(e13)) == e13
    assert Decimal(usd_text(e13)) == usd_from_e13(e13)


def test_an_amount_is_one_number_or_a_range() -> None:
    exact, span = Amount.exactly(5 * 10**13), Amount(low_e13=-(10**13), high_e13=10**13)
    assert (exact.exact, exact.usd, exact.to_json()) == (True, Decimal(5), "5")
    assert (span.exact, span.usd) == (False, None)
    assert span.to_json() == {"value": None, "low": "-1", "high": "1"}
    assert (exact + span) == Amount(low_e13=4 * 10**13, high_e13=6 * 10**13)
    assert span.times(Fraction(1, 3)).high_e13 == 3_333_333_333_333


def test_an_amount_cannot_be_upside_down() -> None:
    with pytest.raises(AssertionError):
        Amount(low_e13=1, high_e13=0)


def test_a_difference_is_taken_end_by_end_and_a_loss_can_be_turned_around() -> None:
    span = Amount(low_e13=1, high_e13=5)
    assert span.less(Amount(low_e13=0, high_e13=9)) == Amount(low_e13=-4, high_e13=1)
    assert span.negated() == Amount(low_e13=-5, high_e13=-1)
