"""Discount and tax as columns beside the list price: shown only where somebody has set them."""

from __future__ import annotations

import streamlit as st

from econ.report import AdjustedRow, CostReport
from ui import components, tables
from ui.numerals import amount_of, md, percent
from ui.tables import Column, Table
from ui.words import t


def show(report: CostReport) -> None:
    """One row a provider; nothing without own adjustments."""
    if not report.adjusted:
        return
    with components.rule("adjusted"), st.container(gap="xxsmall"):
        components.answer(t("reports_page.adjusted"), t("reports_page.adjusted_unit"))
        tables.show(_table(report.adjusted), "adjusted")
        for row in report.adjusted:
            components.note(
                t(
                    "prices_page.own_adjusted",
                    provider=md(row.provider),
                    discount=percent(row.discount_ratio),
                    tax=percent(row.tax_ratio),
                )
            )


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
