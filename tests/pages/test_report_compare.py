"""Saved reports side by side: the numbers each was saved with."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from econ.report import ReportParams
from jobs import flows
from jobs.saved import SavedReport
from settings import Settings, using
from ui.numerals import amount_usd
from ui.report_compare import side_by_side


def test_two_reports_stand_side_by_side_with_their_own_numbers(tmp_path: Path) -> None:
    none = ReportParams(include_failed=True)
    other = ReportParams(since=date(2026, 11, 18), until=date(2026, 11, 18))
    with using(Settings(data_dir=tmp_path)):
        ids = [
            flows.save_report(flows.example_id(), params, "ann", "same name")
            for params in (none, other)
        ]
        reports: list[SavedReport] = [flows.open_report(report_id) for report_id in ids]
    table = side_by_side(reports)
    assert len({column.title for column in table.columns}) == 3
    for report, column in zip(reports, table.columns[1:], strict=True):
        assert report.report.baselines.no_cache is not None
        assert amount_usd(report.report.baselines.no_cache) in column.values
        assert report.report.price_book_version in column.values
