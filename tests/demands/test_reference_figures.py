"""Published and hand-checked figures of real files, through the shell."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from tests.shell import report, shell, usd


def to_places(amount: str, places: int) -> Decimal:
    """Half-up, as amounts are shown."""
    return usd(amount).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


@pytest.fixture
def session(reference_data: Path) -> Path:
    """A real Claude Code session of ten requests, written in 25 rows."""
    logs = reference_data / "traces" / "agent_logs" / "claude_code"
    return logs / "tracelab_claude_session.jsonl"


@pytest.fixture
def mooncake(reference_data: Path) -> Path:
    """The conversation trace of the Mooncake paper."""
    return reference_data / "traces" / "serving_prefix" / "mooncake" / "conversation_trace.jsonl"


def test_the_real_session_is_ten_requests_each_counted_once(session: Path) -> None:
    """64 rows = 10 kept + 15 collapsed + 39 without usage; 25 rows hold usage."""
    found = shell("inspect", session, "--json").json
    receipt = found["receipt"]
    counts = [receipt[f"rows_{what}"] for what in ("read", "kept", "collapsed", "rejected")]
    assert [*counts, receipt["rows_ignored"]] == [64, 10, 15, 0, 39]
    assert found["format"] == "claude_code_jsonl"
    assert found["format_stats"] == {
        "assistant_rows_with_usage": 25,
        "unique_messages": 10,
        "deduped_input": 3_039,
        "deduped_write_5m": 21_086,
        "deduped_write_1h": 0,
        "deduped_read": 394_068,
        "deduped_output": 9_423,
    }


def test_the_real_session_cost_0_57959_and_not_1_54442(session: Path) -> None:
    found = report(session)
    assert to_places(found["baselines"]["billed_usd"], 5) == Decimal("0.57959")
    assert to_places(found["baselines"]["no_cache_usd"], 5) == Decimal("2.32654")
    (row,) = (row for row in found["rows"] if row["policy"] == "as-billed")
    assert row["tokens"] == {
        "uncached": 3_039,
        "read": 394_068,
        "write_5m": 21_086,
        "output": 9_423,
    }
    assert found["workload"]["requests"] == 10


def test_the_session_twice_is_the_session_once(session: Path, tmp_path: Path) -> None:
    """A copy adds nothing, nor does a file with one more line of the same answers."""
    longer = tmp_path / "longer.jsonl"
    lines = session.read_text(encoding="utf-8").splitlines(keepends=True)
    longer.write_text("".join([*lines, lines[-1]]), encoding="utf-8")
    once = report(session)["baselines"]
    assert report(session, session)["baselines"] == once
    assert report(session, longer)["baselines"] == once


def test_the_mooncake_trace_has_the_figures_of_its_paper(mooncake: Path) -> None:
    stats = shell("inspect", mooncake, "--json").json["stats"]
    assert stats["rows"] == 12_031
    assert stats["total_input_tokens"] == 144_793_823
    assert stats["ideal_block_hit_ratio"] == 0.366412
    assert stats["ideal_token_hit_ratio"] == 0.373624
    assert stats["mean_request_hit_ratio"] == 0.384258


def test_the_mooncake_trace_costs_827_02_without_caching(mooncake: Path) -> None:
    found = report(mooncake, "--model", "claude-opus-5")
    assert to_places(found["baselines"]["no_cache_usd"], 2) == Decimal("827.02")
    assert found["baselines"]["billed_usd"] is None
    assert found["workload"] == {
        "name": "conversation_trace.jsonl",
        "requests": 12_031,
        "rows": 12_031,
        "first_utc": None,
        "last_utc": None,
        "days_utc": None,
    }


def test_a_console_export_is_sums_that_do_not_count_requests(reference_data: Path) -> None:
    console = reference_data / "traces" / "usage_exports" / "anthropic_console"
    found = report(console / "claude_api_tokens_handcheck.synthetic.csv")
    assert found["workload"]["requests"] is None
    assert found["workload"]["rows"] == 2
    assert {row["requests"] for row in found["groups"]} == {None}


def test_a_folder_of_logs_is_read_as_one_workload(reference_data: Path) -> None:
    """Main session and its sub-agent lie in two folders; an answer in both counts once."""
    project = reference_data / "traces" / "agent_logs" / "claude_code" / "project-demo"
    files = sorted(project.rglob("*.jsonl"))
    assert len(files) == 2
    assert report(project)["report_id"] == report(*files)["report_id"]
    assert report(project)["workload"]["name"] == "project-demo"
