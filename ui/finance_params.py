"""What the reader adds to a bill on Reports: two periods, and what each provider says it charged.

Typed totals stand in the URL (`invoice=anthropic:12.5,openai:3`); what an export of costs says
lives with the browser session and the workload that it was handed in for.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, InvalidOperation

import streamlit as st

from econ.report import CostReport, Period
from econ.report_params import ReportParams, StatedTotal
from jobs import flows
from messages.errors import KvledgerError
from ui import periods, state
from ui.view import View

_EXPORTS = "_stated_costs"
MOST_USD = Decimal(10) ** 9


def full(seen: View) -> CostReport:
    """The report with everything that was added; without the periods where they cannot be
    compared, and the section that asks for them says why."""
    asked = params_of(seen)
    for params in (asked, replace(asked, change=None)):
        if params == state.params():
            break
        try:
            return flows.report(seen.workload_id, params, state.owner())
        except KvledgerError:
            continue
    return seen.report


def params_of(seen: View) -> ReportParams:
    """The page's settings with the chosen periods and the stated totals."""
    picked = chosen_periods(seen.report)
    change = None if picked is None or picked[0] == picked[1] else picked
    return replace(state.params(), change=change, invoices=invoices(seen.workload_id))


def for_saving(seen: View) -> ReportParams:
    """The same, with the rates that were entered: a saved report keeps them."""
    params = params_of(seen)
    report = full(seen)
    return replace(params, change=params.change if report.change else None, rates=state.rates())


def chosen_periods(report: CostReport) -> tuple[Period, Period] | None:
    """The two periods that the URL names, else the last two; None where there are not two."""
    known = periods.units(report)
    if not known:
        return None
    unit = said("unit")
    found = periods.touched(report, unit if unit in known else known[0])
    return periods.chosen(found, said("before"), said("after"))


def said(name: str) -> str | None:
    """A choice of the URL, else of the session."""
    return st.query_params.get(name) or st.session_state.get(f"_{name}")


def invoices(workload_id: str) -> dict[str, StatedTotal]:
    """Provider -> what it says it charged; a typed total stands before an export."""
    known = dict(exports(workload_id))
    known.update({provider: StatedTotal(usd=usd) for provider, usd in typed().items()})
    return known


def typed() -> dict[str, Decimal]:
    """The totals that were typed in; what cannot be understood is left out."""
    found = {}
    for part in (said(state.URL_INVOICE) or "").split(","):
        provider, _, text = part.partition(":")
        try:
            usd = Decimal(text)
        except InvalidOperation:
            continue
        if provider.strip() and usd.is_finite() and 0 < usd <= MOST_USD:
            found[provider.strip()] = usd
    return found


def type_in(provider: str, usd: Decimal | None) -> None:
    """Keep a provider's total, or take it away."""
    known = {**typed(), provider: usd}
    text = ",".join(f"{name}:{amount:f}" for name, amount in known.items() if amount)
    state.say_in_url(state.URL_INVOICE, text or None)


def exports(workload_id: str) -> dict[str, StatedTotal]:
    """What the handed-in exports of costs say, for this workload."""
    known: dict[str, StatedTotal] = st.session_state.get(_EXPORTS, {}).get(workload_id, {})
    return known


def keep_exports(workload_id: str, found: dict[str, StatedTotal]) -> None:
    """Compare this workload with these totals from now on; empty takes them away."""
    st.session_state[_EXPORTS] = {**st.session_state.get(_EXPORTS, {}), workload_id: found}
