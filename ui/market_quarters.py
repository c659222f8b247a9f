"""The market page's quarters: one company's revenue and margins, quarter by quarter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import streamlit as st

from jobs import public_data
from ui import charts, components, folds, market_sources, plain_table, refused
from ui.components import mark
from ui.market_makers import Quarter, newest, quarters
from ui.market_numerals import money, period, vintage
from ui.numerals import md
from ui.plain_table import cell
from ui.tables import Column, Table
from ui.words import t

MILLION = 10**6
URL_COMPANY = "market_company"
WIDE_PX = 280
QUARTERS_SHOWN = 9


def section() -> None:
    """Quarter by quarter, of any company that is known or was added."""
    options = _options()
    picked = _asked(options)
    revenue = [row["revenue"] for row in quarters(picked) if "revenue" in row]
    name = md(market_sources.names().get(picked, picked))
    finding = t("market.company_of", name=name) if not revenue else t(
        "market.revenue_heading", name=name, period=period(revenue[-1]),
        revenue=md(money(revenue[-1].value, revenue[-1].currency)),
    )  # fmt: skip
    folds.section("quarters", t("market.company_title", finding=finding), _one_company)


def _options() -> dict[str, str]:
    known = market_sources.names()
    return {one.id: known.get(one.id, one.id) for one in public_data.companies()
            if one.source in ("sec", "makers")}  # fmt: skip


def _asked(options: Mapping[str, str]) -> str:
    asked = st.query_params.get(URL_COMPANY)
    return asked if asked is not None and asked in options else next(iter(options))


def _one_company() -> None:
    options = _options()
    current = st.session_state[URL_COMPANY] = _asked(options)
    refused.one_of(URL_COMPANY, list(options), options[current])

    def chosen() -> None:
        st.query_params[URL_COMPANY] = st.session_state[URL_COMPANY]

    picked = st.selectbox(
        t("market.company"),
        list(options),
        key=URL_COMPANY,
        width=WIDE_PX,
        format_func=options.__getitem__,
        on_change=chosen,
    )
    rows = quarters(picked)
    if not rows:
        components.note(t("market.no_quarters"))
        return
    _company_chart(options[picked], rows, picked)
    head = [t(f"market.column.{name}") for name in
            ("quarter", "revenue", "gross_profit", "operating_income", "vintage")]  # fmt: skip
    lines = [newest(row_name(row), row) for row in reversed(rows[-QUARTERS_SHOWN:])]
    for line in lines:
        line[0] = cell(line[0].text)
    plain_table.show(head, lines, t("market.quarters_alt"), "quarters")
    every = [one for row in rows for one in row.values()]
    market_sources.tools(every, "quarters")


def row_name(row: Quarter) -> str:
    """A quarter by its days."""
    return period(next(iter(row.values())))


def _company_chart(name: str, rows: Sequence[Quarter], key: str) -> None:
    revenue = [row["revenue"] for row in rows if "revenue" in row]
    if not revenue:
        return
    last = revenue[-1]
    alt = t("market.revenue_alt", name=name)
    table = Table(
        columns=(
            Column(title=t("market.column.quarter"), values=[period(one) for one in revenue]),
            Column(title=t("market.column.value"), kind="number",
                   values=[one.value for one in revenue]),
            Column(title=t("market.column.currency"), values=[one.currency for one in revenue]),
            Column(title=t("market.column.vintage"), values=[vintage(one) for one in revenue]),
        ),
        alt=alt,
    )  # fmt: skip
    made = charts.columns(
        [one.end.isoformat()[:7] for one in revenue],
        [float((one.value or Decimal(0)) / MILLION) for one in revenue],
        [f"{period(one)}: {money(one.value, one.currency)}" for one in revenue],
        alt,
        table,
    )
    heading = t("market.revenue_heading", name=md(name),
                revenue=md(money(last.value, last.currency)), period=period(last))  # fmt: skip
    unit = t("market.revenue_unit", currency=last.currency, mark=mark("published"))
    components.chart_block(heading, unit, made, f"revenue_{key}",
                           source=market_sources.source_words(revenue), titled=False,
                           beside=lambda: market_sources.csv_of(revenue, "company"))  # fmt: skip
