"""A column mapping that no file has a column for is said to be unused, never dropped silently."""

from __future__ import annotations

from pathlib import Path

from data_sources.traces.base import ReadOptions
from data_sources.traces.read import read
from data_sources.traces.source import open_path
from messages.errors import Message

UNUSED = Message("traces.assume.mapping_unused")


def assumptions(path: Path, mapping: dict[str, str]) -> tuple[Message, ...]:
    return read([open_path(path)], ReadOptions(mapping=mapping)).receipt.assumptions


def test_a_mapping_of_other_columns_is_said_to_be_unused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("start_s,input_tokens,output_tokens\n0,5,1\n", encoding="utf-8")
    assert UNUSED in assumptions(path, {"nosuch": "input_tokens"})


def test_a_mapping_that_was_used_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("p,c\n5,1\n", encoding="utf-8")
    assert UNUSED not in assumptions(path, {"p": "input_tokens", "c": "output_tokens"})
