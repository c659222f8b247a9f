"""Power as `power.yaml` has it: scenarios apart, supply, operators, a tariff that is assumed."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from price_tables.fields import Day, Name, Note, Source, wrong
from price_tables.hardware_schema import AsOfYear, Positive
from price_tables.records import AboveZero, Band, Facts, Record


class Point(Record):
    """GW at the end of a year."""

    year: Positive
    gw: AboveZero


class Scenario(Record):
    """One source's path. Paths of two sources are never one line: methods and dates differ."""

    id: Name
    name: Name
    scope: Name
    points: Annotated[list[Point], Field(min_length=2)]
    source: Source
    as_of: AsOfYear
    note: Note | None = None

    @property
    def multiple(self) -> float:
        """The last point over the first."""
        return float(self.points[-1].gw / self.points[0].gw)

    @property
    def growth_a_year(self) -> float:
        """Compound growth a year, as a ratio (0.2 = 20 %)."""
        years = self.points[-1].year - self.points[0].year
        return float(self.multiple ** (1 / years) - 1)

    @model_validator(mode="after")
    def _years_rise(self) -> Self:
        years = [point.year for point in self.points]
        if years != sorted(set(years)):
            raise wrong("rising_years", ", ".join(map(str, years)))
        return self


class Supply(Record):
    """What utilities can add, and the gap that was claimed beside it."""

    firm_gw: AboveZero
    years: Positive
    claimed_gap_gw: AboveZero
    source: Source
    as_of: AsOfYear
    note: Note | None = None


class Operator(Record):
    """Power that one company uses and has contracted on a day, in GW."""

    name: Name
    day: Day
    active_gw: AboveZero
    contracted_gw: AboveZero
    source: Source


class Tariff(Band):
    """USD a kWh."""

    as_of: AsOfYear
    source: Source
    note: Note | None = None


class PowerFacts(Facts):
    """`power.yaml`."""

    format: Literal["1"]
    scenarios: Annotated[list[Scenario], Field(min_length=2)]
    supply: Supply
    operators: list[Operator]
    usd_per_kwh: Tariff
