"""Quarters out of company filings: from year-to-date sums, across changes of concept, restated.

Rules of the published facts (https://www.sec.gov/search-filings/edgar-application-programming-
interfaces): a fact is known by its start and end, never by the fiscal label of the filing that
carries it; no filing states a fourth quarter; cash flows are sums since the year began.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Literal

from econ.observation import Observation

FORMS = ("10-Q", "10-Q/A", "10-K", "10-K/A")
"""Proxy statements carry facts of other scales and no fiscal label: they are not read."""

Span = Literal["instant", "quarter", "half", "nine_months", "year", "other"]
SPANS: tuple[tuple[Span, int, int], ...] = (
    ("quarter", 80, 100),
    ("half", 170, 190),
    ("nine_months", 260, 285),
    ("year", 350, 380),
)
"""Days, both ends counted; 52/53-week filers drift by a week."""

STEPS: dict[Span, Span] = {"half": "quarter", "nine_months": "half", "year": "nine_months"}
DAY = timedelta(days=1)
SAME_PERIOD = timedelta(days=7)

Derivation = Literal["", "year_to_date", "year_less_nine_months", "year_less_quarters"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarter:
    """One quarter of one measure.

    `derived` is '' where a filing states it; else how it was computed from `inputs`. `first` is
    what the earliest filings of the same concepts gave (the same way derived). `concepts` are those
    of the inputs: more than one where the filer changed or mixes them. `fourth`: it ends a fiscal
    year.
    """

    start: date
    end: date
    value: Decimal
    first: Decimal
    derived: Derivation = ""
    fourth: bool = False
    concepts: tuple[str, ...]
    inputs: tuple[Observation, ...]

    @property
    def restated(self) -> bool:
        """A later filing gives another value than the first."""
        return self.value != self.first

    @property
    def vintage(self) -> date | None:
        """The day from which the value could be known: that of its newest input."""
        return max((one.vintage for one in self.inputs if one.vintage), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    shown: Observation
    earliest: Observation

    @property
    def start(self) -> date:
        assert self.shown.start is not None  # noqa: S101
        return self.shown.start

    @property
    def end(self) -> date:
        return self.shown.end


def span_of(start: date | None, end: date) -> Span:
    """The kind of period; 'other' for anything that is no fiscal period."""
    if start is None:
        return "instant"
    days = (end - start).days + 1
    return next((name for name, low, high in SPANS if low <= days <= high), "other")


def quarters(observations: Iterable[Observation], concepts: Sequence[str]) -> list[Quarter]:
    """The quarters of a measure, by end. `concepts` are tried in order for every period, because a
    filer may change the tag inside a year. A period that nothing states or implies is not there."""
    facts = _facts(observations, concepts)
    found: dict[date, Quarter] = {}
    for concept in concepts:
        for quarter in _of_concept([f for f in facts if f.shown.series == concept]):
            _offer(found, quarter)
    for year in _years(facts):  # where no one concept has all of a year
        _offer(found, _year_less_quarters(year, list(found.values())))
    ends = {fact.end for fact in _years(facts)}
    return [
        replace(quarter, fourth=quarter.end in ends)
        for quarter in sorted(found.values(), key=lambda q: q.end)
    ]


def instants(observations: Iterable[Observation], concepts: Sequence[str]) -> list[Observation]:
    """Balance-sheet values, one a day: the first concept that has it, the newest filing."""
    found: dict[date, Observation] = {}
    for concept in concepts:
        mine: dict[date, Observation] = {}
        for one in _readable(observations):
            if one.series == concept and one.start is None:
                mine[one.end] = _newer(mine.get(one.end), one)
        found = {**mine, **found}
    return sorted(found.values(), key=lambda one: one.end)


def missing_between(found: Sequence[Quarter]) -> list[tuple[date, date]]:
    """First and last day of every stretch between the first and the last quarter that no quarter
    covers: it is missing, not zero."""
    gaps = []
    for before, after in pairwise(found):
        if after.start - before.end > SAME_PERIOD:
            gaps.append((before.end + DAY, after.start - DAY))
    return gaps


def _readable(observations: Iterable[Observation]) -> Iterable[Observation]:
    return (one for one in observations if one.form in FORMS and one.value is not None)


def _newer(old: Observation | None, new: Observation) -> Observation:
    if old is None or (new.vintage or date.min) >= (old.vintage or date.min):
        return new
    return old


def _facts(observations: Iterable[Observation], concepts: Sequence[str]) -> list[_Fact]:
    """The facts of whole periods: one a concept and period, its newest and oldest filing."""
    found: dict[tuple[str, date, date], _Fact] = {}
    for one in _readable(observations):
        if one.series not in concepts or one.start is None:
            continue
        span = span_of(one.start, one.end)
        # Some 10-Qs carry sums of the last twelve months, which are no fiscal years.
        if span == "other" or (span == "year" and not one.form.startswith("10-K")):
            continue
        key = (one.series, one.start, one.end)
        old = found.get(key)
        if old is None:
            found[key] = _Fact(shown=one, earliest=one)
            continue
        earlier = (one.vintage or date.min) < (old.earliest.vintage or date.min)
        found[key] = _Fact(shown=_newer(old.shown, one), earliest=one if earlier else old.earliest)
    return list(found.values())


def _of_concept(facts: Sequence[_Fact]) -> list[Quarter]:
    """Stated quarters; years less three of them, so that four quarters add up to their year though
    each is rounded; then the differences of sums that began on one day."""
    stated = [_stated(fact) for fact in facts if span_of(fact.start, fact.end) == "quarter"]
    fourth = [q for year in _years(facts) if (q := _year_less_quarters(year, stated))]
    differences = [
        _difference(longer, shorter)
        for longer in facts
        for shorter in facts
        if longer.start == shorter.start
        and STEPS.get(span_of(longer.start, longer.end)) == span_of(shorter.start, shorter.end)
    ]
    return [*stated, *fourth, *differences]


def _stated(fact: _Fact) -> Quarter:
    return Quarter(
        start=fact.start,
        end=fact.end,
        value=_value(fact.shown),
        first=_value(fact.earliest),
        concepts=(fact.shown.series,),
        inputs=(fact.shown,),
    )


def _difference(longer: _Fact, shorter: _Fact) -> Quarter:
    of_year = span_of(longer.start, longer.end) == "year"
    return Quarter(
        start=shorter.end + DAY,
        end=longer.end,
        value=_value(longer.shown) - _value(shorter.shown),
        first=_value(longer.earliest) - _value(shorter.earliest),
        derived="year_less_nine_months" if of_year else "year_to_date",
        concepts=(longer.shown.series,),
        inputs=(longer.shown, shorter.shown),
    )


def _years(facts: Sequence[_Fact]) -> list[_Fact]:
    return [fact for fact in facts if span_of(fact.start, fact.end) == "year"]


def _year_less_quarters(year: _Fact, known: Sequence[Quarter]) -> Quarter | None:
    """The fourth quarter where no nine months are filed, or under another concept."""
    inside = sorted((q for q in known if year.start <= q.start and q.end < year.end),
                    key=lambda q: q.end)  # fmt: skip
    if len(inside) != 3 or inside[0].start - year.start > SAME_PERIOD:
        return None
    if span_of(inside[-1].end + DAY, year.end) != "quarter":
        return None
    concepts = (year.shown.series, *(name for q in inside for name in q.concepts))
    return Quarter(
        start=inside[-1].end + DAY,
        end=year.end,
        value=_value(year.shown) - sum((q.value for q in inside), Decimal(0)),
        first=_value(year.earliest) - sum((q.first for q in inside), Decimal(0)),
        derived="year_less_quarters",
        concepts=tuple(dict.fromkeys(concepts)),
        inputs=(year.shown, *(one for q in inside for one in q.inputs)),
    )


def _offer(found: dict[date, Quarter], offered: Quarter | None) -> None:
    """What stands first wins, except that a stated quarter replaces a computed one."""
    if offered is None or span_of(offered.start, offered.end) != "quarter":
        return
    near = next((end for end in found if abs(end - offered.end) <= SAME_PERIOD), None)
    if near is None:
        found[offered.end] = offered
    elif found[near].derived and not offered.derived:
        del found[near]
        found[offered.end] = offered


def _value(one: Observation) -> Decimal:
    assert one.value is not None  # noqa: S101
    return one.value
