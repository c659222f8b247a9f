"""What `models.yaml` and `devices.yaml` may say. Unknown keys are errors."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from price_tables.fields import AsOf, Count, Day, Factor, Flag, Name, Note, Source, wrong

_WHOLE = re.compile(r"0|[1-9]\d{0,17}")
_USD = re.compile(r"(0|[1-9]\d{0,7})(\.\d{1,4})?")
_YEAR = re.compile(r"20\d\d")


def _whole(value: object) -> int:
    if not isinstance(value, str) or not _WHOLE.fullmatch(value):
        raise wrong("whole_number", value)
    return int(value)


def _positive(value: object) -> int:
    whole = _whole(value)
    if whole == 0:
        raise wrong("whole_number_above_zero", value)
    return whole


def _usd(value: object) -> Decimal:
    if not isinstance(value, str) or not _USD.fullmatch(value) or Decimal(value) == 0:
        raise wrong("amount_above_zero", value)
    return Decimal(value)


def _year(value: object) -> str:
    if not isinstance(value, str) or not _YEAR.fullmatch(value):
        raise wrong("as_of", value)
    return value


Whole = Annotated[int, BeforeValidator(_whole)]
Positive = Annotated[int, BeforeValidator(_positive)]
Usd = Annotated[Decimal, BeforeValidator(_usd)]
AsOfYear = AsOf | Annotated[str, BeforeValidator(_year)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class FullGroup(_Strict):
    """Every token of the context, in every layer."""

    kind: Literal["full"]
    layers: Positive
    kv_heads: Positive
    key_dim: Positive
    value_dim: Positive


class WindowGroup(_Strict):
    """The last `window_tokens` tokens only; `chunked` starts anew at each multiple."""

    kind: Literal["sliding", "chunked"]
    layers: Positive
    kv_heads: Positive
    key_dim: Positive
    value_dim: Positive
    window_tokens: Positive


class MlaGroup(_Strict):
    """One latent vector and one position part a layer. `key_dim` and `value_dim` are what a head
    would keep if it kept its own: for comparison only."""

    kind: Literal["mla"]
    layers: Positive
    latent: Positive
    rope: Whole
    key_dim: Whole = 0
    value_dim: Whole = 0


class IndexerGroup(_Strict):
    """A small key by which sparse attention chooses its tokens."""

    kind: Literal["indexer"]
    layers: Positive
    bytes_per_token: Positive


class StateGroup(_Strict):
    """A state that does not grow with the context."""

    kind: Literal["linear_state"]
    layers: Positive
    state_bytes: Positive
    conv_bytes: Whole


class CompressedGroup(_Strict):
    """A window, and one entry for each `ratio_tokens` before it (0: none)."""

    kind: Literal["compressed"]
    layers: Positive
    ratio_tokens: Whole
    entry_elements: Positive
    window_tokens: Positive
    indexer_bytes_per_entry: Whole


Group = Annotated[
    FullGroup | WindowGroup | MlaGroup | IndexerGroup | StateGroup | CompressedGroup,
    Field(discriminator="kind"),
]


class Parameters(_Strict):
    """Parameter counts; null where nobody states them."""

    total: Positive | None
    active: Positive | None
    verified: Flag = True

    @model_validator(mode="after")
    def _active_within_total(self) -> Self:
        if self.total is not None and self.active is not None and self.active > self.total:
            raise wrong("active_within_total", self.active)
        return self


class Shape(_Strict):
    """Sizes that the speed model needs."""

    hidden: Positive
    layers: Positive
    query_heads: Positive
    experts: Positive | None = None
    experts_per_token: Positive | None = None


class ModelRow(_Strict):
    """One model."""

    id: Name
    name: Name
    repository: Name | None = None
    parameters: Parameters
    shape: Shape
    attention: Name
    max_context_tokens: Positive | None
    checkpoint_dtype: Name
    groups: Annotated[list[Group], Field(min_length=1)]
    source: Source
    note: Note | None = None


class _File(_Strict):
    format: Literal["1"]
    compiled: Day
    references: dict[str, Note]


class ModelsFile(_File):
    """`models.yaml`."""

    models: Annotated[list[ModelRow], Field(min_length=1)]


class Memory(_Strict):
    """What is sold, and what a program finds."""

    label_gb: Usd
    usable_bytes: Positive | None
    type: Name


class _Sourced(_Strict):
    as_of: AsOfYear
    source: Source
    note: Note | None = None


class Purchase(_Sourced):
    """USD for one device."""

    low: Usd | None
    mid: Usd
    high: Usd | None


class Ownership(_Sourced):
    """USD an hour by owner, and all-in power."""

    hyperscaler: Usd
    neocloud: Usd
    rental_3y: Usd
    all_in_kw: Factor


class Materials(_Sourced):
    """What one package costs to make, and the memory's share of that."""

    usd: Usd
    memory_ratio: Factor

    @model_validator(mode="after")
    def _share_within_one(self) -> Self:
        if self.memory_ratio > 1:
            raise wrong("ratio", self.memory_ratio)
        return self


class Tiers(_Sourced):
    """[low, high] USD an hour by kind of provider."""

    hyperscaler: Annotated[list[Usd], Field(min_length=2, max_length=2)] | None = None
    specialty: Annotated[list[Usd], Field(min_length=2, max_length=2)] | None = None
    long_tail: Annotated[list[Usd], Field(min_length=2, max_length=2)] | None = None
    spot: Usd | None = None


class Index(_Sourced):
    """The median of an index."""

    usd: Usd
    providers: Count


class Hourly(_Sourced):
    """One offer."""

    provider: Name
    usd: Usd
    pricing: Literal["on_demand", "spot"]
    tier: Literal["hyperscaler", "specialty", "long_tail"]
    region: Name | None = None
    instance: Name | None = None
    variant: Name | None = None
    committed_1y_usd: Usd | None = None
    committed_3y_usd: Usd | None = None


class DeviceRow(_Strict):
    """One device."""

    id: Name
    name: Name
    vendor: Name
    status: Literal["sold", "announced", "withdrawn", "reported"] = "sold"
    memory: Memory
    bandwidth_bytes_per_s: Positive | None
    dense_ops_per_s: dict[Literal["fp32", "fp16", "fp8", "fp4", "int8"], Positive]
    tdp_w: Positive | None
    source: Source
    note: Note | None = None
    purchase_usd: Purchase | None = None
    ownership_usd_per_hour: Ownership | None = None
    tier_usd_per_hour: Tiers | None = None
    index_median_usd_per_hour: Index | None = None
    hourly_usd: list[Hourly] = []
    bill_of_materials_usd: Materials | None = None

    @model_validator(mode="after")
    def _no_doubled_rates(self) -> Self:
        """Vendors print rates with sparsity, twice the dense ones: fp8 at over 2.1 times fp16
        is such a figure."""
        fp16, fp8 = self.dense_ops_per_s.get("fp16"), self.dense_ops_per_s.get("fp8")
        if fp16 and fp8 and fp8 > 2.1 * fp16:
            raise wrong("dense_rate", fp8)
        return self


class DevicesFile(_File):
    """`devices.yaml`."""

    devices: Annotated[list[DeviceRow], Field(min_length=1)]
