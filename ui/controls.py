"""Inputs whose values live in the URL: a choice, a period, a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal

import streamlit as st

from econ.money import plain
from jobs.yen import yen_of_facts
from ui import refused, state
from ui.words import t


def choice(label: str, options: Sequence[str], name: str, words: Callable[[str], str]) -> str:
    """One of a few, shown as buttons side by side; the URL parameter `name` holds it.

    What the URL says counts only if it is one of `options`; the first is the default.
    """
    asked = st.query_params.get(name)
    if asked is not None and asked in options:
        st.session_state[f"_{name}"] = asked
    known = st.session_state.get(f"_{name}")
    current = str(known) if known in options else options[0]
    if asked is not None and asked not in options:
        refused.one_of(name, options, words(current))
        st.query_params.pop(name)
    st.session_state[name] = current
    st.segmented_control(
        label,
        list(options),
        format_func=words,
        key=name,
        required=True,
        wrap=True,
        on_change=_chosen,
        args=(name, options[0]),
    )
    return current


def _chosen(name: str, default: str) -> None:
    value = st.session_state[name]
    st.session_state[f"_{name}"] = None if value == default else value
    if value == default:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = value


def period(first: date, last: date) -> None:
    """Days that count, both included; the whole workload unless somebody narrows it."""
    since, until = state.asked_day("since"), state.asked_day("until")
    low, high = _inside(since, first, last) or first, _inside(until, first, last) or last
    for name, said, shown in (("since", since, low), ("until", until, high)):
        if said is not None and said not in (low, high):
            refused.day(name, shown.isoformat())
    st.session_state["period"] = (low, max(low, high))
    st.date_input(
        t("ui.control.period"),
        min_value=first,
        max_value=last,
        format="YYYY-MM-DD",
        key="period",
        on_change=_period_chosen,
        args=(first, last),
        width=280,
    )


def _inside(value: date | None, first: date, last: date) -> date | None:
    return value if value is not None and first <= value <= last else None


def _period_chosen(first: date, last: date) -> None:
    chosen = st.session_state["period"]
    if len(chosen) != 2:  # the second day has not been picked yet
        return
    since, until = chosen
    state.choose_period(None if since == first else since, None if until == last else until)


def model(models: Sequence[str]) -> None:
    """Which model prices rows that name none."""
    current = state.params().default_model
    st.session_state["priced_as"] = current if current in models else None
    st.selectbox(
        t("workload_page.model"),
        list(models),
        key="priced_as",
        on_change=_model_chosen,
        width=280,
    )


def _model_chosen() -> None:
    chosen = st.session_state["priced_as"]
    if chosen:
        state.choose_model(chosen)


def yen() -> None:
    """How many yen a dollar is; empty = the published rate, which the field shows."""
    published = yen_of_facts()
    hint = t("ui.control.yen_none")
    if published is not None:
        hint = f"{plain(published.per_usd)} ({published.date})"
    rate = state.yen_per_usd()
    st.session_state["yen"] = None if rate is None else float(rate)
    st.number_input(
        t("ui.control.yen"),
        min_value=0.0,
        max_value=float(state.MOST_YEN),
        step=1.0,
        format="%.2f",
        placeholder=hint,
        key="yen",
        on_change=_yen_chosen,
        width=280,
    )


def _yen_chosen() -> None:
    value = st.session_state["yen"]
    state.choose_yen(Decimal(str(value)) if value else None)
