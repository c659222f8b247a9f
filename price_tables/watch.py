"""Dated events as `watch.yaml` has them: what happened to a number, and what is expected next."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from price_tables.fields import Name, Source
from price_tables.hardware_schema import AsOfYear
from price_tables.records import Facts, Record

Number = Literal["supply", "cpx", "words"]


class Event(Record):
    """One event. `day` and `until` are a day, a month or a year, as exact as the source is."""

    id: Name
    number: Number
    day: AsOfYear
    until: AsOfYear | None = None
    kind: Literal["happened", "expected"]
    source: Source

    @property
    def last(self) -> str:
        """The end of its span, which a later date passes."""
        return self.until or self.day


class WatchFacts(Facts):
    """`watch.yaml`."""

    format: Literal["1"]
    events: Annotated[list[Event], Field(min_length=1)]

    def history(self, number: Number) -> list[Event]:
        """What happened to a number, newest first; at equal years the more exact day is newer."""
        mine = [one for one in self.events if (one.number, one.kind) == (number, "happened")]
        return sorted(mine, key=lambda one: one.day, reverse=True)

    def next_after(self, number: Number, today: date) -> Event | None:
        """The next expected event whose span has not passed."""
        ahead = [
            one for one in self.events
            if (one.number, one.kind) == (number, "expected")
            and one.last >= today.isoformat()[: len(one.last)]
        ]  # fmt: skip
        return min(ahead, key=lambda one: one.day, default=None)
