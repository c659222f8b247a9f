"""Tables as values: a column knows its title and what kind of thing it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
import streamlit as st

from ui import terms
from ui.words import language

Kind = Literal["text", "usd", "usd_mtok", "jpy", "count", "percent", "hours", "number", "date"]

_FORMATS = {"usd": "dollar", "jpy": "yen", "percent": "percent", "count": "localized"}
_ROW_PX = 35
_TALLEST_PX = 560


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column. `percent` holds ratios 0..1; a number is right-aligned by the table itself."""

    title: str
    values: Sequence[Any]
    kind: Kind = "text"


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


def _config(column: Column) -> Any:
    means = terms.help_of(column.title)
    if column.kind == "text":
        return st.column_config.TextColumn(column.title, help=means)
    if column.kind == "date":
        return st.column_config.DateColumn(column.title, format="YYYY-MM-DD", help=means)
    if column.kind == "usd_mtok":
        return st.column_config.NumberColumn(column.title, format="$%g", help=means)
    width: Literal["small"] | None = "small" if column.kind == "count" else None
    style = _FORMATS.get(column.kind, "%g")
    return st.column_config.NumberColumn(column.title, format=style, width=width, help=means)


def show(table: Table, key: str) -> None:
    """Draw the table: as high as its rows, up to a screen."""
    frame = frame_of(table)
    st.dataframe(
        frame,
        hide_index=True,
        height=min((len(frame) + 1) * _ROW_PX + 3, _TALLEST_PX),
        column_config={column.title: _config(column) for column in table.columns},
        key=f"{key}-{language()}",
        alt=table.alt or None,
    )
