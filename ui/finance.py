"""What finance asks of a bill: a month of it, two periods, an invoice, other currencies."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import streamlit as st

from econ.money import plain
from econ.report import Change, CostReport, Period, Rate
from econ.sheet_text import converted
from jobs import flows, yen
from messages.errors import KvledgerError
from ui import (
    components,
    controls,
    explain,
    failures,
    finance_params,
    invoice_view,
    periods,
    state,
    tables,
)
from ui.numerals import amount_usd, days, md
from ui.tables import Column, Table
from ui.view import View
from ui.words import language, say, t

PARTS = ("volume", "mix", "caching", "price", "total")
WIDTH_PX = 280


def sections(seen: View, report: CostReport) -> None:
    """All of it, each under its hairline. `report`: with the periods and the stated totals."""
    with components.rule("month"):
        _month(seen.report)
    with components.rule("change"):
        _change(seen, report)
    with components.rule("invoice"):
        invoice_view.sections(seen, report)


def kept(report: CostReport) -> None:
    """The same of a saved report: what was chosen when it was saved, nothing to enter."""
    if report.month is not None:
        with components.rule("month"):
            _month_said(report)
            _currencies(report, ())
    if report.change is not None:
        with components.rule("change"):
            _change_said(report, report.change)
    if report.reconciliation is not None or report.invoices:
        with components.rule("invoice"):
            invoice_view.kept(report)


def _month(report: CostReport) -> None:
    _month_said(report)
    with st.container(horizontal=True, gap="large", key="controls_month"):
        _number("month", t("finance.month_factor"), state.month_factor(), _factor_hint(report))
        _zone()
        controls.yen()
        _other_currency()
    _currencies(report, state.rates())


def _month_said(report: CostReport) -> None:
    month = report.month
    if month is None:
        components.answer(t("finance.no_month"), t("finance.no_month_why"))
    else:
        usd = month.billed if month.billed is not None else month.no_cache
        heading = t("finance.month", usd=md(amount_usd(usd)) if usd else t("ui.unpriced"))
        components.answer(heading, say(month.source))


def _factor_hint(report: CostReport) -> str:
    if report.month is None:
        return t("finance.none")
    return f"{float(report.month.factor):.4f}"


def _number(name: str, label: str, value: Decimal | None, hint: str) -> None:
    """A number kept in the URL under `name`; empty = the hint holds."""
    key = f"finance-{name}"
    st.session_state[key] = None if value is None else float(value)
    st.number_input(
        label,
        min_value=0.0,
        max_value=float(state.MOST_MONTHS),
        step=1.0,
        format="%.4f",
        placeholder=hint,
        key=key,
        on_change=_number_typed,
        args=(name, key),
        width=WIDTH_PX,
    )


def _number_typed(name: str, key: str) -> None:
    value = st.session_state[key]
    state.say_in_url(name, str(Decimal(str(value))) if value else None)


def _zone() -> None:
    """UTC, or the reader's own zone: whose days are counted."""
    own = st.context.timezone or "UTC"
    zones = list(dict.fromkeys(["UTC", *filter(None, [state.day_zone()]), own]))
    st.session_state["day_zone"] = state.day_zone() or "UTC"
    st.selectbox(
        t("finance.days_in"),
        zones,
        format_func=lambda zone: t("finance.your_zone", zone=zone) if zone == own else zone,
        key="day_zone",
        on_change=_zone_chosen,
        width=WIDTH_PX,
    )


def _zone_chosen() -> None:
    zone = st.session_state["day_zone"]
    state.say_in_url(state.URL_ZONE, None if zone == "UTC" else zone)


def _other_currency() -> None:
    rate = state.other_rate()
    key = "other_rate"
    st.session_state[key] = "" if rate is None else f"{rate.currency} {plain(rate.per_usd)}"
    st.text_input(
        t("finance.other_currency"),
        placeholder=t("finance.other_hint"),
        max_chars=24,
        key=key,
        on_change=_other_typed,
        args=(key,),
        width=WIDTH_PX,
    )


