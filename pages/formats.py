"""File formats: where does your file come from, and how do you get it?"""

from __future__ import annotations

import streamlit as st

from ui import components, guide_formats
from ui.words import t


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("formats.title"))
    with st.container(gap="medium"):
        components.sentence(t("formats.opening"))
        guide_formats.show(guide_formats.kind())
        guide_formats.unread()


page()
