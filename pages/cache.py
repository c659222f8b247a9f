"""Cache: how much cache would this workload use?"""

from __future__ import annotations

import streamlit as st

from econ.cache_study import CacheStudy
from jobs import flows
from ui import (
    beside_view,
    cache_size,
    cache_view,
    components,
    state,
    studies,
    upload,
    view,
)
from ui.view import View
from ui.words import t


def first_screen(found: CacheStudy, by: cache_view.Measure) -> None:
    """How large, what it hits, how that is computed."""
    left, right = st.columns([5, 6], gap="large", vertical_alignment="center")
    with left:
        cache_view.knee(found, by)
    with right:
        cache_view.sentence(found, by)
        cache_view.how(found)


def without_blocks(seen: View) -> None:
    """Words for a file that no cache can be replayed on, and a place for one that has it."""
    cache_view.no_blocks(seen.report.workload.name)
    upload.uploader("cache", t("ui.upload.label"))
    st.button(t("ui.ask.example_instead"), key="example", on_click=state.choose_example)


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("cache_page.title"))
    seen = view.load()
    if seen is None:
        return
    scopes = flows.cache_scopes(seen.workload_id, state.owner())
    if not scopes:
        without_blocks(seen)
        return
    with st.container(gap="medium"):
        top = st.container()
        with st.container(horizontal=True, gap="large", key="controls_cache"):
            by = cache_view.measure()
            scope = cache_view.scope(scopes)
            rules = cache_view.rules()
            unit = cache_size.unit()
        asked = flows.StudyParams(rules=rules, scope=scope)
        found = studies.study(seen.workload_id, asked)
        if found is None:
            return
        with top:
            first_screen(found, by)
            if seen.estimated:
                components.note(seen.estimated)
        with st.container(horizontal=True, gap="large", key="controls_size"):
            scale = cache_size.scale(found, unit)
            blocks = cache_size.typed_here(scale)
        here = None
        if blocks is not None:
            point = flows.cache_at(seen.workload_id, asked, blocks, state.owner())
            here = cache_size.Here(blocks=blocks, curve=point)
            cache_size.say_here(here, scale, found.equal_blocks)
        cache_view.curve(found, by, scale, here)
        beside_view.published(found)
        cache_view.gaps(found)
        cache_view.salt(found, by)


page()
