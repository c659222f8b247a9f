"""Places for keys and values, and what the providers' premiums imply: service calls of the page
and the shell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from econ.candidates import known_providers
from econ.implied_rent import Premium
from econ.implied_rent_rows import DEFAULT_LIFE_YEARS, bought, premiums, rents
from econ.kv_capacity import free_bytes
from econ.kv_formats import kv_format
from econ.kv_memory import reserved_per_token
from econ.offload import Link
from econ.replay_input import blocks_of
from econ.roofline import WEIGHT_BYTES, Speeds
from econ.speed_features import rate_of
from econ.tier_study import Tier, TierStudy, tier_study
from econ.workload import Workload
from jobs.devices import device_of
from jobs.model_sizes import hardware, model_of
from jobs.reporting import book
from messages.errors import Message, UsageError
from price_tables.hardware import DeviceSpec, KvGroup, ModelSpec
from price_tables.tiers import CHAIN, TierSpec
from price_tables.tiers_load import load_tiers

BYTES_A_GB = 1_000_000_000
DEFAULT_MODEL, DEFAULT_DEVICE = "llama-3.1-70b", "h200-sxm"
DEFAULT_OPS_RATIO, DEFAULT_FRACTION = Decimal("0.4"), Decimal("0.9")
DEFAULT_PREFIX_TOKENS = 32_768


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedModel:
    """A dense model of which only the sizes are known: its attention is as wide as `hidden`."""

    layers: int
    hidden: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TiersAsked:
    """One question about places for keys and values. What is None comes from the tables.

    `bandwidths`, `capacities_gb`, `waits_s` override places by name; `typed_bandwidths` are links
    that no table names: with them, only they and the overridden places are compared.
    `implied_bytes`: bytes a token of the models behind the premiums, low and high.
    """

    model: str = DEFAULT_MODEL
    typed_model: TypedModel | None = None
    device: str = DEFAULT_DEVICE
    dtype: str = "bf16"
    weights_dtype: str | None = None
    weights_bytes: int | None = None
    prefix_tokens: int = DEFAULT_PREFIX_TOKENS
    bytes_per_token: Decimal | None = None
    parameters: Decimal | None = None
    ops_per_s: Decimal | None = None
    ops_ratio: Decimal = DEFAULT_OPS_RATIO
    typed_bandwidths: tuple[Decimal, ...] = ()
    bandwidths: Mapping[str, Decimal] = field(default_factory=dict)
    capacities_gb: Mapping[str, Decimal] = field(default_factory=dict)
    waits_s: Mapping[str, Decimal] = field(default_factory=dict)
    life_years: Decimal = DEFAULT_LIFE_YEARS
    implied_bytes: tuple[Decimal, Decimal] | None = None
    providers: tuple[str, ...] = ()
    premium_models: tuple[str, ...] = ()
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TiersFound:
    """The study and what stands behind it. `usd_per_gb_hour`: low, mid, high by place; None in the
    middle where only the ends are known."""

    study: TierStudy
    model: ModelSpec
    device: DeviceSpec
    bytes_per_token: Decimal
    speeds: Speeds
    usd_per_gb_hour: Mapping[str, tuple[Decimal, Decimal | None, Decimal]]
    premiums: tuple[Premium, ...]
    implied_bytes: tuple[Decimal, Decimal]


def tiers_found(asked: TiersAsked, workload: Workload | None = None) -> TiersFound:
    """Every place for one prefix, with a workload also what it answers of that; and the premiums.
    InputError where the workload cannot be replayed, NotFoundError or UsageError otherwise."""
    device = device_of(asked.device)
    model = _model(asked)
    own = asked.bytes_per_token
    each = Decimal(own) if own is not None else _per_token(model, asked.dtype)
    kind = _weights_dtype(asked, device)
    speeds = _speeds(asked, device, kind)
    tiers = _tiers(asked, device, _hbm_bytes(asked, device, model, kind))
    study = tier_study(
        model,
        speeds,
        tiers,
        prefix_tokens=asked.prefix_tokens,
        bytes_per_token=float(each),
        parameters=None if asked.parameters is None else float(asked.parameters),
        blocks=None if workload is None else blocks_of(workload, "engine"),
    )
    prices = book()
    known_providers(prices, asked.providers)
    return TiersFound(
        study=study,
        model=model,
        device=device,
        bytes_per_token=each,
        speeds=speeds,
        usd_per_gb_hour=gb_hours(device, asked.life_years),
        premiums=premiums(
            prices,
            asked.at or prices.as_of,
            providers=asked.providers,
            models=asked.premium_models,
        ),
        implied_bytes=asked.implied_bytes or (each, each),
    )


def gb_hours(
    device: DeviceSpec, life_years: Decimal = DEFAULT_LIFE_YEARS
) -> Mapping[str, tuple[Decimal, Decimal | None, Decimal]]:
    """USD a GB and hour by place: on the device what it is rented for, elsewhere what is bought.
    Memories of other devices: what those are rented for."""
    found: dict[str, tuple[Decimal, Decimal | None, Decimal]] = {}
    for tier in load_tiers().values():
        behind = hardware().devices[tier.device] if tier.device else device
        rows = rents(behind) if tier.place != "link" else ()
        each = bought(tier, life_years)
        if rows:
            usd = [row.usd_per_gb_hour for row in rows]
            found[tier.id] = (min(usd), None, max(usd))
        elif each is not None and tier.place == "link":
            found[tier.id] = (each.low, each.mid, each.high)
    return found


def _model(asked: TiersAsked) -> ModelSpec:
    typed = asked.typed_model
    if typed is None:
        return model_of(asked.model).spec
    if asked.bytes_per_token is None or asked.parameters is None:
        raise UsageError(Message("hardware_money.typed_model_needs"))
    whole = KvGroup(
        kind="full", layers=typed.layers, kv_heads=1, key_dim=typed.hidden, value_dim=typed.hidden
    )
    return ModelSpec(
        id="typed-in", name="typed-in", repository=None, parameters_total=int(asked.parameters),
        parameters_active=None, parameters_verified=False, hidden=typed.hidden,
        layers=typed.layers, query_heads=1, experts=None, experts_per_token=None,
        attention="full", max_context_tokens=None, checkpoint_dtype="-", groups=(whole,),
        source="typed-in", as_of="",
    )  # fmt: skip


def _per_token(model: ModelSpec, dtype: str) -> Decimal:
    each = reserved_per_token(model, kv_format(dtype))
    if not each:
        raise UsageError(Message("hardware_money.no_kv", {"model": model.id}))
    return Decimal(each.numerator) / each.denominator


def _weights_dtype(asked: TiersAsked, device: DeviceSpec) -> str:
    kind = asked.weights_dtype or ("fp8" if "fp8" in device.dense_ops_per_s else "bf16")
    if kind not in WEIGHT_BYTES:
        values = {"found": kind, "known": ", ".join(WEIGHT_BYTES)}
        raise UsageError(Message("hardware.unknown_weights", values))
    return kind


def _speeds(asked: TiersAsked, device: DeviceSpec, kind: str) -> Speeds:
    rate = asked.ops_per_s or rate_of(device, kind)
    if rate is None:
        values = {"device": device.id, "kind": kind}
        raise UsageError(Message("hardware_money.no_rate", values))
    return Speeds(
        bandwidth_bytes_per_s=float(device.bandwidth_bytes_per_s or 0),
        ops_per_s=float(rate),
        ops_ratio=float(asked.ops_ratio),
    )


def _hbm_bytes(asked: TiersAsked, device: DeviceSpec, model: ModelSpec, kind: str) -> int:
    """What the device has left beside the weights; 0 where they do not fit or are not known."""
    weights = asked.weights_bytes
    if weights is None:
        if model.parameters_total is None:
            return 0
        weights = int(model.parameters_total * WEIGHT_BYTES[kind])
    return max(free_bytes(device.memory_bytes, Fraction(DEFAULT_FRACTION), weights, 0), 0)


def _tiers(asked: TiersAsked, device: DeviceSpec, hbm_bytes: int) -> list[Tier]:
    known = load_tiers()
    named = {*asked.bandwidths, *asked.capacities_gb, *asked.waits_s}
    for name in sorted(named - known.keys()):
        values = {"found": name, "known": ", ".join(known)}
        raise UsageError(Message("hardware_money.unknown_tier", values))
    typed = [
        Tier(link=Link(tier=f"typed-{at}", bytes_per_s=float(rate)))
        for at, rate in enumerate(asked.typed_bandwidths, 1)
    ]
    shown = [tier for tier in known.values() if not typed or tier.id in named]
    return typed + [made for tier in shown if (made := _tier(asked, tier, device, hbm_bytes))]


def _tier(asked: TiersAsked, tier: TierSpec, device: DeviceSpec, hbm_bytes: int) -> Tier | None:
    own = tier.place == "device"
    rate = asked.bandwidths.get(tier.id) or (
        device.bandwidth_bytes_per_s if own else tier.bytes_per_s
    )
    if rate is None:
        return None
    room_gb = asked.capacities_gb.get(tier.id)
    if room_gb is None and tier.id in CHAIN:
        room_gb = Decimal(hbm_bytes) / BYTES_A_GB if own else tier.capacity_gb
    return Tier(
        link=Link(
            tier=tier.id,
            bytes_per_s=float(rate),
            latency_s=float(tier.latency_s),
            wait_s=float(asked.waits_s.get(tier.id, 0)),
        ),
        capacity_bytes=None if room_gb is None else float(room_gb) * BYTES_A_GB,
    )
