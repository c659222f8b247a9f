"""Real files and what they cost: the numbers that the product is judged by."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from data_sources.traces.base import ReadResult, Source
from data_sources.traces.read import read
from econ.money import e13_from_usd, shown
from econ.receipt import Receipt
from econ.report import CostReport, ReportParams
from econ.report_build import build_report
from price_tables.load import load_book
from tests.econ.hand import table


def result_of(path: Path) -> ReadResult:
    """The file, read."""
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    size = path.stat().st_size
    return read([Source(name=path.name, path=path, sha256=sha256, size_bytes=size)])


def report_of(path: Path, params: ReportParams | None = None) -> CostReport:
    """Its report at shipped prices."""
    result = result_of(path)
    return build_report(result.workload, result.receipt, load_book(), params or ReportParams())


def test_the_real_claude_session_costs_0_57959_and_2_32654_without_caching(
    reference_data: Path,
) -> None:
    session = reference_data / "traces/agent_logs/claude_code/tracelab_claude_session.jsonl"
    found = report_of(session)
    assert found.workload.requests == 10
    as_billed = next(row for row in found.rows if row.policy == "as-billed")
    assert as_billed.tokens_low == {
        "uncached": 3_039, "read": 394_068, "write_5m": 21_086, "output": 9_423
    }  # fmt: skip
    assert found.baselines.billed is not None
    assert found.baselines.no_cache is not None
    assert str(shown(found.baselines.billed.low_usd, 5)) == "0.57959"
    assert str(shown(found.baselines.no_cache.low_usd, 5)) == "2.32654"


def test_the_conversation_trace_costs_827_02_without_caching(reference_data: Path) -> None:
    trace = reference_data / "traces/serving_prefix/mooncake/conversation_trace.jsonl"
    found = report_of(trace, ReportParams(models=("claude-opus-5",)))
    assert (found.workload.requests, found.workload.input_tokens) == (12_031, 144_793_823)
    assert found.workload.output_tokens == 4_122_048
    assert found.baselines.no_cache is not None
    assert str(shown(found.baselines.no_cache.low_usd, 2)) == "827.02"
    assert found.baselines.billed is None
    assert {source.model for row in found.rows for source in row.sources} == {"claude-opus-5"}


def test_the_first_row_of_the_console_handcheck_costs_1_440055(reference_data: Path) -> None:
    folder = reference_data / "traces/usage_exports/anthropic_console"
    found = report_of(folder / "claude_api_tokens_handcheck.synthetic.csv")
    first = next(group for group in found.groups if group.key == "2026-07-31")
    assert first.billed is not None
    assert first.billed.to_json() == "1.440055"


def gateway_rows(path: Path) -> list[dict[str, Any]]:
    """A gateway's spend logs as usage rows: its prompt count includes reads and writes."""
    rows = []
    for row in json.loads(path.read_text(encoding="utf-8")):
        usage = json.loads(row["metadata"])["usage_object"] or {}
        details = usage.get("prompt_tokens_details") or {}
        writes = details.get("cache_creation_tokens")
        rows.append(
            {
                "model": row["model"],
                "provider": row["custom_llm_provider"],
                "arrival_utc": row["startTime"].replace(" ", "T"),
                "input_tokens": row["prompt_tokens"],
                "output_tokens": row["completion_tokens"],
                "cached_read_tokens": details.get("cached_tokens"),
                "cache_write_5m_tokens": writes or None,
                "failed": int(row["status"] == "failure"),
                "observed_cost_e13": e13_from_usd(Decimal(str(row["spend"]))),
            }
        )
    return rows


def test_a_gateway_that_used_one_price_table_for_all_is_reconciled_to_it(
    reference_data: Path,
) -> None:
    logs = reference_data / "traces/usage_exports/litellm/spend_logs.synthetic.json"
    workload = table(gateway_rows(logs))
    receipt = Receipt(files=(), rows_read=workload.rows, rows_kept=workload.rows)
    found = build_report(workload, receipt, load_book(), ReportParams())
    assert found.observed_cost is not None
    assert found.observed_cost.to_json() == "0.2444502"
    assert found.reconciliation is not None
    assert found.reconciliation.computed.to_json() == "0.10712328"
    parts = {name: part.to_json() for name, part in found.reconciliation.parts.items()}
    assert parts == {"price": "0.13732692"}
    fitted = {row.model: dict(row.usd_per_mtok) for row in found.reconciliation.fitted}
    assert fitted == {
        "claude-sonnet-5": {
            "uncached": Decimal(3),
            "read": Decimal("0.3"),
            "write_5m": Decimal("3.75"),
            "output": Decimal(15),
        },
        "gpt-5.6-luna": {"uncached": Decimal(3), "read": Decimal("0.3"), "output": Decimal(15)},
    }
