"""Reports: which numbers do you want to keep?"""

from __future__ import annotations

import streamlit as st

from jobs import flows
from messages.errors import KvledgerError
from ui import (
    adjusted_view,
    components,
    controls,
    downloads,
    failures,
    finance,
    finance_params,
    own_report_view,
    own_seen,
    report_compare,
    saved,
    sections,
    state,
    statement,
    view,
)
from ui.words import t


def current() -> None:
    """The report that is looked at, and what can be done with it."""
    seen = view.load()
    if seen is None:
        return
    full = finance_params.full(seen)
    sent = own_seen.in_report(seen.workload_id, full)
    left, right = st.columns([5, 6], gap="large")
    with left:
        sections.number(seen.report, seen.about)
        sections.how_saving(seen.report, "how")
    with right:
        saved.save_form(seen)
        with st.container(horizontal=True, key="downloads"):
            downloads.report_button(sent, "download_current")
            downloads.sheet_button(sent, "sheet_current")
            downloads.focus_button(seen.workload_id, state.params(), seen.report, "focus_current")
    finance.sections(seen, full)
    adjusted_view.show(full)
    own_report_view.current(sent.own)


def reopened(asked: str) -> str | None:
    """A saved report, with the numbers that it was saved with; its id, None where there is none.
    `asked`: the id or the beginning of it."""
    try:
        kept = flows.open_report(flows.full_report_id(asked))
    except KvledgerError as error:  # none such, or a beginning that several share
        failures.show(error)
        return None
    about = statement.about(kept.report.workload)
    left, right = st.columns([5, 6], gap="large")
    with left:
        sections.number(kept.report, about)
        sections.how_saving(kept.report, "how_saved")
    with right:
        saved.facts(kept)
        controls.yen()
        with st.container(horizontal=True, key="downloads"):
            downloads.report_button(kept.report, "download_saved")
            downloads.sheet_button(kept.report, "sheet_saved")
            downloads.kept_focus_button(kept.report, "focus_saved")
        saved.delete_button(kept.id)
    sections.figures(kept.report)
    sections.buckets(kept.report)
    sections.hit_ratio(kept.report)
    finance.kept(kept.report)
    adjusted_view.show(kept.report)
    own_report_view.section(kept.report.own)
    sections.trust(kept.report, "saved")
    return kept.id


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("reports_page.title"))
    asked, opened = state.asked_report(), None
    with st.container(gap="medium"):
        if asked is None:
            current()
        else:
            opened = reopened(asked)
        with components.rule("list"):
            kept = flows.list_reports()
            saved.list_of_saved(kept, opened)
        report_compare.show(kept)


page()
