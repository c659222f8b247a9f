"""Saved reports side by side: one column a report, one line a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from econ.money import Amount
from econ.report import CostReport
from jobs import flows
from jobs.saved import SavedReport, SavedSummary
from messages.errors import KvledgerError
from ui import components, failures, tables
from ui.numerals import amount_signed, amount_usd, count, digest, foreign, percent
from ui.tables import Column, Table
from ui.words import t

MOST = 4
NOTHING = "–"
Line = Callable[[CostReport], str]


def show(reports: Sequence[SavedSummary]) -> None:
    """Choose two to four; nothing where fewer than two are saved."""
    if len(reports) < 2:
        return
    names = {row.id: f"{foreign(row.name)} · {digest(row.id)}" for row in reports}
    with components.rule("compare"), st.container(gap="xsmall"):
        components.answer(t("reports_page.compare"), t("reports_page.compare_unit"))
        chosen = st.multiselect(
            t("reports_page.compare_which"),
            list(names),
            format_func=lambda report_id: names.get(report_id, report_id),
            max_selections=MOST,
            key="compare_reports",
            placeholder=t("reports_page.compare_hint"),
        )
        if len(chosen) < 2:
            return
        try:
            opened = [flows.open_report(report_id) for report_id in chosen]
        except KvledgerError as error:  # one was deleted meanwhile
            failures.show(error)
            return
        tables.show(side_by_side(opened), "compared")


def side_by_side(reports: Sequence[SavedReport]) -> Table:
    """The figures of each report as it was saved; its id tells reports of one name apart."""
    lines: dict[str, Line] = {
        "requests": lambda r: NOTHING if r.workload.requests is None
        else count(r.workload.requests),
        "input": lambda r: count(r.workload.input_tokens),
        "output": lambda r: count(r.workload.output_tokens),
        "no_cache": lambda r: _usd(r.baselines.no_cache),
        "billed": lambda r: _usd(r.baselines.billed),
        "best": lambda r: _usd(r.baselines.best_reachable),
        "earned": lambda r: _signed(r.saving.earned),
        "hit": lambda r: NOTHING if r.ratios.token_hit is None else percent(r.ratios.token_hit),
        "book": lambda r: r.price_book_version,
        "method": lambda r: str(r.method_version),
    }  # fmt: skip
    head = Column(
        title=t("reports_page.figure"), values=[t(f"reports_page.compare.{name}") for name in lines]
    )
    columns = (
        Column(
            title=f"{foreign(one.name)} · {digest(one.id)}",
            values=[line(one.report) for line in lines.values()],
        )
        for one in reports
    )
    return Table(columns=(head, *columns), alt=t("reports_page.compare"))


def _usd(value: Amount | None) -> str:
    return NOTHING if value is None else amount_usd(value)


def _signed(value: Amount | None) -> str:
    return NOTHING if value is None else amount_signed(value)
