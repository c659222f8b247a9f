"""Asking the sources from the page: which, what else, with which keys, and what that changed."""

from __future__ import annotations

import streamlit as st

from data_sources.public.hosts import Source
from data_sources.store.observations import Change
from jobs import public_asked, public_refresh
from jobs.public_asked import Keys, Refreshed, Wanted
from messages.errors import KvledgerError
from ui import components, failures, plain_table
from ui.market_numerals import index
from ui.numerals import day, md
from ui.plain_table import cell
from ui.words import say, t

_FOUND = "_market_refreshed"
MOST_CHANGES = 40
LONGEST = 200
KEYS = (("sec", "sec_contact", "KVLEDGER_SEC_CONTACT"), ("fred", "fred", "KVLEDGER_FRED_KEY"),
        ("edinet", "edinet", "KVLEDGER_EDINET_KEY"),
        ("estat", "estat", "KVLEDGER_ESTAT_KEY"))  # fmt: skip
"""Source, the field that holds its key, and the setting that it comes from."""


def ask() -> None:
    """The popover: nothing is asked before its button is pressed."""
    with st.popover(t("market.refresh"), icon=":material/sync:", key="market_refresh"):
        keys = public_asked.keys_from_settings()
        components.note(t("market.refresh_what"))
        for source, field, name in KEYS:
            set_ = bool(getattr(keys, field))
            state = "key_set" if set_ else f"key_missing_{source}"
            components.note(
                t(f"market.{state}", source=t(f"market.source.{source}"), name=md(name))
            )
        sources = st.multiselect(t("market.refresh_sources"), list(public_refresh.SOURCES),
                                 key="market_sources", default=["fred"],
                                 format_func=lambda one: t(f"market.source.{one}"))  # fmt: skip
        companies = st.text_input(
            t("market.refresh_companies"),
            key="market_add_company",
            max_chars=LONGEST,
            help=t("market.refresh_companies_help"),
        )
        series = st.text_input(t("market.refresh_series"), key="market_add_series",
                               max_chars=LONGEST, help=t("market.refresh_series_help"))  # fmt: skip
        if st.button(t("market.refresh_go"), key="market_refresh_go", disabled=not sources):
            wanted = Wanted(companies=_ids(companies), series=_ids(series))
            _run(tuple(sources), wanted, keys)
    for one in st.session_state.get(_FOUND, ()):
        _changes(one)


def _ids(typed: str) -> tuple[str, ...]:
    return tuple(part for part in typed.replace(",", " ").split() if part)


def _run(sources: tuple[Source, ...], wanted: Wanted, keys: Keys) -> None:
    try:
        with st.spinner(t("market.refreshing")):
            st.session_state[_FOUND] = public_refresh.refresh(sources, wanted, keys)
    except KvledgerError as error:
        failures.show(error)
        return
    st.rerun()


def _changes(found: Refreshed) -> None:
    source = t(f"market.source.{found.source}")
    components.note(t("market.refreshed", source=source, asked=found.asked, reused=found.reused,
                      new=len(found.new), changed=len(found.changed),
                      unchanged=found.unchanged))  # fmt: skip
    for failure in found.failures:
        st.warning(
            f"**{md(failure.what)}** {md(say(failure.message))}", icon=":material/cloud_off:"
        )
    rows = [*found.changed, *found.new]
    if rows:
        head = [t(f"market.column.{c}") for c in ("series", "period", "before", "now", "vintage")]
        plain_table.show(head, [_row(one) for one in rows[:MOST_CHANGES]],
                         t("market.changes_alt"), f"changes_{found.source}")  # fmt: skip
    if len(rows) > MOST_CHANGES:
        components.note(t("market.changes_more", len(rows) - MOST_CHANGES))


def _row(change: Change) -> list[plain_table.Cell]:
    after, before = change.after, change.before
    return [
        cell(after.series, below=after.entity),
        cell(day(after.end)),
        cell(index(before.value) if before else "–"),
        cell(index(after.value), after.unit),
        cell(day(after.vintage) if after.vintage else "–"),
    ]
