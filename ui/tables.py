"""Tables as values: a column knows its title and what kind of thing it holds."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
import streamlit as st

from ui import terms
from ui.words import language

Kind = Literal["text", "usd", "usd_mtok", "jpy", "count", "percent", "hours", "number", "date"]

MISSING = "–"
"""What a cell without a value shows."""
_FORMATS = {"usd": "dollar", "jpy": "yen", "percent": "percent", "count": "localized"}
_CENT, _THOUSAND, _MOST_PLACES = 0.01, 1_000, 6
_ROW_PX = 35
_TALLEST_PX = 560
_SAMPLED = 10
"""The table itself measures this many rows; what stands below them may be wider."""
_LETTER_PX, _PADDING_PX, _SMALL_PX = 7.4, 22, 75
_WIDEST_PX, _NAME_PX = 520, 210
"""On a narrow screen a figure has to stand beside the names of the first column."""
_HOST = r"https?://(?:www\.)?([^/]+)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column. `percent` holds ratios 0..1; a number is right-aligned by the table itself.
    `help`: what hovering over the title says; '' = its terms, as the glossary has them."""

    title: str
    values: Sequence[Any]
    kind: Kind = "text"
    help: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Columns of equal length, left to right; `alt` names the table for those who cannot see it."""

    columns: tuple[Column, ...]
    alt: str = ""


def frame_of(table: Table) -> pd.DataFrame:
    """The table as a frame with the titles as headers."""
    return pd.DataFrame({column.title: _values(column) for column in table.columns})


def _values(column: Column) -> list[Any]:
    if column.kind == "text":
        return ["" if value is None else str(value) for value in column.values]
    if column.kind == "date":
        return list(column.values)
    return [None if value is None else float(value) for value in column.values]


def _config(column: Column, *, first: bool = False) -> Any:
    means = column.help or terms.help_of(column.title)
    if column.kind == "text":
        if is_links(column.values):
            return link_column(column.title, means)
        return st.column_config.TextColumn(
            column.title, help=means, width=width_px(column.title, column.values, first=first)
        )
    if column.kind == "date":
        return st.column_config.DateColumn(column.title, format="YYYY-MM-DD", help=means)
    if column.kind == "usd_mtok":
        return st.column_config.NumberColumn(column.title, format="$%g", help=means)
    short = column.kind == "count" and _text_px(column.title) <= _SMALL_PX
    style = _FORMATS.get(column.kind, "%g")
    if column.kind == "usd":
        style = usd_style(column.values)
    return st.column_config.NumberColumn(
        column.title, format=style, width="small" if short else None, help=means
    )


def usd_style(values: Sequence[Any]) -> str:
    """How a column of USD is written: to the cent; where it holds amounts below a cent, and none
    of a thousand or more, with as many digits as its smallest needs for three that count."""
    sizes = [abs(float(value)) for value in values if value is not None]
    small = min((size for size in sizes if size), default=_CENT)
    if small >= _CENT or max(sizes) >= _THOUSAND:
        return "dollar"
    places = min(2 - math.floor(math.log10(small)), _MOST_PLACES)
    negative = any(value is not None and value < 0 for value in values)
    return f"%.{places}f USD" if negative else f"$%.{places}f"


def link_column(title: str, means: str | None = None) -> Any:
    """A column of addresses: each is a link that is called by its host."""
    return st.column_config.LinkColumn(title, display_text=_HOST, help=means)


def is_links(values: Sequence[Any]) -> bool:
    """Addresses and nothing else, some cells may be empty."""
    told = [str(value) for value in values if value]
    return bool(told) and all(
        text.startswith(("https://", "http://")) and " " not in text for text in told
    )


def width_px(title: str, values: Sequence[Any], *, first: bool = False) -> int | None:
    """How wide a column of text has to be so that no cell is cut; None where the table finds that
    out by itself, from its first rows. `first`: it names the rows, and leaves room for figures."""
    widths = [_text_px(str(value)) for value in values if value is not None]
    seen, most = max([_text_px(title), *widths[:_SAMPLED]]), _NAME_PX if first else _WIDEST_PX
    if max(widths, default=0) <= seen <= most:
        return None
    return round(min(max(widths), most))


def _text_px(text: str) -> float:
    """About how wide a text is in a table; a Japanese letter takes twice the room."""
    wide = 0 if text.isascii() else sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return (len(text) + wide) * _LETTER_PX + _PADDING_PX


def show(table: Table, key: str) -> None:
    """Draw the table: as high as its rows, up to a screen."""
    st.dataframe(**_drawn(table, key))


def choose(table: Table, key: str) -> int | None:
    """Draw the table; the row that the reader has chosen, None before that."""
    drawn = {**_drawn(table, key), "on_select": "rerun", "selection_mode": "single-row-required"}
    found: Any = st.dataframe(**drawn)
    rows = found.selection.rows
    return int(rows[0]) if rows else None


def _drawn(table: Table, key: str) -> dict[str, Any]:
    frame = frame_of(table)
    return {
        "data": frame,
        "hide_index": True,
        "height": min((len(frame) + 1) * _ROW_PX + 3, _TALLEST_PX),
        "column_config": {
            column.title: _config(column, first=column is table.columns[0])
            for column in table.columns
        },
        "placeholder": MISSING,
        "key": f"{key}-{language()}",
        "alt": table.alt or None,
    }
