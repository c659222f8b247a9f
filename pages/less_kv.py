"""Less KV: what would keeping less of each token change?"""

from __future__ import annotations

import streamlit as st

from jobs import less_kv
from messages.errors import KvledgerError
from ui import (
    components,
    failures,
    folds,
    less_kv_controls,
    less_kv_heads,
    less_kv_spend,
    less_kv_switch,
    less_kv_view,
    own_seen,
    state,
    upload,
    view,
)
from ui.byte_words import Unit
from ui.words import t


def first_screen(found: less_kv.LessKv, unit: Unit) -> None:
    """How full memory would be, what that means, how it is computed."""
    left, right = st.columns([5, 6], gap="large", vertical_alignment="center")
    with left:
        less_kv_view.first_screen(found, unit)
    with right:
        less_kv_view.sentence(found)
        less_kv_view.how(found, unit)


def without_lengths() -> None:
    """Words for a file whose rows have no length or time, and a place for one that has."""
    st.info(t("less_kv.no_lengths"), icon=":material/info:")
    upload.uploader("less_kv", t("ui.upload.label"))
    st.button(t("ui.ask.example_instead"), key="example", on_click=state.choose_example)


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("less_kv.title"))
    seen = view.load()
    if seen is None:
        return
    with st.container(gap="medium"):
        top = st.container(gap="medium")
        said = less_kv_controls.asked(seen.workload_id)
        if said is None:
            return
        asked, unit = said
        own_seen.less(asked)
        try:
            found = less_kv.less_kv(seen.workload_id, asked, state.owner())
        except KvledgerError as error:
            failures.show(error)
            return
        if found is None:
            without_lengths()
            return
        with top:
            first_screen(found, unit)
        less_kv_view.levers(found, unit)
        with folds.stack("less_kv"):
            less_kv_view.scenarios(found, unit)
            less_kv_heads.section(found, unit)
            less_kv_view.quality(found)
            less_kv_spend.hbm(found)
            less_kv_spend.energy(found)
            less_kv_view.hybrid(found)
            less_kv_switch.section(found)
            less_kv_spend.rebound(found.power)


page()
