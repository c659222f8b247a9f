"""Vintages, ratios with both inputs, shares that do not add up, and rebasing."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.observation import (
    Observation,
    as_of,
    first_published,
    latest,
    ratio,
    rebased,
    shares,
)

PERIOD = date(2026, 6, 30)


def seen(value: str, vintage: date | None, end: date = PERIOD) -> Observation:
    return Observation(
        source="fred",
        series="X",
        entity="",
        start=end.replace(day=1),
        end=end,
        vintage=vintage,
        value=Decimal(value),
        unit="percent",
        url="",
        fetched_utc=datetime(2026, 11, 29, tzinfo=UTC),
    )


FIRST, SECOND = date(2026, 7, 15), date(2026, 8, 15)
PRINTS = [seen("3.7", SECOND), seen("3.8", FIRST)]


def test_a_month_is_what_could_be_read_that_day() -> None:
    assert [o.value for o in as_of(PRINTS, FIRST)] == [Decimal("3.8")]
    assert [o.value for o in as_of(PRINTS, SECOND)] == [Decimal("3.7")]
    assert as_of(PRINTS, date(2026, 7, 14)) == []
    assert [o.value for o in latest(PRINTS)] == [Decimal("3.7")]
    assert [o.value for o in first_published(PRINTS)] == [Decimal("3.8")]


def test_a_figure_whose_publication_is_not_dated_was_readable_on_no_day() -> None:
    undated = seen("3.9", None)
    assert as_of([undated], date(2030, 1, 1)) == []
    assert [o.value for o in latest([undated, *PRINTS])] == [Decimal("3.7")]


@given(st.lists(st.dates(date(2020, 1, 1), date(2026, 12, 31)), min_size=1, unique=True),
       st.dates(date(2019, 1, 1), date(2027, 12, 31)))  # fmt: skip
def test_nothing_from_after_a_day_is_shown_for_it(vintages: list[date], on: date) -> None:
    prints = [seen(str(at), vintage) for at, vintage in enumerate(vintages)]
    found = as_of(prints, on)
    before = [vintage for vintage in vintages if vintage <= on]
    assert [o.vintage for o in found] == ([max(before)] if before else [])


def test_microns_margin_is_84_6_and_not_85() -> None:
    """Quarter to 2026-05-28: 41,456 and 35,056 million USD."""
    found = ratio(Decimal(35_056_000_000), Decimal(41_456_000_000))
    assert found.percent is not None
    assert round(found.percent, 1) == Decimal("84.6")
    assert (found.numerator, found.denominator) == (35_056_000_000, 41_456_000_000)


@pytest.mark.parametrize(("top", "bottom"), [(None, 1), (1, None), (1, 0), (1, -1)])
def test_a_ratio_without_its_inputs_is_missing(top: int | None, bottom: int | None) -> None:
    parts = [None if one is None else Decimal(one) for one in (top, bottom)]
    assert ratio(parts[0], parts[1]).percent is None


def test_shares_are_kept_as_published_and_say_that_they_add_up_to_101() -> None:
    found = shares({"SK hynix": Decimal(50), "Samsung": Decimal(33), "Micron": Decimal(18)})
    assert (found.total, found.adds_to_100, found.rounding) == (101, False, True)
    assert list(found.percents.values()) == [50, 33, 18]


def test_shares_that_rounding_cannot_explain_say_so() -> None:
    assert not shares({"a": Decimal(50), "b": Decimal(40)}).rounding
    assert not shares({"a": Decimal("50.0"), "b": Decimal("49.0")}).rounding
    assert shares({"a": Decimal("69.5"), "b": Decimal(13), "c": Decimal(18)}).rounding
    assert shares({"a": Decimal(60), "b": Decimal(40)}).adds_to_100


def test_a_missing_share_leaves_no_total() -> None:
    found = shares({"a": Decimal(51), "b": Decimal(40), "c": None})
    assert found.total is None
    assert not found.adds_to_100
    with pytest.raises(ValueError, match="below zero"):
        shares({"a": Decimal(-1)})


def test_a_series_is_rebased_by_its_own_value_or_not_at_all() -> None:
    days = [date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1)]
    points = [(days[0], Decimal(20)), (days[1], None), (days[2], Decimal(30))]
    assert rebased(points, days[0]) == [100, None, 150]
    assert rebased(points, days[1]) == [None, None, None]
    assert rebased(points, date(2020, 1, 1)) == [None, None, None]
    assert rebased([(days[0], Decimal(0))], days[0]) == [None]
