"""Five questions: what will the cache of your service be?"""

from __future__ import annotations

import streamlit as st

from ui import components, guide_questions
from ui.words import t


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("five_questions.title"))
    with st.container(gap="medium"):
        components.sentence(t("five_questions.opening"))
        guide_questions.show()


page()
