"""Engine: what does a kept prefix save on this machine?"""

from __future__ import annotations

import streamlit as st

from jobs import profiling
from ui import (
    components,
    engine_memory,
    engine_panel,
    engine_profiles,
    engine_time,
    engine_view,
    folds,
    pool_view,
    probe_view,
)
from ui.engine_profiles import Shown
from ui.words import t


def first_screen(shown: Shown, machine_is_new: bool) -> None:
    """Both times; beside them what they mean, and measuring."""
    left, right = st.columns([5, 6], gap="large", vertical_alignment="top")
    with left:
        engine_view.first_screen(shown)
    with right:
        engine_view.sentence(shown)
        with st.container(horizontal=not machine_is_new, key="controls_engine"):
            engine_view.how(shown)
            measure_here(machine_is_new)


def measure_here(machine_is_new: bool) -> None:
    """The controls that measure; a profile that has just been made is looked at next."""
    made = engine_panel.measure(machine_is_new)
    if made is not None:
        engine_profiles.look_at(made)


def charts(found: list[Shown]) -> None:
    """The first profile's two charts, the others beside it where they can stand there."""
    engine_profiles.compare(found)
    engine_view.first_token(found)
    engine_view.decode(found[0])


def sections(shown: Shown) -> None:
    """What else the first profile says, each finding a section that is made when unfolded."""
    engine_time.reply(shown)
    engine_time.throughput(shown)
    engine_memory.waste(shown)
    engine_memory.block_steps(shown)
    engine_memory.block_waste(shown)
    engine_time.salt(shown)
    engine_memory.kv_formats(shown)


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("engine_page.title"))
    entries = profiling.profiles()
    with st.container(gap="medium"):
        found = engine_profiles.chosen(entries)
        machine_is_new = all(entry.origin != "measured" for entry in entries)
        if not found:
            measure_here(machine_is_new)
        else:
            first_screen(found[0], machine_is_new)
            engine_profiles.choice(entries, found)
            charts(found)
        with folds.stack("engine"):
            if found:
                sections(found[0])
            pool_view.section()
            probe_view.section()
        if found:
            engine_profiles.facts(found[0])
            engine_profiles.keep(found)
        else:
            engine_profiles.bring_in()


page()
