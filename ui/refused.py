"""What the address asked for and no control could take: the page says so once, above its title.

A control records it as it falls back on what it shows; the frame says it after the page has run.
It stays while the reader is on that page, through reruns of the page, until the address holds a
value that can be taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import streamlit as st

from ui.numerals import md
from ui.words import t

_KEPT, _PAGE = "_refused", "_refused_on"
MOST_LISTED = 8
LONGEST_SAID = 40


@dataclass(frozen=True, slots=True)
class _Refusal:
    said: str
    kind: str
    expected: tuple[str, ...]
    shown: str


def begin(page: str) -> None:
    """A run of `page` begins: forget what another page refused, and what can be taken now."""
    if st.session_state.get(_PAGE) != page:
        st.session_state[_KEPT] = {}
    st.session_state[_PAGE] = page
    kept = st.session_state.get(_KEPT, {})
    st.session_state[_KEPT] = {k: v for k, v in kept.items() if k not in st.query_params}


def one_of(name: str, options: Sequence[object], shown: str) -> None:
    """Record that the address says something for `name` that is none of `options`."""
    known = [str(option) for option in options]
    if _said(name) not in known:
        _record(name, "options" if len(known) <= MOST_LISTED else "choices", tuple(known), shown)


def number(name: str, low: float | Decimal, high: float | Decimal, shown: str) -> None:
    """Record that what the address says for `name` is no number from `low` to `high`."""
    _record(name, "number", (_digits(low), _digits(high)), shown)


def day(name: str, shown: str) -> None:
    """Record that what the address says for `name` is no day that can be shown."""
    _record(name, "day", (), shown)


def value(name: str, shown: str) -> None:
    """Record that what the address says for `name` cannot be read."""
    _record(name, "value", (), shown)


def _digits(of: float | Decimal) -> str:
    text = f"{Decimal(str(of)):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _said(name: str) -> str:
    return st.query_params.get(name, "")


def _record(name: str, kind: str, expected: tuple[str, ...], shown: str) -> None:
    said = _said(name)
    kept = st.session_state.setdefault(_KEPT, {})
    if said and name not in kept:
        kept[name] = _Refusal(said, kind, expected, shown)


def sentences() -> list[str]:
    """One sentence a parameter; Markdown."""
    kept: dict[str, _Refusal] = st.session_state.get(_KEPT, {})
    return [_sentence(name, one) for name, one in kept.items()]


def _sentence(name: str, one: _Refusal) -> str:
    why = t(
        f"refused.{one.kind}",
        options=md(", ".join(one.expected)) if one.kind == "options" else "",
        low=one.expected[0] if one.kind == "number" else "",
        high=one.expected[1] if one.kind == "number" else "",
        asked=md(f"{name}={one.said}", len(name) + 1 + LONGEST_SAID),
    )
    end = t("refused.shows", shown=md(one.shown, 80)) if one.shown else t("refused.without")
    return why + end


def show() -> None:
    """Say it, as one muted paragraph, a line each; nothing where nothing was refused."""
    found = sentences()
    if found:
        lines = "  \n".join(f":gray[:small[{one}]]" for one in found)
        st.markdown(lines, anchors=False)
