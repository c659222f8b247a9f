"""A result that takes long, on a page: there already, or a job that is shown while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from econ.cache_study import CacheStudy
from jobs import flows
from messages.errors import KvledgerError, NotFoundError
from ui import components, failures, panel, state
from ui.numerals import md
from ui.words import say, t

_JOB = "_study_job"
FACTS = frozenset({"misses.nothing_priced"})
"""Why a job ended that trying again does not change: the file has no price, nothing broke."""

Made = TypeVar("Made")


def study(workload_id: str, asked: flows.StudyParams) -> CacheStudy | None:
    """The study; None while it is being made, and where it could not be: the page says so."""
    return made(
        (workload_id, asked),
        lambda: flows.cache_study(workload_id, asked, state.owner()),
        lambda: flows.start_study(workload_id, asked, state.owner()),
    )


def made(
    asked: object,
    look: Callable[[], Made | None],
    start: Callable[[], str],
    slot: str = _JOB,
) -> Made | None:
    """What `look` finds; where that is nothing, a job is started by `start` and shown. `asked`
    tells one question from the next, `slot` the jobs of a page that waits for several."""
    found = look()
    if found is not None:
        st.session_state.pop(slot, None)
        return found
    known = st.session_state.get(slot)
    if known is None or known[0] != asked:
        job_id = _started(start)
        if job_id is None:
            return None
        st.session_state[slot] = known = (asked, job_id)
    return _watch(known[1], look, slot)


def is_waiting() -> bool:
    """Whether a job of the page's own slot is shown already in this run."""
    return st.session_state.get(_JOB) is not None


def _started(start: Callable[[], str]) -> str | None:
    try:
        return start()
    except KvledgerError as error:
        failures.show(error)
        return None


def _watch(job_id: str, look: Callable[[], Made | None], slot: str) -> Made | None:
    try:
        job = flows.job(job_id, state.owner())
    except NotFoundError:  # the page was left open longer than jobs are remembered
        _forget(slot)
        st.rerun()
    if not job.finished:
        panel.running(job_id, slot)
        return None
    if job.state == "done":
        found = look()
        if found is not None:
            st.session_state.pop(slot, None)
            return found
    if job.error is not None and job.error.id in FACTS:
        components.note(md(say(job.error)))
        return None
    if job.state == "cancelled":
        st.info(t("ui.job.cancelled"), icon=":material/cancel:")
    else:
        failures.show_message(job.error)
    st.button(t("cache_page.again"), key=f"study_again{slot}", on_click=_forget, args=(slot,))
    return None


def _forget(slot: str) -> None:
    st.session_state.pop(slot, None)
