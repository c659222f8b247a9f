"""The market page's statistics: e-Stat indices, FRED series on one axis, DDR5, power."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

import streamlit as st

from econ import market_index
from econ.observation import HUNDRED, rebased
from jobs import public_data
from jobs.public_data import Figure
from price_tables.power import PowerFacts
from ui import (
    components,
    controls,
    folds,
    market_charts,
    market_sources,
    market_tables,
    plain_table,
)
from ui.components import Explanation, mark
from ui.less_kv_charts import figure as shown
from ui.market_charts import DateLine
from ui.market_makers import t_status
from ui.market_numerals import index, period, plain, vintage
from ui.numerals import day, md, percent
from ui.plain_table import Cell, cell
from ui.spoken import spoken
from ui.words import t

CHIPS, HOSTING = "PCU334413334413", "PCU518210518210"
WINDOWS = {"12": 12, "36": 36, "120": 120, "all": 0}
VINTAGES: tuple[public_data.Vintage, ...] = ("latest", "first")
ESTAT_PERIODS = ("year", "quarter")
DDR5 = (("ddr5_16gb_spot", "day"), ("ddr5_16gb_spot_low", "day"), ("ddr5_16gb_spot_high", "day"),
        ("ddr5_contract", "month"), ("ddr5_retail_32gb", "day"),
        ("ddr5_retail_64gb", "day"))  # fmt: skip


def fred() -> None:
    """Chip prices and hosting prices, each 100 at the first month that both have."""
    kind = VINTAGES[VINTAGES.index(_said("market_vintage", VINTAGES))]
    figures = {key: months(key, kind) for key in (CHIPS, HOSTING)}
    made = _both(figures, WINDOWS[_said("market_window", tuple(WINDOWS))])
    finding = t("market.no_common_month") if made is None else _moved_words(*made)
    folds.section("prices", finding, _fred)


def _said(name: str, options: Sequence[str]) -> str:
    """What the control of that name will show: the title stands above it."""
    said = st.query_params.get(name) or st.session_state.get(f"_{name}")
    return str(said) if said in options else options[0]


def _fred() -> None:
    with st.container(gap="medium"):
        top = st.container(gap="medium")
        with st.container(horizontal=True, gap="large", key="controls_fred"):
            window = controls.choice(t("market.window"), list(WINDOWS), "market_window",
                                     lambda key: t(f"market.window_{key}"))  # fmt: skip
            chosen = controls.choice(t("market.vintage_choice"), list(VINTAGES), "market_vintage",
                                     lambda key: t(f"market.vintage_{key}"))  # fmt: skip
        kind = VINTAGES[VINTAGES.index(chosen)]
        figures = {key: months(key, kind) for key in (CHIPS, HOSTING)}
        with top:
            _two_lines(figures, WINDOWS[window])
        _beside(kind)


def _newest(figures: Mapping[str, Sequence[Figure]]) -> list[Figure]:
    return [found[-1] for found in figures.values() if found]


def months(series: str, vintage_: public_data.Vintage) -> list[Figure]:
    """The months of a series that have a value, by the chosen vintage."""
    found = public_data.series(series, vintage=vintage_).figures
    return [one for one in found if one.span == "month" and one.value is not None]


def _points(figures: Sequence[Figure]) -> list[tuple[date, Decimal]]:
    return [(one.start or one.end, one.value) for one in figures if one.value is not None]


def _two_lines(figures: Mapping[str, Sequence[Figure]], width: int) -> None:
    found = _both(figures, width)
    if found is None:
        components.note(t("market.no_common_month"))
        return
    base, moved = found
    named = market_sources.names()
    lines = [_line(named[key], moved[key], figures[key]) for key in (CHIPS, HOSTING)]
    heading = _moved_words(base, moved)
    unit = t("market.fred_unit", base=f"{base:%Y-%m}", mark=mark("published"))
    made = market_charts.date_lines(lines, t("market.fred_alt"), t("market.fred_axis"))
    rows = [one for each in figures.values() for one in each]
    source = f"{market_sources.source_words(_newest(figures))} {t('market.notice.fred')}"

    def tools() -> None:
        market_sources.csv_of(rows, "prices")
        market_sources.sources(_newest(figures), "prices", "fred")

    components.chart_block(heading, unit, made, "fred", source=source, beside=tools,
                           titled=False)  # fmt: skip
    components.note(t("market.fred_last", chips=_last(figures[CHIPS][-1]),
                      hosting=_last(figures[HOSTING][-1])))  # fmt: skip
    components.how(
        Explanation(
            formula=t("market.fred_formula"),
            sums=(t("market.fred_monotone"), t("market.fred_vintages"), t("market.fred_gaps")),
        ),
        "how_fred",
    )


def _both(
    figures: Mapping[str, Sequence[Figure]], width: int
) -> tuple[date, dict[str, list[tuple[date, Decimal]]]] | None:
    """The first month that both have in the window, and both series as 100 there."""
    points = {key: market_index.window(_points(rows), width) for key, rows in figures.items()}
    base = market_index.common_base(points)
    return None if base is None else (base, {k: _from(base, rows) for k, rows in points.items()})


def _moved_words(base: date, moved: Mapping[str, Sequence[tuple[date, Decimal]]]) -> str:
    chips, hosting = (moved[key][-1][1] for key in (CHIPS, HOSTING))
    return t(f"market.fred_{_way(chips)}_{_way(hosting)}", chips=_change(chips),
             hosting=_change(hosting), base=f"{base:%Y-%m}")  # fmt: skip


def _from(base: date, points: Sequence[tuple[date, Decimal]]) -> list[tuple[date, Decimal]]:
    values = rebased(points, base)
    return [(at, value) for (at, _), value in zip(points, values, strict=True)
            if at >= base and value is not None]  # fmt: skip


def _way(value: Decimal) -> str:
    return "up" if value >= HUNDRED else "down"


def _change(value: Decimal) -> str:
    return percent(abs(value / HUNDRED - 1))


def _last(figure: Figure) -> str:
    return t("market.series_last", value=index(figure.value), month=f"{figure.end:%Y-%m}",
             vintage=vintage(figure))  # fmt: skip


def _line(name: str, points: Sequence[tuple[date, Decimal]], figures: Sequence[Figure]) -> DateLine:
    """The points with a hole for every month that the series does not have."""
    known, about = dict(points), {one.start: one for one in figures}
    whole = _every_month(points[0][0], points[-1][0])
    said = [
        "" if at not in known else t(
            "market.point", name=name, month=f"{at:%Y-%m}", value=f"{known[at]:.1f}",
            published=index(about[at].value), vintage=vintage(about[at]))
        for at in whole
    ]  # fmt: skip
    return DateLine(name=name, points=[(at, known.get(at)) for at in whole], said=said)


def _every_month(first: date, last: date) -> list[date]:
    count = (last.year - first.year) * 12 + last.month - first.month
    return [date(first.year + (first.month - 1 + n) // 12, (first.month - 1 + n) % 12 + 1, 1)
            for n in range(count + 1)]  # fmt: skip


def _beside(kind: public_data.Vintage) -> None:
    """Series that do not share the axis: newest values in their own units, and added ones."""
    known = [info.id for info in public_data.series_list() if info.source == "fred"]
    rows: list[list[Cell]] = []
    figures: list[Figure] = []
    newest: list[Figure] = []
    for key in known:
        found = public_data.series(key, vintage=kind)
        if not found.figures:
            continue
        last = found.figures[-1]
        figures += found.figures
        newest.append(last)
        first = last.first if last.restated else None
        below = "" if first is None else t("market.first_was", value=index(first))
        rows.append([
            cell(market_sources.names()[key], below=key),
            cell(index(last.value), market_sources.hover(last), below=below),
            cell(spoken(found.info.units), tone="words"),
            cell(period(last), market_sources.hover(last), "words", vintage(last)),
            cell(t_status(last), tone="words"),
        ])  # fmt: skip
    head = [t(f"market.column.{c}") for c in ("series", "newest", "unit", "period", "status")]
    plain_table.show(head, rows, t("market.series_alt"), "series")
    market_sources.tools(figures, "series", newest, "fred")


def estat() -> None:
    """METI's indices: the fiscal year and the quarter that it contains, side by side."""
    ids = [info for info in public_data.series_list() if info.source == "estat"]
    named, used, rows = market_sources.names(), [], []
    for info in ids:
        found = public_data.series(info.id).figures
        used += list(found)
        by_span = {one.span: one for one in found}
        if not set(ESTAT_PERIODS) & set(by_span):
            continue
        rows.append([cell(named[info.id]), *(
            cell(index(by_span[span].value), market_sources.hover(by_span[span]),
                 below=period(by_span[span])) if span in by_span else cell("–")
            for span in ESTAT_PERIODS
        ), cell(spoken(info.units), tone="words"),
            cell(t_status(next(iter(by_span.values()))), tone="words")])  # fmt: skip
    heading = t("market.estat_heading", last=day(max(one.end for one in used)))

    def show() -> None:
        components.beneath(t("market.estat_unit", mark=mark("published")), heading)
        head = [t(f"market.column.{c}")
                for c in ("series", "fiscal_year", "quarter", "unit", "status")]  # fmt: skip
        plain_table.show(head, rows, t("market.estat_alt"), "estat")
        components.note(t("market.estat_contains"))
        market_sources.tools(used, "estat", notice="estat")

    folds.section("estat", heading, show)


