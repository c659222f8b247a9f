"""D01: two vendors, two meanings of "input tokens"."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.shell import groups, jsonl, report, shell, usd

SEPTEMBER_1 = 1_788_220_800  # 2026-09-01 00:00 UTC


def openai_reply(cached: int, identity: str) -> dict[str, Any]:
    return {
        "id": identity,
        "object": "response",
        "created_at": SEPTEMBER_1,
        "model": "gpt-5.6-sol",
        "usage": {
            "input_tokens": 2600,
            "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 400},
            "output_tokens": 10,
            "total_tokens": 2610,
        },
    }


def anthropic_reply() -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "model": "claude-opus-5",
        "created_at": "2026-09-01T00:00:00Z",
        "usage": {
            "input_tokens": 200,
            "cache_read_input_tokens": 2000,
            "cache_creation_input_tokens": 400,
            "cache_creation": {"ephemeral_5m_input_tokens": 400, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 10,
        },
    }


def test_d01_openai_counts_reads_and_writes_inside_its_prompt_total(tmp_path: Path) -> None:
    """Uncached 200, read 2,000, write 400; input cost 0.0036 USD, not 5,000 tokens."""
    file = jsonl(tmp_path / "replies.jsonl", [openai_reply(2000, "resp_1")])
    found = report(file)
    (row,) = (row for row in found["rows"] if row["policy"] == "as-billed")
    assert row["tokens"] == {"uncached": 200, "read": 2000, "write_30m": 400, "output": 10}
    costs = {bucket: usd(amount) for bucket, amount in row["usd_by_bucket"].items()}
    assert costs.pop("output") == usd("0.0002")
    assert sum(costs.values()) == usd("0.0036")


def test_d01_a_row_whose_parts_exceed_its_total_is_rejected_with_its_line(tmp_path: Path) -> None:
    file = jsonl(
        tmp_path / "replies.jsonl", [openai_reply(2000, "resp_1"), openai_reply(2700, "resp_2")]
    )
    receipt = shell("inspect", file, "--json").json["receipt"]
    assert (receipt["rows_read"], receipt["rows_kept"], receipt["rows_rejected"]) == (2, 1, 1)
    (rejected,) = receipt["rejected"]
    assert (rejected["file"], rejected["line"]) == (str(file), 2)
    assert "2,700" in rejected["reason"]
    assert "2,600" in rejected["reason"]
    assert report(file)["workload"]["requests"] == 1


def test_d01_alone_such_a_row_is_refused_in_one_sentence(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "replies.jsonl", [openai_reply(2700, "resp_2")])
    said = shell("report", file, "--json")
    assert said.status == 1
    assert str(file) in said.sentence


def test_d01_anthropic_counts_them_beside_its_input(tmp_path: Path) -> None:
    """The same 2,600 prompt tokens from the other vendor's words: 200 + 2,000 + 400."""
    file = jsonl(tmp_path / "replies.jsonl", [openai_reply(2000, "resp_1"), anthropic_reply()])
    tokens = {name: row["tokens"] for name, row in groups(report(file), "model").items()}
    assert tokens["claude-opus-5"]["uncached"] == tokens["gpt-5.6-sol"]["uncached"] == 200
    assert tokens["claude-opus-5"]["read"] == tokens["gpt-5.6-sol"]["read"] == 2000
    assert tokens["claude-opus-5"]["write_5m"] == tokens["gpt-5.6-sol"]["write_30m"] == 400
