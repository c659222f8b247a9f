"""Reports: which numbers do you want to keep?"""

from __future__ import annotations

import streamlit as st

from jobs import flows
from messages.errors import NotFoundError
from ui import components, controls, downloads, failures, saved, sections, state, statement, view
from ui.words import t


def current() -> None:
    """The report that is looked at, and what can be done with it."""
    seen = view.load()
    if seen is None:
        return
    left, right = st.columns([5, 6], gap="large")
    with left:
        sections.number(seen.report, seen.about)
        sections.how_saving(seen.report, "how")
    with right:
        saved.save_form(seen)
        controls.yen()
        downloads.report_button(seen.report, "download_current")


def reopened(report_id: str) -> None:
    """A saved report, with the numbers that it was saved with."""
    try:
        kept = flows.open_report(report_id)
    except NotFoundError as error:
        failures.show(error)
        return
    about = statement.about(kept.report.workload)
    left, right = st.columns([5, 6], gap="large")
    with left:
        sections.number(kept.report, about)
        sections.how_saving(kept.report, "how_saved")
    with right:
        saved.facts(kept)
        controls.yen()
        downloads.report_button(kept.report, "download_saved")
        saved.delete_button(kept.id)
    sections.figures(kept.report)
    sections.buckets(kept.report)
    sections.hit_ratio(kept.report)
    sections.trust(kept.report, "saved")


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("reports_page.title"))
    report_id = state.asked_report()
    with st.container(gap="medium"):
        if report_id is None:
            current()
        else:
            reopened(report_id)
        with components.rule("list"):
            saved.list_of_saved(flows.list_reports(), report_id)


page()
