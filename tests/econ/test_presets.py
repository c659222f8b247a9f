"""Workloads without a file: what they cost is what a worked example says."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from data_sources.traces.base import ReadOptions
from data_sources.traces.read import read
from data_sources.traces.source import open_path
from econ.presets import PRESETS, as_csv
from econ.report import CostReport, ReportParams
from econ.report_build import build_report
from price_tables.load import load_book

BY_ID = {preset.id: preset for preset in PRESETS}


def report(preset_id: str, tmp_path: Path) -> CostReport:
    path = tmp_path / "preset.csv"
    path.write_text(as_csv(BY_ID[preset_id]), encoding="utf-8")
    found = read([open_path(path)], ReadOptions())
    assert found.receipt.rows_rejected == 0
    params = ReportParams(models=("claude-opus-5",))
    return build_report(found.workload, found.receipt, load_book(), params)


def test_the_contract_costs_50_5_575_and_5_95(tmp_path: Path) -> None:
    found = report("contract", tmp_path)
    costs = {
        row.policy: row.usd.low_usd
        for row in found.rows
        if row.policy in ("none", "5m", "1h") and row.usd is not None
    }
    assert costs == {"none": Decimal(50), "5m": Decimal("5.575"), "1h": Decimal("5.95")}


@pytest.mark.parametrize(("name", "share"), [("agent_75", 75), ("agent_85", 85), ("agent_95", 95)])
def test_the_agent_reads_the_share_that_its_name_says(name: str, share: int) -> None:
    assert BY_ID[name].most_hits == pytest.approx(share / 100, abs=0.003)


def test_a_long_text_and_a_chat_are_what_they_say(tmp_path: Path) -> None:
    found = report("long", tmp_path).workload
    assert (found.requests, found.input_tokens, found.output_tokens) == (50, 5_000_000, 500_000)
    assert BY_ID["rag_chat"].most_hits == pytest.approx(0.25, abs=0.001)


@pytest.mark.parametrize(
    "wrong",
    [{"requests": 0}, {"requests": 100_001}, {"shared_tokens": 0}, {"output_tokens": -1},
     {"gap_s": -1}],
)  # fmt: skip
def test_counts_outside_the_limits_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"workload|counts"):
        as_csv(replace(BY_ID["contract"], **wrong))
