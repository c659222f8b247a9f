"""A folder in place of a file: the files below it that may hold usage."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from messages.errors import input_error

SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".gz", ".zip")
MOST_FILES = 100_000


def expanded(paths: Sequence[Path]) -> tuple[list[Path], frozenset[Path]]:
    """`paths` with each folder replaced by the files below it, and those that nobody named."""
    files: list[Path] = []
    found: set[Path] = set()
    for path in paths:
        below = files_below(path) if path.is_dir() else []
        files += below or [path]
        found.update(below)
    return files, frozenset(found.difference(paths))


def files_below(folder: Path) -> list[Path]:
    """The files below `folder` whose names end as usage files do, in order of their paths. Links to
    folders are not followed. InputError where there is none, or more than 100,000."""
    found: list[Path] = []
    for path in _walk(folder):
        found.append(path)
        if len(found) > MOST_FILES:
            raise input_error("cli.folder_too_large", file=str(folder), expected=MOST_FILES)
    if not found:
        raise input_error("cli.folder_empty", file=str(folder), expected=", ".join(SUFFIXES))
    return sorted(found)


def _walk(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        why = error.strerror or type(error).__name__
        raise input_error("cli.cannot_list", file=str(error.filename), why=why) from error

    for parent, _, names in os.walk(folder, onerror=refuse):
        yield from (Path(parent, name) for name in names if name.lower().endswith(SUFFIXES))
