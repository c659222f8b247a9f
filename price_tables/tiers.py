"""Places for keys and values as plain data. `tiers_load` reads them from `tiers.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Place = Literal["device", "link", "memory"]
CHAIN = ("hbm", "dram", "ssd", "network")
"""From the fastest down: what falls out of one is looked for in the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPrice:
    """What a GB costs to buy, in USD."""

    low: Decimal
    mid: Decimal
    high: Decimal
    as_of: str
    source: str
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSpec:
    """One place. `device`: the chosen device's own memory, whose bandwidth and capacity are not
    here; `link`: behind a link, copied before it is used; `memory`: another device's own memory,
    `device` names it. No price where none is public."""

    id: str
    place: Place
    device: str | None
    bytes_per_s: int | None
    capacity_gb: Decimal | None
    latency_s: Decimal
    usd_per_gb: MemoryPrice | None
    source: str
    as_of: str
    note: str | None
