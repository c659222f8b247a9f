"""What keeping less of a token would do to a workload: the call behind the page and the shell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil

from econ import model_switch
from econ.fleet_setup import FleetAsked
from econ.hbm_spend import HbmSpend, hbm_spend
from econ.implied_rent_rows import DEFAULT_LIFE_YEARS
from econ.kv_residence import HOUR_S, Kept, Residence, kept
from econ.less_kv import (
    Lengths,
    Scenario,
    Setting,
    heads_scenario,
    lengths,
    scenarios,
    unchanged,
)
from econ.roofline import WEIGHT_BYTES
from econ.workload import Workload
from jobs import fleet_flows
from jobs.devices import device_of
from jobs.less_kv_parts import (
    AS_IS,
    EnergyRow,
    Hybrid,
    OwnFormat,
    Switching,
    energy_rows,
    hybrid,
    own_formats,
    speeds_of,
    switching,
)
from jobs.model_sizes import model_of
from jobs.shelf import LastUsed, opened
from jobs.speeds import BY_NAME
from price_tables.facts_load import load_hbm, load_power, load_quality
from price_tables.hardware import DeviceSpec, ModelSpec
from price_tables.hbm import HbmFacts
from price_tables.kv_quality import QualityFacts
from price_tables.power import PowerFacts

DEFAULT_MODEL, DEFAULT_DEVICE = fleet_flows.DEFAULT_MODEL, fleet_flows.DEFAULT_DEVICE
CHECKPOINT = "checkpoint"
DEFAULT_FORMAT = "fp8"
DEFAULT_FRACTION = Fraction(9, 10)
KEPT_STUDIES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class LessKvAsked:
    """One question. `keys` and `values`: the reader's own formats of each; `weights_dtype` as
    published (CHECKPOINT) or another; `residence`, `lifetime_s` and `queue_s`:
    `econ.kv_residence`. `tensor_parallel`: the least devices that a replica is spread over."""

    model: str = DEFAULT_MODEL
    device: str = DEFAULT_DEVICE
    keys: str = DEFAULT_FORMAT
    values: str = DEFAULT_FORMAT
    weights_dtype: str = CHECKPOINT
    residence: Residence = "lifetime"
    lifetime_s: int = 300
    kv_heads: int = 8
    queue_s: tuple[float, float] | None = None
    tensor_parallel: int = 1
    life_years: Decimal = DEFAULT_LIFE_YEARS

    @property
    def chosen(self) -> str:
        """Both formats as one: 'fp8' or 'q8_0/q4_0'."""
        return self.keys if self.keys == self.values else f"{self.keys}/{self.values}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LessKv:
    """Everything that the page shows. Spend is None where the memory has no public price."""

    asked: LessKvAsked
    model: ModelSpec
    device: DeviceSpec
    weights_bytes: int | None
    fraction: Fraction
    held: Kept
    lengths: Lengths
    rows: tuple[Scenario, ...]
    unchanged: Sequence[str]
    hbm: HbmFacts
    spend: HbmSpend | None
    spend_chosen: HbmSpend | None
    energy: tuple[EnergyRow, ...]
    hybrid: Hybrid | None
    switching: Switching | None
    quality: QualityFacts
    own_formats: tuple[OwnFormat, ...]
    power: PowerFacts

    @property
    def as_is(self) -> Scenario:
        """The model as it is, with 16-bit keys and values."""
        return self.rows[0]

    @property
    def shown(self) -> tuple[Scenario, ...]:
        """The rows, that of the chosen format once."""
        chosen = self.chosen.kv_format
        return tuple(r for r in self.rows if r.lever != "format" or r.kv_format != chosen)

    @property
    def chosen(self) -> Scenario:
        """The reader's own formats."""
        return self.rows[-1]


_read_before: LastUsed[tuple[Kept | None, int | None]] = LastUsed(KEPT_STUDIES)
_made: LastUsed[LessKv | None] = LastUsed(KEPT_STUDIES)


def less_kv(workload_id: str, asked: LessKvAsked, owner: str) -> LessKv | None:
    """The study of a workload that `owner` may see; None where the file has no lengths or times of
    single requests. NotFoundError: no such workload, model or device; UsageError: a format."""
    found = opened(workload_id, owner)
    key = (found.key, asked.residence, asked.lifetime_s, asked.queue_s)

    def make() -> LessKv | None:
        held, switches = _read_before.get(key, lambda: _read(found.workload, asked))
        return None if held is None else study(held, switches, asked)

    made = _made.get((found.key, asked), make)
    # Profiles come and go while the study stays.
    return None if made is None else replace(made, own_formats=own_formats())


