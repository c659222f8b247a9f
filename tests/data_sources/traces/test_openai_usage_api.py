"""OpenAI usage API pages: buckets, with reads and writes inside the input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_sources.traces.read import read
from tests.data_sources.traces.helpers import counts, read_text, reasons, source, table

DAY = 86_400
START = 1_790_812_800


def result_of(given: int, output: int, **more: Any) -> dict[str, Any]:
    return {
        "object": "organization.usage.completions.result",
        "input_tokens": given,
        "output_tokens": output,
        "num_model_requests": 7,
        "input_cached_tokens": 0,
        **more,
    }


def bucket(day: int, *results: Any) -> dict[str, Any]:
    start = START + day * DAY
    return {
        "object": "bucket",
        "start_time": start,
        "end_time": start + DAY,
        "results": list(results),
    }


def page(*buckets: Any) -> dict[str, Any]:
    return {"object": "page", "data": list(buckets), "has_more": False}


@pytest.mark.parametrize("shape", ["page", "list of pages", "bare list", "lines"])
def test_every_shape_of_the_same_pages_reads_the_same(tmp_path: Path, shape: str) -> None:
    one = bucket(0, result_of(1_000, 50, input_cached_tokens=400, model="gpt-5.6-luna"))
    two = bucket(1, result_of(2_000, 60, input_cached_tokens=900, model="gpt-5.6-luna"))
    text = {
        "page": json.dumps(page(one, two), indent=1),
        "list of pages": json.dumps([page(one), page(two)]),
        "bare list": json.dumps([one, two]),
        "lines": f"{json.dumps(one)}\n{json.dumps(two)}\n",
    }[shape]
    result = read_text(tmp_path, text, "usage.json")
    assert result.workload.format == "openai_usage_api"
    assert result.workload.granularity == "bucket"
    assert table(result.workload, "input_tokens", "cached_read_tokens", "n_requests") == [
        (1_000, 400, 7),
        (2_000, 900, 7),
    ]
    assert counts(result) == (2, 2, 0, 0, 0)
    assert [str(t) for t in result.workload.times("bucket_end_utc")] == [
        "2026-10-02T00:00:00.000000",
        "2026-10-03T00:00:00.000000",
    ]


def test_who_spent_how_and_both_kinds_of_writes_are_kept(tmp_path: Path) -> None:
    rows = [
        result_of(
            1_000,
            50,
            input_cached_tokens=300,
            input_cache_write_tokens=200,
            input_cache_write_12h_tokens=100,
            batch=False,
            service_tier="default",
            project_id="proj_a",
            user_id="user_a",
            api_key_id="key_a",
            model="gpt-6-luna",
        ),
        result_of(10, 5, batch=True, model="gpt-6-luna"),
        result_of(10, 5, service_tier="priority", model="gpt-6-luna"),
    ]
    result = read_text(tmp_path, json.dumps(page(bucket(0, *rows))), "usage.json")
    assert table(
        result.workload,
        "cache_write_30m_tokens",
        "cache_write_12h_tokens",
        "mode",
        "project",
        "user",
        "api_key",
    ) == [
        (200, 100, "standard", "proj_a", "user_a", "key_a"),
        (None, None, "batch", None, None, None),
        (None, None, "priority", None, None, None),
    ]


def test_empty_buckets_are_ignored_and_impossible_results_rejected(tmp_path: Path) -> None:
    doc = page(
        bucket(0),
        bucket(1, result_of(0, 0, num_model_requests=0)),
        bucket(2, result_of(100, 5, input_cached_tokens=90, input_cache_write_tokens=20)),
        bucket(3, result_of(0, 5)),
        bucket(4, result_of(100, 5)),
    )
    result = read_text(tmp_path, json.dumps(doc), "usage.json")
    assert counts(result) == (5, 1, 0, 2, 2)
    assert reasons(result) == [
        (2, "traces.reason.parts_exceed_total"),
        (3, "traces.reason.zero_input"),
    ]


def test_a_bucket_that_comes_again_later_replaces_its_earlier_state(tmp_path: Path) -> None:
    old = json.dumps(page(bucket(0, result_of(100, 5, model="m")), bucket(1, result_of(50, 1))))
    new = json.dumps(page(bucket(1, result_of(80, 2)), bucket(2, result_of(60, 1))))
    result = read([source(tmp_path, "old.json", old), source(tmp_path, "new.json", new)])
    assert table(result.workload, "input_tokens") == [(100,), (80,), (60,)]
    assert counts(result) == (4, 3, 1, 0, 0)


def test_two_results_of_one_bucket_that_look_alike_are_two_results(tmp_path: Path) -> None:
    doc = page(bucket(0, result_of(100, 5), result_of(100, 5)))
    assert counts(read_text(tmp_path, json.dumps(doc), "u.json")) == (2, 2, 0, 0, 0)


def test_embeddings_have_no_output(tmp_path: Path) -> None:
    row = {
        "object": "organization.usage.embeddings.result",
        "input_tokens": 900,
        "num_model_requests": 3,
    }
    result = read_text(tmp_path, json.dumps(page(bucket(0, row))), "usage.json")
    assert table(result.workload, "input_tokens", "output_tokens") == [(900, 0)]
