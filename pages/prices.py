"""Prices: what does each model cost, since when, and who says so?"""

from __future__ import annotations

import streamlit as st

from jobs import price_flows
from ui import components, own_prices, price_filters, price_history, price_view
from ui.price_filters import Filters
from ui.words import t


def prices(chosen: Filters) -> None:
    """The rows valid on the chosen day."""
    rows = price_flows.price_table_rows(
        chosen.at,
        provider=chosen.provider,
        text=chosen.text,
        mode=chosen.mode,
        surface=chosen.surface,
    )
    if not rows:
        components.sentence(t("prices_page.none", day=chosen.at.isoformat()))
        return
    models = {(row.provider, row.model) for row in rows}
    with st.container(gap="xxsmall"):
        components.answer(
            t("prices_page.count", len(models)),
            t(
                "prices_page.unit",
                mode=price_filters.mode_words(chosen.mode),
                day=chosen.at.isoformat(),
                version=price_flows.book_version(),
            ),
        )
        price_view.price_table(rows)


def changes(chosen: Filters) -> None:
    """Dated changes after the chosen day."""
    rows = price_flows.changes_ahead_rows(chosen.at, chosen.provider)
    if not rows:
        components.note(t("prices_page.no_changes", day=chosen.at.isoformat()))
        return
    first = rows[0].on.date().isoformat()
    with st.container(gap="xxsmall"):
        components.answer(
            t("prices_page.changes", len(rows), first=first), t("prices_page.changes_unit")
        )
        price_view.changes(rows)


def disagreements(chosen: Filters) -> None:
    """Where sources contradict each other."""
    rows = price_flows.disagreement_rows(chosen.provider)
    if not rows:
        return
    with components.rule("disagreements"), st.container(gap="xxsmall"):
        components.answer(
            t("prices_page.disagreements", len(rows)), t("prices_page.disagreements_unit")
        )
        price_view.disagreements(rows)


def rules(chosen: Filters) -> None:
    """Cache rules: all providers side by side, or everything about one."""
    rows = price_flows.cache_rule_rows(chosen.provider)
    with components.rule("rules"), st.container(gap="xxsmall"):
        components.answer(t("prices_page.rules"), t("prices_page.rules_unit"))
        if chosen.provider is None:
            price_view.rules_side_by_side(rows)
        else:
            price_view.rules_in_full(rows)


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("prices_page.title"))
    with st.container(gap="medium"):
        components.sentence(t("prices_page.sentence"))
        chosen = price_filters.show()
        prices(chosen)
        with components.rule("changes"):
            changes(chosen)
        price_history.show(chosen.provider, chosen.text, chosen.at)
        own_prices.show()
        rules(chosen)
        disagreements(chosen)


page()
