"""A profile's device and a typed one: limits, bands, and that nothing of others is mixed in."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from econ.fleet_setup import FleetAsked, case_of, overridden, set_up, steps_of
from econ.implied_rent_rows import rents
from econ.measured_device import is_measured, profile_device
from econ.own_device import basis_of, own_device, shown_id, typed_price
from econ.own_offers import first_offer, offers
from jobs import profiling
from messages.errors import UsageError
from price_tables.hardware import DeviceSpec
from price_tables.hardware_load import load_hardware
from price_tables.speed_fit_load import load_speed_fit

MODELS = load_hardware().models
ASKED = FleetAsked(model="llama-3.1-8b", device="measured")


def measured() -> DeviceSpec:
    entry, profile = profiling.references()[0]
    made = profile_device(entry.id, profile, entry.origin)
    assert made is not None
    return made


def test_a_profile_gives_its_measured_bandwidth_and_rates() -> None:
    _, profile = profiling.references()[0]
    device = measured()
    assert is_measured(device.id)
    assert device.memory_bytes == profile.device.memory_bytes
    assert device.bandwidth_bytes_per_s == int(profile.limits.triad_bytes_per_s or 0)
    assert device.dense_ops_per_s["fp32"] == int(profile.limits.matmul_flop_per_s["float32"])
    assert device.measured is not None
    assert (device.measured.model, basis_of(device)) == (profile.model.name, "measured")


def test_the_band_is_what_the_profiles_own_model_took_beside_its_floor() -> None:
    _, profile = profiling.references()[0]
    device = measured()
    assert device.measured is not None
    band = device.measured.tpot
    assert band is not None
    row = next(c for c in profile.cases if c.case == "decode" and c.measured)
    batch, context = int(row.params["batch"]), int(row.params["context_tokens"])
    read = profile.model.weights_bytes + batch * context * profile.model.kv_bytes_per_token
    flop = 2 * profile.model.weights_bytes / 4 * batch
    floor = max(read / (device.bandwidth_bytes_per_s or 1), flop / device.dense_ops_per_s["fp32"])
    assert row.median is not None
    assert band.low * 0.999 <= row.median / floor <= band.high * 1.001


@pytest.mark.parametrize("speed", ["published", "datasheet", "measured"])
def test_no_fit_and_no_data_sheet_stands_for_a_measured_device(speed: str) -> None:
    asked = replace(ASKED, speed=speed)  # type: ignore[arg-type]
    found = set_up(asked, MODELS["llama-3.1-8b"], measured())
    steps = steps_of(load_speed_fit(), case_of(found), asked.speed)
    assert steps.source_kind == "measured"
    assert steps.tpot_band is not None
    assert steps.tpot_band.method == "limits"
    assert [message.id for message in found.said] == ["fleet.measured_limits"]
    weights = found.weights_bytes / (found.device.bandwidth_bytes_per_s or 1)
    assert steps.decode_s(1, 1) == pytest.approx(weights, rel=0.01)


def test_a_limit_typed_over_is_nobodys_measurement() -> None:
    assert overridden(replace(ASKED, ops_per_s=10**12), measured()).measured is None
    assert overridden(replace(ASKED, device_bytes=10**11), measured()).measured is not None


def test_a_typed_device_has_what_was_typed_and_its_price_is_its_only_offer() -> None:
    device = own_device(
        None, name="My card", memory_bytes=80 * 10**9, bandwidth_bytes_per_s=3 * 10**12,
        dense_ops_per_s={"fp16": 8 * 10**14}, tdp_w=500, usd_per_hour=Decimal("1.75"),
    )  # fmt: skip
    assert (device.tdp_w, typed_price(device), basis_of(device)) == (500, Decimal("1.75"), "typed")
    assert list(offers(device)) == ["on_demand_median"]
    assert first_offer(device) == (Decimal("1.75"), "", "")
    assert [rent.usd_per_gb_hour for rent in rents(device)] == [Decimal("1.75") / 80]
    assert shown_id(replace(device, id="typed:abc")) == "My card"


def test_copies_of_attention_hold_each_latent_vector_once() -> None:
    device = load_hardware().devices["h200-sxm"]
    asked = FleetAsked(model="deepseek-v3", device="h200-sxm", tensor_parallel=8,
                       quantization="fp8")  # fmt: skip
    whole = set_up(asked, MODELS["deepseek-v3"], device)
    apart = set_up(replace(asked, attention_copies=8), MODELS["deepseek-v3"], device)
    assert apart.memory.weights_bytes > whole.memory.weights_bytes
    assert apart.memory.bytes_per_token == whole.memory.bytes_per_token
    assert apart.memory.group_devices == 1
    assert apart.memory.sequences(32_768) > 4 * whole.memory.sequences(32_768)
    assert apart.weights_bytes == whole.weights_bytes


@pytest.mark.parametrize(("model", "copies"), [("llama-3.1-8b", 2), ("deepseek-v3", 3)])
def test_copies_that_cannot_be_are_refused(model: str, copies: int) -> None:
    asked = FleetAsked(model=model, device="h200-sxm", tensor_parallel=8, attention_copies=copies)
    with pytest.raises(UsageError):
        set_up(asked, MODELS[model], load_hardware().devices["h200-sxm"])
