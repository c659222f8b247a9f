"""Asking the sources from the page: which, what else, how far it is, and what that changed."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import get_args

import streamlit as st

from data_sources.public.hosts import Source
from jobs import flows, public_job, public_keys, public_refresh
from jobs.public_asked import Failure, Wanted
from jobs.public_job import Brought, Row
from messages.errors import KvledgerError, NotFoundError
from ui import components, failures, keys_view, market_sources, panel, plain_table, state
from ui.market_numerals import SCALES, money, plain
from ui.numerals import count, day, foreign, md
from ui.plain_table import Cell, cell
from ui.words import say, t

_JOB = "_market_refresh_job"
_FOUND = "_market_refreshed"
_STOPPED = "_market_refresh_stopped"
_TURN = "_market_refresh_turn"
MOST_CHANGES = 40
LONGEST = 200
UNREACHED = "public.no_connection"


def ask() -> None:
    """The popover: nothing is asked before its button is pressed. Below it the job at work, or
    what the last one changed."""
    job_id = st.session_state.get(_JOB)
    if job_id is not None:
        job_id = _settled(str(job_id))
    turn = st.session_state.get(_TURN, 0)  # a new popover is a closed one: it would hide the job
    with st.popover(t("market.refresh"), icon=":material/sync:", key=f"market_refresh_{turn}"):
        _choose(running=job_id is not None)
    if job_id is not None:
        panel.running(job_id, "_market", _stage)
        return
    if st.session_state.get(_STOPPED):
        st.info(t("market.refresh_stopped"), icon=":material/cancel:")
    found: tuple[Brought, ...] = st.session_state.get(_FOUND, ())
    _refusals(found)
    for one in found:
        _changes(one)


def _choose(*, running: bool) -> None:
    keys = keys_view.keys_now()
    components.note(t("market.refresh_what"))
    for source in public_refresh.SOURCES:
        ready = "key_set" if public_keys.has_key(source, keys) else f"key_missing_{source}"
        components.note(t(f"market.{ready}", source=t(f"market.source.{source}"),
                          name=md(public_keys.VARIABLES[source])))  # fmt: skip
    components.note(t("market.refresh_keys", page=t("ui.page.data_and_changes")))
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
    off = running or not sources
    if st.button(t("market.refresh_go"), key="market_refresh_go", disabled=off):
        _start(tuple(sources), Wanted(companies=_ids(companies), series=_ids(series)))


def _ids(typed: str) -> tuple[str, ...]:
    return tuple(part for part in typed.replace(",", " ").split() if part)


def _start(sources: tuple[Source, ...], wanted: Wanted) -> None:
    for name in (_FOUND, _STOPPED):
        st.session_state.pop(name, None)
    try:
        keys = keys_view.keys_now()
        st.session_state[_JOB] = public_job.start_refresh(sources, wanted, keys, state.owner())
    except KvledgerError as error:
        failures.show(error)
        return
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    st.rerun()


def _settled(job_id: str) -> str | None:
    """The job while it runs; None once it has ended and what it said is with the session."""
    try:
        job = flows.job(job_id, state.owner())
    except NotFoundError as error:  # the page was left open longer than jobs are remembered
        st.session_state.pop(_JOB, None)
        failures.show(error)
        return None
    if not job.finished:
        return job_id
    st.session_state.pop(_JOB, None)
    public_job.forget_keys(job)
    if job.state == "done" and job.result_id:
        st.session_state[_FOUND] = public_job.brought(job.result_id)
    elif job.state == "cancelled":
        st.session_state[_STOPPED] = True
    elif job.error is not None:
        failures.show_message(job.error)
    return None


def _stage(stage: str) -> str:
    """'fred:DEXJPUS' in words."""
    source, _, what = stage.partition(":")
    if source not in get_args(Source):
        return t("market.refresh_turn")
    return t("public_keys.asking", source=t(f"market.source.{source}"), what=md(foreign(what)))


def _refusals(found: Sequence[Brought]) -> None:
    """What could not be had; no network at all is one sentence."""
    refused = [(one, failure) for one in found for failure in one.failures]
    unreached = [one for one, failure in refused if failure.message.id == UNREACHED]
    if unreached:
        named = [t(f"market.source.{one.source}") for one in unreached]
        st.warning(t("market.no_network", sources=t("market.comma").join(dict.fromkeys(named)),
                     day=day(market_sources.snapshot_day())),
                   icon=":material/cloud_off:")  # fmt: skip
    for one, failure in refused:
        if failure.message.id != UNREACHED:
            st.warning(_why(one, failure), icon=":material/cloud_off:")


def _why(one: Brought, failure: Failure) -> str:
    source = t(f"market.source.{one.source}")
    what = source if failure.what == one.source else f"{source} {foreign(failure.what)}"
    return f"**{md(what)}** {md(say(failure.message), longest=1000)}"


def _changes(found: Brought) -> None:
    source = t(f"market.source.{found.source}")
    components.note(t("market.refreshed", source=source, asked=count(found.asked),
                      reused=count(found.reused), new=count(found.new),
                      changed=count(found.changed), unchanged=count(found.unchanged)))  # fmt: skip
    if found.rows:
        head = [t(f"market.column.{c}") for c in ("series", "period", "before", "now", "vintage")]
        plain_table.show(head, [_row(one) for one in found.rows[:MOST_CHANGES]],
                         t("market.changes_alt"), f"changes_{found.source}")  # fmt: skip
    left_out = found.new + found.changed - min(len(found.rows), MOST_CHANGES)
    if left_out > 0:
        components.note(t("market.changes_more", left_out))


def _value(text: str, unit: str) -> str:
    """Exact decimal text as money or as a number; what a source writes for none as it is."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return foreign(text) or "–"
    return money(value, unit) if unit in SCALES else plain(value)


def _row(one: Row) -> list[Cell]:
    known = market_sources.names()
    spoken = known.get(one.series) or foreign(one.series)
    return [
        cell(spoken, one.series, below=known.get(one.entity, foreign(one.entity))),
        cell(day(one.end)),
        cell(_value(one.before, one.unit)),
        cell(_value(one.now, one.unit), foreign(one.unit)),
        cell("–" if one.vintage is None else day(one.vintage)),
    ]
