"""Own hardware in the shell: what is refused, and in which words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cli

OWN = ["breakeven", "--usd-per-hour", "2", "--tokens-per-s", "2500"]
KV = ["kv", "llama-3.1-8b", "--context"]


def refused(capsys: pytest.CaptureFixture[str], *arguments: str, status: int) -> str:
    """The one sentence on standard error; nothing on standard output."""
    assert cli.main([*arguments, "--json", "--lang", "en"]) == status
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err.strip()


@pytest.mark.parametrize("text", ["0", "-5", "abc", "1.5", "1e40", "nan"])
def test_a_sample_is_said_to_be_a_sample(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, *KV, text, status=2)
    assert said == f"--context: expected a value such as 131072, found {text}."


def test_a_range_is_said_as_a_range(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, *OWN, "--reuse", "1.5", status=2)
    assert said == "--reuse: expected 0 <= x < 1, found 1.5."


def test_a_flag_without_a_value_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, *OWN, "--api-read-usd", "0.1", status=2)
    assert said == "--api-input-usd has no value: give one such as 0.50."


def test_bytes_are_written_in_digits_or_with_an_exponent(
    capsys: pytest.CaptureFixture[str],
) -> None:
    memory = ("--fraction", "1", "--weights-bytes", "70e9", "--device-bytes", "288e9", "--json")
    assert cli.main(["kv", "llama-3.1-70b", "--context", "131072", *memory]) == 0
    assert json.loads(capsys.readouterr().out)["capacity"]["sequences"] == 5


def test_a_provider_or_model_without_a_price_is_refused_not_an_empty_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "found acme" in refused(capsys, *OWN, "--provider", "acme", status=1)
    said = refused(capsys, *OWN, "--model", "acme-1", status=1)
    assert said == "No API price is known for acme-1: check provider, model and date."
    tiers = refused(capsys, "tiers", "--provider", "acme", status=1)
    assert tiers.startswith("Provider: expected one of")


def test_more_blocks_than_memory_are_refused_not_a_negative_overhead(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = refused(
        capsys, *KV, "8192", "--device-bytes", "25250627584", "--weights-bytes", "16060522496",
        "--engine-blocks", "99999999", status=1,
    )  # fmt: skip
    assert "99,999,999 blocks" in said


def test_weights_of_an_unknown_type_are_not_called_a_cache_format(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = refused(capsys, "tiers", "--weights-dtype", "zz", status=2)
    assert said.startswith("Unknown type of weights zz")


def test_a_field_of_zero_is_not_called_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"num_hidden_layers": 0, "hidden_size": 4096, "num_attention_heads": 32}')
    assert "found 0." in refused(capsys, "kv", str(config), "--context", "10", status=1)


def test_what_several_devices_add_to_a_floor_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["roofline", "deepseek-v3", "--device", "h200-sxm", "--context", "4096",
             "--batch", "64", "--lang", "en"]  # fmt: skip
    assert cli.main([*asked, "--tp", "8"]) == 0
    assert "two all-reduces a layer at 450 GB/s" in capsys.readouterr().out
    assert cli.main(asked) == 0
    assert "all-reduces" not in capsys.readouterr().out
