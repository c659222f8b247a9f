"""Day, last change, next day and history of each watched number, all out of dated facts."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from econ.market_dates import next_report_due
from econ.word_counts import KEYWORDS
from jobs import market_facts, public_data
from jobs.public_data import Figure
from price_tables.hardware import DeviceSpec
from price_tables.hbm import HbmFacts
from price_tables.watch import Event, Number
from ui import components, folds, market_sources, plain_table, table_csv
from ui.market_numerals import period
from ui.numerals import day, md
from ui.plain_table import cell
from ui.spoken import spoken
from ui.words import t

HYNIX = "skhynix"


def standing(pairs: Sequence[tuple[str, str]], key: str) -> None:
    """Day, last change, next day: muted lines under a number's heading."""
    with st.container(key=f"watch_{key}", gap="xxsmall"):
        for label, value in pairs:
            components.note(t("watch.pair", label=t(f"watch.{label}"), value=value))


def supply(facts: HbmFacts) -> None:
    """HBM4: what was shipped, and the results in which more may be said."""
    price, known = facts.price_of("HBM4"), market_facts.watched()
    ahead = [_event(one)] if (one := known.next_after("supply", market_facts.today())) else []
    results = market_facts.next_results(HYNIX)
    if results is not None:
        name = market_sources.names()[HYNIX]
        ahead.insert(0, t("watch.results_next", name=md(name), day=day(results)))
    standing(
        (
            ("as_of", day(facts.compiled) if price is None else price.as_of),
            ("last_change", _last("supply")),
            ("next", _joined(ahead)),
        ),
        "supply",
    )


def cpx(revised: DeviceSpec) -> None:
    """The prefill part: planned, dropped, reported again, and when it is to be made."""
    ahead = market_facts.watched().next_after("cpx", market_facts.today())
    standing(
        (
            ("as_of", revised.as_of),
            ("last_change", _last("cpx")),
            ("next", _joined([] if ahead is None else [_event(ahead)])),
        ),
        "cpx",
    )


def words() -> None:
    """Counts in annual reports: their year, what moved since the year before, the next due day."""
    found = _counts()
    newest = max((one for rows in found for one in rows), key=lambda one: one.end, default=None)
    if newest is None:
        return
    moved = [t("watch.words_moved", name=md(market_sources.name_of(rows[-1])),
               word=rows[-1].series.partition(":")[2], before=f"{rows[-2].value:,.0f}",
               now=f"{rows[-1].value:,.0f}") for rows in found if len(rows) > 1]  # fmt: skip
    due = next_report_due(newest.end, market_facts.today())
    standing(
        (
            ("as_of", t("watch.words_year", period=period(newest))),
            ("last_change", _joined(moved[:3]) if moved else t("watch.words_first")),
            ("next", t("watch.words_due", day=day(due))),
        ),
        "words",
    )


def _counts() -> list[list[Figure]]:
    japan = [one.id for one in public_data.companies() if one.role == "japan"]
    rows = [
        [one for one in public_data.filings(key, f"words:{word}", span="year")
         if one.value is not None]
        for key in japan for word in KEYWORDS
    ]  # fmt: skip
    return [found for found in rows if found]


def history(number: Number) -> None:
    """What happened so far, newest first, each with its day and source."""
    head = [t(f"watch.column.{c}") for c in ("day", "what", "source")]
    rows = [
        [
            cell(one.day),
            cell(t(f"watch.event.{one.id}"), tone="words"),
            cell(spoken(one.source), tone="words"),
        ]
        for one in market_facts.watched().history(number)
    ]
    if not rows:
        return

    def show() -> None:
        plain_table.show(head, rows, t("watch.history_alt"), f"watch_{number}_history", wide=True)
        with components.tools(f"watch_{number}_history"):
            table_csv.cells_button(head, rows, f"watch_{number}_history")

    finding = t("watch.history_finding", len(rows), day=rows[0][0].text)
    folds.section(f"{number}_history", finding, show)


def _last(number: Number) -> str:
    happened = market_facts.watched().history(number)
    return _event(happened[0]) if happened else t("watch.no_date")


def _event(one: Event) -> str:
    span = one.day if one.until is None else t("watch.span", first=one.day, last=one.until)
    return t("watch.event_on", day=span, what=t(f"watch.event.{one.id}"))


def _joined(parts: Sequence[str]) -> str:
    return t("watch.and").join(parts) if parts else t("watch.no_date")
