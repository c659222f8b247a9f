"""What bucketed billing exports share: overlapping files, and buckets of many requests."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from data_sources.traces.base import Decoded
from data_sources.traces.delimited import Header
from data_sources.traces.faults import BoolArray
from data_sources.traces.fields import KINDS
from data_sources.traces.pieces import Piece, rows_of
from messages.errors import input_error

Keys = Sequence[Hashable]
"""One key a row of a piece: equal keys in two files are the same bucket exported twice."""

SAME_BUCKET = "columnar.same_bucket"

MARKS = frozenset(name for name, kind in KINDS.items() if kind in ("text", "time", "start", "flag"))
"""Filled in a bucket without a request, too: its time and whom it would be billed to."""


def require_columns(file: Decoded, header: Header, columns: Sequence[str]) -> None:
    """InputError naming every column that is missing: none of them may be read as 0."""
    missing = [name for name in columns if header.find(name) is None]
    if missing:
        raise input_error(
            "columnar.missing_columns", file=file.source.name, columns=", ".join(missing)
        )


def later_file_wins(pieces: Sequence[Piece], keys: Sequence[Keys]) -> int:
    """Drop rows that a later file states again; how many. Equal rows of one file are two rows:
    two keys of one name can stand in one export."""
    last: dict[Hashable, int] = {}
    for number, rows in enumerate(keys):
        last.update(dict.fromkeys(rows, number))
    dropped = 0
    for number, (piece, rows) in enumerate(zip(pieces, keys, strict=True)):
        keep = np.fromiter((last[key] == number for key in rows), dtype=np.bool_, count=len(rows))
        dropped += restrict(piece, keep)
    return dropped


def restrict(piece: Piece, keep: BoolArray) -> int:
    """Keep only the rows under `keep`; how many were dropped."""
    dropped = int((~keep).sum())
    if dropped:
        piece.columns = rows_of(piece.columns, keep)
        piece.kept = piece.kept[keep]
        piece.rows -= dropped
    return dropped
