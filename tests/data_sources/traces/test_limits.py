"""Limits inside a file: long lines, long names, large documents, too many rows, odd counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_sources.traces.base import ReadOptions
from data_sources.traces.builder import Builder
from data_sources.traces.tally import RowRejectedError
from messages.errors import InputError
from tests.data_sources.traces.helpers import (
    claude_row,
    claude_usage,
    counts,
    jsonl,
    read_rows,
    read_text,
    reasons,
    table,
)


def test_a_line_longer_than_the_limit_is_rejected_and_the_next_one_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("data_sources.traces.json_text.MAX_LINE_BYTES", 600)
    long = claude_row("msg_long", claude_usage(1, 1), padding="x" * 2_000)
    rows = [claude_row("msg_1", claude_usage(1, 1)), long, claude_row("msg_2", claude_usage(1, 1))]
    result = read_rows(tmp_path, rows)
    assert counts(result) == (3, 2, 0, 1, 0)
    assert reasons(result) == [(2, "traces.line_too_long")]


def test_a_json_document_above_the_limit_is_refused_with_both_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps({"object": "page", "data": []}, indent=1)
    monkeypatch.setattr("data_sources.traces.json_text.MAX_JSON_DOCUMENT_BYTES", 20)
    with pytest.raises(InputError) as caught:
        read_text(tmp_path, text, "page.json")
    assert caught.value.message.id == "traces.json_too_large"
    assert caught.value.message.values["found_bytes"] == len(text)


@pytest.mark.parametrize("make", ["claude", "replies", "codex", "gemini", "usage"])
def test_a_name_longer_than_the_limit_rejects_its_row_alone(tmp_path: Path, make: str) -> None:
    def rows(model: str, name: str) -> list[Any]:
        reply = {
            "id": name,
            "object": "response",
            "model": model,
            "usage": {"input_tokens": 5, "output_tokens": 1},
        }
        result = {
            "object": "organization.usage.completions.result",
            "input_tokens": 5,
            "output_tokens": 1,
            "num_model_requests": 1,
            "model": model,
        }
        codex = {"response_id": name, "usage": {"input_tokens": 5, "output_tokens": 1}}
        tokens = {"input": 5, "output": 1, "cached": 0, "total": 6}
        return {
            "claude": [claude_row(name, claude_usage(5, 1), model=model)],
            "replies": [reply],
            "codex": [
                {"type": "turn_context", "payload": {"model": model}},
                {"type": "token_usage_record", "payload": codex},
            ],
            "gemini": [
                {"sessionId": "s", "id": name, "type": "gemini", "model": model, "tokens": tokens}
            ],
            "usage": [
                {
                    "object": "bucket",
                    "start_time": 1_790_812_800 + len(name),
                    "end_time": 1_790_899_200 + len(name),
                    "results": [result],
                }
            ],
        }[make]

    result = read_rows(tmp_path, [*rows("gpt-" + "x" * 5_000, "a"), *rows("gpt-6-luna", "bb")])
    assert [reason for _, reason in reasons(result)] == ["traces.reason.text_too_long"]
    assert table(result.workload, "input_tokens", "model") == [(5, "gpt-6-luna")]


def test_more_rows_than_the_limit_are_refused() -> None:
    builder = Builder(max_rows=2)
    for _ in range(2):
        builder.add(input_tokens=1)
    with pytest.raises(InputError) as caught:
        builder.add(input_tokens=1)
    assert caught.value.message.values["limit"] == 2


def test_a_row_that_is_refused_leaves_the_columns_as_they_were() -> None:
    builder = Builder()
    builder.add(input_tokens=1, model="a")
    with pytest.raises(RowRejectedError):
        builder.add(input_tokens=2, output_tokens=3, model="m" * 5_000)
    builder.add(arrival_s=0.5, observed_cost_e13=7, model="\ud800\0")
    workload = builder.workload(name="x", format_id="f", format_stats={}, options=ReadOptions())
    assert table(workload, "input_tokens", "output_tokens", "model") == [
        (None, None, "?�"),
        (1, None, "a"),
    ]
    assert workload.ints("observed_cost_e13").tolist()[0] == 7
    with pytest.raises(KeyError):
        builder.add(no_such_column=1)


@pytest.mark.parametrize(
    ("usage", "reason"),
    [
        ({"prompt_cache_hit_tokens": 5, "completion_tokens": 1}, "no_input"),
        (
            {
                "prompt_tokens": 8,
                "prompt_cache_hit_tokens": 5,
                "prompt_cache_miss_tokens": 5,
                "completion_tokens": 1,
            },
            "parts_exceed_total",
        ),
        ({"prompt_cache_hit_tokens": 5, "prompt_cache_miss_tokens": 5}, "no_output"),
    ],
)
def test_deepseek_rows_that_do_not_add_up_are_rejected(
    tmp_path: Path, usage: dict[str, int], reason: str
) -> None:
    result = read_rows(tmp_path, [{"model": "deepseek-chat", "usage": usage}])
    assert reasons(result) == [(1, f"traces.reason.{reason}")]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (
            {
                "modelId": "anthropic.claude-opus-5",
                "usage": {
                    "inputTokens": 5,
                    "outputTokens": 1,
                    "cacheWriteInputTokens": 10,
                    "cacheDetails": [{"ttl": "1h", "inputTokens": 20}],
                },
            },
            "split_exceeds_total",
        ),
        (
            {
                "model": "gpt-6",
                "usage": {
                    "input_tokens": 50,
                    "output_tokens": 1,
                    "input_tokens_details": {
                        "cache_write_tokens": 10,
                        "cache_write_tokens_details": {"ttl_30m_tokens": 9, "ttl_12h_tokens": 2},
                    },
                },
            },
            "split_exceeds_total",
        ),
        ({"modelVersion": "gemini-3", "usageMetadata": {"promptTokenCount": 5}}, "no_output"),
    ],
)
def test_splits_and_answers_that_are_missing_or_too_large_are_rejected(
    tmp_path: Path, reply: dict[str, Any], reason: str
) -> None:
    result = read_rows(tmp_path, [reply])
    assert reasons(result) == [(1, f"traces.reason.{reason}")]


def test_converse_writes_without_details_are_five_minute_writes(tmp_path: Path) -> None:
    usage = {"inputTokens": 5, "outputTokens": 1, "cacheWriteInputTokens": 10}
    result = read_rows(tmp_path, [{"modelId": "anthropic.claude-opus-5", "usage": usage}])
    assert table(result.workload, "input_tokens", "cache_write_5m_tokens") == [(15, 10)]
    assert "traces.assume.writes_5m" in {m.id for m in result.receipt.assumptions}


def test_lines_that_are_no_rows_are_counted_in_every_line_format(tmp_path: Path) -> None:
    good: dict[str, Any] = {
        "codex": {"type": "token_usage_record", "payload": {"response_id": "r", "usage": {
            "input_tokens": 5, "output_tokens": 1}}},
        "exec": {"type": "turn.completed", "usage": {"input_tokens": 5, "output_tokens": 1}},
        "reply": {"model": "gpt-6", "object": "response",
                  "usage": {"input_tokens": 5, "output_tokens": 1}},
        "gemini": {"type": "gemini", "id": "a", "sessionId": "s",
                   "tokens": {"input": 5, "output": 1, "total": 6}},
    }  # fmt: skip
    for row in good.values():
        result = read_text(tmp_path, jsonl([row]) + '[1]\n"text"\n{"cut": \n\n')
        assert counts(result) == (4, 1, 0, 1, 2)
        assert reasons(result) == [(4, "traces.line_not_json")]
