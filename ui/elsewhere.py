"""The Overview's one line on other models: what the same tokens cost there, once that is known."""

from __future__ import annotations

import streamlit as st

from econ.money import Amount
from jobs import costing
from jobs.costing import LIFETIMES, MODES, PLACEMENTS, ApiCosts, Costing
from ui import components, cost_view, doors, state
from ui.numerals import amount_usd, md
from ui.words import t

USUAL = Costing(lifetime=LIFETIMES[0], placement=PLACEMENTS[0], mode=MODES[0])
"""What the API costs page opens with."""


def line(workload_id: str) -> None:
    """The cheapest of the charted models, where the costs have been made: nothing is computed
    here, and without them the line says where they are to be had."""
    costs = costing.api_costs(workload_id, state.params(), USUAL, state.owner())
    found = None if costs is None else cheapest(costs)
    if found is None:
        components.sentence(t("overview.elsewhere_unknown"))
        return
    model, usd, compared = found
    least = md(amount_usd(usd))
    components.sentence(t("overview.elsewhere", compared, cheap=md(model), least=least))


def link() -> None:
    """The way to the page that compares all models."""
    st.page_link(
        doors.path_of("api_costs"),
        label=t("overview.compare"),
        icon=":material/arrow_forward:",
        query_params=state.for_links(),
        width="content",
    )


def cheapest(costs: ApiCosts) -> tuple[str, Amount, int] | None:
    """The charted model whose dearer end is lowest, its cost, and how many were compared; None
    where none has a price."""
    rows = [one.row for one in cost_view.charted(costs)]
    priced = [(row.usd.high_e13, row.model or "", row.usd) for row in rows if row.usd is not None]
    if not priced:
        return None
    _, model, usd = min(priced)
    return model, usd, len(priced)
