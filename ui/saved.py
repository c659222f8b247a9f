"""Saved reports: the form that saves, the list, one row a report, and deleting for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

import streamlit as st

from econ.anonymise import is_numbered, numbered_name
from econ.report import CostReport
from jobs import flows
from messages.errors import KvledgerError
from ui import components, doors, failures, finance_params, own_seen, state, statement
from ui.components import muted
from ui.numerals import day, digest, foreign, md
from ui.view import View
from ui.words import t

LONGEST_NAME = 120
_NUMBERS = "names_by_numbers"
_KEPT_NUMBERS = "_kept_numbers"


class Summary(Protocol):
    """A saved report without its rows."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def created_utc(self) -> datetime: ...


class Kept(Summary, Protocol):
    """A saved report."""

    @property
    def report(self) -> CostReport: ...


def save_form(seen: View) -> None:
    """Name it, decide about names, save it. The button says who will see it."""
    components.answer(t("reports_page.save_heading"), t("reports_page.save_unit"))
    names = _default_names(seen)
    key = f"save_name-{seen.report.report_id}"
    name = st.text_input(
        t("reports_page.name"),
        value=names[bool(st.session_state.get(_NUMBERS))],
        max_chars=LONGEST_NAME,
        key=key,
    )
    numbers = st.checkbox(
        t("reports_page.names_by_numbers"),
        key=_NUMBERS,
        help=t("reports_page.names_by_numbers_help"),
        on_change=_rename,
        args=(key, names),
    )
    if st.button(t("reports_page.save"), key="save_report", icon=":material/save:"):
        save = flows.save_report_with_numbers if numbers else flows.save_report
        try:
            asked = finance_params.for_saving(seen)
            own = own_seen.part(seen.workload_id, seen.report.params.default_model)
            report_id = save(seen.workload_id, asked, state.owner(), name, own)
        except KvledgerError as error:
            failures.show(error)
            return
        if not numbers and flows.has_numbers(report_id) and _says_names(seen):
            st.session_state[_KEPT_NUMBERS] = report_id
        open_saved(report_id)


def _default_names(seen: View) -> tuple[str, str]:
    """What the report is called unless the reader types a name: as it is, and without the name of
    its file."""
    workload = seen.report.workload
    numbered = replace(workload, name=numbered_name(seen.report.receipt))
    plain, without = (foreign(statement.about(one))[:LONGEST_NAME] for one in (workload, numbered))
    return plain, without


def _rename(key: str, names: tuple[str, str]) -> None:
    """The tick changes a default name; a name that was typed stays."""
    if st.session_state.get(key) in names:
        st.session_state[key] = names[bool(st.session_state[_NUMBERS])]


def _says_names(seen: View) -> bool:
    return not is_numbered(seen.report.workload.name, seen.report.receipt)


def open_saved(report_id: str) -> None:
    """Show a saved report; its address opens it in any other browser too."""
    st.switch_page(
        doors.path_of("reports"),
        query_params={state.URL_REPORT: report_id},
    )


def facts(kept: Kept) -> None:
    """When it was saved, on which prices, and that everyone can open it."""
    report = kept.report
    components.answer(md(kept.name), t("reports_page.saved_on", date=day(kept.created_utc)))
    components.note(
        t(
            "reports_page.ids",
            report=digest(report.report_id),
            workload=digest(report.workload_sha256),
            book=md(report.price_book_version),
            method=str(report.method_version),
        )
    )
    components.note(t("reports_page.everyone"))
    if is_numbered(report.workload.name, report.receipt):
        components.note(t("reports_page.has_numbers"))
    if st.session_state.pop(_KEPT_NUMBERS, None) == kept.id:
        st.info(t("reports_page.kept_numbers"), icon=":material/info:")


def delete_button(report_id: str) -> None:
    """Delete for good, after a second press."""
    with st.popover(
        t("reports_page.delete"),
        type="tertiary",
        icon=":material/delete:",
        key=f"delete-{report_id[:12]}",
    ):
        st.markdown(t("reports_page.delete_what"))
        st.button(
            t("reports_page.delete_now"),
            key=f"delete-now-{report_id[:12]}",
            on_click=_delete,
            args=(report_id,),
        )


def _delete(report_id: str) -> None:
    try:
        flows.delete_report(report_id, state.owner())
    except KvledgerError as error:
        failures.show(error)
        return
    st.query_params.pop(state.URL_REPORT, None)


def list_of_saved(reports: Sequence[Summary], opened: str | None) -> None:
    """Everyone's saved reports, newest first; one sentence where there are none."""
    if not reports:
        with components.empty(t("reports_page.none")):
            return
    components.answer(t("reports_page.list_heading"), t("reports_page.list_unit", len(reports)))
    with st.container(gap="xsmall"):
        for kept in reports:
            _row(kept, opened)


def _row(kept: Summary, opened: str | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"row-{kept.id[:12]}"):
        st.button(
            md(kept.name),
            type="tertiary",
            icon=":material/description:",
            key=f"open-{kept.id[:12]}",
            disabled=kept.id == opened,
            on_click=_open,
            args=(kept.id,),
        )
        st.markdown(muted(f"{day(kept.created_utc)} · {digest(kept.id)}"), width="content")
        if kept.id != opened:  # the opened one has its button beside its numbers
            delete_button(kept.id)


def _open(report_id: str) -> None:
    kept = {key: value for key, value in state.for_links().items() if key == "lang"}
    st.query_params.from_dict({**kept, state.URL_REPORT: report_id})
