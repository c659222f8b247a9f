"""Published figures: a value, its period, and since when the public could read it.

An observation is what one document said. Several documents may speak of one period: each is a
vintage, and none replaces another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

HUNDRED = Decimal(100)
Key = tuple[str, str, str, str, date | None, date]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One published value.

    `source` is 'sec', 'fred', 'edinet' or 'estat'; `series` a concept, series or element id;
    `entity` a CIK, an EDINET code or a table ('' where the series says all). `start` is None for a
    moment, `end` is the last day of the period. `vintage` is the day on which the value became
    public (None: not known). `value` is None where the source gives no figure; `marker` is then
    what it wrote. `unit` is as published ('USD', 'USD/shares', 'Index 2017=100'), `currency` an
    ISO code or ''. `document` is an accession number or document id, `form` its kind. `url` holds
    no key. `body_sha256` names the raw answer.
    """

    source: str
    series: str
    entity: str
    start: date | None
    end: date
    vintage: date | None
    value: Decimal | None
    marker: str = ""
    unit: str
    currency: str = ""
    document: str = ""
    form: str = ""
    url: str
    fetched_utc: datetime
    body_sha256: str = ""

    @property
    def key(self) -> Key:
        """What the value is of; two observations of one key are two vintages."""
        return (self.source, self.entity, self.series, self.unit, self.start, self.end)


def by_key(observations: Iterable[Observation]) -> dict[Key, list[Observation]]:
    """The vintages of each figure, the oldest first; an unknown day counts as the oldest."""
    found: dict[Key, list[Observation]] = {}
    for one in observations:
        found.setdefault(one.key, []).append(one)
    for vintages in found.values():
        vintages.sort(key=lambda one: (one.vintage or date.min, one.document))
    return found


def latest(observations: Iterable[Observation]) -> list[Observation]:
    """The newest vintage of each figure, by period."""
    return _by_period(vintages[-1] for vintages in by_key(observations).values())


def first_published(observations: Iterable[Observation]) -> list[Observation]:
    """The oldest known vintage of each figure, by period."""
    dated = [one for one in observations if one.vintage is not None]
    return _by_period(vintages[0] for vintages in by_key(dated).values())


def as_of(observations: Iterable[Observation], day: date) -> list[Observation]:
    """Each figure as it could be read on `day`: what was not yet published, or whose day of
    publication is unknown, is not among it."""
    return latest(one for one in observations if one.vintage is not None and one.vintage <= day)


def _by_period(observations: Iterable[Observation]) -> list[Observation]:
    return sorted(observations, key=lambda one: (one.source, one.entity, one.series, one.end))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """A quotient with both inputs. `value` is exact to Decimal's 28 digits; None where a part is
    missing or the denominator is not above zero."""

    value: Decimal | None
    numerator: Decimal | None
    denominator: Decimal | None

    @property
    def percent(self) -> Decimal | None:
        """`value` in percent, unrounded."""
        return None if self.value is None else self.value * HUNDRED


def ratio(numerator: Decimal | None, denominator: Decimal | None) -> Ratio:
    """numerator / denominator, missing where either is."""
    value = None
    if numerator is not None and denominator is not None and denominator > 0:
        value = numerator / denominator
    return Ratio(value=value, numerator=numerator, denominator=denominator)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Shares of one whole in percent, as published: never scaled to 100.

    `total` is None where a share is missing. `rounding`: the total misses 100 by no more than half
    a unit of the last published digit for each share, so rounding alone explains it.
    """

    percents: Mapping[str, Decimal | None]
    total: Decimal | None
    adds_to_100: bool
    rounding: bool


def shares(percents: Mapping[str, Decimal | None]) -> Shares:
    """The shares with what they add up to. ValueError for a negative one."""
    known = [value for value in percents.values() if value is not None]
    if any(value < 0 for value in known):
        raise ValueError("a share below zero")
    total = sum(known, Decimal(0)) if known and len(known) == len(percents) else None
    miss = None if total is None else abs(total - HUNDRED)
    slack = sum((_half_unit(value) for value in known), Decimal(0))
    return Shares(
        percents=dict(percents),
        total=total,
        adds_to_100=miss == 0,
        rounding=miss is not None and 0 < miss <= slack,
    )


def _half_unit(value: Decimal) -> Decimal:
    exponent = value.as_tuple().exponent
    return Decimal(5).scaleb(min(int(exponent), 0) - 1)


def rebased(points: Sequence[tuple[date, Decimal | None]], at: date) -> list[Decimal | None]:
    """Each value with the one of `at` set to 100; all missing where `at` has no value or zero."""
    base = next((value for day, value in points if day == at), None)
    if base is None or base == 0:
        return [None] * len(points)
    return [None if value is None else value / base * HUNDRED for _, value in points]
