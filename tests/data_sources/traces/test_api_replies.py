"""Raw API replies: each vendor's meaning of "input tokens", envelopes, refusals (D01)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.data_sources.traces.helpers import (
    assumed,
    claude_usage,
    counts,
    read_rows,
    read_text,
    reasons,
    table,
)

ALL = (
    "input_tokens",
    "cached_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "cache_write_30m_tokens",
    "cache_write_12h_tokens",
    "output_tokens",
)


def responses(cached: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"resp_{cached}",
        "object": "response",
        "created_at": 1_788_220_800,  # 2026-09-01
        "model": "gpt-5.6-sol",
        "usage": {
            "input_tokens": 2_600,
            "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 400},
            "output_tokens": 10,
        },
        **more,
    }


def test_d01_one_prompt_total_of_which_reads_and_writes_are_parts(tmp_path: Path) -> None:
    result = read_rows(tmp_path, [responses(2_000), responses(2_700)])
    assert table(result.workload, *ALL) == [(2_600, 2_000, None, None, 400, None, 10)]
    assert 2_600 - 2_000 - 400 == 200, "uncached"
    assert str(result.workload.times("arrival_utc")[0]) == "2026-09-01T00:00:00.000000"
    assert reasons(result) == [(2, "traces.reason.parts_exceed_total")]
    rejection = result.receipt.rejected[0].reason
    assert rejection.values == {"read": 2_700, "write": 400, "total": 2_600}
    assert "cached_inside" in assumed(result)


def test_d01_three_disjoint_counts_add_up_to_the_prompt(tmp_path: Path) -> None:
    reply = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5",
        "usage": claude_usage(200, 10, read=2_000, write_5m=300, write_1h=100),
    }
    result = read_rows(tmp_path, [reply])
    assert table(result.workload, *ALL) == [(2_600, 2_000, 300, 100, None, None, 10)]
    assert "cached_beside" in assumed(result)


REPLIES: dict[str, tuple[dict[str, Any], tuple[int | None, ...], str]] = {
    "chat": (
        {
            "object": "chat.completion",
            "model": "gpt-5.6-luna",
            "usage": {
                "prompt_tokens": 1_500,
                "completion_tokens": 40,
                "prompt_tokens_details": {"cached_tokens": 1_024},
            },
        },
        (1_500, 1_024, None, None, None, None, 40),
        "openai",
    ),
    "chat without caching": (
        {
            "object": "chat.completion",
            "model": "gpt-4o",
            "usage": {"prompt_tokens": 15, "completion_tokens": 4},
        },
        (15, None, None, None, None, None, 4),
        "openai",
    ),
    "responses with lifetimes": (
        {
            "model": "gpt-6.1-sol",
            "usage": {
                "input_tokens": 9_000,
                "input_tokens_details": {
                    "cached_tokens": 4_000,
                    "cache_write_tokens": 3_000,
                    "cache_write_tokens_details": {
                        "ttl_30m_tokens": 1_000,
                        "ttl_12h_tokens": 2_000,
                    },
                },
                "output_tokens": 7,
            },
        },
        (9_000, 4_000, None, None, 1_000, 2_000, 7),
        "openai",
    ),
    "gemini": (
        {
            "modelVersion": "gemini-3.1-pro",
            "usageMetadata": {
                "promptTokenCount": 5_000,
                "cachedContentTokenCount": 4_096,
                "toolUsePromptTokenCount": 120,
                "candidatesTokenCount": 80,
                "thoughtsTokenCount": 300,
            },
        },
        (5_120, 4_096, None, None, None, None, 380),
        "google",
    ),
    "deepseek": (
        {
            "model": "deepseek-chat",
            "usage": {
                "prompt_tokens": 1_000,
                "prompt_cache_hit_tokens": 640,
                "prompt_cache_miss_tokens": 360,
                "prompt_tokens_details": {"cached_tokens": 640},
                "completion_tokens": 50,
            },
        },
        (1_000, 640, None, None, None, None, 50),
        "deepseek",
    ),
    "converse": (
        {
            "request": {"modelId": "global.anthropic.claude-opus-5-v1:0"},
            "response": {
                "usage": {
                    "inputTokens": 100,
                    "outputTokens": 30,
                    "cacheReadInputTokens": 2_000,
                    "cacheWriteInputTokens": 500,
                    "cacheDetails": [{"ttl": "1h", "inputTokens": 500}],
                }
            },
        },
        (2_600, 2_000, 0, 500, None, None, 30),
        "bedrock",
    ),
    "xai": (
        {
            "object": "chat.completion",
            "model": "grok-5",
            "usage": {
                "prompt_tokens": 100,
                "completion_tokens": 10,
                "total_tokens": 160,
                "prompt_tokens_details": {"cached_tokens": 64},
            },
        },
        (100, 64, None, None, None, None, 60),
        "xai",
    ),
    "stated api": (
        {
            "api": "chat.completions",
            "provider": "azure",
            "model": "my-deployment",
            "usage": {"prompt_tokens": 100, "completion_tokens": 10},
        },
        (100, None, None, None, None, None, 10),
        "azure-openai",
    ),
}


@pytest.mark.parametrize("name", REPLIES)
def test_each_api_is_read_by_its_own_rule(tmp_path: Path, name: str) -> None:
    reply, expected, provider = REPLIES[name]
    result = read_rows(tmp_path, [reply])
    assert reasons(result) == []
    assert table(result.workload, *ALL) == [expected]
    assert table(result.workload, "provider") == [(provider,)]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"model": "gpt-5.6-sol", "usage": {"input_tokens": 9, "output_tokens": 1}}, "flavour"),
        ({"usage": responses(0)["usage"]}, "flavour"),
        (responses(0) | {"model": "claude-opus-5"}, "flavour"),
        (responses(0) | {"provider": "some-gateway"}, "flavour"),
        (
            {
                "object": "chat.completion",
                "model": "claude-opus-5",
                "usage": {"prompt_tokens": 9, "prompt_tokens_details": {}},
            },
            "flavour",
        ),
        (responses(0) | {"api": "carrier-pigeon"}, "api"),
    ],
)
def test_a_meaning_that_would_have_to_be_guessed_is_rejected(
    tmp_path: Path, reply: dict[str, Any], reason: str
) -> None:
    result = read_rows(tmp_path, [reply])
    assert reasons(result) == [(1, f"traces.reason.unknown_{reason}")]
    assert result.workload.rows == 0


@pytest.mark.parametrize("wrap", ["bare", "response", "body", "batch", "list"])
def test_envelopes_give_the_time_the_model_and_who_spent(tmp_path: Path, wrap: str) -> None:
    reply = responses(2_000)
    envelope: Any = {
        "bare": reply | {"team": "search", "timestamp": "2026-09-02T00:00:00Z"},
        "response": {"timestamp": "2026-09-02T00:00:00Z", "team": "search", "response": reply},
        "body": {
            "request": {"metadata": {"team": "search"}},
            "timestamp": 1_788_307_200_000,
            "response": {"status_code": 200, "body": reply},
        },
        "batch": {
            "timestamp": "2026-09-02T00:00:00Z",
            "headers": {"X-Team": "search"},
            "response": reply,
        },
        "list": [{"timestamp": "2026-09-02T00:00:00Z", "team": "search", "reply": reply}],
    }[wrap]
    result = read_text(tmp_path, json.dumps(envelope), "log.json")
    assert table(result.workload, "input_tokens", "team", "model") == [
        (2_600, "search", "gpt-5.6-sol")
    ]
    assert str(result.workload.times("arrival_utc")[0]) == "2026-09-02T00:00:00.000000"


def test_names_are_kept_and_a_secret_key_is_cut(tmp_path: Path) -> None:
    reply = responses(0) | {
        "workspace": "w",
        "project_id": "p",
        "api_key": "sk-proj-abcdefghijklmnop1234",
        "user": "u",
        "tags": ["a", "b"],
        "session_id": "s",
    }
    result = read_rows(tmp_path, [reply])
    assert table(
        result.workload, "workspace", "project", "api_key", "user", "tags", "session_id"
    ) == [("w", "p", "…1234", "u", "a, b", "s")]


def test_the_same_reply_again_is_one_reply_at_its_largest(tmp_path: Path) -> None:
    small = responses(2_000)
    large = json.loads(json.dumps(small))
    large["usage"]["output_tokens"] = 90
    result = read_rows(tmp_path, [small, large, small])
    assert counts(result) == (3, 1, 2, 0, 0)
    assert table(result.workload, "output_tokens") == [(90,)]


def test_times_without_a_zone_stay_off_the_calendar_until_a_zone_is_chosen(tmp_path: Path) -> None:
    reply = {"timestamp": "2026-09-02 08:30:00", "response": responses(0) | {"created_at": None}}
    undated = read_rows(tmp_path, [reply])
    assert not undated.workload.dated
    assert "zoneless_time" in assumed(undated)
    dated = read_rows(tmp_path, [reply], tz="Asia/Tokyo")
    assert str(dated.workload.times("arrival_utc")[0]) == "2026-09-01T23:30:00.000000"


def test_batch_results_carry_the_batch_mode_and_failed_rows_no_usage(tmp_path: Path) -> None:
    rows = [
        {"custom_id": "a", "response": {"status_code": 200, "body": responses(2_000)}},
        {"custom_id": "b", "response": None, "error": {"code": "expired"}},
        {"custom_id": "c", "response": {"status_code": 429, "body": {"error": {}}}},
    ]
    result = read_rows(tmp_path, rows)
    assert result.workload.format == "openai_batch_output"
    assert counts(result) == (3, 1, 0, 0, 2)
    assert table(result.workload, "mode", "input_tokens") == [("batch", 2_600)]


def test_anthropic_batch_results_are_read_beside(tmp_path: Path) -> None:
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5",
        "usage": claude_usage(161, 466, read=4_800),
    }
    rows = [
        {"custom_id": "a", "result": {"type": "succeeded", "message": message}},
        {"custom_id": "b", "result": {"type": "expired"}},
    ]
    result = read_rows(tmp_path, rows)
    assert result.workload.format == "anthropic_batch_results"
    assert table(result.workload, "mode", "input_tokens", "cached_read_tokens") == [
        ("batch", 4_961, 4_800)
    ]


def test_gemini_cli_decides_by_the_total_whether_cached_tokens_are_inside(tmp_path: Path) -> None:
    def message(name: str, **tokens: int) -> dict[str, Any]:
        return {"id": name, "type": "gemini", "model": "gemini-3.1-pro", "tokens": tokens}

    doc = {
        "sessionId": "s",
        "messages": [
            {"id": "u", "type": "user"},
            message("in", input=900, output=20, cached=400, thoughts=5, tool=0, total=925),
            message("out", input=150, output=10, cached=30, thoughts=2, tool=1, total=193),
            message("odd", input=150, output=10, cached=30, thoughts=2, tool=1, total=999),
        ],
    }
    result = read_text(tmp_path, json.dumps(doc, indent=1), "session.json")
    assert result.workload.format == "gemini_cli_chat"
    assert table(result.workload, "input_tokens", "cached_read_tokens", "output_tokens") == [
        (900, 400, 25),
        (181, 30, 12),
        (151, 30, 12),
    ]
    assert "gemini_cached_inside" in assumed(result)
