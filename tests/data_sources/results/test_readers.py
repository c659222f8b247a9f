"""Files of five tools, made by hand: what each says, what it does not, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_sources.results import readers
from data_sources.results.readers import read_results
from econ.measured_points import MeasuredPoint, Server, case_of, compare, typical
from kvcore import profile_json
from messages.errors import InputError
from price_tables.hardware_load import load_hardware
from price_tables.speed_fit_load import load_speed_fit
from tests.ui.engine_sample import WHOLE

HARDWARE, FIT = load_hardware(), load_speed_fit()
VLLM: dict[str, Any] = {
    "date": "20261129-120000", "backend": "vllm", "model_id": "meta-llama/Llama-3.1-70B",
    "tokenizer_id": "meta-llama/Llama-3.1-70B", "num_prompts": 80, "request_rate": "inf",
    "burstiness": 1.0, "max_concurrency": 8, "duration": 90.0, "completed": 80,
    "total_input_tokens": 81_920, "total_output_tokens": 40_960, "request_throughput": 0.9,
    "mean_ttft_ms": 260.5, "median_ttft_ms": 250.0, "std_ttft_ms": 20.0, "p99_ttft_ms": 420.0,
    "mean_tpot_ms": 21.0, "median_tpot_ms": 20.5, "std_tpot_ms": 1.0, "p99_tpot_ms": 24.0,
    "p99.9_tpot_ms": 25.0, "mean_itl_ms": 20.9,
}  # fmt: skip
SGLANG = {
    "backend": "sglang", "dataset_name": "random", "request_rate": float("inf"),
    "max_concurrency": 16, "random_input_len": 1024, "random_output_len": 512,
    "random_range_ratio": 1.0, "duration": 60.0, "completed": 160, "total_input_tokens": 163_840,
    "total_output_tokens": 81_920, "mean_ttft_ms": 300.0, "median_ttft_ms": 280.0,
    "p99_ttft_ms": 600.0, "mean_tpot_ms": 30.0, "median_tpot_ms": 29.0, "p99_tpot_ms": 41.0,
    "concurrency": 15.4, "server_info": {"model_path": "Qwen/Qwen3-32B", "tp_size": 2},
}  # fmt: skip


def guide(value: float, **more: Any) -> dict[str, Any]:
    """A distribution of GuideLLM."""
    percentiles = {"p50": value, "p90": value * 1.5, "p95": value * 2, "p99": value * 3}
    return {"successful": {"mean": value, "median": value, "percentiles": percentiles, **more}}


GUIDELLM = {
    "metadata": {"version": 1},
    "args": {"model": "Qwen/Qwen3-8B", "target": "http://localhost:8000"},
    "benchmarks": [
        {
            "config": {"strategy": {"type_": "concurrent", "streams": streams}},
            "metrics": {
                "request_totals": {"successful": 50, "errored": 1, "total": 51},
                "request_concurrency": guide(float(streams)),
                "prompt_token_count": guide(256.0),
                "output_token_count": guide(128.0),
                "time_to_first_token_ms": guide(40.0 * streams),
                "inter_token_latency_ms": guide(7.5),
                "time_per_output_token_ms": guide(9.0),
            },
        }
        for streams in (1, 4)
    ],
}
AIPERF = {
    "time_to_first_token": {"unit": "ms", "avg": 111.0, "p50": 100.0, "p99": 300.0, "count": 64},
    "inter_token_latency": {"unit": "ms", "avg": 12.5, "p50": 12.0, "p95": 15.0},
    "input_sequence_length": {"unit": "tokens", "avg": 550.0},
    "output_sequence_length": {"unit": "tokens", "avg": 150.0},
    "request_count": {"unit": "requests", "avg": 64.0},
    "input_config": {
        "endpoint": {"model_names": ["Qwen/Qwen3-0.6B"]},
        "loadgen": {"concurrency": 4, "request_count": 64},
    },
}
AIPERF_CSV = """Metric,avg,min,max,p50,p90,p95,p99,std
Inter Token Latency (ms),12.50,9.00,16.00,12.00,14.00,15.00,15.90,1.00
Output Sequence Length (tokens),150.00,100.00,200.00,150.00,190.00,195.00,199.00,20.00
Input Sequence Length (tokens),"1,550.00",500.00,600.00,550.00,590.00,595.00,599.00,20.00
Time to First Token (ms),"1,111.00",80.00,310.00,100.00,200.00,250.00,300.00,30.00

