"""Codex rollouts: changes of a running total are requests; response records count once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

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

COLUMNS = ("input_tokens", "cached_read_tokens", "output_tokens")


def usage(given: int, cached: int, output: int, **more: int) -> dict[str, int]:
    return {
        "input_tokens": given,
        "cached_input_tokens": cached,
        "output_tokens": output,
        "reasoning_output_tokens": 0,
        "total_tokens": given + output,
        **more,
    }


def event(second: float, total: Any, last: Any = None) -> dict[str, Any]:
    info: Any = None if total is None else {"total_token_usage": total}
    if last is not None:
        info["last_token_usage"] = last
    return {
        "timestamp": f"2026-05-01T10:00:{second:06.3f}Z",
        "type": "event_msg",
        "payload": {"type": "token_count", "info": info},
    }


def meta(session: str = "s-1", **more: Any) -> dict[str, Any]:
    payload = {"id": session, "source": "cli", **more}
    return {"timestamp": "2026-05-01T10:00:00.000Z", "type": "session_meta", "payload": payload}


def turn(model: str, **more: Any) -> dict[str, Any]:
    return {
        "timestamp": "2026-05-01T10:00:00.100Z",
        "type": "turn_context",
        "payload": {"model": model, **more},
    }


def record(second: int, response: str, own: dict[str, int], running: Any = None) -> dict[str, Any]:
    return {
        "timestamp": f"2026-09-12T01:00:{second:02d}.000Z",
        "type": "token_usage_record",
        "payload": {
            "response_id": response,
            "thread_id": "t-1",
            "usage": own,
            "thread_token_usage": running or own,
        },
    }


def test_only_a_changed_total_is_a_request(tmp_path: Path) -> None:
    rows = [
        meta(),
        turn("gpt-5.6-sol"),
        event(1, None),
        event(5, usage(1_000, 200, 100), usage(1_000, 200, 100)),
        event(6, usage(1_000, 200, 100), usage(1_000, 200, 100)),
        event(9, usage(3_000, 1_100, 300), usage(2_000, 900, 200)),
    ]
    result = read_rows(tmp_path, rows)
    assert table(result.workload, *COLUMNS) == [(1_000, 200, 100), (2_000, 900, 200)]
    assert counts(result) == (6, 2, 1, 0, 3)
    assert table(result.workload, "session_id", "model", "provider")[0] == (
        "s-1",
        "gpt-5.6-sol",
        "openai",
    )
    assert not result.workload.has("cache_write_30m_tokens"), "not counted is not zero"
    assert "codex_no_writes" in assumed(result)


def test_a_total_that_falls_is_a_restart(tmp_path: Path) -> None:
    totals = [usage(1_000, 200, 100), usage(2_500, 1_400, 160), usage(700, 0, 60)]
    rows = [meta(), *(event(n + 1, total) for n, total in enumerate(totals))]
    result = read_rows(tmp_path, rows)
    assert table(result.workload, *COLUMNS) == [
        (1_000, 200, 100),
        (1_500, 1_200, 60),
        (700, 0, 60),
    ]


def test_a_resumed_session_counts_only_its_own_first_request(tmp_path: Path) -> None:
    rows = [
        meta(),
        event(5, usage(9_000, 4_000, 900), usage(1_000, 600, 100)),
        event(9, usage(9_500, 4_300, 950), usage(500, 300, 50)),
    ]
    result = read_rows(tmp_path, rows)
    assert table(result.workload, *COLUMNS) == [(1_000, 600, 100), (500, 300, 50)]
    assert "codex_baseline" in assumed(result)


def test_the_replay_at_the_start_of_a_sub_agent_is_a_baseline_only(tmp_path: Path) -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "s-1"}}}
    rows = [
        meta("s-2", source=spawn),
        meta("s-1"),
        event(0.2, usage(1_000, 200, 100), usage(1_000, 200, 100)),
        event(0.4, usage(3_000, 1_100, 300), usage(2_000, 900, 200)),
        turn("gpt-5.6-luna"),
        event(8, usage(3_400, 1_300, 340), usage(400, 200, 40)),
    ]
    result = read_rows(tmp_path, rows)
    assert table(result.workload, *COLUMNS, "session_id", "agent", "model") == [
        (400, 200, 40, "s-1", "s-2", "gpt-5.6-luna")
    ]
    ignored = {g.reason.id: g.rows for g in result.receipt.ignored}
    assert ignored["traces.ignored.replay"] == 2


def test_response_records_count_once_and_replace_the_running_totals(tmp_path: Path) -> None:
    first = usage(34_823, 0, 210, cache_write_input_tokens=30_720)
    second = usage(35_490, 34_816, 180, cache_write_input_tokens=512)
    rows = [
        meta(),
        record(5, "resp_1", first),
        record(15, "resp_2", second),
        record(15, "resp_2", second),
        event(25, usage(70_313, 34_816, 390), usage(35_490, 34_816, 180)),
    ]
    result = read_rows(tmp_path, rows)
    assert table(result.workload, *COLUMNS, "cache_write_30m_tokens") == [
        (34_823, 0, 210, 30_720),
        (35_490, 34_816, 180, 512),
    ]
    assert counts(result) == (5, 2, 1, 0, 2)
    assert "writes_30m" in assumed(result)
    assert result.workload.format_stats["unique_response_ids"] == 2
    assert result.workload.format_stats["also_token_count_events"] == 1


def test_a_response_in_two_files_is_one_request(tmp_path: Path) -> None:
    shared = record(5, "resp_1", usage(100, 0, 10))
    other = record(9, "resp_2", usage(200, 100, 10))
    files = [
        source(tmp_path, "a.jsonl", jsonl([meta("a"), shared])),
        source(tmp_path, "b.jsonl", jsonl([meta("b"), shared, other])),
    ]
    result = read(files)
    assert table(result.workload, "input_tokens", "session_id") == [(100, "a"), (200, "b")]
    assert result.receipt.rows_collapsed == 1


def test_cached_tokens_above_the_input_are_rejected(tmp_path: Path) -> None:
    rows = [meta(), record(1, "resp_1", usage(100, 200, 10)), record(2, "resp_2", usage(9, 0, 1))]
    result = read_rows(tmp_path, rows)
    assert reasons(result) == [(2, "traces.reason.parts_exceed_total")]
    assert result.workload.rows == 1


@pytest.mark.parametrize(
    ("turns", "expected", "assumption"),
    [
        ([usage(24_763, 24_448, 122)], [(24_763, 24_448, 122)], None),
        (
            [usage(100, 0, 10), usage(250, 90, 30)],
            [(100, 0, 10), (150, 90, 20)],
            "exec_cumulative",
        ),
        ([usage(300, 0, 10), usage(250, 90, 30)], [(300, 0, 10), (250, 90, 30)], "exec_per_turn"),
    ],
)
def test_an_exec_stream_has_one_usage_a_turn_or_a_running_total(
    tmp_path: Path, turns: list[Any], expected: list[Any], assumption: str | None
) -> None:
    rows = [
        {"type": "thread.started", "thread_id": "th1"},
        *({"type": "turn.completed", "usage": one} for one in turns),
    ]
    result = read_rows(tmp_path, rows)
    assert result.workload.format == "codex_exec_json"
    assert table(result.workload, *COLUMNS) == expected
    assert (assumption is None) or assumption in assumed(result)
    assert result.workload.format_stats["rows"] == len(rows)
