"""aiperf's summary, as JSON or CSV (https://docs.nvidia.com/aiperf/reference/json-export-schema).

Every metric has a unit. Its inter token latency is (request latency - time to first token) /
(output tokens - 1), which the other tools call time per output token.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from typing import Any

from data_sources.results.values import positive, text_at, whole
from econ.measured_points import MeasuredPoint

TOOL = "aiperf"
SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0}
STATISTICS = {"avg": "mean", "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99"}
FIRST, BETWEEN = "time_to_first_token", "inter_token_latency"
INPUT, OUTPUT, COUNT = "input_sequence_length", "output_sequence_length", "request_count"
_TITLED = re.compile(r"(?P<title>[^()]+?)\s*(?:\((?P<unit>[^()]*)\))?")


def is_json(data: Mapping[str, Any]) -> bool:
    """The export: metrics by tag, each with a unit."""
    return any(text_at(data.get(tag), "unit") for tag in (FIRST, BETWEEN))


def from_json(data: Mapping[str, Any]) -> MeasuredPoint:
    """The point of the one run that the file describes."""
    config = data.get("input_config")
    return _point(data, _model(config), _nested(config, "concurrency"))


def is_csv(text: str) -> bool:
    """The export starts with its head: Metric, avg, min, ..."""
    return text.lstrip().lower().startswith("metric,avg")


def from_csv(text: str) -> list[MeasuredPoint]:
    """The point of the one run; the CSV says neither model nor concurrency. Sections follow each
    other, each with a head of its own."""
    found: dict[str, dict[str, Any]] = {}
    head: list[str] = []
    for row in csv.reader(io.StringIO(text)):
        if row and row[0] == "Metric":
            head = ["avg" if title == "Value" else title for title in row[1:]]
        elif len(row) > 1 and head and (titled := _TITLED.fullmatch(row[0])):
            tag = titled["title"].strip().lower().replace(" ", "_")
            values = {
                name: cell.replace(",", "") for name, cell in zip(head, row[1:], strict=False)
            }
            found.setdefault(tag, {**values, "unit": titled["unit"] or ""})
    return [_point(found, None, None)]


def _point(
    metrics: Mapping[str, Any], model: str | None, concurrency: float | None
) -> MeasuredPoint:
    return MeasuredPoint(
        tool=TOOL,
        model=model,
        concurrency=concurrency,
        input_tokens=_average(metrics, INPUT),
        output_tokens=_average(metrics, OUTPUT),
        requests=whole(_average(metrics, COUNT)),
        ttft_s=_times(metrics, FIRST),
        tpot_s=_times(metrics, BETWEEN),
    )


def _times(metrics: Mapping[str, Any], tag: str) -> dict[str, float]:
    found = metrics.get(tag)
    scale = SECONDS.get((text_at(found, "unit") or "").lower())
    if scale is None or not isinstance(found, dict):
        return {}
    return {
        ours: value * scale
        for theirs, ours in STATISTICS.items()
        if (value := positive(found.get(theirs))) is not None
    }


def _average(metrics: Mapping[str, Any], tag: str) -> float | None:
    found = metrics.get(tag)
    return positive(found.get("avg")) if isinstance(found, dict) else None


def _model(config: object) -> str | None:
    """`models.items[0].name` in newer files, `endpoint.model_names[0]` in older ones."""
    if not isinstance(config, dict):
        return None
    models, endpoint = config.get("models"), config.get("endpoint")
    items = models.get("items") if isinstance(models, dict) else None
    if isinstance(items, list) and items:
        return text_at(items[0], "name")
    names = endpoint.get("model_names") if isinstance(endpoint, dict) else None
    first = names[0] if isinstance(names, list) and names else None
    return first if isinstance(first, str) else None


def _nested(node: object, key: str, depth: int = 4) -> float | None:
    """The first number under `key`, at most `depth` mappings or lists down."""
    if depth == 0 or not isinstance(node, dict | list):
        return None
    if isinstance(node, dict) and (found := positive(node.get(key))) is not None:
        return found
    inner = node.values() if isinstance(node, dict) else node
    return next(
        (found for value in inner if (found := _nested(value, key, depth - 1)) is not None), None
    )
