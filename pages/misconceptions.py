"""Misconceptions: what is often said of the KV cache, and what does the engine say?"""

from __future__ import annotations

import streamlit as st

from ui import components, guide_misconceptions
from ui.words import t


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("misconceptions.title"))
    with st.container(gap="medium"):
        components.sentence(t("misconceptions.opening"))
        guide_misconceptions.show(guide_misconceptions.newest())
        guide_misconceptions.engine()


page()
