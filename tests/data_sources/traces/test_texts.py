"""Files of text without token counts: chats, batch prompts, agent texts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data_sources.traces import json_text
from data_sources.traces.base import ReadResult
from data_sources.traces.json_text import list_items
from data_sources.traces.read import read
from data_sources.traces.source import open_path
from econ.prefix_stats import prefix_stats
from econ.structure import structure_of
from econ.text_tokens import ESTIMATED, estimate, whole
from messages.errors import InputError
from tests.data_sources.traces.helpers import (
    counts,
    jsonl,
    read_rows,
    read_text,
    reasons,
    source,
    table,
)
from tests.data_sources.traces.test_reference_files import index, named_counts

__all__ = ["index"]
COLLECTIONS = (
    "conversations/sharegpt_fastchat_head150.json",
    "conversations/lmsys_chat_1m_layout.40.synthetic.jsonl",
    "conversations/wildchat_1m_layout.40.synthetic.jsonl",
    "conversations/openai_batch_input.30.synthetic.jsonl",
    "serving_prefix/lmcache_agentic/taubench_09867e5c74f53656f91797020d262e3b.jsonl",
)
MARKS = 3
FIRST_US = 1_760_587_752_000_000


def tokens(text: str) -> int:
    return whole(estimate(text))


def turn(who: str, text: Any) -> dict[str, Any]:
    return {"from": who, "value": text}


def chat(*turns: dict[str, Any], name: str | None = "a") -> dict[str, Any]:
    return {"id": name, "conversations": list(turns)}


def assumption_ids(result: ReadResult) -> list[str]:
    return [message.id for message in result.receipt.assumptions]


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_statistic_of_a_collection_is_reached(
    name: str, reference_data: Path, index: dict[str, Any]
) -> None:
    result = read([open_path(reference_data / "traces" / name)])
    expected = index[name]["stats"]
    found = named_counts(result)
    assert {key: found.get(key) for key in expected} == expected
    assert result.workload.format == index[name]["format"]
    assert ESTIMATED in assumption_ids(result)


def test_each_answer_is_a_request_with_all_that_was_said_before(tmp_path: Path) -> None:
    said = ["Who are you?", "I am a model.", "Good. And why?", "Because."]
    result = read_rows(
        tmp_path, [chat(*(turn(w, t) for w, t in zip(["human", "gpt"] * 2, said, strict=True)))]
    )
    first = tokens(said[0]) + MARKS
    second = sum(tokens(text) + MARKS for text in said[:3])
    assert table(result.workload, "input_tokens", "output_tokens", "session_id", "model") == [
        (first + MARKS, tokens(said[1]), "a", None),
        (second + MARKS, tokens(said[3]), "a", None),
    ]
    assert "texts.no_times" in assumption_ids(result)
    assert not result.workload.has("arrival_s")


def test_a_turn_shares_the_prompt_before_it_and_nothing_that_differs(tmp_path: Path) -> None:
    one = chat(turn("human", "hello"), turn("gpt", "yes"), turn("human", "and?"), turn("gpt", "no"))
    other = chat(turn("human", "hello"), turn("gpt", "maybe"), name="b")
    workload = read_rows(tmp_path, [one, other]).workload
    found = structure_of(workload, np.ones(3, dtype=np.bool_), np.zeros(3, dtype=np.int64))
    assert found is not None
    assert found.message_blocks
    nodes = [found.node[found.offsets[i] : found.offsets[i + 1]].tolist() for i in range(3)]
    assert nodes[1][0] == nodes[0][0] == nodes[2][0], "the same first message"
    assert len(nodes[1]) == 3
    assert prefix_stats(workload)["ideal_hit_blocks"] == 2


@pytest.mark.parametrize("who", ["gpt", "assistant", "bard", "chatgpt"])
def test_whoever_answers_and_whoever_asks(tmp_path: Path, who: str) -> None:
    rows = [chat(turn("system", "Be brief."), turn("user", "hi"), turn(who, "hello"))]
    assert counts(read_rows(tmp_path, rows)) == (1, 1, 0, 0, 0)


def test_odd_chats_are_counted_and_nothing_is_dropped(tmp_path: Path) -> None:
    rows = [
        chat(turn("gpt", "I begin."), turn("human", "Oh."), turn("gpt", "Yes."), name="first"),
        chat(turn("human", "Is anyone there?"), name="alone"),
        chat(turn("human", "a"), turn("gpt", "one"), turn("gpt", "two"), name="goes on"),
        chat(name="empty") | {"conversations": []},
        chat(turn("narrator", "It was dark."), name="who"),
        chat(turn("human", 42), turn("gpt", "x"), name="number"),
        {"id": "none", "conversations": None},
        [1],
    ]
    result = read_rows(tmp_path, rows)
    assert counts(result) == (10, 2, 1, 4, 3)
    assert reasons(result) == [
        (5, "texts.unknown_role"),
        (6, "texts.not_a_text"),
        (7, "texts.no_messages"),
        (8, "columnar.not_an_object"),
    ]
    ignored = {g.reason.id.rsplit(".", 1)[-1]: g.rows for g in result.receipt.ignored}
    assert ignored == {"answer_first": 1, "unanswered": 1, "empty_chat": 1}
    outputs = [row[0] for row in table(result.workload, "output_tokens")]
    assert outputs == [tokens("Yes."), tokens("one") + tokens("two")]


def test_a_chat_that_comes_twice_counts_once(tmp_path: Path) -> None:
    same = chat(turn("human", "a"), turn("gpt", "b"))
    longer = chat(turn("human", "a"), turn("gpt", "b"), turn("human", "c"), turn("gpt", "d"))
    first, second = (
        source(tmp_path, "1.jsonl", jsonl([same])),
        source(tmp_path, "2.jsonl", jsonl([same, longer])),
    )
    assert counts(read([first, second])) == (4, 3, 1, 0, 0)


def wild(**more: Any) -> dict[str, Any]:
    answer = {"role": "assistant", "content": "yes", "timestamp": "2024-04-09T22:15:20+00:00"}
    return {
        "conversation_hash": "c1",
        "model": "gpt-4-1106-preview",
        "timestamp": "2024-04-09T23:00:00+00:00",
        "conversation": [
            {"role": "user", "content": "hi", "hashed_ip": "f00d", "header": {"x": "secret"}},
            answer,
            {"role": "user", "content": "more"},
            {"role": "assistant", "content": "done", "timestamp": None},
        ],
        **more,
    }


def test_wildchat_has_times_and_leaves_addresses_out(tmp_path: Path) -> None:
    result = read_rows(tmp_path, [wild()])
    times = [str(t) for t in result.workload.times("arrival_utc")]
    assert times == ["2024-04-09T22:15:20.000000", "2024-04-09T23:00:00.000000"]
    assert {"texts.dropped_private", "texts.borrowed_times"} <= set(assumption_ids(result))
    assert "texts.no_times" not in assumption_ids(result)
    said = repr(result)
    assert "f00d" not in said
    assert "secret" not in said


@pytest.mark.parametrize("kind", ["wildchat", "lmsys_chat", "sharegpt"])
def test_collections_come_as_parquet_too(tmp_path: Path, kind: str) -> None:
    row = wild()
    if kind == "lmsys_chat":
        row = {"conversation_id": "c", "model": "vicuna-13b", "conversation": row["conversation"]}
    if kind == "sharegpt":
        row = chat(turn("human", "hi"), turn("gpt", "yes"), turn("human", "x"), turn("gpt", "y"))
    path = tmp_path / "part.parquet"
    pq.write_table(pa.Table.from_pylist([row]), path)
    result = read([open_path(path)])
    assert result.workload.format == kind
    assert counts(result) == (2, 2, 0, 0, 0)


def body(system: str, question: str, **more: Any) -> dict[str, Any]:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": question}]
    return {"model": "gpt-5.6-luna", "messages": messages, **more}


def batch(name: str, content: dict[str, Any]) -> dict[str, Any]:
    return {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": content}


def test_batch_prompts_share_their_instruction_and_have_no_answers(tmp_path: Path) -> None:
    long = "You are a contract reviewer. " * 100
    rows = [batch(f"r{n}", body(long, f"Question {n}?", max_tokens=200)) for n in range(3)]
    result = read_rows(tmp_path, [*rows, rows[0]])
    assert counts(result) == (4, 3, 1, 0, 0)
    assert set(table(result.workload, "provider", "mode", "output_tokens")) == {
        ("openai", "batch", 0)
    }
    stats = prefix_stats(result.workload)
    assert stats["ideal_hit_tokens"] == pytest.approx(2 * tokens(long), rel=0.02)
    said = {m.id: m.values for m in result.receipt.assumptions}
    assert "texts.no_answers" in said
    assert said["texts.most_output"] == {"tokens": 600}


def test_other_bodies_and_pictures(tmp_path: Path) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:"}}
    parts = [{"type": "text", "text": "What is this?"}, picture]
    rows = [
        batch("a", {"model": "m", "input": "embed me"}),
        batch("b", {"model": "m", "instructions": "Be brief.", "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
            {"type": "function_call_output", "output": "42"},
        ]}),
        batch("c", {"model": "m", "messages": [{"role": "user", "content": parts}]}),
        batch("d", {"model": "m"}),
    ]  # fmt: skip
    result = read_rows(tmp_path, rows)
    assert counts(result) == (4, 3, 0, 1, 0)
    assert reasons(result) == [(4, "texts.no_prompt")]
    assert "texts.other_parts" in assumption_ids(result)


def test_a_batch_beside_its_results_counts_the_results_alone(tmp_path: Path) -> None:
    answer = {
        "custom_id": "r1",
        "response": {"status_code": 200, "body": {
            "id": "x", "object": "chat.completion", "created": 1_793_000_000,
            "model": "gpt-5.6-luna", "usage": {"prompt_tokens": 20, "completion_tokens": 5},
        }},
        "error": None,
    }  # fmt: skip
    files = [
        source(tmp_path, "in.jsonl", jsonl([batch("r1", body("s", "q"))])),
        source(tmp_path, "out.jsonl", jsonl([answer])),
    ]
    result = read(files)
    assert counts(result) == (2, 1, 0, 0, 1)
    assert table(result.workload, "input_tokens", "output_tokens") == [(20, 5)]
    assert ESTIMATED not in assumption_ids(result)


def test_an_agent_text_shares_what_its_prompt_begins_with(tmp_path: Path) -> None:
    start = "The tools are listed here. " * 100
    rows = [
        {"timestamp": FIRST_US + n, "input": start + "x" * n, "output": "", "session_id": "s"}
        for n in (5, 3, 9)
    ]
    result = read_rows(tmp_path, rows)
    assert result.workload.floats("arrival_s").tolist() == [0.0, 2e-6, 6e-6]
    assert prefix_stats(result.workload)["ideal_hit_blocks"] == 10
    assert "texts.empty_answers" in assumption_ids(result)


def words_tokenizer() -> str:
    """A tokenizer.json that cuts at white space."""
    pytest.importorskip("tokenizers")
    from tokenizers import Tokenizer, models, pre_tokenizers

    made = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return str(made.to_str())


def two_files(folder: Path, tokenizer: str) -> ReadResult:
    one = chat(turn("human", "one two three"), turn("gpt", "four five"))
    files: Sequence[Any] = [
        source(folder, "chat.jsonl", jsonl([one])), source(folder, "tokenizer.json", tokenizer),
    ]  # fmt: skip
    return read(files)


def test_a_tokenizer_of_ones_own_counts_instead_of_the_estimate(tmp_path: Path) -> None:
    result = two_files(tmp_path, words_tokenizer())
    assert table(result.workload, "input_tokens", "output_tokens") == [(3 + MARKS + MARKS, 2)]
    assert "texts.own_tokenizer" in assumption_ids(result)
    assert ESTIMATED not in assumption_ids(result)


def test_without_the_package_the_estimate_stays_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = words_tokenizer()
    monkeypatch.setattr("data_sources.traces.user_tokenizer.find_spec", lambda _name: None)
    ids = assumption_ids(two_files(tmp_path, content))
    assert {"texts.tokenizer_not_used", ESTIMATED} <= set(ids)


def test_a_broken_tokenizer_and_one_alone_are_refused(tmp_path: Path) -> None:
    broken = json.dumps({"added_tokens": [], "model": {"type": "BPE", "vocab": 3}})
    with pytest.raises(InputError) as caught:
        two_files(tmp_path, broken)
    assert caught.value.message.id == "texts.not_a_tokenizer"
    with pytest.raises(InputError) as caught:
        read_text(tmp_path, broken)
    assert caught.value.message.id == "traces.unread_format"


@pytest.mark.parametrize("step", [3, 7, 100_000])
def test_a_long_list_is_read_item_by_item(tmp_path: Path, step: int) -> None:
    values = [{"a": ["]", 'x,"}'], "b": -3.25}, 12_345, "é,]", None, [1, [2]], -7e10] * 20
    path = tmp_path / "list.json"
    for indent in (None, 1):
        path.write_text(" " + json.dumps(values, indent=indent, ensure_ascii=False), "utf-8")
        assert [line.value for line in list_items(path, step)] == values
    path.write_text('[{"a": 1}, {"b": ', "utf-8")
    *whole_ones, last = list_items(path, step)
    assert [line.value for line in whole_ones] == [{"a": 1}]
    assert last.problem is not None


def test_a_collection_larger_than_one_json_value_may_be_is_read_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_text, "MAX_JSON_DOCUMENT_BYTES", 100)
    chats = [chat(turn("human", f"question {n}"), turn("gpt", "yes"), name=f"c{n}") for n in (1, 2)]
    assert counts(read_text(tmp_path, json.dumps(chats, indent=1))) == (2, 2, 0, 0, 0)