def _other_typed(key: str) -> None:
    words = st.session_state[key].replace("=", " ").split()
    said = f"{words[0].upper()}:{words[1]}" if len(words) == 2 else None
    state.say_in_url(state.URL_RATE, said)


def _currencies(report: CostReport, rates: Sequence[Rate]) -> None:
    """The bill in yen and in every currency with a rate, each with its rate and date."""
    cost = report.baselines.billed or report.baselines.no_cache
    if cost is None:
        return
    for rate in (*report.rates, *yen.with_yen(report, rates)):
        shown = md(converted(cost, rate, say, language()))
        components.note(t("finance.in_currency", amount=shown, rate=_rate_words(rate)))


def _rate_words(rate: Rate) -> str:
    values = {"per_usd": plain(rate.per_usd), "currency": rate.currency}
    if rate.date is None:
        return t("finance.rate_entered", **values)
    return t("finance.rate_dated", **values, date=str(rate.date), source=md(rate.source))


def _change(seen: View, report: CostReport) -> None:
    """Two periods to compare, and why the second cost more or less."""
    known = periods.units(seen.report)
    if not known:
        components.answer(t("finance.no_change"), t("finance.no_change_why"))
        return
    found = report.change
    if found is not None:
        components.answer(_change_heading(found), t("finance.change_unit"))
    elif not _say_why_not(seen):
        components.answer(t("finance.same_period"), t("finance.change_unit"))
    with st.container(horizontal=True, gap="large", key="controls_change"):
        unit = controls.choice(t("finance.unit"), known, "unit", lambda u: t(f"finance.unit_{u}"))
        options = periods.touched(seen.report, unit)
        asked = finance_params.said
        first, second = periods.chosen(options, asked("before"), asked("after"))
        _period(t("finance.before"), "before", options, first)
        _period(t("finance.after"), "after", options, second)
    if found is not None:
        _change_parts(report, found)


def _say_why_not(seen: View) -> bool:
    """A comparison that was asked for and failed says so in its own sentence."""
    params = finance_params.params_of(seen)
    if params.change is None:
        return False
    try:
        flows.report(seen.workload_id, params, state.owner())
    except KvledgerError as error:
        failures.show(error)
    return True


def _change_heading(found: Change) -> str:
    more = "more" if found.total.high_e13 > 0 else "less" if found.total.low_e13 < 0 else "same"
    by = found.total.negated() if more == "less" else found.total
    return t(f"finance.change_{more}", span=_span(found.to_period),
             earlier=_span(found.from_period), usd=md(amount_usd(by)))  # fmt: skip


def _change_said(report: CostReport, found: Change) -> None:
    components.answer(_change_heading(found), t("finance.change_unit"))
    _change_parts(report, found)


def _change_parts(report: CostReport, found: Change) -> None:
    tables.show(change_table(found), "change")
    for message in found.assumptions:
        components.note(md(say(message)))
    explain.how(report, ("change",), "how_change")


def _period(label: str, name: str, options: Sequence[Period], current: Period) -> None:
    keys = {periods.key_of(period): period for period in options}
    st.session_state[f"pick-{name}"] = periods.key_of(current)
    st.selectbox(
        label,
        list(keys),
        format_func=lambda key: _span(keys[key]) if key in keys else key,
        key=f"pick-{name}",
        on_change=_period_picked,
        args=(name,),
        width=WIDTH_PX,
    )


def _period_picked(name: str) -> None:
    state.say_in_url(name, st.session_state[f"pick-{name}"])


def _span(period: Period) -> str:
    return days(period.since, period.until)


def change_table(found: Change) -> Table:
    """The four parts and their sum, which is exact."""
    return _parts_table([(t(f"finance.part_{part}"), getattr(found, part)) for part in PARTS])


def _parts_table(rows: Sequence[tuple[str, object]]) -> Table:
    shown = [(name, getattr(amount, "high_usd")) for name, amount in rows]  # noqa: B009
    return Table(
        columns=(
            Column(title=t("ui.column.cause"), values=[name for name, _ in shown]),
            Column(title="USD", values=[usd for _, usd in shown], kind="usd"),
        ),
        alt=t("finance.change_unit"),
    )
