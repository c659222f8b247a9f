"""Models and devices as plain data: what a model keeps of a token, what a device offers.

`hardware_load` reads them from `models.yaml` and `devices.yaml`; nothing here reads anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from statistics import median
from typing import Literal

GroupKind = Literal[
    "full", "sliding", "chunked", "mla", "indexer", "linear_state", "compressed"
]  # fmt: skip
GROWING: frozenset[str] = frozenset({"full", "mla", "indexer"})
WINDOWED: frozenset[str] = frozenset({"sliding", "chunked"})


@dataclass(frozen=True, slots=True, kw_only=True)
class KvGroup:
    """Layers of one kind. Which fields count depends on `kind`; the others stay 0.

    full, sliding, chunked: kv_heads, key_dim, value_dim (and window_tokens).
    mla: latent, rope (elements); key_dim and value_dim of a head only for comparison.
    indexer: bytes_per_token (a layer).
    linear_state: state_bytes, conv_bytes (a layer, whatever the context).
    compressed: window_tokens, ratio_tokens (0 = window only), entry_elements,
    indexer_bytes_per_entry.
    """

    kind: GroupKind
    layers: int
    kv_heads: int = 0
    key_dim: int = 0
    value_dim: int = 0
    window_tokens: int = 0
    latent: int = 0
    rope: int = 0
    bytes_per_token: int = 0
    state_bytes: int = 0
    conv_bytes: int = 0
    ratio_tokens: int = 0
    entry_elements: int = 0
    indexer_bytes_per_entry: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """One model. Parameter counts and expert numbers are None where no source states them."""

    id: str
    name: str
    repository: str | None
    parameters_total: int | None
    parameters_active: int | None
    parameters_verified: bool
    hidden: int
    layers: int
    query_heads: int
    experts: int | None
    experts_per_token: int | None
    attention: str
    max_context_tokens: int | None
    checkpoint_dtype: str
    groups: tuple[KvGroup, ...]
    source: str
    as_of: str
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PurchasePrice:
    """What one device costs to buy, in USD."""

    low: Decimal | None
    mid: Decimal
    high: Decimal | None
    as_of: str
    source: str
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnershipCost:
    """Estimated all-in cost of an hour by who owns the device, and its share of the power (kW)."""

    hyperscaler: Decimal
    neocloud: Decimal
    rental_3y: Decimal
    all_in_kw: Decimal
    as_of: str
    source: str
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TierRange:
    """Published price ranges of an hour by kind of provider: (low, high) in USD."""

    ranges: Mapping[str, tuple[Decimal, Decimal]]
    spot: Decimal | None
    as_of: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BillOfMaterials:
    """Estimated cost of making one package, in USD, and the memory's share of it (0..1)."""

    usd: Decimal
    memory_ratio: Decimal
    as_of: str
    source: str
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HourlyPrice:
    """One dated offer: one device for one hour."""

    provider: str
    usd: Decimal
    pricing: Literal["on_demand", "spot"]
    tier: str
    region: str | None
    instance: str | None
    variant: str | None
    committed_1y_usd: Decimal | None
    committed_3y_usd: Decimal | None
    as_of: str
    source: str
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexMedian:
    """The median of a published index over several providers."""

    usd: Decimal
    providers: int
    as_of: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HourlyBand:
    """Low, median and high of an hour, and what they were taken from."""

    low: Decimal
    median: Decimal
    high: Decimal
    offers: int
    newest: str
    index: IndexMedian | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratios:
    """Measured times over floors by the same device's limits: lowest, highest, of how many."""

    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredLimits:
    """A device whose bandwidth and rates were measured, not stated. `origin`: 'measured' on this
    machine, 'imported' from a file, 'reference' with the program. `model` ran there meanwhile, on
    `day`; what it took beside its floors: `tpot` a token, `ttft` a prompt, None where neither was
    timed."""

    profile: str
    name: str
    origin: Literal["measured", "imported", "reference"]
    model: str
    day: str
    tpot: Ratios | None
    ttft: Ratios | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSpec:
    """One device. `label_gb` is what is sold, `usable_bytes` what a program finds (None: unknown);
    rates are dense operations a second by type. `measured`: where they come from a measurement."""

    id: str
    name: str
    vendor: str
    status: Literal["sold", "announced", "withdrawn", "reported"]
    label_gb: Decimal
    usable_bytes: int | None
    memory_type: str
    bandwidth_bytes_per_s: int | None
    dense_ops_per_s: Mapping[str, int]
    tdp_w: int | None
    source: str
    as_of: str
    note: str | None = None
    purchase_usd: PurchasePrice | None = None
    ownership: OwnershipCost | None = None
    tiers: tuple[TierRange, ...] = ()
    index_median: IndexMedian | None = None
    hourly: tuple[HourlyPrice, ...] = ()
    bill_of_materials: BillOfMaterials | None = None
    measured: MeasuredLimits | None = None

    @property
    def memory_bytes(self) -> int:
        """Usable bytes where known, else the label's GB times 1e9 (the smaller reading)."""
        return self.usable_bytes or int(self.label_gb * 1_000_000_000)

    def hourly_band(self) -> HourlyBand | None:
        """Low: the lowest on-demand offer, tier range or commitment; median: of the on-demand
        offers, or a published index over more providers; high: the highest on-demand offer.
        None where nothing is offered."""
        offers = [offer for offer in self.hourly if offer.pricing == "on_demand"]
        if not offers:
            return None
        prices = [offer.usd for offer in offers]
        committed = [usd for o in offers for usd in (o.committed_1y_usd, o.committed_3y_usd) if usd]
        lows = [low for tier in self.tiers for low, _ in tier.ranges.values()]
        index = self.index_median
        middle = median(prices) if index is None else index.usd
        return HourlyBand(
            low=min(prices + committed + lows),
            median=middle,
            high=max(prices),
            offers=len(offers),
            newest=max(offer.as_of for offer in offers),
            index=index,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """All models and devices that kvledger knows, by id, in the order of their files."""

    models: Mapping[str, ModelSpec]
    devices: Mapping[str, DeviceSpec]
