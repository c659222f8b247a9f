"""D28: a trace is checked before it is believed. D31: a hand-off is not free. By the shell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import shell_shapes as shapes
from tests.shell import jsonl, plain_csv, shell

SIZE = ("--block-size", 512)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """One row that fits, one with more ids than its length has room for, one out of time order."""
    rows: list[dict[str, Any]] = [
        {"timestamp": 0, "input_length": 10, "output_length": 5, "hash_ids": [0]},
        {"timestamp": 200, "input_length": 20, "output_length": 8, "hash_ids": [0, 1]},
        {"timestamp": 100, "input_length": 600, "output_length": 6, "hash_ids": [0, 2]},
    ]
    return jsonl(tmp_path / "trace.jsonl", rows)


def test_d28_odd_rows_are_named_with_their_lines_and_unit_and_size_are_said(trace: Path) -> None:
    found = shell("inspect", trace, *SIZE, "--json").json
    shapes.INSPECT(found)
    assert found["format"] == "mooncake_trace"
    said = found["receipt"]["assumptions"]
    assert f"{trace}: timestamps are milliseconds." in said
    assert any("512 tokens" in words for words in said)
    assert any("line 2: 20 tokens cannot span 2 blocks of 512" in words for words in said)
    assert any("out of time order: 1 (line 3)" in words for words in said)
    assert not any("line 1" in words for words in said)
    assert found["receipt"]["rows_kept"] == 3


def test_d28_a_user_can_proceed_without_the_rows_that_do_not_fit(trace: Path) -> None:
    found = shell("inspect", trace, *SIZE, "--leave-out-misfits", "--json").json
    shapes.INSPECT(found)
    receipt = found["receipt"]
    assert (receipt["rows_read"], receipt["rows_kept"], receipt["rows_rejected"]) == (3, 2, 1)
    (rejected,) = receipt["rejected"]
    assert rejected["line"] == 2
    assert rejected["reason"].startswith("20 tokens cannot span 2 blocks of 512")
    assert found["stats"]["total_input_tokens"] == 610


def test_d28_no_block_size_is_assumed_where_none_fits(trace: Path) -> None:
    said = shell("inspect", trace, "--json")
    assert said.status == 1
    assert "--block-size" in said.sentence
    assert "line 2" in said.sentence


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    """Two prompts of 4,096 tokens."""
    row = {"input_tokens": 4_096, "output_tokens": 100}
    return plain_csv(tmp_path / "two.csv", [{"start_s": 0, **row}, {"start_s": 10, **row}])


POOLS = (
    "--model", "deepseek-v3", "--device", "h200-sxm", "--tp", 8, "--prefill-device", "h200-sxm",
    "--prefill-tp", 8, "--link-bytes-per-s", "50e9",
)  # fmt: skip


def test_d31_a_hand_off_has_bytes_a_time_a_share_and_a_place(prompts: Path) -> None:
    """70,272 B a token x 4,096 = 287,834,112 B: 5.76 ms, not zero and not per head."""
    said = shell("fleet", prompts, *POOLS, "--json")
    assert said.status == 0, said.err
    moved = said.json["handoff"]
    assert moved["bytes"] == 287_834_112
    assert round(moved["transfer_s"] * 1000, 2) == 5.76
    ttft_s = said.json["results"][0]["ttft_s"]["p50"]
    assert 0 < moved["share_of_ttft"] < moved["transfer_s"] / (ttft_s - moved["transfer_s"])
    memory = said.json["memory"]
    assert moved["max_in_decode"] == memory["blocks"] // (4_096 // memory["block_tokens"])


@pytest.mark.parametrize(("language", "serial"), [("en", "serial"), ("ja", "直列")])
def test_d31_the_text_says_that_it_is_serial_and_what_it_takes(
    prompts: Path, language: str, serial: str
) -> None:
    said = shell("fleet", prompts, *POOLS, "--lang", language).out
    (line,) = (line for line in said.splitlines() if "5.76 ms" in line)
    assert serial in line
    assert "TTFT" in line
    share = shell("fleet", prompts, *POOLS, "--json").json["handoff"]["share_of_ttft"]
    assert f"{share:.1%}" in line
