"""Result files of benchmark tools -> measured points. Told apart by content, never by name.

vllm bench serve --save-result: one JSON object, or one a line with --append-result
    (https://github.com/vllm-project/vllm, vllm/benchmarks/serve.py)
sglang.bench_serving --output-file: one JSON object a line
    (https://github.com/sgl-project/sglang, python/sglang/bench_serving.py)
guidellm: JSON with a list of benchmarks (https://github.com/vllm-project/guidellm, schemas/)
aiperf: profile_export_aiperf.json or .csv (https://docs.nvidia.com/aiperf/reference)
kvcore: a device profile
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from data_sources.results import aiperf
from data_sources.results.values import positive, text_at, whole
from econ.device_cases import decode_steps, pairs
from econ.measured_points import MeasuredPoint
from kvcore import profile_json
from kvcore.profile import DeviceProfile
from kvcore.profile_json import ProfileError
from messages.errors import input_error

MAX_BYTES = 64 * 1024 * 1024
MOST_POINTS = 10_000
VLLM, SGLANG, GUIDELLM, KVCORE = "vllm bench serve", "SGLang bench_serving", "GuideLLM", "kvcore"
_STATISTICS = {"mean": "mean", "median": "p50"}


def read_results(content: bytes, name: str) -> list[MeasuredPoint]:
    """The points of one file, in its order. InputError naming the file, or file and line."""
    if len(content) > MAX_BYTES:
        raise input_error("results.too_large", file=name, limit=MAX_BYTES)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise input_error("results.unknown", file=name) from None
    if aiperf.is_csv(text):
        found = _csv(text, name)
    else:
        found = [point for data in _objects(text, name) for point in _points(data, name)]
    timed = [point for point in found[:MOST_POINTS] if point.ttft_s or point.tpot_s]
    if not timed:
        tool = found[0].tool if found else name
        raise input_error("results.no_times", file=name, tool=tool)
    return timed


def _csv(text: str, name: str) -> list[MeasuredPoint]:
    try:
        return aiperf.from_csv(text)
    except csv.Error:
        raise input_error("results.unknown", file=name) from None


def _objects(text: str, name: str) -> Iterator[Mapping[str, Any]]:
    """The one object of a JSON file, or those of its lines."""
    try:
        whole_file = json.loads(text)
    except (ValueError, RecursionError):
        yield from _lines(text, name)
        return
    for data in whole_file if isinstance(whole_file, list) else [whole_file]:
        if not isinstance(data, dict):
            raise input_error("results.unknown", file=name)
        yield data


def _lines(text: str, name: str) -> Iterator[Mapping[str, Any]]:
    filled = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    for number, line in filled:
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            if number == filled[0][0]:
                raise input_error("results.unknown", file=name)
            raise input_error("results.bad_line", file=name, line=number)
        yield data
    if not filled:
        raise input_error("results.unknown", file=name)


def _points(data: Mapping[str, Any], name: str) -> list[MeasuredPoint]:
    if "profile_version" in data:
        try:
            return _profile(profile_json.from_json(data))
        except ProfileError:
            raise input_error("results.unknown", file=name) from None
    if isinstance(data.get("benchmarks"), list):
        return [_guidellm(run, data) for run in data["benchmarks"] if isinstance(run, dict)]
    if aiperf.is_json(data):
        return [aiperf.from_json(data)]
    if any(key.endswith(("_ttft_ms", "_tpot_ms")) for key in data):
        return [_bench_serve(data)]
    raise input_error("results.unknown", file=name)


def _bench_serve(data: Mapping[str, Any]) -> MeasuredPoint:
    """vLLM and SGLang name their figures alike; only vLLM says the model at the top."""
    server = data.get("server_info")
    done = whole(data.get("completed"))
    limit = positive(data.get("max_concurrency")) or positive(data.get("concurrency"))
    output = data.get("total_output_tokens")
    return MeasuredPoint(
        tool=VLLM if "model_id" in data else SGLANG,
        model=text_at(data, "model_id") or text_at(server, "model_path"),
        concurrency=limit,
        input_tokens=_each(data.get("total_input_tokens"), done)
        or positive(data.get("random_input_len")),
        output_tokens=_each(output, done) or positive(data.get("random_output_len")),
        requests=done,
        ttft_s=_milliseconds(data, "ttft"),
        tpot_s=_milliseconds(data, "tpot"),
    )


def _milliseconds(data: Mapping[str, Any], metric: str) -> dict[str, float]:
    """'mean_ttft_ms', 'median_ttft_ms', 'p99_ttft_ms' in seconds by statistic."""
    found, ending = {}, f"_{metric}_ms"
    for key, given in data.items():
        value = positive(given)
        start = key.removesuffix(ending)
        if value is None or start == key:
            continue
        statistic = _STATISTICS.get(start) or (start if _is_percentile(start) else None)
        if statistic is not None:
            found[statistic] = value / 1e3
    return found


def _is_percentile(text: str) -> bool:
    return text[:1] == "p" and text[1:].replace(".", "", 1).isdigit()


def _each(total: object, done: int | None) -> float | None:
    """vLLM and SGLang count the tokens of all requests that were answered."""
    value = positive(total)
    return None if value is None or not done else value / done


def _guidellm(run: Mapping[str, Any], report: Mapping[str, Any]) -> MeasuredPoint:
    """`inter_token_latency_ms` leaves the first token out, `time_per_output_token_ms` does not: the
    former is the others' TPOT."""
    metrics = run.get("metrics")
    metrics = metrics if isinstance(metrics, dict) else {}

    def good(name: str) -> Mapping[str, Any]:
        found = metrics.get(name)
        found = found.get("successful") if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}

    totals = metrics.get("request_totals")
    return MeasuredPoint(
        tool=GUIDELLM,
        model=next((m for m in map(_model, (run, report)) if m), None),
        concurrency=positive(good("request_concurrency").get("mean")),
        input_tokens=positive(good("prompt_token_count").get("mean")),
        output_tokens=positive(good("output_token_count").get("mean")),
        requests=whole(totals.get("successful")) if isinstance(totals, dict) else None,
        ttft_s=_distribution(good("time_to_first_token_ms")),
        tpot_s=_distribution(good("inter_token_latency_ms")),
    )


