"""Measuring from the page: what starts it, how far it is, and what stops it."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from jobs import engine_bench, flows
from jobs.engine_bench import BenchAsked, RunningBench
from messages.errors import KvledgerError, NotFoundError
from ui import components, failures, state
from ui.components import muted
from ui.numerals import seconds
from ui.words import known, t

REFRESH_S = 0.5
_JOB = "_bench_job"
_REFUSED = "_bench_refused"
KINDS = ("quick", "full")


def measure(empty: bool) -> str | None:
    """The controls, or the run that goes on. The id of a profile that has just been made.

    `empty`: nothing was measured yet, so the page invites to.
    """
    made = _settle()
    running = engine_bench.running_bench()
    if running is not None:
        _panel(running.owner == state.owner())
        return made
    refused = st.session_state.pop(_REFUSED, None)
    if refused is not None:
        failures.show_message(refused)
    if not engine_bench.engine_installed():
        st.info(t("engine_page.no_torch", command=engine_bench.INSTALL), icon=":material/info:")
    elif empty:
        with components.empty(t("engine_page.empty")):
            _start()
    else:
        with st.popover(
            t("engine_page.measure_again"), icon=":material/speed:", key="measure_again"
        ):
            _start()
    return made


def _start() -> None:
    st.segmented_control(
        t("engine_page.kind"),
        list(KINDS),
        default=KINDS[0],
        format_func=lambda kind: t(f"engine_page.kind_{kind}"),
        key="bench_kind",
        required=True,
    )
    components.note(t("engine_page.start_note"))
    st.button(t("engine_page.start"), key="bench_start", type="primary", on_click=_begin)


def _begin() -> None:
    quick = st.session_state.get("bench_kind") != "full"
    try:
        st.session_state[_JOB] = engine_bench.start_bench(BenchAsked(quick=quick), state.owner())
    except KvledgerError as error:
        st.session_state[_REFUSED] = error.message


def _settle() -> str | None:
    """Say how this browser's run has ended; the id of its profile where it has made one."""
    job_id = st.session_state.get(_JOB)
    if job_id is None:
        return None
    try:
        job = flows.job(job_id, state.owner())
    except NotFoundError:  # the page was left open longer than jobs are remembered
        del st.session_state[_JOB]
        return None
    if not job.finished:
        return None
    del st.session_state[_JOB]
    if job.state == "done":
        return job.result_id
    if job.state == "cancelled":
        kept = engine_bench.kept_of(job)
        if kept is None:
            st.info(t("engine_page.stopped"), icon=":material/cancel:")
        return kept
    failures.show_message(job.error)
    return None


@st.fragment(run_every=REFRESH_S)
def _panel(mine: bool) -> None:
    running = engine_bench.running_bench()
    if running is None:
        st.rerun()
    st.progress(min(max(running.fraction, 0.0), 1.0), text=_stage(running))
    passed_s = max((datetime.now(tz=UTC) - running.started_utc).total_seconds(), 0.0)
    with st.container(horizontal=True, vertical_alignment="center", key="bench_job"):
        passed = t("ui.job.so_far", so_far=seconds(passed_s))
        st.markdown(muted(passed if mine else t("engine_page.others", so_far=passed)))
        if mine:
            st.button(
                t("engine_page.stop"),
                type="tertiary",
                icon=":material/stop_circle:",
                key="bench_stop",
                on_click=flows.cancel,
                args=(running.job_id, state.owner()),
            )


def _stage(running: RunningBench) -> str:
    key = f"engine_page.stage_{running.stage.replace('-', '_')}"
    return t(key if known(key) else "engine_page.stage_start")
