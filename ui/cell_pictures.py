"""Pictures made of squares and bars: HTML that takes the page's font, colours and width.

A kind differs from the others in its pattern, border or sign as well as in its colour. The
functions give text; `show` draws it under one name for those who cannot see it. Every text is
escaped.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

Kind = Literal["made", "kept", "read", "shared", "plain", "off", "free", "lost", "again", "void"]
SIGNS: dict[Kind, str] = {"made": "+", "off": "×", "again": "↻"}
"""What a square without a text of its own shows."""
LEAST_PERCENT = 0.6  # a bar of anything is seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Square:
    """One cell: its kind, its text ('' = the kind's sign), how many columns wide, and its hover."""

    kind: Kind
    text: str = ""
    span: int = 1
    hover: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a bar: `share` 0..1 of the whole width."""

    kind: Kind
    share: float
    text: str = ""
    hover: str = ""


def square(kind: Kind, text: str = "", span: int = 1, hover: str = "") -> Square:
    """A square."""
    return Square(kind=kind, text=text, span=span, hover=hover)


def cells(label: str, squares: Sequence[Square], columns: int = 0) -> str:
    """A named row of squares on a grid of `columns`; '' names none and takes no room."""
    wide = columns or sum(one.span for one in squares)
    inner = "".join(_square(one) for one in squares)
    return _row(label, f'<div class="c" style="--n:{wide}">{inner}</div>')


def bar(label: str, parts: Sequence[Part], value: str = "") -> str:
    """A named bar of pieces side by side, `value` at its right."""
    inner = "".join(_part(one) for one in parts if one.share > 0)
    return _row(label, f'<div class="l">{inner}</div>', value)


def titles(texts: Sequence[str]) -> str:
    """Names above columns of squares."""
    inner = "".join(f"<i>{html.escape(text)}</i>" for text in texts)
    return _row("\u00a0", f'<div class="c" style="--n:{len(texts)}">{inner}</div>')


def dials(shown: Sequence[tuple[str, float, float, str]]) -> str:
    """Pairs of hands: (name, degrees of the first hand, of the second, words under them), counted
    from the right, upwards. The first hand is thick, the second one has a ring at its end."""
    return (
        '<div class="ds">'
        + "".join(
            f"<div><span>{html.escape(name)}</span>"
            f'<div class="d"><b style="transform:rotate({-first:.1f}deg)"></b>'
            f'<u style="transform:rotate({-second:.1f}deg)"></u></div>'
            f"<em>{html.escape(words)}</em></div>"
            for name, first, second, words in shown
        )
        + "</div>"
    )


def note_row(text: str) -> str:
    """A line of words above the rows that it names."""
    return f'<div class="n">{html.escape(text)}</div>'


def below(text: str) -> str:
    """A line of words under the row that it tells about."""
    return f'<div class="n u">{html.escape(text)}</div>'


def key(kinds: Sequence[tuple[Kind, str]]) -> str:
    """What the kinds mean."""
    said = "".join(
        f'<span><i class="{kind}">{SIGNS.get(kind, "")}</i>{html.escape(words)}</span>'
        for kind, words in kinds
    )
    return f'<div class="k">{said}</div>'


def picture(rows: Sequence[str], alt: str, *, side_rem: float = 6.5, small: bool = False) -> str:
    """Rows as one picture. `side_rem`: room for the rows' names."""
    size = "gp s" if small else "gp"
    name = html.escape(alt, quote=True)
    return (
        f'<div class="{size}" style="--side:{side_rem:g}rem" role="img" aria-label="{name}">'
        f"{''.join(rows)}</div>"
    )


def show(rows: Sequence[str], alt: str, *, side_rem: float = 6.5, small: bool = False) -> None:
    """Draw a picture."""
    st.html(picture(rows, alt, side_rem=side_rem, small=small))


def _row(label: str, inner: str, value: str = "") -> str:
    named = f"<span>{html.escape(label)}</span>" if label else ""
    said = f"<em>{html.escape(value)}</em>" if value else ""
    kind = "r v" if said else "r" if named else "r o"
    return f'<div class="{kind}">{named}{inner}{said}</div>'


def _square(one: Square) -> str:
    wide = f' style="grid-column:span {one.span}"' if one.span > 1 else ""
    text = html.escape(one.text or SIGNS.get(one.kind, ""))
    return f'<i class="{one.kind}"{wide}{_hover(one.hover)}>{text}</i>'


def _part(one: Part) -> str:
    wide = max(100 * one.share, LEAST_PERCENT if one.kind != "void" else 0.0)
    return (
        f'<i class="{one.kind}" style="width:{wide:.2f}%"{_hover(one.hover)}>'
        f"{html.escape(one.text)}</i>"
    )


def _hover(text: str) -> str:
    return f' title="{html.escape(text, quote=True)}"' if text else ""
