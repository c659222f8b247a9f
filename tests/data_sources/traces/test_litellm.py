"""LiteLLM's spend logs: both shapes give the same calls, both meanings of the prompt count."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from data_sources.traces.base import ReadOptions, ReadResult
from data_sources.traces.read import read
from data_sources.traces.source import open_path
from econ.report import ReportParams
from econ.report_build import build_report
from messages.errors import InputError
from price_tables.load import load_book

FOLDER = "traces/usage_exports/litellm"


def call(number: int, prompt: int, **over: Any) -> dict[str, Any]:
    read_, written = over.pop("read", 0), over.pop("written", 0)
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": read_, "cache_creation_tokens": written},
        **over.pop("usage", {}),
    }
    return {
        "request_id": f"r{number}",
        "call_type": "acompletion",
        "spend": 0.5,
        "prompt_tokens": prompt,
        "completion_tokens": 10,
        "startTime": f"2026-10-02 03:00:{number:02d}.5",
        "model": "claude-sonnet-5",
        "custom_llm_provider": "anthropic",
        "metadata": json.dumps({"usage_object": usage}),
        "status": "success",
        "messages": {"role": "user", "content": "secret words"},
        **over,
    }


def as_csv(rows: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def result(path: Path, **options: Any) -> ReadResult:
    return read([open_path(path)], ReadOptions(**options))


def read_rows(tmp_path: Path, rows: list[dict[str, Any]], shape: str = "json") -> ReadResult:
    path = tmp_path / f"logs.{shape}"
    path.write_text(json.dumps(rows) if shape == "json" else as_csv(rows), encoding="utf-8")
    return result(path)


@pytest.mark.parametrize("name", ["spend_logs.synthetic.csv", "spend_logs.synthetic.json"])
def test_the_sample_states_0_2444502_and_costs_0_10712328(reference_data: Path, name: str) -> None:
    found = result(reference_data / FOLDER / name)
    stats = found.workload.format_stats
    assert (stats["rows"], stats["prompt_tokens"], stats["completion_tokens"]) == (
        40, 136_118, 8_099,
    )  # fmt: skip
    assert (stats["cached_tokens"], stats["cache_creation_tokens"]) == (108_544, 10_240)
    assert (found.receipt.rows_kept, found.receipt.rows_ignored) == (39, 1)
    report = build_report(found.workload, found.receipt, load_book(), ReportParams())
    assert report.observed_cost is not None
    assert report.observed_cost.to_json() == "0.2444502"
    assert report.reconciliation is not None
    assert report.reconciliation.computed.to_json() == "0.10712328"
    parts = {name: part.to_json() for name, part in report.reconciliation.parts.items()}
    assert parts == {"price": "0.13732692"}


def test_a_single_call_as_the_gateway_sends_it_is_read(reference_data: Path) -> None:
    path = reference_data / FOLDER / "spend_logs_payload.upstream_fixture_trimmed.json"
    found = result(path)
    assert found.workload.rows == 1
    counts = [found.workload.counts(f"{side}_tokens").tolist() for side in ("input", "output")]
    assert counts == [[10], [20]]


@pytest.mark.parametrize("shape", ["json", "csv"])
def test_parts_come_out_of_the_prompt_count(tmp_path: Path, shape: str) -> None:
    rows = [call(1, 1_000, read=600, written=300), call(2, 50)]
    found = read_rows(tmp_path, rows, shape).workload
    assert found.counts("input_tokens").tolist() == [1_000, 50]
    assert found.counts("cached_read_tokens").tolist() == [600, 0]
    assert found.counts("cache_write_5m_tokens").tolist() == [300, 0]
    assert found.ints("observed_cost_e13").tolist() == [5 * 10**12] * 2
    assert "secret" not in repr(found)


def test_one_row_that_cannot_be_meant_so_turns_the_meaning_of_its_kind_of_call(
    tmp_path: Path,
) -> None:
    rows = [
        call(1, 100, read=600, call_type="pass_through"),
        call(2, 1_000, read=600, call_type="pass_through"),
        call(3, 1_000, read=600),
    ]
    found = read_rows(tmp_path, rows)
    assert found.workload.counts("input_tokens").tolist() == [700, 1_600, 1_000]
    (said,) = [m for m in found.receipt.assumptions if m.id == "traces.assume.litellm_beside"]
    assert said.values["call_type"] == "pass_through"


def test_lifetimes_that_are_said_are_kept_and_others_are_assumed(tmp_path: Path) -> None:
    split = {"cache_creation_token_details": {"ephemeral_1h_input_tokens": 200}}
    rows = [
        call(1, 1_000, written=300, usage=split),
        call(2, 1_000, written=300, custom_llm_provider="openai", model="gpt-5.6-luna"),
    ]
    found = read_rows(tmp_path, rows)
    columns = {
        name: found.workload.counts(name).tolist()
        for name in ("cache_write_5m_tokens", "cache_write_1h_tokens", "cache_write_30m_tokens")
    }
    assert columns == {
        "cache_write_5m_tokens": [100, 0],
        "cache_write_1h_tokens": [200, 0],
        "cache_write_30m_tokens": [0, 300],
    }
    assert "traces.assume.writes_30m" in {m.id for m in found.receipt.assumptions}


def test_repeated_failed_and_broken_rows_are_counted(tmp_path: Path) -> None:
    rows = [
        call(1, 10),
        call(1, 10),
        call(2, 0, status="failure", metadata='{"usage_object": null}'),
        call(3, 10, metadata="{cut"),
        call(4, 10, prompt_tokens="many"),
    ]
    receipt = read_rows(tmp_path, rows, "csv").receipt
    assert (receipt.rows_read, receipt.rows_kept) == (5, 2)
    assert (receipt.rows_collapsed, receipt.rows_ignored, receipt.rows_rejected) == (1, 1, 1)
    assert receipt.collapsed_cost_e13 == 5 * 10**12


def test_a_cell_that_no_table_can_hold_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "logs.csv"
    path.write_text(as_csv([call(1, 10, messages="x" * 200_000)]), encoding="utf-8")
    with pytest.raises(InputError, match="litellm_cell"):
        result(path)


def test_gateway_names_of_providers_are_the_books_own(tmp_path: Path) -> None:
    found = read_rows(tmp_path, [call(1, 10, custom_llm_provider="vertex_ai")]).workload
    assert found.text("provider").decode()[0] == "vertex"
