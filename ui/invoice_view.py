"""Stated costs beside computed ones: the file's own, an invoice typed in, an export of costs."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from decimal import Decimal

import streamlit as st

from econ.money import plain
from econ.report import Amount, CostReport, FittedPrice, InvoiceCheck, Reconciliation
from jobs import invoices, stated_costs
from messages.errors import KvledgerError, Message
from ui import components, controls, explain, failures, finance_params, pictures, state, tables
from ui import upload as uploads
from ui.numerals import amount_signed, amount_usd, days, md
from ui.view import View
from ui.words import t

WIDTH_PX = 280
MOST_MB = 20
_TURN, _REFUSED, _LEFT_OUT = "_stated_turn", "_stated_refused", "_stated_left_out"


def sections(seen: View, report: CostReport) -> None:
    """What is stated and why it differs, then the places to state more."""
    kept(report)
    if not report.invoices:
        components.answer(t("finance.invoice"), t("finance.invoice_why"))
    _controls(seen)


def kept(report: CostReport) -> None:
    """The comparisons of a report, without anything to enter."""
    if report.reconciliation is not None:
        _of_file(report, report.reconciliation)
    for check in report.invoices:
        _of_provider(report, check)


def _of_file(report: CostReport, found: Reconciliation) -> None:
    heading = t("workload_page.reconciliation_heading", stated=md(amount_usd(found.stated)),
                computed=md(amount_usd(found.computed)))  # fmt: skip
    _reconciled(found, heading, "stated", "")
    explain.how(report, ("reconciliation",), "how_stated")


def _of_provider(report: CostReport, check: InvoiceCheck) -> None:
    found, provider = check.found, md(check.provider)
    if found is None:
        usd = md(amount_usd(Amount.exactly_usd(check.stated.usd)))
        components.answer(
            t("finance.invoice_no_rows", provider=provider, stated=usd), t("finance.invoice_why")
        )
        return
    heading = t("finance.invoice_found", provider=provider, stated=md(amount_usd(found.stated)),
                computed=md(amount_usd(found.computed)),
                difference=md(amount_signed(found.difference)))  # fmt: skip
    by_day = check.stated.by_day
    who = t("finance.on_export") if by_day else t("finance.on_invoice")
    notes = []
    if by_day:
        notes.append(t("finance.export_days", days=days(min(by_day), max(by_day))))
    if not report.workload.observed:
        notes.append(t("finance.not_observed"))
    _reconciled(found, heading, f"invoice-parts-{check.provider}", who, notes)


def _reconciled(
    found: Reconciliation, heading: str, key: str, who: str, notes: Sequence[str] = ()
) -> None:
    with st.container(gap="xsmall"):
        components.answer(heading, t("finance.reconciled_unit"))
        tables.show(pictures.reconciliation_table(found, who), key)
        if "unexplained" in found.parts:
            rest = md(amount_signed(found.parts["unexplained"]))
            components.note(t("finance.unexplained", usd=rest))
        for line in (*map(_fitted, found.fitted), *notes):
            components.note(line)


def _fitted(price: FittedPrice) -> str:
    parts = ", ".join(f"{t(f'ui.bucket.{b}')} {plain(p)}" for b, p in price.usd_per_mtok.items())
    return t("finance.fitted", model=md(price.model), prices=md(parts))


def _controls(seen: View) -> None:
    names = invoices.providers_of(seen.workload_id, state.params(), state.owner())
    if not names:
        return
    with st.container(horizontal=True, gap="large", key="controls_invoice"):
        provider = controls.choice(t("finance.provider"), names, "invoice_of", str)
        key, known = f"invoice-{provider}", finance_params.typed().get(provider)
        st.session_state[key] = None if known is None else float(known)
        st.number_input(t("finance.invoice_usd"), min_value=0.0, max_value=float(10**9), step=1.0,
                        format="%.2f", placeholder=t("finance.invoice_hint"), key=key,
                        on_change=_typed, args=(provider, key), width=WIDTH_PX)  # fmt: skip
        _hand_in(seen)
    if st.session_state.get(_REFUSED) is not None:
        failures.show_message(st.session_state[_REFUSED])
    for line in st.session_state.get(_LEFT_OUT, ()):
        components.note(line)
    if finance_params.exports(seen.workload_id):
        st.button(t("finance.export_remove"), icon=":material/undo:", type="tertiary",
                  key="stated_remove", on_click=finance_params.keep_exports,
                  args=(seen.workload_id, {}))  # fmt: skip


def _typed(provider: str, key: str) -> None:
    value = st.session_state[key]
    finance_params.type_in(provider, Decimal(str(value)) if value else None)


def _hand_in(seen: View) -> None:
    turn = st.session_state.get(_TURN, 0)
    files = st.file_uploader(t("finance.export"), accept_multiple_files=True, key=f"stated-{turn}",
                             max_upload_size=MOST_MB, help=t("finance.export_help"))  # fmt: skip
    if not files:
        return
    st.session_state[_TURN] = turn + 1
    st.session_state[_REFUSED], st.session_state[_LEFT_OUT] = None, ()
    try:
        _take(seen, files)
    except KvledgerError as error:
        st.session_state[_REFUSED] = error.message
    except OSError as error:
        why = error.strerror or type(error).__name__
        st.session_state[_REFUSED] = Message("ui.upload.disk", {"why": why})
    st.rerun()


def _take(seen: View, files: Sequence[uploads.Upload]) -> None:
    copied = uploads.spool(files)
    try:
        found = [stated_costs.stated_cost(path, name) for name, path in copied]
    finally:
        shutil.rmtree(copied[0][1].parent, ignore_errors=True)
    finance_params.keep_exports(seen.workload_id, stated_costs.stated_totals(found))
    st.session_state[_LEFT_OUT] = tuple(
        t("finance.export_left_out", len(one.rejected), file=md(name),
          lines=", ".join(map(str, one.rejected[:10])))
        for (name, _), one in zip(copied, found, strict=True)
        if one.rejected
    )  # fmt: skip
