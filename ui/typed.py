"""Numbers that a reader types and the URL carries, so that a link shows the same."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

import streamlit as st

from ui import refused
from ui.words import t

WIDTH_PX = 190
SMALLEST = Decimal("1e-12")
"""Nought means: not said."""


def number(
    name: str, default: Decimal | None, *, label: str, low: float, high: float, step: float,
    form: str,
) -> Decimal | None:  # fmt: skip
    """A number that the URL carries as `name`; the default leaves the URL."""
    said = asked(name, Decimal(str(high)), Decimal(str(low)), default)
    current = default if said is None else said
    st.session_state[name] = None if current is None else float(current)

    def chosen() -> None:
        value = st.session_state[name]
        typed = Decimal(str(value)) if value else None
        keep(name, None if typed is None or typed == default else plain(typed))

    st.number_input(
        label,
        min_value=low,
        max_value=high,
        step=step,
        format=form,
        placeholder=t("ui.control.none_typed"),
        key=name,
        on_change=chosen,
        width=WIDTH_PX,
    )
    return current


def asked(
    name: str, most: Decimal, least: Decimal = Decimal(0), default: Decimal | None = None
) -> Decimal | None:
    """The URL's number, else the session's; None where there is none above 0, from `least` to
    `most`: the page then says that it shows `default`."""
    said = st.query_params.get(name) or st.session_state.get(f"_{name}")
    if said is None:
        return None
    try:
        value = Decimal(said)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or not max(least, SMALLEST) <= value <= most:
        refused.number(name, least, most, "" if default is None else plain(default))
        keep(name, None)
        return None
    keep(name, said)
    return value


def plain(value: Decimal) -> str:
    """All its digits, no exponent and no trailing zeros: '50', '0.004'."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def keep(name: str, said: str | None) -> None:
    """Write it into the URL and the session; None takes it out of both."""
    st.session_state[f"_{name}"] = said
    if said is None:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != said:
        st.query_params[name] = said
