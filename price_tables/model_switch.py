"""Handing a cache from one model to another, as `model_switch.yaml` has it."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from price_tables.fields import Name, Note, Source, wrong
from price_tables.hardware_schema import AsOfYear, Positive
from price_tables.records import AboveZero, Facts, Ratio, Record

_SIGNED = re.compile(r"-?[01](\.\d{1,4})?")


def _correlation(value: object) -> Decimal:
    if not isinstance(value, str) or not _SIGNED.fullmatch(value) or abs(Decimal(value)) > 1:
        raise wrong("correlation", value)
    return Decimal(value)


Correlation = Annotated[Decimal, BeforeValidator(_correlation)]


class Pair(Record):
    """Sender and receiver, both null where the source does not name them. Retention = accuracy
    with the mapped cache / accuracy of the receiver with a prefill of its own: one figure, or the
    range that the pair lies in. `from_model`, `to_model`: ids of models.yaml."""

    model_config = ConfigDict(populate_by_name=True)

    id: Name
    sender: Name | None = Field(alias="from")
    receiver: Name | None = Field(alias="to")
    from_model: Name | None = None
    to_model: Name | None = None
    state: Literal["works", "fails"]
    retention: Ratio | None = None
    retention_low: Ratio | None = None
    retention_high: Ratio | None = None
    source: Source
    as_of: AsOfYear
    note: Note | None = None

    @model_validator(mode="after")
    def _one_figure_or_a_range(self) -> Self:
        ends = (self.retention_low, self.retention_high)
        if (self.retention is None) is (None in ends):
            raise wrong("retention", self.id)
        return self


class Timing(Record):
    """Mapping a cache of `tokens` tokens against computing it, for one pair."""

    pair: Name
    tokens: Positive
    prefill_ms: Positive
    map_ms: Positive
    speedup_low: AboveZero
    speedup_high: AboveZero
    source: Source
    as_of: AsOfYear
    note: Note | None = None


class Calibration(Record):
    """What fitting the map of one pair took: minutes of `devices` devices together."""

    sequences: Positive
    tokens_each: Positive
    minutes_low: Positive
    minutes_high: Positive
    devices: Positive
    device: Name
    source: Source
    as_of: AsOfYear


class Signs(Record):
    """Correlation with retention, over few pairs: cosine of attention outputs, R² of keys."""

    output_cosine: Correlation
    key_r2: Correlation
    source: Source
    as_of: AsOfYear


class SwitchFacts(Facts):
    """`model_switch.yaml`."""

    format: Literal["1"]
    pairs: Annotated[list[Pair], Field(min_length=1)]
    timing: Timing
    calibration: Calibration
    signs: Signs
