"""Data and changes: what is kept where, who is ever asked, and what moved?"""

from __future__ import annotations

import streamlit as st

from ui import components, data_view
from ui.words import t


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("data.title"))
    with st.container(gap="medium"):
        components.sentence(t("data.sentence"))
        data_view.kept()
        data_view.asked()
        data_view.changes()
        data_view.known_wrong()


page()
