"""Articles checked: which of the three articles' figures hold?"""

from __future__ import annotations

import streamlit as st

from jobs import guide_facts
from ui import components, guide_articles
from ui.words import t


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("articles_checked.title"))
    rows = guide_facts.checked()
    with st.container(gap="medium"):
        left, right = st.columns([5, 6], gap="large", vertical_alignment="center")
        with left:
            guide_articles.first_screen(rows)
        with right:
            components.sentence(t("articles.sentence"))
            guide_articles.how()
        with st.container(horizontal=True, gap="large", key="controls_articles"):
            article, verdict = guide_articles.choice()
        shown = guide_articles.chosen(rows, article, verdict)
        guide_articles.tables(shown)
        guide_articles.marks(shown)
        guide_articles.download(shown)


page()
