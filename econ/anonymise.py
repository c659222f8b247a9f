"""Names of keys, users and paths replaced by numbers, before a workload is saved for all to see."""

from __future__ import annotations

import re
from dataclasses import replace

from econ.receipt import Ignored, Receipt
from econ.workload import PRIVATE_COLUMNS, Text, Workload
from messages.errors import Message

NAMED = ("workspace", "project", "api_key", "user", "tags", "agent", *PRIVATE_COLUMNS)
"""Columns that may hold names of people, keys or paths. Teams and models keep theirs."""


_NUMBER = re.compile(r"file [1-9][0-9]*")


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
        replace(workload, columns=columns, name=numbered_name(receipt)),
        replace(
            receipt,
            files=tuple(replace(file, path=paths[file.path]) for file in receipt.files),
            rejected=tuple(
                replace(row, file=paths[row.file], reason=_nameless(row.reason))
                for row in receipt.rejected
            ),
            collapsed=_nameless_groups(receipt.collapsed),
            ignored=_nameless_groups(receipt.ignored),
            # Assumptions may quote names too; the counts beside them say enough.
            assumptions=tuple(m for m in receipt.assumptions if not m.values),
        ),
    )


def numbered_name(receipt: Receipt) -> str:
    """What a workload is called once its files are numbers: 'file 1', 'files 1-3'."""
    last = len(receipt.files)
    return f"files 1-{last}" if last > 1 else "file 1"


def is_numbered(workload_name: str, receipt: Receipt) -> bool:
    """A report with this name and receipt shows numbers in place of its files' names."""
    shown = {file.path for file in receipt.files} | {row.file for row in receipt.rejected}
    return workload_name == numbered_name(receipt) and all(map(_NUMBER.fullmatch, shown))


def _numbered(name: str, column: Text) -> Text:
    canonical = column.canonical()
    word = name.removesuffix("_id")
    return Text(canonical.codes, tuple(f"{word} {i + 1}" for i in range(len(canonical.values))))


def _nameless(reason: Message) -> Message:
    """A reason quotes what stood in the file, and that may be a name in the wrong column."""
    return Message("report.reason_left_out") if reason.values else reason


def _nameless_groups(groups: tuple[Ignored, ...]) -> tuple[Ignored, ...]:
    return tuple(replace(group, reason=_nameless(group.reason)) for group in groups)


def _paths(receipt: Receipt) -> dict[str, str]:
    named = dict.fromkeys(file.path for file in receipt.files)
    named.update(dict.fromkeys(row.file for row in receipt.rejected))
    return {path: f"file {i + 1}" for i, path in enumerate(named)}
