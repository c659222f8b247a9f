"""Speeds of a queue: the published fit, the data sheet's floors, and what a profile measured."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from econ.fleet_json import study_from_json, study_to_json
from econ.fleet_setup import FleetAsked, case_of, prefill_device, set_up, steps_of
from econ.fleet_speed import datasheet_steps, published_steps
from econ.fleet_steps import profile_steps
from econ.fleet_study import study
from econ.speed_features import SpeedCase, floors
from kvcore.profile import CaseResult, DeviceInfo, DeviceProfile, Limits, ModelInfo
from messages.errors import InputError
from price_tables.hardware_load import load_hardware
from price_tables.speed_fit_load import load_speed_fit
from tests.econ_fleet.made import workload

ASKED = FleetAsked(model="llama-3.1-70b", device="h100-sxm", tensor_parallel=4)


def case(model: str = "llama-3.1-70b", device: str = "h100-sxm") -> SpeedCase:
    """A replica of that model on that device."""
    known = load_hardware()
    asked = replace(ASKED, model=model, device=device)
    found = set_up(asked, known.models[model], known.devices[device])
    return case_of(found, batch=8, input_tokens=4_000, output_tokens=500)


def test_a_fitted_prompt_is_never_quicker_than_the_data_sheets_floor() -> None:
    fitted, sheet = published_steps(load_speed_fit(), case()), datasheet_steps(
        load_speed_fit(), case()
    )  # fmt: skip
    assert fitted is not None
    for tokens in (16, 1_000, 8_000, 131_072):
        assert fitted.prefill_s(tokens, 0) >= sheet.prefill_s(tokens, 0)
        assert fitted.prefill_s(tokens, tokens) == 0
    assert fitted.decode_s(8, 4_000) > sheet.decode_s(8, 4_000)


@pytest.mark.parametrize("model", ["llama-3.1-70b", "gpt-oss-120b", "deepseek-r1"])
def test_a_fitted_step_is_never_quicker_than_reading_every_byte(model: str) -> None:
    """Far beyond the rows KV outgrows everything that the fit could tell apart."""
    asked = replace(case(model), tensor_parallel=8)
    fitted = published_steps(load_speed_fit(), asked)
    assert fitted is not None
    for batch, tokens in ((1, 1_000), (64, 131_072), (256, 1_000_000)):
        there = replace(asked, batch=batch, input_tokens=tokens, output_tokens=1)
        assert fitted.decode_s(batch, tokens) >= floors(there, "tpot")["roofline"]


def test_the_published_fit_carries_bands_and_what_lies_outside() -> None:
    fitted = published_steps(load_speed_fit(), case())
    assert fitted is not None
    assert fitted.source_kind == "published"
    assert fitted.outside == ()
    assert fitted.tpot_band is not None
    assert fitted.tpot_band.low_ratio < 1 < fitted.tpot_band.high_ratio
    far = published_steps(load_speed_fit(), replace(case(), input_tokens=100_000))
    assert far is not None
    assert "input_tokens" in far.outside
    assert far.tpot_band is not None


def test_a_device_without_limits_is_refused_and_stand_ins_say_so() -> None:
    known = load_hardware()
    for name in ("rubin-cpx-original", "rubin-cpx-revised"):
        with pytest.raises(InputError):
            steps_of(load_speed_fit(), case(device=name), "datasheet")
        stand_in, said = prefill_device(known.devices[name])
        assert "fleet.fp4_rate" in [message.id for message in said]
        assert stand_in.bandwidth_bytes_per_s is not None
    whole, nothing = prefill_device(known.devices["h100-sxm"])
    assert whole.dense_ops_per_s == known.devices["h100-sxm"].dense_ops_per_s
    assert nothing == ()


def profile(*cases: tuple[str, dict[str, int], float]) -> DeviceProfile:
    """A profile with these medians."""
    return DeviceProfile(
        name="made", created_utc="2026-11-29T00:00:00Z",
        device=DeviceInfo(kind="cpu", name="made", memory_bytes=None, threads=2),
        versions={},
        model=ModelInfo(
            name="m", source="s", layers=1, kv_heads=1, head_dim=64, weight_dtype="fp32",
            kv_dtype="fp32", weights_bytes=1, kv_bytes_per_token=1, keys="after_rope",
        ),
        limits=Limits(),
        cases=tuple(
            CaseResult(case=name, params=params, unit="s", median=seconds, spread=0.0, n=3,
                       cpu_share=1.0, contended=False)
            for name, params, seconds in cases
        ),
    )  # fmt: skip


def test_a_profile_gives_what_was_measured_and_stays_inside_it() -> None:
    found = profile_steps(
        profile(
            ("ttft_cold", {"prompt_tokens": 100}, 1.0),
            ("ttft_cold", {"prompt_tokens": 1_000}, 10.0),
            ("decode", {"context_tokens": 100, "batch": 1}, 0.1),
            ("decode", {"context_tokens": 1_000, "batch": 1}, 0.2),
            ("decode", {"context_tokens": 100, "batch": 4}, 0.3),
            ("decode", {"context_tokens": 1_000, "batch": 4}, 0.4),
        )
    )
    assert found is not None
    assert found.source_kind == "measured"
    assert found.prefill_s(1_000, 100) == pytest.approx(9.0)
    assert found.prefill_s(50, 0) == pytest.approx(0.5)
    assert found.decode_s(1, 50) == pytest.approx(0.1)
    assert found.decode_s(4, 5_000) == pytest.approx(0.4)
    assert profile_steps(profile(("ttft_cold", {"prompt_tokens": 100}, 1.0))) is None


def test_a_study_survives_plain_json() -> None:
    known = load_hardware()
    asked = replace(ASKED, ttft_s=2.0, replicas=(1, 2), prefill_device="b200-sxm")
    found = set_up(asked, known.models[asked.model], known.devices[asked.device])
    made = study(
        workload([0.0, 1.0, 2.0], [1_000] * 3, [20] * 3),
        found,
        load_speed_fit(),
        lambda fraction, stage: None,
        known.devices["b200-sxm"],
    )
    assert made.pools is not None
    assert made.cost is not None
    assert study_from_json(json.loads(json.dumps(study_to_json(made)))) == made
    assert study_from_json({"layout": 0}) is None
