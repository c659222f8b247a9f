"""Parts of the study of less KV: energy, the hybrid model, model switches, our own formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from econ import model_switch
from econ.device_cases import KvFormat as StoredFormat
from econ.device_cases import formats
from econ.energy import TokenEnergy, token_energy
from econ.hybrid_gain import GainPoint, WorkloadGain, gain_curve, kv_saving, workload_gain
from econ.kv_formats import kv_format
from econ.kv_residence import Kept
from econ.less_kv import Lengths, Scenario
from econ.roofline import WEIGHT_BYTES, Speeds
from econ.speed_features import SpeedCase, datasheet_speeds, step_of
from econ.speed_fit import Band, floor_band
from jobs import profiling
from jobs.model_sizes import hardware
from price_tables.facts_load import load_switch
from price_tables.hardware import DeviceSpec, ModelSpec
from price_tables.model_switch import SwitchFacts
from price_tables.speed_fit_load import load_speed_fit

HYBRID, AS_IS = "kimi-linear-48b-a3b", "bf16"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnergyRow:
    """Joules a token of one scenario at one batch, by the floor; `band`: how far measured times
    lie above such floors, None outside of what was measured (`outside` names it)."""

    scenario: Scenario
    energy: TokenEnergy
    band: Band | None
    outside: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFormat:
    """What this program's own engine measured of one format; `origin` of the profile says where."""

    profile: str
    origin: str
    device: str
    model: str
    measured: str
    found: StoredFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class Hybrid:
    """The hybrid model beside itself with full layers only. `saving`: of the growing KV."""

    model: ModelSpec
    saving: float
    curve: tuple[GainPoint, ...]
    gain: WorkloadGain | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Switching:
    """Model switches. `counted`: in this workload, None where the file does not say."""

    facts: SwitchFacts
    counted: int | None
    at_timed: model_switch.Switch
    at_workload: model_switch.Switch
    earned: model_switch.Earned
    cascade: model_switch.Cascade | None


def speeds_of(device: DeviceSpec, dtype: str) -> Speeds | None:
    """The data sheet's limits; None where it states no bandwidth or no rate."""
    try:
        return datasheet_speeds(device, dtype)
    except ValueError:
        return None


def energy_rows(
    rows: Sequence[Scenario],
    device: DeviceSpec,
    dtype: str,
    weights: int | None,
    found: Lengths,
) -> tuple[EnergyRow, ...]:
    """Each scenario alone and as full as memory allows; empty where power, limits or weights are
    not stated. Steps are floors at the median context."""
    if device.tdp_w is None or weights is None or speeds_of(device, dtype) is None:
        return ()
    made = []
    for row in rows:
        if row.devices_a_group is None or not row.sequences_p95:
            continue
        for batch in dict.fromkeys((1, row.sequences_p95)):
            made.append(_energy_row(row, device, dtype, weights, batch, found.p50))
    return tuple(made)


def _energy_row(
    row: Scenario, device: DeviceSpec, dtype: str, weights: int, batch: int, context: int
) -> EnergyRow:
    group = row.devices_a_group or 1
    case = SpeedCase(
        model=row.model,
        device=device,
        weights_dtype=dtype,
        batch=batch,
        input_tokens=context,
        output_tokens=0,
        tensor_parallel=group,
        kv_dtype=row.kv_format,
        weights_bytes=float(weights),
    )
    band, outside = floor_band(load_speed_fit(), case)
    owned = device.ownership
    energy = token_energy(
        device_w=float(device.tdp_w or 0),
        all_in_w=None if owned is None else float(owned.all_in_kw * 1000),
        devices=group,
        step_s=step_of(case).step_s,
        batch=batch,
    )
    return EnergyRow(scenario=row, energy=energy, band=band, outside=outside)


def hybrid(device: DeviceSpec, held: Kept) -> Hybrid | None:
    """Kimi Linear on this device with one sequence, whose step reads its active weights."""
    model = hardware().models[HYBRID]
    speeds, saving = speeds_of(device, AS_IS), kv_saving(model)
    if speeds is None or saving is None or model.parameters_active is None:
        return None
    weights = float(model.parameters_active * WEIGHT_BYTES[AS_IS])
    curve = gain_curve(model, speeds, kv_format(AS_IS), weights, batch=1)
    gain = workload_gain(held.tokens, held.output_tokens, curve)
    return Hybrid(model=model, saving=saving, curve=curve, gain=gain)


def switching(switches: int | None, speeds: Speeds | None, found: Lengths) -> Switching | None:
    """The published pair, here and at this workload's median context."""
    facts, devices = load_switch(), hardware().devices
    timing = facts.timing
    pair = next(pair for pair in facts.pairs if pair.id == timing.pair)
    sender, receiver = pair.sender or "", pair.receiver or ""
    small, large = (hardware().models.get(name or "") for name in (pair.from_model, pair.to_model))
    growth = None
    if speeds is not None and large is not None:
        growth = model_switch.prefill_growth(large, speeds, found.p50, timing.tokens)
    saved_s = (timing.prefill_ms - timing.map_ms) / 1000
    band = devices[facts.calibration.device].hourly_band()
    return Switching(
        facts=facts,
        counted=switches,
        at_timed=model_switch.switch(facts, sender, receiver, timing.tokens),
        at_workload=model_switch.switch(facts, sender, receiver, found.p50, growth=growth),
        earned=model_switch.earned(facts.calibration, saved_s, band),
        cascade=None
        if speeds is None or small is None or large is None
        else model_switch.cascade(small, large, speeds, timing, found.p50),
    )


def own_formats() -> tuple[OwnFormat, ...]:
    """Errors of stored formats that this program's engine measured, newest profile of each model
    first; empty where no profile has any."""
    found = []
    for entry in profiling.profiles():
        profile = profiling.profile(entry.id)
        found += [
            OwnFormat(
                profile=entry.name,
                origin=entry.origin,
                device=entry.device_name,
                model=entry.model_name,
                measured=entry.measured_utc.date().isoformat(),
                found=one,
            )
            for one in formats(profile)
            if one.kl_nats is not None or one.top1_ratio is not None
        ]
    return tuple(found)
