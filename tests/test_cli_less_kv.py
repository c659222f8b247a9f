"""The shell's `lesskv` and `switch`: shapes, words in both languages, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.shell import shell

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "docs" / "example.csv"
BAND = {"low", "mid", "high"}


def test_json_has_every_scenario_with_bytes_devices_and_dollars() -> None:
    said = shell("lesskv", EXAMPLE, "--model", "llama-3.1-8b", "--device", "h200-sxm", "--json")
    assert said.status == 0, said.err
    data = json.loads(said.out)
    first = data["scenarios"][0]
    assert (first["lever"], first["bytes_per_token"]) == ("as_is", 131_072)
    by = {row["kv_format"]: row["bytes_per_token"] for row in data["scenarios"]}
    assert (by["q8_0"], by["q4_0"]) == (69_632, 36_864)
    assert set(first["hbm_usd"]) == BAND
    assert data["hbm_spend"]["as_is"]["share_total_percent"] == 101
    assert data["hybrid"]["kv_saving_ratio"] == 0.740741
    assert data["switch"]["at_timed"]["gain"] == 25.089928
    assert all(row["quality"] == [] for row in data["scenarios"] if row["lever"] == "mqa")


def test_keys_and_values_are_chosen_apart() -> None:
    said = shell("lesskv", EXAMPLE, "--model", "llama-3.1-8b", "--keys", "q8_0", "--values",
                 "q4_0", "--json")  # fmt: skip
    last = json.loads(said.out)["scenarios"][-1]
    assert (last["kv_format"], last["bytes_per_token"]) == ("q8_0/q4_0", 53_248)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_text_is_a_table_in_the_readers_language(language: str) -> None:
    said = shell("lesskv", EXAMPLE, "--lang", language)
    assert said.status == 0, said.err
    assert ("As it is" in said.out) is (language == "en")
    assert ("モデルのまま" in said.out) is (language == "ja")


def test_the_csv_has_a_source_and_a_basis_for_every_figure(tmp_path: Path) -> None:
    out = tmp_path / "less.csv"
    said = shell("lesskv", EXAMPLE, "--out", out)
    assert said.status == 0, said.err
    text = out.read_text(encoding="utf-8-sig")
    assert text.splitlines()[0].startswith("section,row,figure,value,low,high,unit,basis,source")
    assert "rebound" in text
    assert "Ministral 3 3B -> Ministral 3 14B (fails)" in text


def test_an_input_is_never_overwritten_and_a_bad_folder_is_named(tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_bytes(EXAMPLE.read_bytes())
    assert shell("lesskv", own, "--out", own).status == 2
    gone = shell("lesskv", own, "--out", tmp_path / "none" / "x.csv")
    assert gone.status == 1
    assert "x.csv" in gone.sentence


def test_a_file_without_times_is_refused_with_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "untimed.csv"
    file.write_text("input_tokens,output_tokens,model\n1000,10,claude-opus-5\n", encoding="utf-8")
    said = shell("lesskv", file)
    assert said.status == 1
    assert "untimed.csv" in said.sentence


@pytest.mark.parametrize(
    ("flag", "value", "status"),
    [("--keys", "blue", 2), ("--lifetime-s", "0", 2), ("--lifetime-s", "99999999999", 2),
     ("--device", "h9000", 1), ("--model", "zzzz", 1)],
)  # fmt: skip
def test_nonsense_is_refused_with_what_was_found(flag: str, value: str, status: int) -> None:
    said = shell("lesskv", EXAMPLE, flag, value)
    assert said.status == status
    assert value in said.sentence.replace(",", "")


def test_switch_says_what_was_timed_what_failed_and_what_nobody_measured() -> None:
    timed = shell("switch", "Qwen3 14B", "Qwen3 32B")
    assert "278 ms" in timed.out
    assert "6,975 ms" in timed.out
    assert "25.1 times" in timed.out
    assert "97.6 %" in timed.out
    failed = shell("switch", "Ministral 3 3B", "Ministral 3 14B")
    assert "failed, 44.2 %" in failed.out
    unknown = json.loads(shell("switch", "llama-3.1-8b", "llama-3.1-70b", "--json").out)
    assert unknown["advice"] == "not_measured"
    assert (unknown["retention_low"], unknown["map_s"], unknown["measured"]) == (None, None, False)
    other = shell("switch", "llama-3.1-8b", "llama-3.1-70b", "--lang", "ja")
    assert "未計測" in other.out


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_name_that_nobody_knows_is_refused_with_the_published_pairs(language: str) -> None:
    said = shell("switch", "a", "qwen3-32b", "--lang", language)
    assert (said.status, said.out) == (1, "")
    assert said.err.startswith("a ")
    assert "Qwen3 14B → Qwen3 32B" in said.err


def test_other_lengths_have_no_published_time_and_bad_ones_are_refused() -> None:
    said = shell("switch", "qwen3-14b", "qwen3-32b", "--context", 8192)
    assert "No time is published" in said.out
    assert shell("switch", "a", "b", "--context", "many").status == 2
