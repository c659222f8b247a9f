"""HBM as `hbm.yaml` has it: makers' shares by quarter, forecasts, generations, prices of a GB."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from price_tables.fields import Name, Note, Source, wrong
from price_tables.hardware_schema import AsOfYear, Positive
from price_tables.records import AboveZero, Band, Facts, Percent, Record

MAKERS = ("sk_hynix", "samsung", "micron")
_QUARTER = re.compile(r"20\d\dQ[1-4]")


def _quarter(value: object) -> str:
    if not isinstance(value, str) or not _QUARTER.fullmatch(value):
        raise wrong("quarter", value)
    return value


class _Makers(Record):
    """Percent of the market by maker; null where the source does not say."""

    sk_hynix: Percent
    samsung: Percent | None
    micron: Percent | None
    source: Source
    note: Note | None = None

    def by_maker(self) -> Mapping[str, Decimal]:
        """Percent of each maker that the source names, as published."""
        named = {maker: getattr(self, maker) for maker in MAKERS}
        return {maker: percent for maker, percent in named.items() if percent is not None}

    @property
    def total(self) -> Decimal:
        """What the published shares add to: 101 where they were rounded, never made 100."""
        return sum(self.by_maker().values(), Decimal(0))


class Share(_Makers):
    """Shares of one quarter. `basis`: revenue and bits shipped differ."""

    quarter: Annotated[str, BeforeValidator(_quarter)]
    basis: Literal["revenue", "shipments", "not_stated"]


class Forecast(_Makers):
    """Shares that somebody expects, of what `scope` says."""

    scope: Name


class Generation(Record):
    """One stack: GB, Gb/s a pin, width of its bus, TB/s (= pin_gbps x bus_bits / 8 / 1000)."""

    name: Name
    gb_low: AboveZero
    gb_high: AboveZero
    pin_gbps: AboveZero | None
    bus_bits: Positive
    bandwidth_tbs: AboveZero
    source: Source
    note: Note | None = None

    @model_validator(mode="after")
    def _bandwidth_follows(self) -> Self:
        if self.pin_gbps and self.pin_gbps * self.bus_bits / 8000 != self.bandwidth_tbs:
            raise wrong("bandwidth_of_stack", self.bandwidth_tbs)
        return self


class GbPrice(Band):
    """USD for a GB of one generation, estimated at the level of contracts."""

    generation: Name
    as_of: AsOfYear
    source: Source
    note: Note | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.rising():
            raise wrong("low_mid_high", f"{self.low}, {self.mid}, {self.high}")
        return self


class HbmFacts(Facts):
    """`hbm.yaml`."""

    format: Literal["1"]
    shares: Annotated[list[Share], Field(min_length=1)]
    forecasts: list[Forecast]
    generations: Annotated[list[Generation], Field(min_length=1)]
    usd_per_gb: Annotated[list[GbPrice], Field(min_length=1)]

    def newest_share(self) -> Share:
        """The shares of the latest quarter."""
        return max(self.shares, key=lambda share: share.quarter)

    def price_of(self, memory_type: str) -> GbPrice | None:
        """The price of a GB of this generation; None where no public figure is usable."""
        return next((p for p in self.usd_per_gb if p.generation == memory_type), None)
