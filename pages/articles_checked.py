"""Articles checked: which of the three articles' figures hold?"""

from __future__ import annotations

import streamlit as st

from jobs import guide_facts
from ui import components, guide_articles, market_sources, verdict_chart
from ui.words import language, t


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("articles_checked.title"))
    rows = guide_facts.checked()
    with st.container(gap="medium"):
        left, right = st.columns([5, 6], gap="large")
        with left:
            guide_articles.first_screen(rows)
            components.sentence(t("articles.sentence"))
            components.note(market_sources.standing())
            guide_articles.how()
        with right:
            components.chart(verdict_chart.kept(language()), "verdicts")
        with st.container(horizontal=True, gap="large", key="controls_articles"):
            article, verdict = guide_articles.choice()
            left_by_both = guide_articles.chosen(rows, article, verdict)
            about = guide_articles.subject(left_by_both)
        shown = guide_articles.chosen(left_by_both, about=about)
        guide_articles.tables(shown)
        guide_articles.marks(shown)
        guide_articles.download(shown)


page()
