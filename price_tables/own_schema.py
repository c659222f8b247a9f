"""What a file of own prices may say: rows that replace or add to the listed ones, and what a
provider takes off or adds. Unknown keys are errors, as everywhere in the price book."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from price_tables.fields import (
    AsOf,
    Bucket,
    Count,
    Factor,
    Flag,
    Moment,
    Name,
    Note,
    Prices,
    SomeFactors,
    SomePrices,
    wrong,
)
from price_tables.records import Ratio
from price_tables.schema import EARLIEST, LATEST, ModeName, TierRow, no_overlap


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class OwnModeRow(_Strict):
    """What a mode does to the prices of its period: a factor on them, or prices of its own."""

    multiplier: Factor | None = None
    bucket_multipliers: SomeFactors = Field(default_factory=dict)
    usd_per_mtok: SomePrices = Field(default_factory=dict)
    buckets: list[Bucket] = Field(default_factory=list)
    long_prompts: Literal["offered", "not_offered"] = "offered"

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.multiplier is None) == (not self.usd_per_mtok):
            raise wrong("multiplier_or_prices", self.multiplier or dict(self.usd_per_mtok))
        if self.bucket_multipliers and self.multiplier is None:
            raise wrong("multiplier", "bucket_multipliers")
        return self


class OwnProviderRow(_Strict):
    """Somebody who sends a bill and whom the book does not list. `free_writes`: cache writes cost
    what input costs."""

    name: Name
    free_writes: Flag = False


class OwnPeriodRow(_Strict):
    """Prices in [valid_from, valid_to); null or missing: no known end. `as_of`: the day on which
    their owner last checked them."""

    valid_from: Moment | None
    valid_to: Moment | None = None
    usd_per_mtok: Prices
    tiers: list[TierRow] = Field(default_factory=list)
    modes: dict[ModeName, OwnModeRow] = Field(default_factory=dict)
    as_of: AsOf
    note: Note | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        start, end = self.valid_from or EARLIEST, self.valid_to or LATEST
        if start >= end:
            raise wrong("end_after_start", f"{self.valid_from} – {self.valid_to}")
        thresholds = [tier.above for tier in self.tiers]
        if thresholds != sorted(set(thresholds)):
            raise wrong("rising_thresholds", thresholds)
        for tier in self.tiers:
            if tier.usd_per_mtok.keys() != self.usd_per_mtok.keys():
                raise wrong("same_buckets", ", ".join(tier.usd_per_mtok))
        for name, row in self.modes.items():
            if row.usd_per_mtok and row.long_prompts == "offered" and self.tiers:
                raise wrong("long_prompts_not_offered", name)
        return self


class OwnModelRow(_Strict):
    """A model by its id or one of its aliases. Of a model that is listed already only the periods
    count; a new one may have aliases and a shortest prefix that can be stored."""

    id: Name
    aliases: list[Name] = Field(default_factory=list)
    min_cacheable_tokens: Count | None = None
    periods: list[OwnPeriodRow] = Field(min_length=1)

    @model_validator(mode="after")
    def _history(self) -> Self:
        spans = [(row.valid_from or EARLIEST, row.valid_to or LATEST) for row in self.periods]
        for (start, _), (following, _) in pairwise(spans):
            if following < start:
                raise wrong("no_overlap", f"{start:%Y-%m-%d}, {following:%Y-%m-%d}")
        no_overlap(spans)
        return self


class AdjustmentRow(_Strict):
    """What comes off the list price, and what tax is added after that: 0 to 1."""

    discount_ratio: Ratio = Field(default="0", validate_default=True)
    tax_ratio: Ratio = Field(default="0", validate_default=True)


class OwnFile(_Strict):
    """The whole file. `prices`: provider -> its models; `providers`: those that are not listed."""

    format: Literal["1"]
    providers: dict[Name, OwnProviderRow] = Field(default_factory=dict)
    adjustments: dict[Name, AdjustmentRow] = Field(default_factory=dict)
    prices: dict[Name, list[OwnModelRow]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.adjustments and not self.prices:
            raise wrong("prices_or_adjustments", "–")
        for provider in self.providers:
            if not self.prices.get(provider):
                raise wrong("prices_of_provider", provider)
        for rows in self.prices.values():
            ids = [row.id.casefold() for row in rows]
            for name in ids:
                if ids.count(name) > 1:
                    raise wrong("unique_name", name)
        return self
