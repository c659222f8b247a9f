"""The market's one line on the Overview: what a cache read costs of input today, maker by maker."""

from __future__ import annotations

import streamlit as st

from jobs import price_history
from ui import components
from ui.components import mark
from ui.numerals import day
from ui.price_history import factor
from ui.words import t


def in_the_market() -> None:
    """'In the market: a cache read costs 0.02× to 0.25× of input at 10 makers, last moved …'."""
    latest = {step.provider: step for step in price_history.multiplier_steps()}
    if not latest:
        return
    ordered = sorted(latest.values(), key=lambda step: step.row.multiplier)
    value = t(
        "overview.market_strip_value",
        len(ordered),
        mark=mark("published"),
        least=factor(ordered[0]),
        most=factor(ordered[-1]),
        date=day(max(step.since for step in ordered)),
    )
    with components.rule("market"):
        st.markdown(f":small[:gray[{t('overview.market_strip')}]]  \n:small[{value}]")
