"""Downloads that reset nothing: made when they are asked for, without a run of the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st

from econ.report import CostReport, ReportParams
from jobs import flows, sheets
from ui import state, statement
from ui.words import language, t


def csv_button(
    label: str,
    make: Callable[[], bytes],
    file_name: str,
    key: str,
    kind: Literal["secondary", "tertiary"] = "secondary",
) -> None:
    """A button for a CSV file. `make` runs at the click, in a thread of its own: no st calls."""
    st.download_button(
        label,
        data=make,
        file_name=file_name,
        mime="text/csv",
        key=key,
        on_click="ignore",
        icon=":material/download:",
        type=kind,
    )


def report_button(
    report: CostReport, key: str, kind: Literal["secondary", "tertiary"] = "secondary"
) -> None:
    """The report as CSV: every row that the page shows, raw numbers, UTF-8 with BOM."""
    spoken, rates = language(), state.rates()  # no session in the thread that makes the file

    def make() -> bytes:
        return flows.report_csv(report, spoken, rates)

    csv_button(t("ui.download_csv"), make, f"kvledger-{report.report_id[:12]}.csv", key, kind)


def sheet_button(
    report: CostReport, key: str, kind: Literal["secondary", "tertiary"] = "secondary"
) -> None:
    """The report as one HTML file of two A4 sides, to print or to send."""
    spoken, rates, name = language(), state.rates(), statement.name_of(report.workload)

    def make() -> bytes:
        return sheets.report_html(report, spoken, rates, name)

    st.download_button(
        t("finance.download_sheet"),
        data=make,
        file_name=f"kvledger-{report.report_id[:12]}.html",
        mime="text/html",
        key=key,
        on_click="ignore",
        icon=":material/print:",
        type=kind,
    )


def focus_button(workload_id: str, params: ReportParams, report: CostReport, key: str) -> None:
    """FOCUS-style rows of the workload: one a day (or month), model and kind of token."""
    owner, rates = state.owner(), state.rates()

    def make() -> bytes:
        return sheets.focus_csv(workload_id, params, report, owner, rates)

    name = f"kvledger-focus-{report.report_id[:12]}.csv"
    csv_button(t("finance.download_focus"), make, name, key)


def kept_focus_button(report: CostReport, key: str) -> None:
    """The FOCUS-style rows that a report was saved with; nothing where it has none."""
    if not report.focus:
        return
    rates = state.rates()

    def make() -> bytes:
        return sheets.kept_focus_csv(report, rates)

    name = f"kvledger-focus-{report.report_id[:12]}.csv"
    csv_button(t("finance.download_focus"), make, name, key)
