"""Market: who is paid for the memory and the machines?"""

from __future__ import annotations

import streamlit as st

from jobs import market_facts
from ui import (
    components,
    folds,
    market_capex,
    market_japan,
    market_makers,
    market_quarters,
    market_refresh,
    market_series,
    market_sources,
    market_tables,
    market_words,
)
from ui.words import t


def page() -> None:
    """The whole page, top to bottom: the answer, then what stands behind it, folded."""
    components.question(t("market.title"))
    facts = market_facts.hbm()
    with st.container(gap="medium"):
        left, right = st.columns([5, 6], gap="large", vertical_alignment="center")
        with left:
            market_makers.first_screen(facts)
        with right:
            components.sentence(t("market.sentence"))
            components.note(market_sources.standing())
            with st.container(horizontal=True):
                market_makers.how(facts)
        market_refresh.ask()
        with components.rule("market_first"), components.two_across():
            with st.container():
                market_makers.shares(facts)
            with st.container():
                market_makers.margins()
        with folds.stack("market"):
            market_makers.makers()
            market_quarters.section()
            market_capex.section()
            market_tables.generations(facts)
            market_series.fred()
            market_series.ddr5()
            market_japan.companies()
            market_words.section()
            market_series.estat()
            market_series.power(market_facts.power())


page()
