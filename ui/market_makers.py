"""The market page's makers: HBM shares, and the newest quarter of each with its margins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import streamlit as st

from econ.observation import Ratio
from econ.observation import ratio as quotient
from jobs import public_data
from jobs.public_data import Figure
from price_tables.hbm import HbmFacts
from ui import components, folds, market_charts, market_currency, market_sources, plain_table
from ui.charts import Bar
from ui.components import Explanation, mark
from ui.less_kv_charts import figure as shown
from ui.market_numerals import money, period, ratio, vintage
from ui.numerals import day, md
from ui.plain_table import Cell, cell
from ui.spoken import spoken
from ui.words import t

MAKERS = ("maker", "cloud")


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
    """Every published quarter; forecasts apart, with the sources."""
    rows = sorted(facts.shares, key=lambda row: (row.quarter, row.basis), reverse=True)
    newest, last = rows[0], rows[-1]
    heading = t("market.shares_heading", first=shown(last.sk_hynix), quarter=last.quarter,
                now=shown(newest.sk_hynix), newest=newest.quarter)  # fmt: skip
    unit = t("market.shares_unit", mark=mark("published"))
    read = list(dict.fromkeys(md(spoken(row.source)) for row in rows))
    source = t("market.shares_source", sources="; ".join(read))

    def tools() -> None:
        market_sources.shares_csv(rows, facts.forecasts)
        components.sources([*read, *_forecasts(facts)], "market_shares")

    components.chart_block(heading, unit, market_charts.shares(rows), "market_shares",
                           source=source, beside=tools)  # fmt: skip


def _forecasts(facts: HbmFacts) -> list[str]:
    return [
        t("market.forecast", scope=md(spoken(one.scope)), source=md(spoken(one.source)),
          parts=" / ".join(shown(value) for value in one.by_maker().values()))
        for one in facts.forecasts
    ]  # fmt: skip


def margins() -> None:
    """Bars of the newest operating margin of each, with the quarter that it is of."""
    named = market_sources.names()
    stated = {key: _with_profit(each) for key, each in _found().items()}
    rows = sorted(((key, row) for key, row in stated.items() if row is not None),
                  key=lambda one: -(margin(one[1], "operating_income").value or 0))  # fmt: skip
    first = rows[0]
    heading = t("market.margins_heading", name=md(named[first[0]]),
                margin=ratio(margin(first[1], "operating_income").value))  # fmt: skip
    made = market_charts.margins([_bar(named[key], row) for key, row in rows],
                                 [_margin_row(named[key], row) for key, row in rows])  # fmt: skip
    figures = [figure for _, row in rows for figure in row.values()]

    def tools() -> None:
        market_sources.csv_of(figures, "margins")
        market_sources.sources(figures, "margins")

    components.chart_block(heading, t("market.margins_unit", mark=mark("published")), made,
                           "market_margins", source=market_sources.source_words(figures),
                           beside=tools)  # fmt: skip


def _with_profit(rows: Sequence[Quarter]) -> Quarter | None:
    """The newest quarter whose operating margin is known."""
    known = (row for row in reversed(rows) if margin(row, "operating_income").value is not None)
    return next(known, None)


def _bar(name: str, row: Quarter) -> Bar:
    found = margin(row, "operating_income")
    anchor = row["operating_income"]
    return Bar(name=name, value=float(found.value or 0), shown=ratio(found.value), style="read",
               more=t("market.to_day", day=day(anchor.end)),
               hover=_margin_words(row, "operating_income"))  # fmt: skip


def _margin_row(name: str, row: Quarter) -> tuple[str, str, Ratio]:
    return name, period(row["operating_income"]), margin(row, "operating_income")


def _found() -> dict[str, list[Quarter]]:
    return {one.id: quarters(one.id) for one in public_data.companies() if one.role in MAKERS}


def makers() -> None:
    """The newest quarter of each, margins with both inputs."""
    found = _found()
    heading = _makers_heading(found)
    top = market_sources.names()

    def show() -> None:
        head = [t(f"market.column.{name}") for name in
                ("company", "revenue", "gross_profit", "operating_income", "vintage")]  # fmt: skip
        components.beneath(t("market.makers_unit", mark=mark("published")), heading)
        lines = [newest(top[key], rows[-1]) for key, rows in found.items()]
        plain_table.show(head, lines, t("market.makers_alt"), "makers")
        with st.container(gap="xxsmall"):
            components.note(t("market.margins_rule"))
            components.note(t("market.net_rule"))
            components.note(market_currency.rule([rows[-1] for rows in found.values()]))
        market_sources.tools(
            [f for rows in found.values() for r in rows for f in r.values()], "makers",
            [figure for rows in found.values() for figure in rows[-1].values()],
        )  # fmt: skip

    folds.section("makers", heading, show)


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


def newest(name: str, row: Quarter) -> list[Cell]:
    """A row of the table: revenue, profits with their margins, vintage."""
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
    said = f"{_margin_words(row, metric)} · {market_sources.hover(figure)}"
    below = ratio(margin(row, metric).value)
    return cell(money(figure.value, figure.currency), said, below=below)


def _margin_words(row: Quarter, metric: str) -> str:
    """'35,056 M USD / 41,456 M USD = 84.6 %'."""
    found, currency = margin(row, metric), row[metric].currency
    return t("market.margin_hover", upper=money(found.numerator, currency),
             lower=money(found.denominator, currency), margin=ratio(found.value))  # fmt: skip
