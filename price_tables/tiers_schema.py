"""What `tiers.yaml` may say. Unknown keys are errors."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from price_tables.fields import Day, Name, Note, Price, Source, wrong
from price_tables.hardware_schema import AsOfYear, Positive, Usd


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class GbPrice(_Strict):
    """USD for a GB that is bought."""

    low: Usd
    mid: Usd
    high: Usd
    as_of: AsOfYear
    source: Source
    note: Note | None = None

    @model_validator(mode="after")
    def _rising(self) -> Self:
        if not self.low <= self.mid <= self.high:
            raise wrong("low_mid_high", f"{self.low}, {self.mid}, {self.high}")
        return self


class TierRow(_Strict):
    """One place. Only the chosen device's own memory may leave bandwidth and capacity open."""

    id: Name
    place: Literal["device", "link", "memory"]
    device: Name | None = None
    bytes_per_s: Positive | None
    capacity_gb: Usd | None
    latency_s: Price
    source: Source
    as_of: AsOfYear
    note: Note | None = None
    usd_per_gb: GbPrice | None = None

    @model_validator(mode="after")
    def _bandwidth_unless_the_devices(self) -> Self:
        known = self.bytes_per_s is not None and self.capacity_gb is not None
        if known is (self.place == "device"):
            raise wrong("bandwidth_unless_device", self.id)
        if (self.device is not None) is not (self.place == "memory"):
            raise wrong("device_of_memory", self.id)
        return self


class TiersFile(_Strict):
    """`tiers.yaml`."""

    format: Literal["1"]
    compiled: Day
    references: dict[str, Note]
    tiers: Annotated[list[TierRow], Field(min_length=1)]
