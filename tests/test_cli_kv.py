"""The shell's `kv`: text in both languages, files of three kinds, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.econ_hardware.headers import LLAMA, gguf, safetensors
from tests.shell import shell


def test_the_text_names_windows_and_says_what_does_not_fit() -> None:
    said = shell("kv", "gpt-oss-20b", "--context", 131072, "--free-bytes", 1_000_000_000)
    assert said.status == 0
    assert "sliding window" in said.out
    assert "One sequence of that length does not fit" in said.out


def test_the_text_is_japanese_where_that_is_asked_for() -> None:
    said = shell("kv", "deepseek-v3", "--context", 8192, "--lang", "ja")
    assert "潜在（MLA）" in said.out
    assert "全体（理論上の最小）" in said.out


def test_a_gguf_file_is_read_and_its_assumptions_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf(LLAMA))
    said = shell("kv", path, "--context", 8192)
    assert "131,072" in said.out
    assert "GGUF header" in said.out


def test_a_safetensors_header_is_read_and_its_assumptions_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    widths = {f"model.layers.0.self_attn.{part}_proj.weight": (1024, 4096) for part in "kv"}
    path.write_bytes(safetensors(widths))
    said = shell("kv", path, "--context", 8192)
    assert said.status == 0, said.err
    assert "4,096" in said.out
    assert "says nothing of windows" in said.out


def test_an_unknown_model_lists_near_ones() -> None:
    said = shell("kv", "lama-3.1-70", "--context", 8192)
    assert said.status == 1
    assert "llama-3.1-70b" in said.sentence


def test_a_name_like_no_other_says_so() -> None:
    said = shell("kv", "zzzzzzzzzzzzzzzz", "--context", 8192)
    assert said.status == 1
    assert "none is named nearly so" in said.sentence


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    said = shell("kv", tmp_path / "gone.json", "--context", 8192)
    assert said.status == 1
    assert "gone.json" in said.sentence


def test_a_damaged_config_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"hidden_size": ', encoding="utf-8")
    said = shell("kv", path, "--context", 8192)
    assert said.status == 1
    assert "config.json" in said.sentence


@pytest.mark.parametrize(
    "words",
    [
        ("--context", "0"),
        ("--context", "8k"),
        ("--context", "8192", "--tp", "-1"),
        ("--context", "8192", "--dtype", "fp3"),
        ("--context", "8192", "--device-bytes", "80"),
        ("--context", "8192", "--fraction", "0.9"),
        ("--context", "8192", "--free-bytes", "80", "--fraction", "0.9"),
        ("--context", "8192", "--device-bytes", "80", "--weights-bytes", "1", "--fraction", "1.1"),
        ("--context", "8192", "--engine-blocks", "80"),
    ],
)
def test_a_flag_that_makes_no_sense_is_wrong_usage(words: tuple[str, ...]) -> None:
    said = shell("kv", "llama-3.1-8b", *words)
    assert said.status == 2
    assert said.sentence


def test_json_of_a_config_names_its_source(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    fields = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    path.write_text(json.dumps(fields), encoding="utf-8")
    found = shell("kv", path, "--context", 16, "--json").json
    assert found["source"] == "config.json"
    assert found["as_of"] is None
    assert found["bytes_per_token"] == 2 * 2 * 4 * 16 * 2


def test_a_path_that_no_system_has_is_a_name_that_nobody_knows() -> None:
    said = shell("kv", "x" * 5000, "--context", 8192)
    assert said.status == 1
    assert len(said.sentence) < 400


def test_what_is_not_known_is_a_dash() -> None:
    said = shell("kv", "deepseek-v4-pro", "--context", 8192)
    line = next(line for line in said.out.splitlines() if "query head" in line)
    assert line.split()[-3:] == ["-", "-", "-"]
