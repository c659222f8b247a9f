"""The tables that pages show, as CSV: the numbers of a chart's table raw, other tables as shown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from econ.csv_safe import Cell as Value
from econ.csv_safe import csv_bytes
from ui import downloads
from ui.plain_table import Cell
from ui.tables import Table
from ui.words import t


def button(table: Table, name: str) -> None:
    """The numbers of a chart or a data frame, raw."""
    titles = _apart([column.title for column in table.columns])
    values = [column.values for column in table.columns]
    rows = [dict(zip(titles, map(_value, row), strict=True)) for row in zip(*values, strict=True)]
    _button(titles, rows, name)


def cells_button(head: Sequence[str], rows: Sequence[Sequence[Cell]], name: str) -> None:
    """A table of text as it is shown; what stands under a figure has a column of its own."""
    below = [any(row[n].below for row in rows) for n in range(len(head))]
    titles = [text for n, one in enumerate(head) for text in ([one, one] if below[n] else [one])]
    titles = _apart(titles)
    lines = [[text for n, one in enumerate(row) for text in _texts(one, below[n])] for row in rows]
    _button(titles, [dict(zip(titles, line, strict=True)) for line in lines], name)


def _texts(one: Cell, below: bool) -> list[str]:
    return [one.text, one.below] if below else [one.text]


def _apart(titles: Sequence[str]) -> list[str]:
    """Titles that differ: the second of two equal ones, and one that is empty, get their number."""
    found: list[str] = []
    for number, title in enumerate(titles, start=1):
        found.append(f"{title} {number}".strip() if not title or title in found else title)
    return found


_FILE = "kvledger-{name}.csv"


def _value(value: Any) -> Value:
    if isinstance(value, (str, int, float, Decimal)) or value is None:
        return value
    return value.isoformat() if isinstance(value, date) else str(value)


def _button(titles: Sequence[str], rows: Sequence[dict[str, Value]], name: str) -> None:
    downloads.csv_button(
        t("market.download"),
        lambda: csv_bytes(titles, rows),
        _FILE.format(name=name.replace("_", "-")),
        f"csv_{name}",
        "tertiary",
    )
