"""What leaves the house: the page to send and the FOCUS-style rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from econ.focus_csv import focus_csv as focus_bytes
from econ.focus_rows import focus_rows
from econ.report import CostReport, Rate, ReportParams
from econ.report_build import billing_options
from econ.report_html import report_html as html_text
from econ.workload import Workload
from jobs.reporting import book, fitted
from jobs.shelf import opened
from jobs.yen import with_yen
from messages.catalogue import sayer
from messages.errors import Message, SourceError, input_error
from messages.facts import speaker


def report_html(
    report: CostReport, language: str, rates: Sequence[Rate] = (), name: str | None = None
) -> bytes:
    """The report as one HTML file of two A4 sides. `name`: what the reader calls the workload."""
    said = with_yen(report, rates)
    text = html_text(
        report, name or report.workload.name, language, sayer(language), said, speaker(language)
    )
    return text.encode("utf-8", errors="replace")


def focus_csv(
    workload_id: str,
    params: ReportParams,
    report: CostReport,
    owner: str,
    rates: Sequence[Rate] = (),
) -> bytes:
    """FOCUS-style rows of the workload that `report` is of."""
    found = opened(workload_id, owner)
    return focus_of(found.workload, params, report, rates)


def kept_focus_csv(report: CostReport, rates: Sequence[Rate] = ()) -> bytes:
    """The FOCUS-style rows that `report` was saved with, at the prices of that day. InputError
    where it was saved without them."""
    if not report.focus:
        raise input_error("finance.no_focus", id=report.report_id[:12])
    return focus_bytes(report.focus, report, with_yen(report, rates))


def focus_of(
    workload: Workload, params: ReportParams, report: CostReport, rates: Sequence[Rate] = ()
) -> bytes:
    """FOCUS-style rows of files that were just read."""
    asked = fitted(workload, params)
    rows = focus_rows(workload, book(), billing_options(workload, asked), asked)
    return focus_bytes(rows, report, with_yen(report, rates))


def write_file(path: Path, content: bytes) -> None:
    """Write a file that was asked for. SourceError when it cannot be written."""
    try:
        path.write_bytes(content)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise SourceError(Message("cli.cannot_write", {"file": str(path), "why": why})) from error
