"""The job panel: what runs, how far it is, how long it takes, and a way to stop it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import streamlit as st

from jobs import flows
from messages.errors import NotFoundError
from ui import state, upload
from ui.components import muted
from ui.numerals import seconds
from ui.words import known, t

REFRESH_S = 0.5
TOO_EARLY = 0.05
"""Below this fraction the time that is left would be a guess."""


def watch(on_failure: Callable[[], None]) -> bool:
    """Show the reading job of this browser if there is one. True while it runs.

    When it is done its workload is chosen and the page runs again; when it failed its sentence is
    shown and `on_failure` may offer a way on.
    """
    job_id = upload.running_job()
    if job_id is None:
        upload.say_refusal(on_failure)
        return False
    try:
        job = flows.job(job_id, state.owner())
    except NotFoundError as error:  # the page was left open longer than jobs are remembered
        upload.finished()
        upload.refuse(error.message)
        upload.say_refusal(on_failure)
        return False
    if not job.finished:
        _panel(job_id)
        return True
    upload.finished()
    if job.state == "done" and job.result_id is not None:
        upload.drop_files()
        facts = flows.workload_info(job.result_id, state.owner())
        files = facts.receipt.files
        sha256 = files[0].sha256 if len(files) == 1 else ""
        state.choose_workload(job.result_id, facts.name, sha256)
        st.rerun()
    if job.state == "cancelled":
        upload.drop_files()
        st.info(t("ui.job.cancelled"), icon=":material/cancel:")
        return False
    upload.refuse(job.error)
    upload.say_refusal(on_failure)
    return False


def running(job_id: str, slot: str = "", say: Callable[[str], str] | None = None) -> None:
    """Show how far a job of this browser is; the page runs again when it has finished. `slot`
    tells the jobs of a page that waits for several apart; `say` has words for a stage."""
    _panel(job_id, slot, say)


@st.fragment(run_every=REFRESH_S)
def _panel(job_id: str, slot: str = "", say: Callable[[str], str] | None = None) -> None:
    job = flows.job(job_id, state.owner())
    if job.finished:
        st.rerun()
    stage = f"ui.stage.{job.stage or 'queued'}"
    text = t(stage if known(stage) else "ui.stage.read")
    if say is not None and job.stage and not known(stage):
        text = say(job.stage)
    st.progress(min(max(job.fraction, 0.0), 1.0), text=text)
    started = job.started_utc or job.created_utc
    passed_s = max((datetime.now(tz=UTC) - started).total_seconds(), 0.0)
    with st.container(horizontal=True, vertical_alignment="center", key=f"job{slot}"):
        st.markdown(muted(_time_words(passed_s, job.fraction)), width="content")
        st.button(
            t("ui.job.cancel"),
            type="tertiary",
            icon=":material/close:",
            key=f"cancel_job{slot}",
            on_click=flows.cancel,
            args=(job_id, state.owner()),
        )


def _time_words(passed_s: float, fraction: float) -> str:
    if fraction < TOO_EARLY:
        return t("ui.job.so_far", so_far=seconds(passed_s))
    left_s = passed_s * (1 - fraction) / fraction
    return t("ui.job.so_far_and_left", so_far=seconds(passed_s), left=seconds(left_s))
