"""TraceLab: rounds of Claude Code and Codex with what the cache read, and when they arrived."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from data_sources.traces.read import read
from tests.data_sources.traces.helpers import (
    assumed,
    counts,
    jsonl,
    read_rows,
    reasons,
    source,
    table,
)


def event(kind: str, second: float) -> dict[str, Any]:
    return {"event_type": kind, "timestamp": f"2026-06-01T05:40:{second:06.3f}Z"}


def claude(number: int, **more: Any) -> dict[str, Any]:
    return {
        "provider": "claude",
        "project": "p1",
        "session_id": "claude:s1",
        "round_id": f"msg_{number}",
        "model": "claude-opus-4-8",
        "input_tokens_total": 1_000,
        "prefix_tokens": 700,
        "newly_append_tokens": 300,
        "claude_uncached_input_tokens": 100,
        "claude_cache_creation_input_tokens": 200,
        "claude_cache_read_input_tokens": 700,
        "output_tokens": 50,
        "timing_events": [
            event("user_message", number),
            event("reasoning", number + 5),
            event("text", number + 6),
        ],
        **more,
    }


def codex(number: int, **more: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(("claude_cache_creation_input_tokens", "project"))
    names = {"provider": "codex", "session_id": "codex:s2", "model": "gpt-5.4"}
    return claude(number, **nothing, **names, **more)


def test_reads_are_the_prefix_and_writes_have_an_unknown_lifetime(tmp_path: Path) -> None:
    result = read_rows(tmp_path, [claude(1), codex(2)])
    assert table(
        result.workload,
        "provider", "project", "input_tokens", "cached_read_tokens", "cache_write_5m_tokens",
    ) == [("anthropic", "p1", 1_000, 700, 200), ("openai", None, 1_000, 700, None)]  # fmt: skip
    assert assumed(result) == {"writes_5m"}
    stats = result.workload.format_stats
    assert (stats["rows_claude"], stats["rows_codex"]) == (1, 1)
    assert stats["provider_reported_hit_ratio"] == 0.7


def test_a_round_arrives_with_the_last_input_before_its_answer(tmp_path: Path) -> None:
    events = [
        event("tool_result", 20), event("tool_result", 12), event("text", 30),
        event("tool_result", 31),
    ]  # fmt: skip
    only_output = [event("text", 40), event("usage_report", 41)]
    result = read_rows(
        tmp_path,
        [claude(1, timing_events=events), claude(2, timing_events=only_output)],
    )
    assert [str(t) for t in result.workload.times("arrival_utc")] == [
        "2026-06-01T05:40:20.000000",
        "2026-06-01T05:40:40.000000",
    ]


def test_a_round_that_two_files_repeat_counts_once(tmp_path: Path) -> None:
    files = [
        source(tmp_path, "a.jsonl", jsonl([claude(1), claude(2)])),
        source(tmp_path, "b.jsonl", jsonl([claude(2), claude(3)])),
    ]
    assert counts(read(files)) == (4, 3, 1, 0, 0)


def test_rows_that_do_not_add_up_are_rejected_with_their_line(tmp_path: Path) -> None:
    rows = [
        claude(1),
        claude(2, newly_append_tokens=200),
        claude(3, claude_cache_creation_input_tokens=400),
        claude(4, output_tokens=None),
        claude(5, input_tokens_total=0, prefix_tokens=0, newly_append_tokens=0),
    ]
    result = read_rows(tmp_path, rows)
    assert [line for line, _ in reasons(result)] == [2, 3, 4, 5]
    assert counts(result) == (5, 1, 0, 4, 0)


def test_a_round_without_a_time_is_undated(tmp_path: Path) -> None:
    result = read_rows(tmp_path, [claude(1, timing_events=[]), claude(2, timing_events=None)])
    assert not result.workload.dated
    assert "no_time" in assumed(result)
