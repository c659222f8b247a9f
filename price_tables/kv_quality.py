"""Quality of keys and values that are stored otherwise, as `kv_quality.yaml` has it.

A figure holds for its model and task alone. Claims without model or task stay apart from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from price_tables.fields import Name, Note, Source
from price_tables.hardware_schema import AsOfYear
from price_tables.records import AtLeastZero, Facts, Percent, Record


class Measured(Record):
    """One format, one model, one task: the metric with 16-bit KV and with `format`."""

    format: Name
    model: Name
    task: Name
    metric: Name
    before: AtLeastZero | None
    after: AtLeastZero
    as_of: AsOfYear
    source: Source
    note: Note | None = None


class Claim(Record):
    """What somebody says of `formats` without naming what `lacks` lists."""

    id: Name
    formats: Annotated[list[Name], Field(min_length=1)]
    says: Note
    lacks: Note
    as_of: AsOfYear
    source: Source


class Reduction(Record):
    """A saving in per cent that holds against one baseline only."""

    model: Name
    baseline: Name
    percent: Percent
    as_of: AsOfYear
    source: Source


class QualityFacts(Facts):
    """`kv_quality.yaml`."""

    format: Literal["1"]
    measured: Annotated[list[Measured], Field(min_length=1)]
    claims: list[Claim]
    reduction: Reduction

    def of(self, format_name: str) -> tuple[Measured, ...]:
        """What was measured of a format; empty = not measured."""
        return tuple(row for row in self.measured if row.format == format_name)

    def claims_on(self, format_name: str) -> Sequence[Claim]:
        """What is said of a format without model or task."""
        return [claim for claim in self.claims if format_name in claim.formats]
