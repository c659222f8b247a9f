"""The engine's one line on the Overview: both times of this machine, with their day."""

from __future__ import annotations

import streamlit as st

from jobs import profiling
from ui import components
from ui.components import mark
from ui.numerals import day
from ui.time_lines import duration
from ui.words import t


def on_this_machine() -> None:
    """'On this machine: cold x s, warm y s, date'; or that nothing was measured here yet."""
    own = profiling.this_machine()
    value = t("engine_page.strip_none")
    if own is not None:
        value = t(
            "engine_page.strip_value",
            mark=mark("measured"),
            cold=duration(own.pair.cold_s),
            warm=duration(own.pair.warm_s),
            tokens=own.pair.prompt_tokens,
            date=day(own.entry.measured_utc),
        )
    with components.rule("machine"):
        st.markdown(f":small[:gray[{t('engine_page.strip')}]]  \n:small[{value}]")
