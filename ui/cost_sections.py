"""Parts of the API costs page: other levers beside caching, and what the assumptions move."""

from __future__ import annotations

import streamlit as st

from jobs.costing import ApiCosts
from ui import components, cost_levers, tables


def levers(costs: ApiCosts) -> None:
    """Batch, flex and the next smaller model beside caching."""
    if costs.headline is None or not costs.levers:
        return
    with components.rule("levers"), st.container(gap="xxsmall"):
        unit = cost_levers.levers_unit(costs.headline)
        made = cost_levers.levers_chart(costs.levers)
        components.chart_block(cost_levers.heading(costs), unit, made, "levers")
        components.note(" ".join(cost_levers.lever_notes(costs)))


def sensitivity(costs: ApiCosts) -> None:
    """How far the cost moves with each assumption, the largest first."""
    if costs.headline is None or not costs.swings:
        return
    with components.rule("sensitivity"), st.container(gap="xxsmall"):
        heading = cost_levers.swings_heading(costs, costs.headline)
        unit = cost_levers.swings_unit(costs.headline)
        made = cost_levers.swings_chart(costs, costs.headline)
        if made is not None:
            components.chart_block(heading, unit, made, "sensitivity")
        else:
            components.answer(heading, unit)
            tables.show(cost_levers.swings_table(costs, costs.headline), "sensitivity")
