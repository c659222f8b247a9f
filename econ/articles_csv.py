"""The checked figures as CSV: UTF-8 with BOM, raw numbers, one row a figure."""

from __future__ import annotations

from collections.abc import Sequence

from econ.articles_checked import Checked
from econ.csv_safe import Cell, csv_bytes

COLUMNS = (
    "id", "article", "item", "subject", "printed", "printed_value", "unit", "ours", "verdict",
    "computed_by", "found_at_source", "marks", "source",
)  # fmt: skip


def articles_csv(rows: Sequence[Checked]) -> bytes:
    """Every row that is given, in its order."""
    return csv_bytes(COLUMNS, [_row(row) for row in rows])


def _row(row: Checked) -> dict[str, Cell]:
    figure = row.figure
    return {
        "id": figure.id,
        "article": figure.article,
        "item": figure.item,
        "subject": figure.subject,
        "printed": figure.printed,
        "printed_value": figure.value,
        "unit": figure.unit,
        "ours": None if row.in_unit is None else float(f"{row.in_unit:.12g}"),
        "verdict": row.verdict,
        "computed_by": figure.by,
        "found_at_source": figure.found,
        "marks": " ".join(figure.marks),
        "source": figure.source,
    }
