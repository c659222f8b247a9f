"""CSV that opens correctly in a spreadsheet and runs nothing there.

UTF-8 with byte-order mark and CRLF. Text cells (headers too) that a spreadsheet would run get a
leading apostrophe: those whose first character after blanks is one of = + - @, their full-width
forms, tab, CR, LF or NUL. Numbers are never touched, so a negative saving stays a number.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from econ.money import plain

BOM = b"\xef\xbb\xbf"
APOSTROPHE = "'"
Cell = str | int | float | Decimal | None

# Blanks of any script and marks that print nothing may stand in front of the sign.
_DANGEROUS = re.compile(
    r"'*(?:[\s\x00]*[\u200b\ufeff\s\x00]*[=+\-@＝＋－＠]|[^\S\t\r\n]*[\t\r\n\x00])"
)


def safe_text(text: str) -> str:
    """`text` as a cell that no spreadsheet runs. `restored` takes the apostrophe off again."""
    return APOSTROPHE + text if _DANGEROUS.match(text) else text


def restored(cell: str) -> str:
    """The text that `safe_text` made `cell` from."""
    inner = cell.removeprefix(APOSTROPHE)
    return inner if inner != cell and _DANGEROUS.match(inner) else cell


def csv_bytes(columns: Sequence[str], rows: Iterable[Mapping[str, Cell]]) -> bytes:
    """A CSV file with `columns` in this order; a column that a row lacks, and None, is empty.
    Raises ValueError for a value of an unknown column or a float that is no number."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow([safe_text(column) for column in columns])
    known = set(columns)
    for row in rows:
        if not known.issuperset(row):
            raise ValueError(f"no such column: {sorted(set(row) - known)}")
        writer.writerow([_cell(row.get(column)) for column in columns])
    return BOM + buffer.getvalue().encode("utf-8", errors="replace")


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        raise ValueError("a cell cannot hold NaN or an infinite number")
    return repr(value)
