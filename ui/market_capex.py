"""The market page's buyers: what the largest of them spent on plant and machines."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from econ.observation import ratio as quotient
from jobs import public_data
from jobs.public_data import Figure
from ui import components, folds, market_sources, plain_table
from ui.components import mark
from ui.market_makers import t_status
from ui.market_numerals import money, period, vintage
from ui.numerals import md
from ui.plain_table import Cell, cell
from ui.words import t


def section() -> None:
    """What the largest buyers spent in their newest quarter, and a year before."""
    buyers = [one for one in public_data.companies() if one.role == "hyperscaler"]
    found = {one.id: list(public_data.filings(one.id, "capex")) for one in buyers}
    found = {key: rows for key, rows in found.items() if rows}
    ordered = sorted(found, key=lambda key: -(found[key][-1].value or Decimal(0)))
    known = market_sources.names()
    top = found[ordered[0]][-1]
    heading = t("market.capex_heading", name=md(known[ordered[0]]),
                value=md(money(top.value, top.currency)), period=period(top))  # fmt: skip

    def show() -> None:
        components.beneath(t("market.capex_unit", mark=mark("published")), heading)
        head = [t(f"market.column.{name}") for name in
                ("company", "capex", "year_before", "growth", "vintage")]  # fmt: skip
        plain_table.show(head, [_capex_row(known[key], found[key]) for key in ordered],
                         t("market.capex_alt"), "capex")  # fmt: skip
        market_sources.tools([one for rows in found.values() for one in rows], "capex",
                             [found[key][-1] for key in ordered])  # fmt: skip

    folds.section("capex", heading, show)


def _capex_row(name: str, rows: Sequence[Figure]) -> list[Cell]:
    last = rows[-1]
    before = next((one for one in rows if abs((last.end - one.end).days - 365) <= 7), None)
    grown = quotient(last.value, before.value if before else None).value
    return [
        cell(name, below=period(last)),
        cell(money(last.value, last.currency), market_sources.hover(last),
             below=t("market.computed") if last.derived else ""),
        cell(money(before.value, before.currency) if before else "–"),
        cell("–" if grown is None else t("market.fold", value=f"{grown:.2f}")),
        cell(vintage(last), market_sources.hover(last), "words", t_status(last)),
    ]  # fmt: skip
