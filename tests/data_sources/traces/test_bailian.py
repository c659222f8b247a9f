"""Bailian: 16 tokens a block id, and sessions that follow each turn to its first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from data_sources.traces.chat_roots import chats_of
from messages.catalogue import say
from tests.data_sources.traces.helpers import counts, read_rows, reasons, table


def turn(chat: Any, parent: Any, second: float = 0.0, tokens: int = 40, **more: Any) -> Any:
    return {
        "chat_id": chat,
        "parent_chat_id": parent,
        "timestamp": second,
        "input_length": tokens,
        "output_length": 5,
        "type": "text",
        "turn": 1,
        "hash_ids": list(range(-(-tokens // 16))),
        **more,
    }


def test_turns_share_the_session_of_their_first_turn(tmp_path: Path) -> None:
    rows = [
        turn(7, -1, 1.5), turn(9, -1, 2.0, type="search"), turn(12, 7, 2.5), turn(15, 12, 9.0),
    ]  # fmt: skip
    result = read_rows(tmp_path, rows)
    assert (result.workload.format, counts(result)) == ("bailian_trace", (4, 4, 0, 0, 0))
    assert table(result.workload, "session_id", "tags") == [
        ("7", "text"), ("9", "search"), ("7", "text"), ("7", "text"),
    ]  # fmt: skip
    assert result.workload.floats("arrival_s").tolist() == [0, 0.5, 1.0, 7.5]
    prefix = result.workload.prefix
    assert prefix is not None
    assert (prefix.block_tokens, prefix.offsets.tolist()) == (16, [0, 3, 6, 9, 12])


def test_a_missing_first_turn_still_joins_its_followers(tmp_path: Path) -> None:
    result = read_rows(tmp_path, [turn(21, 20), turn(22, 20, 1), turn(23, 22, 2)])
    assert table(result.workload, "session_id") == [("20",)] * 3
    said = {m.id: say("en", m) for m in result.receipt.assumptions}
    assert "2 rows name an earlier turn that is not in the file" in said["serving.absent_parents"]


def test_a_circle_of_turns_is_one_session_and_does_not_hang(tmp_path: Path) -> None:
    result = read_rows(tmp_path, [turn(3, 5), turn(4, 3, 1), turn(5, 4, 2), turn(6, 5, 3)])
    assert table(result.workload, "session_id") == [("3",)] * 4
    assert "serving.parent_cycles" in {m.id for m in result.receipt.assumptions}


def test_text_and_missing_numbers_are_sessions_too(tmp_path: Path) -> None:
    rows = [turn("a", None), turn("b", "a", 1), turn("c", "-1", 2), turn(None, None, 3)]
    result = read_rows(tmp_path, rows)
    names = [name for (name,) in table(result.workload, "session_id")]
    assert names[0] == names[1] != names[2]
    assert names[3] is None


def test_rows_without_a_prompt_go_and_odd_ids_are_flagged_by_line(tmp_path: Path) -> None:
    rows = [turn(1, -1), turn(2, -1, 1, tokens=0), turn(3, -1, 2, hash_ids=[1, 2, 3, 4])]
    kept = read_rows(tmp_path, rows)
    assert reasons(kept) == [(2, "columnar.zero_input")]
    flagged = [m for m in kept.receipt.assumptions if m.id == "columnar.ids_do_not_fit"]
    assert [(m.values["line"], m.values["expected"]) for m in flagged] == [(3, 3)]
    left = read_rows(tmp_path, rows, leave_out_flagged=True)
    assert reasons(left) == [(2, "columnar.zero_input"), (3, "columnar.ids_left_out")]


@given(st.lists(st.tuples(st.integers(-1, 9), st.integers(-1, 9)), min_size=1, max_size=12))
def test_the_session_is_where_following_the_parents_by_hand_ends(rows: list[Any]) -> None:
    parent_of = {chat: parent for chat, parent in reversed(rows) if chat != -1}
    found = chats_of(*(np.asarray(c, dtype=np.int64) for c in zip(*rows, strict=True)))
    for number, (chat, parent) in enumerate(rows):
        node = chat if chat != -1 else parent
        assert found.has_session[number] == (node != -1)
        if node == -1:
            continue
        seen = [node]
        while (up := parent_of.get(seen[-1], -1)) not in (-1, *seen):
            seen.append(up)
        loop = seen[seen.index(up) :] if up in seen else [seen[-1]]
        assert found.session[number] == min(loop)