def less_kv_of(workload: Workload, asked: LessKvAsked) -> LessKv | None:
    """The study of a workload that was just read, of the shell."""
    held, switches = _read(workload, asked)
    return None if held is None else study(held, switches, asked)


def _read(workload: Workload, asked: LessKvAsked) -> tuple[Kept | None, int | None]:
    held = kept(workload, asked.residence, asked.lifetime_s, asked.queue_s)
    return held, model_switch.switches_in(workload)


def study(held: Kept, switches: int | None, asked: LessKvAsked) -> LessKv:
    """The study of what a workload keeps, however it was read."""
    model, device, setting = setting_of(asked)
    dtype, weights, hbm = weights_dtype(model, asked), setting.weights_bytes, load_hbm()
    rows = scenarios(
        model, held, setting, as_is=AS_IS, chosen=asked.chosen, kv_heads=asked.kv_heads
    )
    found = lengths(held)
    return LessKv(
        asked=asked,
        model=model,
        device=device,
        weights_bytes=weights,
        fraction=DEFAULT_FRACTION,
        held=held,
        lengths=found,
        rows=rows,
        unchanged=unchanged(model, asked.kv_heads),
        hbm=hbm,
        spend=_spend(rows[0], setting, hbm, held),
        spend_chosen=_spend(rows[-1], setting, hbm, held),
        energy=energy_rows((rows[0], rows[-1]), device, dtype, weights, found),
        hybrid=hybrid(device, held),
        switching=switching(switches, speeds_of(device, dtype), found),
        quality=load_quality(),
        own_formats=own_formats(),
        power=load_power(),
    )


def setting_of(asked: LessKvAsked) -> tuple[ModelSpec, DeviceSpec, Setting]:
    """Model, device, and what all scenarios share."""
    model = model_of(asked.model).spec
    device = device_of(asked.device)
    setting = Setting(
        device=device,
        weights_bytes=weights_of(model, weights_dtype(model, asked)),
        fraction=DEFAULT_FRACTION,
        life_years=asked.life_years,
        price=load_hbm().price_of(device.memory_type),
        least_devices=asked.tensor_parallel,
    )
    return model, device, setting


def with_kv_heads(found: LessKv, kv_heads: int) -> Scenario | None:
    """The same question of a model with so many KV heads, in the chosen format; None where the
    model keeps no heads."""
    model, _, setting = setting_of(found.asked)
    return heads_scenario(model, found.held, setting, found.asked.chosen, kv_heads)


def queue_of(workload_id: str, fleet: FleetAsked, owner: str) -> tuple[float, float] | None:
    """Median seconds to the first token and of each further one, of a fleet that was made already
    and keeps up; else None."""
    found = fleet_flows.fleet_study(workload_id, fleet, owner)
    if found is None or not found.results:
        return None
    first = found.results[0]
    if first.ttft.p50 is None or first.tpot.p50 is None:
        return None
    return first.ttft.p50, first.tpot.p50


def weights_dtype(model: ModelSpec, asked: LessKvAsked) -> str:
    """The type that the weights are kept in."""
    if asked.weights_dtype == CHECKPOINT:
        return BY_NAME.get(model.checkpoint_dtype, AS_IS)
    return asked.weights_dtype


def weights_of(model: ModelSpec, dtype: str) -> int | None:
    """Parameters x bytes of the type; None where no source states the parameters."""
    if model.parameters_total is None:
        return None
    return ceil(model.parameters_total * WEIGHT_BYTES[dtype])


def _spend(row: Scenario, setting: Setting, hbm: HbmFacts, held: Kept) -> HbmSpend | None:
    if setting.price is None:
        return None
    copies = (row.devices or 0) // (row.devices_a_group or 1)
    return hbm_spend(
        setting.price,
        hbm.newest_share(),
        life_years=setting.life_years,
        kv_gb_hours=row.gb_hours,
        weights_bytes=(setting.weights_bytes or 0) * copies,
        hours=held.span_s / HOUR_S,
        peak_bytes=row.peak_bytes,
    )
