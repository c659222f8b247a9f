"""What a reader slides, picks or writes, kept in the URL so that a link shows the same numbers.

A value that leaves its default stands in the URL under the control's own name and goes again when
the default comes back. What a URL says counts only if the control could have said it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from typing import TypeVar

import streamlit as st

from ui import refused
from ui.typed import keep, plain

Option = TypeVar("Option", int, str)


def slider(
    name: str, label: str, low: Decimal, high: Decimal, first: Decimal, step: Decimal,
    form: str | None = None,
) -> Decimal:  # fmt: skip
    """A number between `low` and `high` in steps of `step`; `form` as Streamlit prints it."""
    value = _number(name, low, high, step, first)
    current = first if value is None else value
    whole = step == step.to_integral_value()
    made = int if whole else float
    st.session_state[name] = made(current)
    st.slider(
        label, made(low), made(high), step=made(step), format=form, key=name,
        on_change=_moved, args=(name, first),
    )  # fmt: skip
    return current


def whole(name: str, label: str, low: int, high: int, first: int, step: int = 1,
          form: str | None = None) -> int:  # fmt: skip
    """A whole number on a slider."""
    return int(
        slider(name, label, Decimal(low), Decimal(high), Decimal(first), Decimal(step), form)
    )


def stops(
    name: str, label: str, options: Sequence[Option], first: Option,
    words: Callable[[Option], str] = str,
) -> Option:  # fmt: skip
    """One of a few values in order, on a slider."""
    current = _one_of(name, options, first, words)
    st.session_state[name] = current
    st.select_slider(
        label, list(options), format_func=words, key=name, on_change=_moved, args=(name, first)
    )
    return current


def picked(
    name: str, label: str, options: Sequence[Option], first: Option,
    words: Callable[[Option], str] = str,
) -> Option:  # fmt: skip
    """One of many, from a list."""
    current = _one_of(name, options, first, words)
    st.session_state[name] = current
    st.selectbox(
        label, list(options), format_func=words, key=name, on_change=_moved, args=(name, first)
    )
    return current


def written(name: str, label: str, first: str, most: int) -> str:
    """A short text of up to `most` characters; empty is a text too."""
    said = _said(name)
    current = first if said is None else said[:most]
    if said is not None:
        keep(name, current)
    st.session_state[name] = current
    st.text_input(label, max_chars=most, key=name, on_change=_moved, args=(name, first))
    return current


def _said(name: str) -> str | None:
    """What the URL says, else the browser session."""
    said = st.query_params.get(name)
    return st.session_state.get(f"_{name}") if said is None else said


def _number(
    name: str, low: Decimal, high: Decimal, step: Decimal, first: Decimal
) -> Decimal | None:
    said = _said(name)
    if said is None:
        return None
    try:
        value = Decimal(said)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or not low <= value <= high or (value - low) % step:
        refused.number(name, low, high, plain(first))
        keep(name, None)
        return None
    keep(name, said)
    return value


def _one_of(
    name: str, options: Sequence[Option], first: Option, words: Callable[[Option], str]
) -> Option:
    said = _said(name)
    if said is None:
        return first
    found = next((one for one in options if str(one) == said), None)
    if found is None:
        refused.one_of(name, options, words(first))
    keep(name, None if found is None else said)
    return first if found is None else found


def _moved(name: str, first: Decimal | int | str) -> None:
    value = st.session_state[name]
    if isinstance(first, str):
        said, usual = str(value), first
    else:
        said, usual = plain(Decimal(str(value))), plain(Decimal(first))
    keep(name, None if said == usual else said)
