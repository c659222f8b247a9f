"""API costs: what would this workload cost elsewhere?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from jobs import costing
from jobs.costing import ApiCosts, Costing
from ui import (
    components,
    cost_controls,
    cost_curves,
    cost_sections,
    cost_view,
    cost_words,
    explain,
    sections,
    state,
    studies,
    tables,
    view,
)
from ui.numerals import amount_usd, md
from ui.view import View
from ui.words import t

PAGE = "api_costs"


def said(seen: View, costs: ApiCosts, choice: Costing, charted: Sequence[str]) -> None:
    """Where it is cheapest, what it costs now, who loses, and what the long lifetime does."""
    named = not sections.names_no_model(seen.report)
    with st.container(gap="small"):
        components.sentence(cost_words.answer(costs, charted, named))
        components.note(cost_words.more(costs, choice, charted))


def bars(costs: ApiCosts, choice: Costing, charted: Sequence[str]) -> None:
    """The charted models, then every model as a table."""
    if cost_view.charted(costs, charted):
        components.chart_block(
            t("api_costs_page.cheapest_first"),
            cost_view.unit_line(costs, choice),
            cost_view.bars(costs, charted),
            "api-costs",
        )
    with components.rule("all_models"), st.container(gap="xxsmall"):
        components.answer(
            t("api_costs_page.same_as_table", len(costs.models)), t("api_costs_page.table_unit")
        )
        tables.show(cost_view.table(costs.models), "api-costs-all")


def break_even(costs: ApiCosts) -> None:
    """When a write pays, and the bill at every hit ratio."""
    rows = costs.break_even
    if not rows:
        return
    with components.rule("break_even"), components.two_across():
        made = cost_curves.hit_chart(costs)
        if made is not None and costs.headline is not None:
            model = md(costs.headline.none.model or "")
            components.chart_block(
                t("api_costs_page.by_hit", model=model),
                t("api_costs_page.by_hit_unit"),
                made,
                "hit",
            )
        with st.container(gap="xxsmall"):
            components.answer(t("api_costs_page.break_even"), t("api_costs_page.break_even_unit"))
            table = cost_curves.break_even_table(rows, named=made is not None)
            tables.show(table, "break-even")


def caveats(seen: View, costs: ApiCosts, scaled: bool) -> None:
    """What the figures rest on."""
    with components.rule("caveats"):
        names = ("tokenizer_scaled" if scaled else "tokenizer", "quality")
        said = " ".join(t(f"api_costs_page.{n}") for n in names)
        components.note(f"{said}{seen.estimated}")
        if costs.headline is not None and costs.headline.row.usd is not None:
            usd, model = costs.headline.row.usd, costs.headline.none.model or ""
            words = [t("api_costs_page.rests_on", model=md(model), usd=md(amount_usd(usd)))]
            words += [md(one) for one in cost_view.assumptions(costs.headline.row)]
            components.note(" ".join(words))
        explain.how(seen.report, ("no_cache", "best_reachable"), "how_costs")


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("api_costs_page.title"))
    seen = view.load()
    if seen is None:
        return
    with st.container(gap="medium"):
        choice = cost_controls.switches()
        with st.container(horizontal=True, key="controls_costs_more"):
            charted = cost_controls.charted()
            chosen = cost_controls.factors()
        params = replace(state.params(), tokenizer_factors=costing.factors_of(chosen))
        asked, owner = (seen.workload_id, params, choice), state.owner()
        costs = studies.made(
            asked,
            lambda: costing.api_costs(*asked, owner),
            lambda: costing.start_costs(*asked, owner),
        )
        if costs is None:
            return
        said(seen, costs, choice, charted)
        bars(costs, choice, charted)
        cost_sections.levers(costs)
        cost_sections.sensitivity(costs)
        break_even(costs)
        caveats(seen, costs, bool(chosen))


page()
