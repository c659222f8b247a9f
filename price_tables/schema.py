"""What a price table file may say. Unknown keys are errors; `docs/prices.md` explains fields."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from price_tables.fields import (
    Address,
    AsOf,
    Bucket,
    Count,
    Day,
    Factor,
    Flag,
    Listed,
    Moment,
    Name,
    Note,
    Plain,
    Prices,
    SomeFactors,
    SomePrices,
    Source,
    Window,
    wrong,
)

PeriodStatus = Literal[
    "current", "historical", "promotional", "announced",
    "unverified", "secondary_sources_only", "single_source",
]  # fmt: skip
ModelStatus = Literal[
    "current", "deprecated", "limited_availability", "legacy_name",
    "retired_on_claude_api", "promotional",
]  # fmt: skip
ModeName = Literal["batch", "flex", "fast", "priority", "ultrafast"]

EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Sourced(_Strict):
    source: Source
    as_of: AsOf
    via: Name | None = None
    note: Note | None = None


class _Dated(_Strict):
    valid_from: Moment | None = None
    valid_to: Moment | None = None

    @property
    def span(self) -> tuple[datetime, datetime]:
        return self.valid_from or EARLIEST, self.valid_to or LATEST

    @model_validator(mode="after")
    def _forwards(self) -> Self:
        start, end = self.span
        if start >= end:
            raise wrong("end_after_start", f"{self.valid_from} – {self.valid_to}")
        return self


class RuleRow(_Sourced):
    value: Plain


class SurfaceRow(_Strict):
    name: Name
    default: Flag = False
    regional: Flag = False
    source: Source | None = None
    as_of: AsOf | None = None
    note: Note | None = None


class ModeRow(_Dated):
    multiplier: Factor | None = None
    bucket_multipliers: SomeFactors = Field(default_factory=dict)
    usd_per_mtok: SomePrices = Field(default_factory=dict)
    buckets: list[Bucket] = Field(default_factory=list)
    long_prompts: Literal["offered", "not_offered"] = "offered"
    status: PeriodStatus | None = None
    source: Source | None = None
    as_of: AsOf | None = None
    note: Note | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.multiplier is None) == (not self.usd_per_mtok):
            raise wrong("multiplier_or_prices", self.multiplier or dict(self.usd_per_mtok))
        if self.bucket_multipliers and self.multiplier is None:
            raise wrong("multiplier", "bucket_multipliers")
        return self


ModeRows = Annotated[list[ModeRow], Listed]


class TierRow(_Strict):
    above_tokens: Count | None = None
    at_least_tokens: Count | None = None
    usd_per_mtok: Prices

    @model_validator(mode="after")
    def _one_threshold(self) -> Self:
        if (self.above_tokens is None) == (self.at_least_tokens is None) or self.above < 1:
            raise wrong("one_threshold", f"{self.above_tokens}, {self.at_least_tokens}")
        return self

    @property
    def above(self) -> int:
        """Prompts of strictly more tokens are in the tier."""
        if self.above_tokens is not None:
            return self.above_tokens
        return (self.at_least_tokens or 0) - 1


class PeriodRow(_Dated, _Sourced):
    valid_from: Moment | None  # to be written, null where no start is known
    status: PeriodStatus
    usd_per_mtok: Prices
    tiers: list[TierRow] = Field(default_factory=list)
    modes: dict[ModeName, ModeRows] = Field(default_factory=dict)
    schedule: Name | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        thresholds = [tier.above for tier in self.tiers]
        if thresholds != sorted(set(thresholds)):
            raise wrong("rising_thresholds", thresholds)
        for tier in self.tiers:
            if tier.usd_per_mtok.keys() != self.usd_per_mtok.keys():
                raise wrong("same_buckets", ", ".join(tier.usd_per_mtok))
        for name, rows in self.modes.items():
            no_overlap([row.span for row in rows])
            priced = any(row.usd_per_mtok and row.long_prompts == "offered" for row in rows)
            if priced and self.tiers:
                raise wrong("long_prompts_not_offered", name)
        return self


class WithdrawnRow(_Sourced):
    announced_for: Moment
    usd_per_mtok: SomePrices


class ModelRow(_Strict):
    id: Name
    aliases: list[Name]
    status: ModelStatus
    min_cacheable_tokens: Count | None = None
    rule_family: Name | None = None
    caching: list[Literal["implicit", "explicit"]] = Field(default_factory=list)
    regional_multiplier: Factor | None = None
    retires_on: Day | None = None
    notes: list[Note] = Field(default_factory=list)
    withdrawn: list[WithdrawnRow] = Field(default_factory=list)
    periods: list[PeriodRow] = Field(min_length=1)

    @model_validator(mode="after")
    def _history(self) -> Self:
        no_overlap([period.span for period in self.periods])
        for before, after in pairwise(self.periods):
            if before.valid_to != after.valid_from and not after.note:
                raise wrong("no_gap", f"{before.valid_to} – {after.valid_from}")
        return self


class ScheduleRow(_Sourced):
    windows_utc: list[Window] = Field(min_length=1)
    weekdays_only: Flag
    multiplier: Factor
    applies_from: Moment
    holidays: list[Day]
    holiday_source: Address | None = None
    covers_through: Day | None


class InheritRow(_Sourced):
    provider: Name
    rule_family: Name | None = None
    regional_multiplier: Factor | None = None
    without: list[Bucket] = Field(default_factory=list)


class UsageRow(_Sourced):
    api: Name
    prompt_contains: list[Literal["read", "writes"]]
    fields: dict[Name, list[Name]]


class DisagreementRow(_Strict):
    topic: Name
    values: list[RuleRow] = Field(min_length=1)
    taken: Note
    why: Note


class FeeRow(_Sourced):
    what: Note


class TableFile(_Strict):
    """One provider's file."""

    format: Literal["1"]
    provider: Name
    name: Name
    maker: Flag
    also_called: list[Name]
    compiled: Day
    pages: dict[Name, Address]
    references: dict[Name, Name] = Field(default_factory=dict)
    surfaces: list[SurfaceRow] = Field(default_factory=list)
    id_prefixes: dict[Name, Name] = Field(default_factory=dict)
    publishers: list[Name] = Field(default_factory=list)
    mode_words: dict[Name, Literal[ModeName, "standard"]] = Field(default_factory=dict)
    modes: dict[ModeName, ModeRows] = Field(default_factory=dict)
    free_writes: list[Name]
    inherits: list[InheritRow] = Field(default_factory=list)
    schedules: dict[Name, ScheduleRow] = Field(default_factory=dict)
    cache_rules: dict[Name, dict[Name, RuleRow]]
    usage: list[UsageRow]
    disagreements: list[DisagreementRow]
    other_fees: list[FeeRow] = Field(default_factory=list)
    models: list[ModelRow]

    @model_validator(mode="after")
    def _names(self) -> Self:
        _unique(name for row in self.models for name in (row.id, *row.aliases))
        _unique(row.name for row in self.surfaces)
        if self.surfaces and sum(row.default for row in self.surfaces) != 1:
            raise wrong("one_default", ", ".join(row.name for row in self.surfaces))
        for row in self.models:
            for period in row.periods:
                if period.schedule is not None and period.schedule not in self.schedules:
                    raise wrong("schedule", f"{row.id}: {period.schedule}")
        for surface in self.id_prefixes.values():
            if surface not in {row.name for row in self.surfaces}:
                raise wrong("surface", surface)
        return self


class BookFile(_Strict):
    """`book.yaml`: which tables make up the book, and the book's own date."""

    format: Literal["1"]
    version: Day
    tables: list[Name]


def no_overlap(spans: list[tuple[datetime, datetime]]) -> None:
    """Half-open spans in order of time, none reaching into the next."""
    for (start, end), (following, _) in pairwise(spans):
        if end > following:
            raise wrong("no_overlap", f"{start:%Y-%m-%d} – {end:%Y-%m-%d}, {following:%Y-%m-%d}")


def _unique(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            raise wrong("unique_name", name)
        seen.add(name.casefold())
