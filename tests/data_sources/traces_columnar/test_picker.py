"""What a form asks about a refused file."""

from __future__ import annotations

from pathlib import Path

from data_sources.traces.picker import picker_for


def write(folder: Path, name: str, text: str) -> tuple[str, Path]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return name, path


def test_a_japanese_table_opens_with_what_its_names_tell(tmp_path: Path) -> None:
    file = write(tmp_path, "利用.csv", "日時,モデル,入力トークン,キャッシュ読込,出力トークン\n")
    asked = picker_for([file])
    assert asked.columns == ("日時", "モデル", "入力トークン", "キャッシュ読込", "出力トークン")
    assert asked.guess == {
        "input_tokens": "入力トークン",
        "output_tokens": "出力トークン",
        "cached_read_tokens": "キャッシュ読込",
        "model": "モデル",
        "start_utc": "日時",
    }


def test_a_known_layout_without_a_reader_opens_with_its_own_meaning(tmp_path: Path) -> None:
    text = "Date,Slug,Requests,Prompt Tokens,Completion Tokens\n2026-10-01,x/y,3,374,44\n"
    asked = picker_for([write(tmp_path, "daily.csv", text)])
    assert asked.guess["input_tokens"] == "Prompt Tokens"
    assert asked.guess["start_utc"] == "Date"


def test_a_trace_without_a_block_size_is_asked_for_it_alone(tmp_path: Path) -> None:
    row = '{"timestamp":0,"input_length":10,"output_length":5,"hash_ids":[0,1,2]}\n'
    asked = picker_for([write(tmp_path, "trace.jsonl", row)])
    assert (asked.columns, asked.block_size) == ((), True)


def test_a_file_that_is_no_table_asks_nothing(tmp_path: Path) -> None:
    asked = picker_for([write(tmp_path, "note.txt", ""), ("gone.csv", tmp_path / "gone.csv")])
    assert (asked.columns, asked.guess, asked.block_size) == ((), {}, False)
