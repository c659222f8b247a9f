"""A study of the cache on a page: there already, or a job that is shown while it runs."""

from __future__ import annotations

import streamlit as st

from econ.cache_study import CacheStudy
from jobs import flows
from messages.errors import KvledgerError, NotFoundError
from ui import failures, panel, state
from ui.words import t

_JOB = "_study_job"


def study(workload_id: str, asked: flows.StudyParams) -> CacheStudy | None:
    """The study; None while it is being made, and where it could not be: the page says so."""
    found = flows.cache_study(workload_id, asked, state.owner())
    if found is not None:
        st.session_state.pop(_JOB, None)
        return found
    known = st.session_state.get(_JOB)
    if known is None or known[0] != (workload_id, asked):
        job_id = _start(workload_id, asked)
        if job_id is None:
            return None
        st.session_state[_JOB] = known = ((workload_id, asked), job_id)
    return _watch(known[1], workload_id, asked)


def _start(workload_id: str, asked: flows.StudyParams) -> str | None:
    try:
        return flows.start_study(workload_id, asked, state.owner())
    except KvledgerError as error:
        failures.show(error)
        return None


def _watch(job_id: str, workload_id: str, asked: flows.StudyParams) -> CacheStudy | None:
    try:
        job = flows.job(job_id, state.owner())
    except NotFoundError:  # the page was left open longer than jobs are remembered
        _forget()
        st.rerun()
    if not job.finished:
        panel.running(job_id)
        return None
    if job.state == "done":
        found = flows.cache_study(workload_id, asked, state.owner())
        if found is not None:
            st.session_state.pop(_JOB, None)
            return found
    if job.state == "cancelled":
        st.info(t("ui.job.cancelled"), icon=":material/cancel:")
    else:
        failures.show_message(job.error)
    st.button(t("cache_page.again"), key="study_again", on_click=_forget)
    return None


def _forget() -> None:
    st.session_state.pop(_JOB, None)
