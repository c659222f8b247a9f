"""The market page's makers: HBM shares, generations and prices, quarters with margins, capex."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import streamlit as st

from econ.observation import Ratio
from econ.observation import ratio as quotient
from jobs import public_data
from jobs.public_data import Figure
from price_tables.hbm import HbmFacts
from ui import charts, components, market_charts, market_currency, market_sources, plain_table
from ui.components import Explanation, mark
from ui.less_kv_charts import figure as shown
from ui.market_numerals import money, period, ratio, vintage
from ui.numerals import md
from ui.plain_table import Cell, cell
from ui.spoken import spoken
from ui.tables import Column, Table
from ui.words import t

MILLION = 10**6
MAKERS = ("maker", "cloud")
URL_COMPANY = "market_company"
WIDE_PX = 280
QUARTERS_SHOWN = 9


def first_screen(facts: HbmFacts) -> None:
    """The newest published shares, as they stand."""
    newest = facts.newest_share()
    components.hero(
        t("market.hero", quarter=newest.quarter),
        t("market.hero_value", parts=" / ".join(shown(p) for p in newest.by_maker().values())),
        t("market.hero_beneath", total=shown(newest.total),
          basis=t(f"less_kv.basis.{newest.basis}")),
    )  # fmt: skip


def how(facts: HbmFacts) -> None:
    """Where the newest shares were read, and why they are not made 100."""
    newest = facts.newest_share()
    explanation = Explanation(
        formula=t("market.how_formula", total=shown(newest.total)),
        sums=(t("market.how_rounding"), t("market.how_basis")),
        sources=(("published", f"{md(spoken(newest.source))}. {md(spoken(newest.note))}"),),
    )
    components.how(explanation, "how_market")


def shares(facts: HbmFacts) -> None:
    """Every published quarter, and forecasts apart."""
    rows = sorted(facts.shares, key=lambda row: (row.quarter, row.basis), reverse=True)
    newest, last = rows[0], rows[-1]
    with components.rule("market_shares"):
        heading = t("market.shares_heading", first=shown(last.sk_hynix), quarter=last.quarter,
                    now=shown(newest.sk_hynix), newest=newest.quarter)  # fmt: skip
        unit = t("market.shares_unit", mark=mark("published"))
        source = t("market.shares_source", sources="; ".join(
            dict.fromkeys(md(spoken(row.source)) for row in rows)))  # fmt: skip
        components.chart_block(heading, unit, market_charts.shares(rows), "market_shares",
                               source=source,
                               beside=lambda: market_sources.shares_csv(rows))  # fmt: skip
        components.note(source)
        with st.container(gap="xxsmall"):
            _forecasts(facts)


def _forecasts(facts: HbmFacts) -> None:
    for forecast in facts.forecasts:
        said = " / ".join(shown(value) for value in forecast.by_maker().values())
        components.note(t("market.forecast", scope=md(spoken(forecast.scope)), parts=said,
                          source=md(spoken(forecast.source))))  # fmt: skip


def generations(facts: HbmFacts) -> None:
    """One stack of each generation, and the price of a GB as a band."""
    with components.rule("market_generations"):
        newest = facts.usd_per_gb[-1]
        heading = t("market.generations_heading", low=shown(newest.low), high=shown(newest.high),
                    generation=newest.generation)  # fmt: skip
        components.answer(heading, t("market.generations_unit", mark=mark("datasheet")))
        head = [t(f"market.column.{name}")
                for name in ("generation", "gb", "rate", "bus", "bandwidth", "usd_gb")]  # fmt: skip
        rows = [
            [
                cell(one.name),
                cell(_span(one.gb_low, one.gb_high)),
                cell(shown(one.pin_gbps)),
                cell(f"{one.bus_bits:,}"),
                cell(shown(one.bandwidth_tbs), spoken(one.note)),
                _price(facts, one.name),
            ]
            for one in facts.generations
        ]
        plain_table.show(head, rows, t("market.generations_alt"), "generations")
        components.note(t("market.generations_formula"))
        with st.container(gap="xxsmall"):
            _price_notes(facts)


def _price_notes(facts: HbmFacts) -> None:
    for price in facts.usd_per_gb:
        components.note(
            t("market.price_note", generation=price.generation, source=md(spoken(price.source)),
              as_of=price.as_of, note=md(spoken(price.note)))
        )  # fmt: skip


def _span(low: Decimal, high: Decimal) -> str:
    return t("market.span", low=shown(low), high=shown(high))


def _price(facts: HbmFacts, generation: str) -> Cell:
    price = facts.price_of(generation)
    if price is None:
        return cell(t("market.no_price"), tone="muted")
    return cell(shown(price.mid), below=_span(price.low, price.high))


def makers() -> None:
    """The newest quarter of each, margins with both inputs, and one company quarter by quarter."""
    known = [one for one in public_data.companies() if one.role in MAKERS]
    found = {one.id: quarters(one.id) for one in known}
    used = [figure for rows in found.values() for figure in rows[-1].values()]
    top = market_sources.names()
    with components.rule("market_makers"):
        head = [t(f"market.column.{name}") for name in
                ("company", "revenue", "gross_profit", "operating_income", "vintage")]  # fmt: skip
        components.answer(_makers_heading(found), t("market.makers_unit", mark=mark("published")))
        lines = [_newest(top[key], rows[-1]) for key, rows in found.items()]
        plain_table.show(head, lines, t("market.makers_alt"), "makers")
        with st.container(gap="xxsmall"):
            components.note(t("market.margins_rule"))
            components.note(t("market.net_rule"))
            components.note(market_currency.rule([rows[-1] for rows in found.values()]))
        market_sources.source_line(used)
        market_sources.csv_of([f for rows in found.values() for r in rows for f in r.values()],
                              "makers")  # fmt: skip
        _one_company()


Quarter = Mapping[str, Figure]


def quarters(company: str) -> list[Quarter]:
    """A company's quarters, oldest first: measure -> figure."""
    by_end: dict[object, dict[str, Figure]] = {}
    for metric in ("revenue", "gross_profit", "operating_income", "net_income", "capex"):
        for one in public_data.filings(company, metric):
            by_end.setdefault(one.end, {})[metric] = one
    return [by_end[end] for end in sorted(by_end, key=str)]


