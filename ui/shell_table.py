"""Tables and amounts in plain text, for a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from econ.money import Amount, shown

LONGEST_CELL = 100  # a name of 400 characters would push every other column off the screen
PLACES = 5  # a session costs cents; five decimals show them
NUMERIC = frozenset([*"0123456789-", ""])


def money(amount: Amount | None) -> str:
    """An amount with five decimals, both ends where it is a range, '-' where it is not known."""
    if amount is None:
        return "-"
    if amount.exact:
        return f"{shown(amount.low_usd, PLACES):,f}"
    return f"{shown(amount.low_usd, PLACES):,f} .. {shown(amount.high_usd, PLACES):,f}"


def one_line(text: str) -> str:
    """A name with its line ends as spaces: it cannot pass for a line of ours."""
    return " ".join(text.splitlines())


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows in columns as wide as they need; columns of numbers are right-aligned, except the first,
    which names the row."""
    if not rows:
        return []
    count = max(len(row) for row in rows)
    cells = [[*map(_short, row), *[""] * (count - len(row))] for row in rows]
    aligned = [_aligned([row[at] for row in cells], names=at == 0) for at in range(count)]
    return ["  ".join(parts).rstrip() for parts in zip(*aligned, strict=True)]


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= LONGEST_CELL else f"{line[: LONGEST_CELL - 1]}…"


def _aligned(cells: Sequence[str], *, names: bool) -> list[str]:
    width = max(_width(cell) for cell in cells)
    numbers = not names and all(cell[:1] in NUMERIC for cell in cells[1:] or cells)
    spaces = [" " * (width - _width(cell)) for cell in cells]
    return [s + cell if numbers else cell + s for cell, s in zip(cells, spaces, strict=True)]


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