def ddr5() -> None:
    """Spot, contract and retail prices of DDR5, each under its own basis."""
    figures = [one for name, span in DDR5 for one in public_data.filings("", name, span=span)]
    spot = max((one for one in figures if one.series == "ddr5_16gb_spot"),
               key=lambda one: one.value or Decimal(0))  # fmt: skip
    contract = next(one for one in figures if one.series == "ddr5_contract")
    heading = t("market.ddr5_heading", contract=_usd(contract), spot=_usd(spot),
                day=day(spot.end))  # fmt: skip

    def show() -> None:
        components.beneath(t("market.ddr5_unit", mark=mark("published")), heading)
        head = [t(f"market.column.{c}") for c in ("basis", "usd", "unit", "period", "status")]
        rows = [
            [
                cell(t(f"market.ddr5.{one.series}")),
                cell("–" if one.value is None else plain(one.value), market_sources.hover(one)),
                cell(spoken(one.unit), tone="words"),
                cell(period(one), tone="words"),
                cell(t_status(one), spoken(one.note), "words"),
            ]
            for one in sorted(figures, key=lambda one: one.end, reverse=True)
        ]
        plain_table.show(head, rows, t("market.ddr5_alt"), "ddr5")
        components.note(t("market.ddr5_rule"))
        market_sources.tools(figures, "ddr5")

    folds.section("ddr5", heading, show)


