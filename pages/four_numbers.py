"""Four numbers: what moved since, and what comes next?"""

from __future__ import annotations

import streamlit as st

from jobs import market_facts
from jobs.model_sizes import hardware
from ui import components, market_also, market_watch
from ui.words import t


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("four_numbers.title"))
    known = hardware()
    with st.container(gap="medium"):
        left, right = st.columns([5, 6], gap="large", vertical_alignment="center")
        with left:
            market_watch.first_screen()
        with right:
            components.sentence(t("watch.sentence"))
        market_watch.multipliers()
        market_watch.supply(market_facts.hbm())
        market_watch.cpx(known.devices)
        market_watch.counts()
        market_also.points(known.models)


page()
