"""Workload: who spent it, and when?"""

from __future__ import annotations

import streamlit as st

from jobs import flows
from ui import (
    components,
    controls,
    downloads,
    explain,
    misses_view,
    preset_form,
    sections,
    state,
    statement,
    upload,
    view,
)
from ui.view import View
from ui.words import t

PAGE = "workload"


def first_screen(seen: View) -> None:
    """What it cost, and the place to drop one's own file."""
    left, right = st.columns([5, 6], gap="large")
    with left:
        cost = statement.cost(seen.report, seen.about)
        components.hero(cost.label, cost.value, cost.beneath)
        components.sentence(cost.sentence)
        with st.container(horizontal=True, key="controls_cost"):
            explain.how(seen.report, ("billed", "no_cache"), "how_cost")
            downloads.report_button(seen.report, "download_workload", "tertiary")
    with right:
        upload.uploader(PAGE, t("ui.upload.label"))
        upload.formats_note()
        with st.container(horizontal=True, key="controls_upload"):
            upload.formats_list(PAGE)
            preset_form.show(PAGE)
            if not seen.is_example:
                st.button(t("ui.ask.example_instead"), key="example", on_click=state.choose_example)
                delete_button(seen)


def delete_button(seen: View) -> None:
    """Delete one's own workload before the browser session ends."""
    with st.popover(
        t("workload_page.delete"), type="tertiary", icon=":material/delete:", key="delete"
    ):
        components.sentence(t("workload_page.delete_what"))
        if st.button(t("workload_page.delete_now"), key="delete_workload"):
            flows.delete_workload(seen.workload_id, state.owner())
            state.choose_example()
            st.rerun()


def spending(seen: View) -> None:
    """Cost by day, model or payer, for the days that are chosen."""
    info = flows.workload_info(seen.workload_id, state.owner())
    with st.container(horizontal=True, gap="large", key="controls_spending"):
        if info.first_utc is not None and info.last_utc is not None:
            controls.period(info.first_utc.date(), info.last_utc.date())
        if sections.names_no_model(seen.report):
            controls.model(flows.model_names())
        by = controls.choice(
            t("workload_page.by"), sections.groupings(seen.report), "by", sections.by_words
        )
    sections.groups(seen.report, by)


def over_time(seen: View) -> None:
    """Arrivals and hit ratio over time, and how long prompts and answers are."""
    series = flows.workload_series(seen.workload_id, state.params(), state.owner())
    with components.rule("series"), components.two_across():
        sections.arrivals(series.arrivals)
        sections.hit_over_time(series.hit_ratio, seen.report)
        sections.lengths(series.input_lengths, "input")
        sections.lengths(series.output_lengths, "output")


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("workload_page.title"))
    seen = view.load()
    if seen is None:
        return
    with st.container(gap="medium"):
        first_screen(seen)
        with components.rule("spending"):
            spending(seen)
        misses_view.section(seen.workload_id, statement.seen(seen.report))
        sections.reconciliation(seen.report)
        sections.unpriced(seen.report)
        over_time(seen)
        with components.rule("receipt"):
            explain.receipt_body(seen.report.receipt, PAGE)


page()
