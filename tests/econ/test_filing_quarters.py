"""Quarters out of filings: sums, fourth quarters, changed concepts, restatements, odd years."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.filing_quarters import Quarter, instants, missing_between, quarters, span_of
from econ.observation import Observation

DAY = timedelta(days=1)


def fact(
    start: str | None, end: str, value: int | None, filed: str, tag: str = "A", form: str = "10-Q"
) -> Observation:
    return Observation(
        source="sec",
        series=tag,
        entity="7",
        start=date.fromisoformat(start) if start else None,
        end=date.fromisoformat(end),
        vintage=date.fromisoformat(filed),
        value=None if value is None else Decimal(value),
        unit="USD",
        currency="USD",
        document=f"{tag}-{filed}",
        form=form,
        url="",
        fetched_utc=datetime(2026, 11, 29, tzinfo=UTC),
    )


def shown(found: list[Quarter]) -> list[tuple[str, int, str]]:
    return [(q.end.isoformat(), int(q.value), q.derived) for q in found]


YEAR_TO_DATE = [
    fact("2025-01-01", "2025-03-31", 10, "2025-05-01"),
    fact("2025-01-01", "2025-06-30", 30, "2025-08-01"),
    fact("2025-01-01", "2025-09-30", 60, "2025-11-01"),
    fact("2025-01-01", "2025-12-31", 100, "2026-02-01", form="10-K"),
]


def test_quarters_come_out_of_sums_since_the_year_began() -> None:
    found = quarters(YEAR_TO_DATE, ["A"])
    assert shown(found) == [
        ("2025-03-31", 10, ""),
        ("2025-06-30", 20, "year_to_date"),
        ("2025-09-30", 30, "year_to_date"),
        ("2025-12-31", 40, "year_less_nine_months"),
    ]
    assert [q.fourth for q in found] == [False, False, False, True]
    assert found[3].start == date(2025, 10, 1)
    assert found[3].vintage == date(2026, 2, 1)
    assert len(found[3].inputs) == 2


def test_a_stated_quarter_wins_over_a_computed_one() -> None:
    stated = fact("2025-04-01", "2025-06-30", 21, "2025-08-01")
    assert shown(quarters([*YEAR_TO_DATE, stated], ["A"]))[1] == ("2025-06-30", 21, "")


def test_a_fourth_quarter_makes_stated_quarters_add_up_to_their_year() -> None:
    facts = [
        fact("2025-01-01", "2025-03-31", 10, "2025-05-01"),
        fact("2025-04-01", "2025-06-30", 20, "2025-08-01"),
        fact("2025-07-01", "2025-09-30", 31, "2025-11-01"),
        fact("2025-01-01", "2025-09-30", 60, "2025-11-01"),
        fact("2025-01-01", "2025-12-31", 100, "2026-02-01", form="10-K"),
    ]
    found = quarters(facts, ["A"])
    assert shown(found)[3] == ("2025-12-31", 39, "year_less_quarters")
    assert sum(q.value for q in found) == 100


def test_a_missing_quarter_stays_missing() -> None:
    found = quarters([YEAR_TO_DATE[0], YEAR_TO_DATE[2], YEAR_TO_DATE[3]], ["A"])
    assert shown(found) == [("2025-03-31", 10, ""), ("2025-12-31", 40, "year_less_nine_months")]
    assert missing_between(found) == [(date(2025, 4, 1), date(2025, 9, 30))]


def test_without_a_nine_months_sum_or_three_quarters_there_is_no_fourth() -> None:
    assert shown(quarters([YEAR_TO_DATE[0], YEAR_TO_DATE[3]], ["A"])) == [("2025-03-31", 10, "")]


def test_a_missing_value_is_no_zero() -> None:
    nothing = fact("2025-04-01", "2025-06-30", None, "2025-08-01")
    assert shown(quarters([YEAR_TO_DATE[0], nothing], ["A"])) == [("2025-03-31", 10, "")]


def test_concepts_are_tried_period_by_period() -> None:
    facts = [
        fact("2025-01-01", "2025-03-31", 10, "2025-05-01", "OLD"),
        fact("2025-04-01", "2025-06-30", 20, "2025-08-01", "NEW"),
        fact("2025-04-01", "2025-06-30", 99, "2025-08-01", "OLD"),
    ]
    found = quarters(facts, ["NEW", "OLD"])
    assert shown(found) == [("2025-03-31", 10, ""), ("2025-06-30", 20, "")]
    assert [q.concepts for q in found] == [("OLD",), ("NEW",)]


def test_a_year_under_another_concept_gives_its_fourth_quarter_and_says_so() -> None:
    facts = [
        fact("2025-06-01", "2025-08-31", 10, "2025-09-10", "Q"),
        fact("2025-09-01", "2025-11-30", 20, "2025-12-11", "Q"),
        fact("2025-12-01", "2026-02-28", 30, "2026-03-11", "Q"),
        fact("2025-06-01", "2026-05-31", 100, "2026-06-22", "Y", "10-K"),
    ]
    found = quarters(facts, ["Y", "Q"])
    assert shown(found)[-1] == ("2026-05-31", 40, "year_less_quarters")
    assert found[-1].concepts == ("Y", "Q")


def test_the_latest_filing_is_shown_and_the_first_is_kept() -> None:
    again = fact("2025-01-01", "2025-03-31", 11, "2026-05-01")
    (found,) = quarters([again, YEAR_TO_DATE[0]], ["A"])
    assert (found.value, found.first, found.restated) == (11, 10, True)
    (same,) = quarters([YEAR_TO_DATE[0], fact("2025-01-01", "2025-03-31", 10, "2026-05-01")], ["A"])
    assert not same.restated


def test_twelve_months_inside_a_quarterly_report_are_no_year() -> None:
    trailing = fact("2024-04-01", "2025-03-31", 500, "2025-05-01")
    assert shown(quarters([*YEAR_TO_DATE, trailing], ["A"])) == shown(quarters(YEAR_TO_DATE, ["A"]))


@pytest.mark.parametrize("form", ["DEF 14A", "8-K", "S-1", ""])
def test_other_forms_are_not_read(form: str) -> None:
    odd = fact("2025-01-01", "2025-03-31", 10_000, "2026-05-01", form=form)
    assert shown(quarters([YEAR_TO_DATE[0], odd], ["A"])) == [("2025-03-31", 10, "")]


def test_amended_forms_are_read() -> None:
    amended = fact("2025-01-01", "2025-03-31", 12, "2025-06-01", form="10-Q/A")
    assert shown(quarters([YEAR_TO_DATE[0], amended], ["A"])) == [("2025-03-31", 12, "")]


def test_a_year_of_53_weeks_has_its_quarters() -> None:
    """2022-12-31 ends a year of 53 weeks of a company whose year ends on the last Saturday."""
    facts = [
        fact("2021-12-26", "2022-03-26", 13, "2022-05-01"),
        fact("2021-12-26", "2022-06-25", 26, "2022-08-01"),
        fact("2021-12-26", "2022-09-24", 39, "2022-11-01"),
        fact("2021-12-26", "2022-12-31", 53, "2023-02-01", form="10-K"),
        fact("2023-01-01", "2023-04-01", 13, "2023-05-01"),
    ]
    found = quarters(facts, ["A"])
    assert [int(q.value) for q in found] == [13, 13, 13, 14, 13]
    assert missing_between(found) == []


@pytest.mark.parametrize(
    ("start", "end", "span"),
    [
        (None, "2026-04-26", "instant"),
        ("2026-01-26", "2026-04-26", "quarter"),
        ("2022-09-25", "2022-12-31", "quarter"),
        ("2025-01-27", "2025-07-27", "half"),
        ("2025-01-27", "2025-10-26", "nine_months"),
        ("2021-12-26", "2022-12-31", "year"),
        ("2026-01-01", "2026-01-31", "other"),
        ("2026-01-01", "2026-05-20", "other"),
        ("2024-01-01", "2025-12-31", "other"),
    ],
)
def test_periods_are_windows_not_exact_days(start: str | None, end: str, span: str) -> None:
    begun = date.fromisoformat(start) if start else None
    assert span_of(begun, date.fromisoformat(end)) == span


def test_moments_take_the_newest_filing_of_the_first_concept() -> None:
    facts = [
        fact(None, "2026-03-31", 5, "2026-05-01"),
        fact(None, "2026-03-31", 6, "2026-08-01"),
        fact(None, "2026-03-31", 7, "2026-09-01", "B"),
        fact(None, "2026-06-30", 8, "2026-08-01", "B"),
    ]
    assert [int(o.value or 0) for o in instants(facts, ["A", "B"])] == [6, 8]


@given(
    values=st.lists(st.integers(-(10**12), 10**12), min_size=4, max_size=4),
    offset=st.integers(-3, 3),
)
def test_quarters_of_sums_add_up_to_their_year(values: list[int], offset: int) -> None:
    """Whatever the figures, and wherever the weeks put the ends."""
    start = date(2025, 1, 1)
    facts, total = [], 0
    for at, value in enumerate(values, start=1):
        total += value
        end = start + timedelta(days=91 * at - 1 + (offset if at < 4 else 0))
        form = "10-K" if at == 4 else "10-Q"
        facts.append(fact(start.isoformat(), end.isoformat(), total, "2026-01-31", form=form))
    found = quarters(facts, ["A"])
    assert [int(q.value) for q in found] == values
    assert sum(q.value for q in found) == total
    for before, after in pairwise(found):
        assert after.start == before.end + DAY