Metric,Value
Request Count,64.00
"""


def read(data: object, name: str = "run.json") -> list[MeasuredPoint]:
    return read_results(json.dumps(data).encode(), name)


def test_vllm_says_model_limit_and_mean_lengths() -> None:
    (point,) = read(VLLM)
    assert (point.tool, point.model) == ("vllm bench serve", "meta-llama/Llama-3.1-70B")
    assert (point.concurrency, point.requests) == (8, 80)
    assert (point.input_tokens, point.output_tokens) == (1024, 512)
    assert point.ttft_s == {"mean": 0.2605, "p50": 0.25, "p99": 0.42}
    assert point.tpot_s == {"mean": 0.021, "p50": 0.0205, "p99": 0.024, "p99.9": 0.025}


def test_appended_results_are_one_a_line() -> None:
    lines = "\n".join(json.dumps({**VLLM, "max_concurrency": n}) for n in (1, 2, 4)) + "\n\n"
    assert [point.concurrency for point in read_results(lines.encode(), "x")] == [1, 2, 4]


def test_a_run_without_a_limit_has_no_concurrency() -> None:
    (point,) = read({**VLLM, "max_concurrency": None})
    assert point.concurrency is None


def test_sglang_says_its_model_in_the_server_info() -> None:
    text = "\n".join(json.dumps(row) for row in (SGLANG, {**SGLANG, "max_concurrency": None}))
    first, second = read_results(text.encode(), "online.jsonl")
    assert (first.tool, first.model) == ("SGLang bench_serving", "Qwen/Qwen3-32B")
    assert (first.concurrency, second.concurrency) == (16, 15.4)
    assert first.tpot_s == {"mean": 0.03, "p50": 0.029, "p99": 0.041}


def test_guidellm_gives_a_point_a_benchmark_and_leaves_the_first_token_out_of_tpot() -> None:
    first, second = read(GUIDELLM)
    assert (first.model, first.concurrency, second.concurrency) == ("Qwen/Qwen3-8B", 1, 4)
    assert (first.input_tokens, first.output_tokens, first.requests) == (256, 128, 50)
    assert first.tpot_s == {"mean": 0.0075, "p50": 0.0075, "p90": 0.01125, "p95": 0.015,
                            "p99": 0.0225}  # fmt: skip
    assert second.ttft_s["p50"] == 0.16


def test_aiperf_reads_the_same_from_json_and_csv() -> None:
    (one,) = read(AIPERF)
    (other,) = read_results(AIPERF_CSV.encode(), "profile_export_aiperf.csv")
    assert (one.model, one.concurrency, one.requests) == ("Qwen/Qwen3-0.6B", 4, 64)
    assert (other.model, other.concurrency, other.requests) == (None, None, 64)
    assert one.tpot_s == {"mean": 0.0125, "p50": 0.012, "p95": 0.015}
    assert other.tpot_s["mean"] == 0.0125
    assert other.ttft_s["mean"] == pytest.approx(1.111)
    assert other.input_tokens == 1550


def test_newer_aiperf_files_list_their_models() -> None:
    newer = {**AIPERF, "input_config": {"models": {"items": [{"name": "a/b"}]},
                                        "phases": [{"concurrency": 32}]}}  # fmt: skip
    (point,) = read(newer)
    assert (point.model, point.concurrency) == ("a/b", 32)


def test_a_device_profile_gives_its_cold_first_tokens_and_its_steps() -> None:
    points = read_results(profile_json.dumps(WHOLE).encode(), "laptop.json")
    assert {point.tool for point in points} == {"kvcore"}
    assert [p.input_tokens for p in points if p.ttft_s] == [128, 1024, 4096, 13220]
    assert [p.input_tokens for p in points if p.tpot_s] == [128, 1024, 4096, 13216]


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[1, 2]", b"nothing", b"\xff\xfe", b'"text"', b"[" * 100_000,
     b'{"benchmarks": []}', b'{"profile_version": 99}', b"a,b\n1,2\n",
     b"Metric,avg\n" + b"x" * 200_000],
)  # fmt: skip
def test_a_file_of_another_kind_is_refused_in_one_sentence(content: bytes) -> None:
    with pytest.raises(InputError) as refused:
        read_results(content, "what.bin")
    assert refused.value.message.values["file"] == "what.bin"


def test_a_broken_line_is_named() -> None:
    text = json.dumps(SGLANG) + "\n{broken\n"
    with pytest.raises(InputError) as refused:
        read_results(text.encode(), "online.jsonl")
    assert refused.value.message.values["line"] == 2


def test_a_result_without_times_says_so() -> None:
    with pytest.raises(InputError, match=r"results\.no_times"):
        read({**{k: v for k, v in VLLM.items() if "_ms" not in k}, "mean_ttft_ms": None})


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda inner: (
    st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from([*VLLM, *GUIDELLM, *AIPERF, "metrics", "successful", "mean", "unit"]),
        inner, max_size=4)), max_leaves=12))  # fmt: skip
def test_no_json_breaks_the_readers(data: object) -> None:
    try:
        points = read(data)
    except InputError:
        return
    assert all(value > 0 for point in points for value in (*point.ttft_s.values(),
                                                          *point.tpot_s.values()))  # fmt: skip


def test_points_stand_beside_floor_and_estimate() -> None:
    server = Server(
        model=HARDWARE.models["llama-3.1-70b"],
        device=HARDWARE.devices["h200-sxm"],
        weights_dtype="fp8",
        tensor_parallel=1,
    )
    tpot, ttft = compare(FIT, server, read(VLLM))
    assert (tpot.metric, tpot.statistic, tpot.measured_s) == ("tpot", "mean", 0.021)
    assert (ttft.metric, ttft.measured_s) == ("ttft", 0.2605)
    assert tpot.floor_s < tpot.estimate.seconds
    assert tpot.error_ratio == pytest.approx(tpot.estimate.seconds / 0.021 - 1)
    assert tpot.inside is True
    a100 = Server(
        model=server.model, device=HARDWARE.devices["a100-80-sxm"], weights_dtype="bf16",
        tensor_parallel=4,
    )  # fmt: skip
    assert compare(FIT, a100, read(VLLM))[0].inside is None


def test_a_point_that_hides_its_prompt_is_not_compared() -> None:
    server = Server(
        model=HARDWARE.models["qwen3-8b"], device=HARDWARE.devices["h100-sxm"],
        weights_dtype="bf16", tensor_parallel=1,
    )  # fmt: skip
    (point,) = read({**VLLM, "total_input_tokens": 0})
    assert case_of(server, point) is None
    assert compare(FIT, server, [point]) == []
    assert typical({"p99": 1.0}) is None
    (tail,) = read({k: v for k, v in VLLM.items() if not k.startswith(("mean_", "median_"))})
    assert compare(FIT, server, [tail]) == []


def test_a_file_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "MAX_BYTES", 10)
    with pytest.raises(InputError, match=r"results\.too_large"):
        read(VLLM)
