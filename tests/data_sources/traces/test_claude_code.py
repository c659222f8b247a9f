"""Claude Code logs: each answer counted once, over all files, at its largest."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_sources.traces.read import read
from data_sources.traces.source import open_path
from econ.workload import digest
from tests.data_sources.traces.helpers import (
    DATA,
    assumed,
    claude_row,
    claude_usage,
    counts,
    jsonl,
    read_rows,
    reasons,
    source,
    table,
)

BUCKETS = (
    "input_tokens",
    "cached_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "output_tokens",
)


def test_rows_of_one_answer_are_one_request(tmp_path: Path) -> None:
    usage = claude_usage(100, 50, read=2_000, write_5m=300)
    result = read_rows(tmp_path, [claude_row("msg_A", usage, second=s) for s in range(3)])
    assert counts(result) == (3, 1, 2, 0, 0)
    assert table(result.workload, *BUCKETS) == [(2_400, 2_000, 300, 0, 50)]
    assert table(result.workload, "session_id", "provider", "surface", "mode") == [
        ("session-1", "anthropic", "global", "standard")
    ]
    assert [g.reason.id for g in result.receipt.collapsed] == ["traces.collapsed.same_message"]


def test_a_growing_answer_counts_at_its_largest_and_at_its_first_moment(tmp_path: Path) -> None:
    rows = [claude_row("msg_A", claude_usage(4, out), second=10 + out) for out in (1, 5, 40)]
    result = read_rows(tmp_path, rows)
    assert table(result.workload, "output_tokens") == [(40,)]
    assert str(result.workload.times("arrival_utc")[0]) == "2026-10-07T00:00:11.000000"


def test_the_answer_is_known_by_its_message_alone_without_or_with_request_ids(
    tmp_path: Path,
) -> None:
    usage = claude_usage(10, 5)
    rows = [
        claude_row("msg_B", usage, requestId="req_1"),
        claude_row("msg_B", usage, requestId="req_2", isSidechain=True),
        claude_row("msg_B", usage),
    ]
    result = read_rows(tmp_path, rows)
    assert counts(result) == (3, 1, 2, 0, 0)
    assert table(result.workload, "agent") == [(None,)], "the replay is the session's own answer"


def test_side_chains_with_an_id_of_their_own_are_billed_and_named(tmp_path: Path) -> None:
    rows = [
        claude_row("msg_1", claude_usage(10, 5), second=1),
        claude_row("msg_2", claude_usage(20, 5), second=2, isSidechain=True),
        claude_row("msg_3", claude_usage(30, 5), second=3, isSidechain=True, agentId="a7"),
    ]
    result = read_rows(tmp_path, rows)
    assert table(result.workload, "input_tokens", "agent") == [
        (10, None),
        (20, "sidechain"),
        (30, "a7"),
    ]


def test_a_sub_agent_file_repeats_its_parent_and_keeps_its_session(tmp_path: Path) -> None:
    shared = claude_row("msg_F", claude_usage(900, 150), second=5, isSidechain=True)
    own = claude_row("msg_I", claude_usage(30, 90), second=6, isSidechain=True)
    parent = source(
        tmp_path, "main.jsonl", jsonl([claude_row("msg_A", claude_usage(1, 1)), shared])
    )
    agent = source(tmp_path, "subagents/agent-001.jsonl", jsonl([shared, own]))
    result = read([parent, agent])
    assert counts(result) == (4, 3, 1, 0, 0)
    assert table(result.workload, "input_tokens", "agent", "session_id") == [
        (1, None, "session-1"),
        (900, "agent-1", "session-1"),
        (30, "agent-1", "session-1"),
    ]
    assert result.workload.name == "main.jsonl + 1"


def test_synthetic_answers_null_usage_and_other_rows_are_ignored_and_cut_lines_rejected(
    tmp_path: Path,
) -> None:
    content = jsonl(
        [
            {"type": "summary", "leafUuid": "x"},
            claude_row("msg_E", claude_usage(0, 0), model="<synthetic>"),
            claude_row("msg_G", None),
            42,
            claude_row("msg_A", claude_usage(10, 5)),
        ]
    )
    result = read([source(tmp_path, "a.jsonl", content + '{"type":"assistant","message":{"id')])
    assert counts(result) == (6, 1, 0, 1, 4)
    assert reasons(result) == [(6, "traces.line_not_json")]
    ignored = {g.reason.id.removeprefix("traces.ignored."): g.rows for g in result.receipt.ignored}
    assert ignored == {"no_usage": 2, "synthetic": 1, "not_an_object": 1}


@pytest.mark.parametrize("split", [None, {}, {"ephemeral_5m_input_tokens": 0}])
def test_writes_without_a_lifetime_are_five_minute_writes_and_say_so(
    tmp_path: Path, split: dict[str, int] | None
) -> None:
    usage = claude_usage(10, 5, write_5m=344) | {"cache_creation": split}
    result = read_rows(tmp_path, [claude_row("msg_H", usage)])
    assert table(result.workload, "cache_write_5m_tokens", "cache_write_1h_tokens") == [(344, 0)]
    assert "writes_5m" in assumed(result)


def test_what_the_split_leaves_of_the_total_is_a_five_minute_write(tmp_path: Path) -> None:
    usage = claude_usage(10, 5, write_1h=600) | {"cache_creation_input_tokens": 1_000}
    result = read_rows(tmp_path, [claude_row("msg_H", usage)])
    assert table(result.workload, "cache_write_5m_tokens", "cache_write_1h_tokens") == [(400, 600)]


def test_a_split_above_its_total_is_rejected(tmp_path: Path) -> None:
    usage = claude_usage(10, 5, write_1h=600) | {"cache_creation_input_tokens": 500}
    result = read_rows(tmp_path, [claude_row("msg_H", usage)])
    assert reasons(result) == [(1, "traces.reason.split_exceeds_total")]
    assert result.workload.rows == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"input_tokens": 0}, "zero_input"),
        ({"input_tokens": None}, "no_input"),
        ({"output_tokens": None}, "no_output"),
        ({"output_tokens": -3}, "not_a_count"),
        ({"output_tokens": "many"}, "not_a_count"),
        ({"input_tokens": 1.5}, "not_a_count"),
        ({"input_tokens": 10**15}, "count_too_large"),
        ({"input_tokens": True}, "not_a_count"),
    ],
)
def test_rows_that_cannot_be_billed_are_rejected_with_their_line(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    good = claude_row("msg_0", claude_usage(10, 5))
    result = read_rows(tmp_path, [good, claude_row("msg_1", claude_usage(10, 5) | change)])
    assert counts(result) == (2, 1, 0, 1, 0)
    assert reasons(result) == [(2, f"traces.reason.{reason}")]


def test_mode_and_surface_follow_tier_speed_and_geography(tmp_path: Path) -> None:
    usage = claude_usage(10, 5)
    rows = [
        claude_row("msg_1", usage | {"speed": "fast", "inference_geo": "us"}, second=1),
        claude_row("msg_2", usage | {"service_tier": "batch"}, second=2),
        claude_row("msg_3", usage | {"inference_geo": "not_available"}, second=3),
        claude_row("msg_4", usage, second=4, model="us.anthropic.claude-opus-5-v1:0"),
        claude_row("msg_5", usage, second=5, model="glm-5"),
    ]
    result = read_rows(tmp_path, rows)
    assert table(result.workload, "provider", "surface", "mode", "geo") == [
        ("anthropic", "us", "fast", "us"),
        ("anthropic", "global", "batch", None),
        ("anthropic", "global", "standard", None),
        ("bedrock", None, "standard", None),
        (None, None, "standard", None),
    ]


def test_stated_costs_are_kept_and_those_of_collapsed_rows_are_summed(tmp_path: Path) -> None:
    rows = [claude_row("msg_A", claude_usage(10, 5), costUSD=0.0123) for _ in range(3)]
    result = read_rows(tmp_path, rows)
    assert result.workload.ints("observed_cost_e13").tolist() == [123_000_000_000]
    assert result.receipt.collapsed_cost_e13 == 246_000_000_000


def test_our_own_session_file_reads_to_the_counts_worked_out_by_hand() -> None:
    main, agent = DATA / "claude_session.jsonl", DATA / "agent-side.jsonl"
    result = read([open_path(main), open_path(agent)])
    assert counts(result) == (13, 5, 4, 1, 3)
    assert result.workload.format_stats == {
        "assistant_rows_with_usage": 9,
        "unique_messages": 5,
        "deduped_input": 12 + 8 + 40 + 500 + 25,
        "deduped_write_5m": 700,
        "deduped_write_1h": 9_000 + 1_500,
        "deduped_read": 9_000 + 10_500 + 3_000,
        "deduped_output": 210 + 330 + 90 + 120 + 45,
    }


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    uses=st.lists(
        st.tuples(*[st.integers(0, 10**6)] * 4, st.integers(0, 10**5)), min_size=1, max_size=12
    ),
    seed=st.integers(0, 2**32),
)
def test_tokens_are_conserved_in_any_order_of_rows(
    tmp_path: Path, uses: list[tuple[int, ...]], seed: int
) -> None:
    rows = [
        claude_row(
            f"msg_{n}",
            claude_usage(u + 1, out, read=r, write_5m=w5, write_1h=w1),
            second=n,
        )
        for n, (u, r, w5, w1, out) in enumerate(uses)
    ]
    shuffled = [*rows, *rows]
    random.Random(seed).shuffle(shuffled)
    first, second = read_rows(tmp_path, rows), read_rows(tmp_path, shuffled)
    assert table(first.workload, *BUCKETS) == table(second.workload, *BUCKETS)
    assert counts(second) == (2 * len(rows), len(rows), len(rows), 0, 0)
    total = sum(u + 1 + r + w5 + w1 for u, r, w5, w1, _ in uses)
    assert int(first.workload.ints("input_tokens").sum()) == total


def test_how_a_sub_agents_file_is_called_is_no_part_of_the_workload(tmp_path: Path) -> None:
    content = (DATA / "agent-side.jsonl").read_bytes()
    names = ("agent-one.jsonl", "sub/agent-two.jsonl")
    assert len({digest(read([source(tmp_path, name, content)]).workload) for name in names}) == 1
