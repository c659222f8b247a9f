"""Anthropic's Admin report and Bedrock's invocation log: cached tokens stand beside the input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from data_sources.traces.read import read
from tests.data_sources.traces.helpers import (
    assumed,
    counts,
    read_rows,
    read_text,
    reasons,
    source,
    table,
)


def result(**more: Any) -> dict[str, Any]:
    return {
        "uncached_input_tokens": 100,
        "cache_creation": {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 30},
        "cache_read_input_tokens": 400,
        "output_tokens": 7,
        "model": "claude-opus-5",
        "service_tier": "batch",
        "context_window": "200k-1M",
        "inference_geo": "us",
        "workspace_id": "w1",
        "api_key_id": "k1",
        **more,
    }


def page(*results: dict[str, Any], day: int = 1, **more: Any) -> dict[str, Any]:
    bucket = {
        "starting_at": f"2026-10-{day:02d}T00:00:00Z",
        "ending_at": f"2026-10-{day + 1:02d}T00:00:00Z",
        "results": list(results),
    }
    return {"data": [bucket], "has_more": False, **more}


def test_four_disjoint_counts_make_the_prompt(tmp_path: Path) -> None:
    read_back = read_text(tmp_path, json.dumps(page(result())), "usage.json")
    workload = read_back.workload
    assert (workload.format, workload.granularity) == ("anthropic_usage_report", "bucket")
    assert table(
        workload,
        "input_tokens", "cached_read_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens",
        "output_tokens", "mode", "surface", "long_context", "workspace", "api_key",
    ) == [(550, 400, 20, 30, 7, "batch", "us", 1, "w1", "k1")]  # fmt: skip
    assert str(workload.times("bucket_end_utc")[0]) == "2026-10-02T00:00:00.000000"
    assert assumed(read_back) == set()


def test_pages_buckets_and_single_results_read_the_same(tmp_path: Path) -> None:
    bucket = page(result())["data"][0]
    times = {key: bucket[key] for key in ("starting_at", "ending_at")}
    for shape in (page(result()), [bucket], [{**result(), **times}]):
        read_back = read_text(tmp_path, json.dumps(shape), "usage.json")
        assert table(read_back.workload, "input_tokens", "model") == [(550, "claude-opus-5")]
        assert read_back.workload.dated


def test_an_empty_bucket_is_no_row_and_a_page_read_again_counts_once(tmp_path: Path) -> None:
    files = [
        source(tmp_path, "a.json", json.dumps([page(result()), page(day=2)])),
        source(tmp_path, "b.json", json.dumps(page(result(output_tokens=9)))),
    ]
    read_back = read(files)
    assert counts(read_back) == (3, 1, 1, 0, 1)
    assert read_back.workload.ints("output_tokens").tolist() == [9]


def test_a_report_without_regions_is_global_and_says_so(tmp_path: Path) -> None:
    ungrouped = result(inference_geo=None, context_window=None, workspace_id=None)
    read_back = read_text(tmp_path, json.dumps(page(ungrouped)), "usage.json")
    assert table(read_back.workload, "surface", "long_context") == [("global", None)]
    assert assumed(read_back) == {"serving.no_inference_geo"}


def call(number: int, **more: Any) -> dict[str, Any]:
    return {
        "schemaType": "ModelInvocationLog",
        "schemaVersion": "1.0",
        "timestamp": f"2026-10-04T02:00:{number:02d}Z",
        "region": "ap-northeast-1",
        "requestId": f"r{number}",
        "operation": "Converse",
        "modelId": "jp.anthropic.claude-sonnet-5-v1:0",
        "input": {
            "inputTokenCount": 560,
            "cacheReadInputTokenCount": 1_000,
            "cacheWriteInputTokenCount": 6_000,
            "inputBodyJson": {"messages": [{"role": "user", "content": "secret"}]},
        },
        "output": {"outputTokenCount": 172},
        **more,
    }


def test_a_call_counts_its_reads_and_writes_beside_the_input(tmp_path: Path) -> None:
    read_back = read_rows(tmp_path, [call(1)])
    assert table(
        read_back.workload,
        "provider", "model", "input_tokens", "cached_read_tokens", "cache_write_5m_tokens",
    ) == [("bedrock", "jp.anthropic.claude-sonnet-5-v1:0", 7_560, 1_000, 6_000)]  # fmt: skip
    assert assumed(read_back) == {"writes_5m"}


def test_a_profile_is_named_without_its_account(tmp_path: Path) -> None:
    address = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-5"
    read_back = read_rows(tmp_path, [call(1, modelId=address)])
    assert table(read_back.workload, "model") == [("us.anthropic.claude-opus-5",)]


def test_failed_repeated_and_wrong_calls_are_accounted_for(tmp_path: Path) -> None:
    rows = [
        call(1),
        call(1),
        call(2, errorCode="ThrottlingException", output={}),
        call(3, input={"inputContentType": "application/json"}),
        call(4, output={}),
        call(5, input={"inputTokenCount": -5}),
    ]
    read_back = read_rows(tmp_path, rows)
    assert counts(read_back) == (6, 1, 1, 2, 2)
    assert [line for line, _ in reasons(read_back)] == [5, 6]
