"""RAGPulse: chunks of five lists chained in prompt order, their lengths from the dictionaries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_sources.traces.base import ReadResult
from data_sources.traces.ragpulse_chunks import even_sizes, even_weights
from data_sources.traces.read import read
from data_sources.traces.stats import inspect_json
from econ.prefix_stats import prefix_stats
from messages.catalogue import sayer
from messages.errors import InputError
from tests.data_sources.traces.helpers import counts, jsonl, reasons, source, table


def row(second: str, prompt: int, system: list[int], passages: list[int], **more: Any) -> Any:
    lists = {
        "sys_prompt": system,
        "passages_ids": passages,
        "history": [],
        "web_search": [],
        "user_input": [900],
    }
    return {
        "timestamp": second,
        "input_length": prompt,
        "output_length": 7,
        "hash_ids": lists,
        "session_id": "s1",
        **more,
    }


ROWS = [
    row("10", 110, [1], [5, 6]),
    row("40", 110, [1], [6, 5]),
    row("30", 120, [1], [5, 5]),
]
LENGTHS = [
    {"sys_prompt_id": 1, "token_length": 50},
    {"passage_id": 5, "token_length": 30},
    {"passage_id": 6, "token_length": 10},
    {"user_input_id": 900, "token_length": 4},
]


def read_trace(folder: Path, rows: list[Any], dictionary: list[Any] | None = None) -> ReadResult:
    files = [source(folder, "trace.jsonl", jsonl(rows) + "\n")]
    if dictionary:
        files.insert(0, source(folder, "lengths.jsonl", jsonl(dictionary)))
    return read(files)


def test_prompts_share_a_prefix_as_far_as_their_chains_agree(tmp_path: Path) -> None:
    result = read_trace(tmp_path, ROWS, LENGTHS)
    workload, prefix = result.workload, result.workload.prefix
    assert workload.format == "ragpulse_trace"
    assert workload.floats("arrival_s").tolist() == [0, 20, 30]
    ids = [prefix.block_ids[a:b].tolist() for a, b in zip(prefix.offsets, prefix.offsets[1:])]  # noqa: B905
    assert ids[0][:2] == ids[1][:2]
    assert ids[0][0] == ids[2][0]
    assert len({*ids[0], *ids[1], *ids[2]}) == 4 + 2 + 3
    assert prefix.block_tokens.tolist() == [50, 30, 10, 4, 50, 30, 30, 4, 50, 10, 30, 4]
    stats = prefix_stats(workload)
    assert (stats["ideal_hit_blocks"], stats["ideal_hit_tokens"]) == (2 + 1, 80 + 50)


def test_statistics_count_chunks_where_the_structure_counts_chains(tmp_path: Path) -> None:
    result = read_trace(tmp_path, ROWS, LENGTHS)
    found = inspect_json(result, prefix_stats(result.workload), sayer("en"))
    stats, own = found["stats"], found["format_stats"]
    assert (stats["unique_blocks"], stats["unique_prefix_chains"]) == (4, 9)
    assert stats["ideal_token_hit_ratio"] == round(130 / own["dictionary_tokens"], 6)
    assert own["position_free_block_hit_ratio"] == round(8 / 12, 6)
    assert own["dictionary_tokens"] == 94 + 114 + 94
    assert own["out_of_order_pairs"] == 1


def test_entries_of_dictionaries_are_no_requests(tmp_path: Path) -> None:
    result = read_trace(tmp_path, ROWS, [*LENGTHS, {"passage_id": 7, "token_length": "x"}])
    assert counts(result) == (8, 3, 0, 0, 5)
    assert [f.format for f in result.receipt.files] == ["ragpulse_trace", "ragpulse_dictionary"]
    ids = {m.id for m in result.receipt.assumptions}
    assert {"serving.chunks_by_dictionary", "serving.dictionary_lines_unread"} <= ids


def test_without_dictionaries_a_prompt_is_split_evenly(tmp_path: Path) -> None:
    result = read_trace(tmp_path, [row("1", 110, [1], [5, 6]), row("2", 5_000, [2], [])])
    assert result.workload.prefix.block_tokens.tolist() == [28, 28, 28, 26, 512, 512]
    assert "serving.chunks_evenly" in {m.id for m in result.receipt.assumptions}


def test_a_row_whose_chunks_are_not_all_known_is_split_evenly(tmp_path: Path) -> None:
    result = read_trace(tmp_path, [row("1", 110, [1], [5]), row("2", 90, [1], [77])], LENGTHS)
    assert result.workload.prefix.block_tokens.tolist() == [50, 30, 4, 30, 30, 30]
    said = [m for m in result.receipt.assumptions if m.id == "serving.chunks_not_in_dictionary"]
    assert [m.values["rows"] for m in said] == [1]


def test_two_traces_keep_their_ids_apart_and_their_sizes_together(tmp_path: Path) -> None:
    late = [row("35", 110, [1], [5, 6])]
    files = [
        source(tmp_path, "a.jsonl", jsonl(ROWS)),
        source(tmp_path, "b.jsonl", jsonl(late)),
        source(tmp_path, "d.jsonl", jsonl(LENGTHS)),
    ]
    workload = read(files).workload
    assert workload.floats("arrival_s").tolist() == [0, 20, 25, 30]
    assert workload.prefix.block_tokens[8:12].tolist() == [50, 30, 10, 4]
    assert prefix_stats(workload)["ideal_hit_blocks"] == 3


def test_rows_that_are_none_are_rejected_with_their_line(tmp_path: Path) -> None:
    rows = [
        row("1", 10, [1], []),
        row("2", 0, [1], []),
        row("soon", 10, [1], []),
        row("4", 10, [1], [], hash_ids={"sys_prompt": ["x"]}),
        row("5", 10, [1], [], output_length=None),
        row("6", 10, [1], [], hash_ids=[1]),
    ]
    result = read_trace(tmp_path, rows)
    assert reasons(result) == [
        (2, "columnar.zero_input"),
        (3, "columnar.wrong_cell"),
        (4, "columnar.wrong_cell"),
        (5, "columnar.no_output"),
        (6, "columnar.wrong_cell"),
    ]
    assert table(result.workload, "session_id") == [("s1",)]


def test_dictionaries_alone_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read([source(tmp_path, "lengths.jsonl", jsonl(LENGTHS))])
    assert caught.value.message.id == "traces.unread_format"


def test_a_folder_with_a_broken_trace_says_so_and_nothing_else(tmp_path: Path) -> None:
    files = [
        source(tmp_path, "trace.jsonl", jsonl([row("1", 0, [1], [])])),
        source(tmp_path, "lengths.jsonl", jsonl(LENGTHS)),
    ]
    with pytest.raises(InputError):
        read(files, may_fail=files)


@given(st.lists(st.tuples(st.integers(1, 9_000), st.integers(0, 30)), min_size=1, max_size=20))
def test_an_even_split_never_exceeds_the_prompt(rows: list[tuple[int, int]]) -> None:
    prompts, lengths = (np.asarray(c, dtype=np.int64) for c in zip(*rows, strict=True))
    sizes, start = even_sizes(prompts, lengths), 0
    for (prompt, length), weight in zip(rows, even_weights(prompts, lengths).tolist(), strict=True):
        part = sizes[start : start + length]
        start += length
        assert part.sum() == min(prompt, weight * length)
        assert weight == min(512, max(1, (2 * prompt + max(length, 1)) // (2 * max(length, 1))))