def margin(row: Quarter, upper: str) -> Ratio:
    """A margin of one quarter with both inputs."""
    return quotient(_value(row, upper), _value(row, "revenue"))


def _value(row: Quarter, metric: str) -> Decimal | None:
    return row[metric].value if metric in row else None


def _makers_heading(found: Mapping[str, Sequence[Quarter]]) -> str:
    with_gross = {key: margin(rows[-1], "gross_profit") for key, rows in found.items()}
    key = max(with_gross, key=lambda one: with_gross[one].value or Decimal(-1))
    row = found[key][-1]
    return t(
        "market.makers_heading",
        name=md(market_sources.names()[key]),
        margin=ratio(with_gross[key].value),
        profit=md(money(_value(row, "gross_profit"), row["revenue"].currency)),
        revenue=md(money(_value(row, "revenue"), row["revenue"].currency)),
    )


def _newest(name: str, row: Quarter) -> list[Cell]:
    anchor = row.get("revenue") or next(iter(row.values()))
    return [
        cell(name, below=period(anchor)),
        _amount(row, "revenue"),
        _with_margin(row, "gross_profit"),
        _with_margin(row, "operating_income"),
        cell(vintage(anchor), market_sources.hover(anchor), "words", t_status(anchor)),
    ]


def t_status(figure: Figure) -> str:
    """The status of a figure in words."""
    return t(f"market.status.{figure.status}")


def _amount(row: Quarter, metric: str) -> Cell:
    figure = row.get(metric)
    if figure is None:
        return cell(t("market.not_stated"), tone="muted")
    below = market_currency.beside(figure) or _standing(figure)
    return cell(money(figure.value, figure.currency), market_sources.hover(figure), below=below)


def _standing(figure: Figure) -> str:
    if figure.restated:
        return t("market.restated", first=money(figure.first, figure.currency))
    return t("market.computed") if figure.derived else ""


def _with_margin(row: Quarter, metric: str) -> Cell:
    figure = row.get(metric)
    if figure is None:
        return cell(t("market.not_stated"), tone="muted")
    found = margin(row, metric)
    said = t(
        "market.margin_hover",
        upper=money(found.numerator, figure.currency),
        lower=money(found.denominator, figure.currency),
        margin=ratio(found.value),
    )
    said = f"{said} · {market_sources.hover(figure)}"
    return cell(money(figure.value, figure.currency), said, below=ratio(found.value))


def _one_company() -> None:
    """Quarter by quarter, of any company that is known or was added."""
    options = {one.id: one for one in public_data.companies() if one.source in ("sec", "makers")}
    known = market_sources.names()
    asked = st.query_params.get(URL_COMPANY)
    st.session_state[URL_COMPANY] = asked if asked in options else next(iter(options))

    def chosen() -> None:
        st.query_params[URL_COMPANY] = st.session_state[URL_COMPANY]

    picked = st.selectbox(
        t("market.company"),
        list(options),
        key=URL_COMPANY,
        width=WIDE_PX,
        format_func=lambda key: known.get(key, key),
        on_change=chosen,
    )
    rows = quarters(picked)
    if not rows:
        components.note(t("market.no_quarters"))
        return
    _company_chart(known[picked], rows, picked)
    head = [t(f"market.column.{name}") for name in
            ("quarter", "revenue", "gross_profit", "operating_income", "vintage")]  # fmt: skip
    lines = [_newest(row_name(row), row) for row in reversed(rows[-QUARTERS_SHOWN:])]
    for line in lines:
        line[0] = cell(line[0].text)
    plain_table.show(head, lines, t("market.quarters_alt"), "quarters")
    market_sources.source_line([one for row in rows for one in row.values()])


def row_name(row: Quarter) -> str:
    """A quarter by its days."""
    return period(next(iter(row.values())))


def _company_chart(name: str, rows: Sequence[Quarter], key: str) -> None:
    revenue = [row["revenue"] for row in rows if "revenue" in row]
    figures = [one for row in rows for one in row.values()]
    if not revenue:
        market_sources.csv_of(figures, "company")
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
                           source=market_sources.source_words(revenue),
                           beside=lambda: market_sources.csv_of(figures, "company"))  # fmt: skip
