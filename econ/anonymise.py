"""Names of keys, users and paths replaced by numbers, before a workload is saved for all to see."""

from __future__ import annotations

from dataclasses import replace

from econ.receipt import Receipt
from econ.workload import PRIVATE_COLUMNS, Text, Workload

NAMED = ("workspace", "project", "api_key", "user", "tags", "agent", *PRIVATE_COLUMNS)
"""Columns that may hold names of people, keys or paths. Teams and models keep theirs."""


def with_numbers(workload: Workload, receipt: Receipt) -> tuple[Workload, Receipt]:
    """The same tokens and money with 'user 1', 'api_key 2' in order of first appearance for every
    name, and 'file 1' for every path. Equal names keep equal numbers."""
    columns = dict(workload.columns)
    for name in NAMED:
        column = columns.get(name)
        if isinstance(column, Text):
            columns[name] = _numbered(name, column)
    paths = _paths(receipt)
    return (
        replace(workload, columns=columns, name=f"{len(receipt.files) or 1} file(s)"),
        replace(
            receipt,
            files=tuple(replace(file, path=paths[file.path]) for file in receipt.files),
            rejected=tuple(replace(row, file=paths[row.file]) for row in receipt.rejected),
            # Assumptions and reasons may quote names; the counts beside them say enough.
            assumptions=tuple(m for m in receipt.assumptions if not m.values),
        ),
    )


def _numbered(name: str, column: Text) -> Text:
    canonical = column.canonical()
    word = name.removesuffix("_id")
    return Text(canonical.codes, tuple(f"{word} {i + 1}" for i in range(len(canonical.values))))


def _paths(receipt: Receipt) -> dict[str, str]:
    named = dict.fromkeys(file.path for file in receipt.files)
    named.update(dict.fromkeys(row.file for row in receipt.rejected))
    return {path: f"file {i + 1}" for i, path in enumerate(named)}
