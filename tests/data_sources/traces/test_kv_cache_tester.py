"""kv-cache-tester: nested agents on their marker's clock, ids of one session and one model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_sources.traces.base import ReadOptions
from data_sources.traces.read import read
from econ.prefix_stats import prefix_stats
from messages.catalogue import say
from messages.errors import InputError
from tests.data_sources.traces.helpers import DATA, counts, read_text, reasons, source, table


def session(**changes: Any) -> dict[str, Any]:
    text = (DATA / "kv_cache_session.json").read_text("utf-8")
    return {**json.loads(text), **changes}


def read_session(folder: Path, value: Any, **options: Any) -> Any:
    return read_text(folder, json.dumps(value), "trace.json", **options)


def said(result: Any) -> dict[str, str]:
    return {m.id.removeprefix("serving."): say("en", m) for m in result.receipt.assumptions}


def test_nested_requests_stand_in_time_order_under_their_agent(tmp_path: Path) -> None:
    result = read_session(tmp_path, session())
    workload = result.workload
    assert (workload.format, counts(result)) == ("weka_kv_cache_tester", (4, 4, 0, 0, 0))
    assert workload.floats("arrival_s").tolist() == [0, 10, 12, 16]
    assert table(workload, "session_id", "agent", "model", "input_tokens", "output_tokens") == [
        ("session_a", None, "big", 200, 10),
        ("session_a/agent_001", "agent_001", "small", 150, 4),
        ("session_a", None, "big", 330, 20),
        ("session_a/agent_001", "agent_001", "small", 290, 0),
    ]
    assert workload.floats("finished_s").tolist() == [2.5, 1.5, 4.0, 3.0]
    assert workload.floats("response_s")[1] == 0.5
    assert said(result).keys() == {"session_blocks", "totals_agree"}


def test_the_tail_below_one_block_has_no_id_and_never_hits(tmp_path: Path) -> None:
    workload = read_session(tmp_path, session()).workload
    prefix = workload.prefix
    assert (prefix.scope, prefix.block_tokens) == ("model", 64)
    assert prefix.offsets.tolist() == [0, 3, 5, 10, 14]
    stats = prefix_stats(workload)
    assert stats["ideal_hit_blocks"] == 2 + 3 + 2
    assert stats["ideal_token_hit_ratio"] == round(7 * 64 / 970, 6)
    assert stats["ideal_hit_blocks_per_model"] == 0 + 3 + 2


def test_one_model_alone_has_the_count_per_model_too(tmp_path: Path) -> None:
    value = session()
    value["requests"] = [r for r in value["requests"] if r["type"] != "subagent"]
    workload = read_session(tmp_path, value).workload
    assert prefix_stats(workload)["ideal_hit_blocks_per_model"] == 3


def test_ids_of_two_sessions_never_meet(tmp_path: Path) -> None:
    files = [
        source(tmp_path, f"{name}.json", json.dumps(session(id=name))) for name in ("one", "two")
    ]
    result = read(files)
    stats = prefix_stats(result.workload)
    assert (result.workload.rows, stats["ideal_hit_blocks"]) == (8, 14)
    words = said(result)
    assert "The 2 sessions have no dates" in words["sessions_on_own_clocks"]
    assert words["totals_agree"].startswith("In 2 sessions")
    assert words["same_session"].startswith("two in two.json is the same as one (one.json)")


def test_two_sessions_in_one_file_are_apart_as_well(tmp_path: Path) -> None:
    lines = "".join(json.dumps(session(id=name)) + "\n" for name in ("one", "two"))
    result = read_text(tmp_path, lines, "traces.jsonl")
    assert (result.workload.rows, prefix_stats(result.workload)["ideal_hit_blocks"]) == (8, 14)


def test_a_checksum_that_does_not_add_up_is_said(tmp_path: Path) -> None:
    totals = {"combined_tokens": {"input": 1_000, "output": 34}}
    words = said(read_session(tmp_path, session(totals=totals)))
    assert "states 1,000 input and 34 output tokens" in words["totals_differ"]
    assert "add up to 970 and 34" in words["totals_differ"]


def test_agents_on_the_clock_of_the_session_are_told_by_their_times(tmp_path: Path) -> None:
    value = session()
    for request in value["requests"][1]["requests"]:
        request["t"] += 10.5
    result = read_session(tmp_path, value)
    assert result.workload.floats("arrival_s").tolist() == [0, 10.5, 12, 16.5]
    assert "agents_on_session_clock" in said(result)


def test_rows_that_are_none_are_rejected_by_their_number(tmp_path: Path) -> None:
    value = session()
    value["requests"] += [
        {"t": 13.0, "model": "big", "in": 0, "out": 5, "hash_ids": []},
        {"t": 14.0, "model": "big", "in": 70, "hash_ids": [1]},
        {"t": 15.0, "model": "big", "in": 70, "out": 1, "hash_ids": "1"},
        {"t": "soon", "model": "big", "in": 70, "out": 1, "hash_ids": [1]},
        7,
    ]
    result = read_session(tmp_path, value)
    assert reasons(result) == [
        (5, "columnar.zero_input"),
        (6, "columnar.no_output"),
        (7, "columnar.wrong_cell"),
        (8, "columnar.wrong_cell"),
        (9, "columnar.not_an_object"),
    ]
    assert counts(result) == (9, 4, 0, 5, 0)


def test_ids_that_do_not_fit_are_flagged_or_left_out(tmp_path: Path) -> None:
    value = session()
    value["requests"][0]["hash_ids"] = [1, 2, 3, 4]
    kept = read_session(tmp_path, value)
    flagged = [m for m in kept.receipt.assumptions if m.id == "columnar.ids_do_not_fit"]
    assert [(m.values["line"], m.values["found"], m.values["expected"]) for m in flagged] == [
        (1, 4, 3)
    ]
    left = read_session(tmp_path, value, leave_out_flagged=True)
    assert (reasons(left), left.workload.rows) == ([(1, "columnar.ids_left_out")], 3)


def test_different_block_sizes_and_no_session_at_all_are_refused(tmp_path: Path) -> None:
    files = [
        source(tmp_path, f"{size}.json", json.dumps(session(block_size=size))) for size in (64, 16)
    ]
    with pytest.raises(InputError) as caught:
        read(files, ReadOptions())
    assert caught.value.message.id == "columnar.block_sizes_differ"
    with pytest.raises(InputError) as caught:
        read_session(tmp_path, session(block_size="64"))
    assert caught.value.message.id == "columnar.all_rejected"