def _model(node: Mapping[str, Any]) -> str | None:
    """The model's name, which versions keep in different places."""
    places: Sequence[object] = (
        node.get("args"), node.get("config"), node.get("benchmarker"), node.get("worker"),
    )  # fmt: skip
    for place in places:
        if isinstance(place, dict):
            backend = place.get("backend")
            found = text_at(place, "model") or text_at(place, "backend_model")
            if found or text_at(backend, "model"):
                return found or text_at(backend, "model")
    return None


def _distribution(found: Mapping[str, Any]) -> dict[str, float]:
    inner = found.get("percentiles")
    given = {**(inner if isinstance(inner, dict) else {}), **found}
    names = {"mean": "mean", "median": "p50", "p50": "p50", "p90": "p90", "p95": "p95",
             "p99": "p99"}  # fmt: skip
    return {
        ours: value / 1e3
        for theirs, ours in names.items()
        if (value := positive(given.get(theirs))) is not None
    }


def _profile(found: DeviceProfile) -> list[MeasuredPoint]:
    """One request at a time: the cold first token by prompt, one step by context."""
    about: dict[str, Any] = {"tool": KVCORE, "model": found.model.name, "concurrency": 1.0}
    first = [
        MeasuredPoint(
            **about, input_tokens=pair.prompt_tokens, output_tokens=None,
            requests=pair.cold.n, ttft_s={"p50": pair.cold_s}, tpot_s={},
        )
        for pair in pairs(found)
    ]  # fmt: skip
    steps = [
        MeasuredPoint(
            **about, input_tokens=step.context_tokens, output_tokens=None,
            requests=step.row.n, ttft_s={}, tpot_s={"p50": step.step_s},
        )
        for step in decode_steps(found)
        if math.isfinite(step.step_s)
    ]  # fmt: skip
    return first + steps
