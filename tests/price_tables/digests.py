"""Digests of what was released: one a file, one a dated row. `python -m tests.price_tables.digests`
prints the lines that belong into released_files.txt and released_rows.txt.

A row's digest leaves out what may still be added to it later: its end, its notes, its status.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from price_tables.load import BOOK_FILE, FOLDER, read_book_file, read_table_file
from price_tables.schema import ModelRow, PeriodRow

HERE = Path(__file__).parent
FILES = HERE / "released_files.txt"
ROWS = HERE / "released_rows.txt"


def file_lines(folder: Path = FOLDER) -> list[str]:
    """'<version> <file> <sha256>' of the book and of every table of it."""
    book = read_book_file(folder)
    names = [BOOK_FILE, *(f"{name}.yaml" for name in book.tables)]
    return [f"{book.version} {name} {_sha256((folder / name).read_bytes())}" for name in names]


def row_lines(folder: Path = FOLDER) -> list[str]:
    """'<provider> <model> <first moment> <digest>' of every dated row."""
    lines = []
    for name in read_book_file(folder).tables:
        for model in read_table_file(folder, name).models:
            lines += [f"{name} {line}" for line in _of_model(model)]
    return lines


def _of_model(model: ModelRow) -> Iterator[str]:
    for period in model.periods:
        start = period.valid_from.isoformat() if period.valid_from else "-"
        yield f"{model.id} {start} {_sha256(_canonical(period).encode())[:16]}"


def _canonical(period: PeriodRow) -> str:
    def plain(prices: dict) -> dict[str, str]:
        return {name: f"{price:f}" for name, price in sorted(prices.items())}

    return json.dumps(
        {
            "prices": plain(period.usd_per_mtok),
            "tiers": [[tier.above, plain(tier.usd_per_mtok)] for tier in period.tiers],
            "modes": {
                name: [
                    [
                        str(row.multiplier),
                        plain(row.bucket_multipliers),
                        plain(row.usd_per_mtok),
                        row.long_prompts,
                        str(row.valid_from),
                    ]
                    for row in rows
                ]
                for name, rows in sorted(period.modes.items())
            },
            "schedule": period.schedule,
            "source": period.source,
            "as_of": period.as_of,
        },
        sort_keys=True,
    )


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    FILES.write_text("\n".join(file_lines()) + "\n", encoding="utf-8")
    ROWS.write_text("\n".join(row_lines()) + "\n", encoding="utf-8")
