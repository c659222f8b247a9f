"""Overview: is prompt caching saving you money?"""

from __future__ import annotations

import streamlit as st

from jobs import flows
from ui import (
    advice,
    components,
    downloads,
    elsewhere,
    engine_strip,
    hardware_strip,
    market_strip,
    misses_view,
    sections,
    state,
    upload,
    view,
)
from ui.view import View
from ui.words import t


def first_screen(seen: View) -> None:
    """What caching saves and what it costs, what to change, and other models' price; beside it
    the saving over time and the place for one's own file."""
    left, right = st.columns([5, 6], gap="large")
    with left:
        sections.number(seen.report, seen.about)
        advice.sentence(seen.report)
        elsewhere.line(seen.workload_id)
        with st.container(horizontal=True, vertical_alignment="center", key="controls_first"):
            advice.popover(seen.report, misses_view.known(seen.workload_id))
            elsewhere.link()
        with st.container(horizontal=True, key="controls_out"):
            sections.how_saving(seen.report, "how")
            downloads.report_button(seen.report, "download_overview", "tertiary")
            downloads.sheet_button(seen.report, "sheet_overview", "tertiary")
    with right:
        series = flows.workload_series(seen.workload_id, state.params(), state.owner())
        sections.saving_chart(seen.report, series.saving_by_hour)
        if seen.is_example:
            upload.uploader("overview", t("ui.upload.label"))
        else:
            another_file()


def another_file() -> None:
    """A way to other numbers, and back to the example."""
    with st.popover(t("overview.another_file"), icon=":material/upload_file:", key="own_file"):
        upload.uploader("overview", t("ui.upload.label"))
        upload.formats_note()
        st.button(t("ui.ask.example_instead"), key="example", on_click=state.choose_example)


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("overview.title"))
    seen = view.load()
    if seen is None:
        return
    with st.container(gap="medium"):
        first_screen(seen)
        sections.figures(seen.report)
        sections.buckets(seen.report)
        sections.hit_ratio(seen.report)
        sections.trust(seen.report, "overview")
        with components.three_across():
            engine_strip.on_this_machine()
            hardware_strip.on_own_hardware(seen.workload_id)
            market_strip.in_the_market()


page()
