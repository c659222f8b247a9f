"""What the small fact files share: strict frozen records, and numbers that are above zero."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from price_tables.fields import Day, Note, wrong

_PLAIN = re.compile(r"(0|[1-9]\d{0,8})(\.\d{1,6})?")


def _at_least_zero(value: object) -> Decimal:
    if not isinstance(value, str) or not _PLAIN.fullmatch(value):
        raise wrong("amount_or_zero", value)
    return Decimal(value)


def _above_zero(value: object) -> Decimal:
    if not isinstance(value, str) or not _PLAIN.fullmatch(value) or Decimal(value) == 0:
        raise wrong("amount_above_zero", value)
    return Decimal(value)


def _ratio(value: object) -> Decimal:
    found = _at_least_zero(value)
    if found > 1:
        raise wrong("ratio", value)
    return found


def _percent(value: object) -> Decimal:
    found = _at_least_zero(value)
    if found > 100:
        raise wrong("percentage", value)
    return found


AtLeastZero = Annotated[Decimal, BeforeValidator(_at_least_zero)]
AboveZero = Annotated[Decimal, BeforeValidator(_above_zero)]
Ratio = Annotated[Decimal, BeforeValidator(_ratio)]
Percent = Annotated[Decimal, BeforeValidator(_percent)]


class Record(BaseModel):
    """One entry of a file: unknown keys are errors, nothing is guessed, nothing changes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Facts(Record):
    """A whole file: when it was compiled, and what its sources are."""

    compiled: Day
    references: dict[str, Note]


class Band(Record):
    """Low, middle and high of a figure that has no single value."""

    low: AboveZero
    mid: AboveZero
    high: AboveZero

    def rising(self) -> bool:
        """Low is at most middle, middle at most high."""
        return self.low <= self.mid <= self.high
