"""Small tables of a statement: right-aligned figures, each with its other unit on hover.

Unlike a data frame they are text: a screen reader reads them, and a figure can be struck through.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from ui import terms

Tone = Literal["plain", "muted", "struck", "bold", "words"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What is shown, what hovering says, how it looks; `below` stands under it, muted. A column
    of `words` is aligned at its left."""

    text: str
    hover: str = ""
    tone: Tone = "plain"
    below: str = ""


def cell(text: str, hover: str = "", tone: Tone = "plain", below: str = "") -> Cell:
    """A cell."""
    return Cell(text=text, hover=hover, tone=tone, below=below)


def show(
    head: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str, key: str, *,
    wide: bool = False,
) -> None:  # fmt: skip
    """Draw the table. The first column names the row; all others hold figures. `caption` is read
    to those who cannot see it. A `wide` table is a card a row on a narrow screen."""
    with st.container(key=f"plain_{'wide_' if wide else ''}{key}"):
        st.html(markup(head, rows, caption, named=wide))


def markup(
    head: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str, *, named: bool = False
) -> str:
    """The table as HTML; every text is escaped. `named`: each figure carries its column's title,
    which stands above it where the table is shown as cards."""
    heads = "".join(
        f'<th scope="col"{_align(column)}>{_titled(text)}</th>'
        for text, column in zip(head, zip(*rows, strict=True), strict=True)
    )
    body = "".join(f"<tr>{_row(row, head if named else ())}</tr>" for row in rows)
    title = html.escape(caption, quote=True)
    return (
        f'<table aria-label="{title}"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'
    )


def _titled(text: str) -> str:
    """A column's title; hovering over it explains its terms."""
    means = terms.help_of(text)
    if means is None:
        return html.escape(text)
    return f'<abbr tabindex="0" title="{html.escape(means, quote=True)}">{html.escape(text)}</abbr>'


def _align(column: Sequence[Cell]) -> str:
    return ' class="words"' if all(one.tone == "words" for one in column) else ""


def _row(row: Sequence[Cell], titles: Sequence[str]) -> str:
    first, *others = row
    named = [f' data-title="{html.escape(title, quote=True)}"' for title in titles[1:]]
    return f'<th scope="row">{_inner(first)}</th>' + "".join(
        f"<td{_title(one)}{_align([one])}{said}>{_inner(one)}</td>"
        for one, said in zip(others, named or [""] * len(others), strict=True)
    )


def _title(one: Cell) -> str:
    return f' title="{html.escape(one.hover, quote=True)}"' if one.hover else ""


def _inner(one: Cell) -> str:
    text = html.escape(one.text)
    shown = {
        "plain": text, "muted": f"<small>{text}</small>", "struck": f"<s>{text}</s>",
        "bold": f"<b>{text}</b>", "words": f"<small>{text}</small>",
    }[one.tone]  # fmt: skip
    return shown + (f"<br><small>{html.escape(one.below)}</small>" if one.below else "")
