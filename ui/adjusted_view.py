"""Discount and tax as columns beside the list price: shown only where somebody has set them."""

from __future__ import annotations

import streamlit as st

from jobs.adjusting import AdjustedRow, adjusted
from ui import components, state, tables
from ui.numerals import amount_of
from ui.tables import Column, Table
from ui.view import View
from ui.words import t


def show(seen: View) -> None:
    """One row a provider; nothing without own adjustments."""
    rows = adjusted(seen.workload_id, state.params(), state.owner())
    if not rows:
        return
    with st.container(gap="xxsmall"):
        components.answer(t("reports_page.adjusted"), t("reports_page.adjusted_unit"))
        tables.show(_table(rows), "adjusted")


def _table(rows: tuple[AdjustedRow, ...]) -> Table:
    parts = ("list_price", "discount", "tax", "net")
    return Table(
        columns=(
            Column(title=t("prices_page.column.provider"), values=[row.provider for row in rows]),
            *(
                Column(
                    title=t(f"reports_page.adjusted.{part}"),
                    values=[amount_of(getattr(row, part)) for row in rows],
                )
                for part in parts
            ),
        ),
        alt=t("reports_page.adjusted"),
    )
