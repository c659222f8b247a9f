"""The market page's Japanese companies: figures of annual reports, printed word counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from econ.observation import ratio as quotient
from econ.word_counts import KEYWORDS
from jobs import public_data
from jobs.public_data import Figure
from ui import components, folds, market_sources, plain_table
from ui.components import mark
from ui.market_makers import t_status
from ui.market_numerals import money, period, ratio
from ui.numerals import md
from ui.plain_table import Cell, cell
from ui.words import t

METRICS = ("revenue", "operating_income", "research_and_development")
SPANS = ("year", "half", "quarter")
WORDS = "words:"


def companies() -> None:
    """Newest year of each: revenue, operating profit with its margin, R&D; and other statements."""
    known = [one for one in public_data.companies() if one.role == "japan"]
    named = market_sources.names()
    found = {one.id: {m: _years(one.id, m) for m in METRICS} for one in known}
    used = [f for rows in found.values() for figures in rows.values() for f in figures]
    stated = sum(any(rows.values()) for rows in found.values())
    heading = t("market.japan_heading", stated, total=len(known))

    def show() -> None:
        components.beneath(t("market.japan_unit", mark=mark("published")), heading)
        head = [t(f"market.column.{name}") for name in ("company", *METRICS, "status")]
        plain_table.show(head, [_row(f"{named[k]} ({_ticker(k)})", rows)
                                for k, rows in found.items()],
                         t("market.japan_alt"), "japan")  # fmt: skip
        with st.container(gap="xxsmall"):
            components.note(t("market.japan_missing"))
            components.note(t("market.softbank"))
            _statements([one.id for one in known])
        market_sources.tools(_everything([one.id for one in known]), "japan", used)

    folds.section("japan", heading, show)


def _years(company: str, metric: str) -> tuple[Figure, ...]:
    return public_data.filings(company, metric, span="year")


def _ticker(company: str) -> str:
    return next(one.ticker for one in public_data.companies() if one.id == company)


def _row(name: str, rows: Mapping[str, Sequence[Figure]]) -> list[Cell]:
    newest = [figures[-1] for figures in rows.values() if figures]
    if not newest:
        missing = cell(t("market.not_held"), tone="muted")
        return [cell(name), missing, missing, missing, cell("", tone="words")]
    revenue = rows["revenue"][-1].value if rows["revenue"] else None
    cells = [cell(name, below=period(newest[0]))]
    for metric in METRICS:
        figure = rows[metric][-1] if rows[metric] else None
        if figure is None:
            cells.append(cell(t("market.not_stated"), tone="muted"))
            continue
        below = ratio(quotient(figure.value, revenue).value) if metric != "revenue" else ""
        cells.append(cell(money(figure.value, figure.currency), market_sources.hover(figure),
                          below=below))  # fmt: skip
    cells.append(cell(t_status(newest[0]), market_sources.hover(newest[0]), "words"))
    return cells


def _everything(ids: Sequence[str]) -> list[Figure]:
    series = sorted({f.series for f in _bundled(ids)} | set(METRICS))
    return [one for key in ids for name in series for span in SPANS
            for one in public_data.filings(key, name, span=span)]  # fmt: skip


def _bundled(ids: Sequence[str]) -> list[Figure]:
    names = ("gpu_platform_revenue_growth_pct", "revenue_outlook", "operating_income_outlook")
    return [one for key in ids for name in names
            for one in public_data.filings(key, name, span="year")]  # fmt: skip


def _statements(ids: Sequence[str]) -> None:
    """Outlooks and growth that a report states, and shorter periods, each with its days."""
    shorter = [one for key in ids for span in ("half", "quarter") for m in METRICS
               for one in public_data.filings(key, m, span=span)]  # fmt: skip
    for one in [*_bundled(ids), *shorter]:
        percent = one.unit == "percent"
        value = ratio(one.value / 100) if percent and one.value is not None else money(
            one.value, one.currency)  # fmt: skip
        components.note(
            t("market.statement", name=md(market_sources.name_of(one)), value=md(value),
              what=t(f"market.metric.{one.series}"), period=period(one), status=t_status(one))
        )  # fmt: skip


def printed_counts(*, unit: bool = True) -> None:
    """The counts that an article prints; how they were counted is not stated. Without its `unit`
    where a heading says it."""
    known = [one for one in public_data.companies() if one.role == "japan"]
    named = market_sources.names()
    found = {one.id: {word: _count(one.id, word) for word in KEYWORDS} for one in known}
    found = {key: row for key, row in found.items() if any(row.values())}
    used = [figure for row in found.values() for figure in row.values() if figure]
    head = [t("market.column.company"), *KEYWORDS]
    rows = [
        [cell(named[key]), *(_count_cell(row[word]) for word in KEYWORDS)]
        for key, row in found.items()
    ]
    if unit:
        components.note(t("market.counts_unit", mark=mark("published")))
    plain_table.show(head, rows, t("market.counts_alt"), "counts")
    components.note(t("market.counts_rule"))
    market_sources.tools(used, "counts")


def _count(company: str, word: str) -> Figure | None:
    found = public_data.filings(company, f"{WORDS}{word}", span="year")
    return found[-1] if found else None


def _count_cell(figure: Figure | None) -> Cell:
    if figure is None or figure.value is None:
        return cell("–", t("market.not_stated"))
    return cell(f"{figure.value:,.0f}", market_sources.hover(figure))