def _usd(figure: Figure) -> str:
    return "–" if figure.value is None else plain(figure.value)


def power(facts: PowerFacts) -> None:
    """Two scenarios of two sources, never one line."""
    one, other = facts.scenarios[:2]
    heading = t("market.power_heading", one=shown(one.points[-1].gw),
                year=str(one.points[-1].year), other=shown(other.points[-1].gw),
                later=str(other.points[-1].year))  # fmt: skip

    def show() -> None:
        components.beneath(t("market.power_unit", mark=mark("published")), heading)
        head = [t(f"market.column.{c}")
                for c in ("scenario", "first_gw", "last_gw", "growth", "source")]  # fmt: skip
        rows = [
            [
                cell(t(f"market.scenario.{path.id}"), spoken(path.note)),
                cell(shown(path.points[0].gw), below=str(path.points[0].year)),
                cell(shown(path.points[-1].gw), below=str(path.points[-1].year)),
                cell(percent(path.growth_a_year)),
                cell(spoken(path.source), spoken(path.note), "words", path.as_of),
            ]
            for path in facts.scenarios
        ]
        plain_table.show(head, rows, t("market.power_alt"), "power")
        for operator in facts.operators:
            components.note(
                t("market.operator", name=md(operator.name), active=shown(operator.active_gw),
                  contracted=shown(operator.contracted_gw), day=str(operator.day),
                  source=md(spoken(operator.source)))
            )  # fmt: skip
        market_tables.power(facts)

    folds.section("power", heading, show)
