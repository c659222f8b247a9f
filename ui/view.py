"""What a page looks at: the chosen workload's report, or the file that the link asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from econ.report import CostReport
from jobs import flows
from messages.errors import KvledgerError, NotFoundError
from ui import estimated, failures, mapping, panel, state, statement, upload
from ui.numerals import md
from ui.words import t


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A report and how to name it. `about` is plain text: the period and the file."""

    workload_id: str
    is_example: bool
    report: CostReport

    @property
    def about(self) -> str:
        """'2026-11-02, example data'."""
        return statement.about(self.report.workload)

    @property
    def estimated(self) -> str:
        """One more sentence where token counts are estimates; '' where they were counted."""
        return estimated.sentence(self.report, None)


def load(on_failure: Callable[[], None] = mapping.offer) -> View | None:
    """The report to show; None where the page must wait for a file or a job.

    `on_failure` is called when a file could not be read, after its sentence has been shown; it
    asks what its columns mean on whatever page it was dropped.
    """
    if state.take_from_url(flows.model_names()):
        st.warning(t("ui.address_unknown"), icon=":material/link_off:")
    state.keep_in_url()
    if panel.watch(on_failure):
        return None
    if state.is_another_file():
        st.info(t("ui.ask.another_file"), icon=":material/info:")
    chosen = state.chosen_workload()
    workload_id = chosen or flows.example_id()
    try:
        with st.spinner(t("ui.computing")):
            report = flows.report(workload_id, state.params(), state.owner())
    except NotFoundError:
        ask_for_file()
        return None
    except KvledgerError as error:
        failures.show(error)
        offer_all_days()
        return None
    if not report.workload.rows:
        st.info(t("ui.no_rows_in_period"), icon=":material/info:")
        offer_all_days()
        return None
    return View(workload_id=workload_id, is_example=chosen is None, report=report)


def offer_all_days() -> None:
    """A way back from a period that the workload does not have."""
    params = state.params()
    if params.since is not None or params.until is not None:
        st.button(t("ui.all_days"), key="all_days", on_click=state.choose_period, args=(None, None))


def ask_for_file() -> None:
    """The link's settings are here, its file is not: uploads live with their own session, and a
    reload starts another one."""
    state.wait_for_file()
    name, sha256 = md(state.asked_file()) or t("ui.ask.unnamed"), state.asked_sha256()
    said = t("ui.ask.file", name=name)
    st.markdown(said + (t("ui.ask.file_sha256", digest=sha256) if sha256 else ""))
    upload.uploader("asked", t("ui.upload.label"))
    st.button(t("ui.ask.example_instead"), key="example_instead", on_click=state.choose_example)
