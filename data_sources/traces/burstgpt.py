"""BurstGPT, parts 1 to 3: a time, a model and two lengths a row; part 3 has sessions as well.

A row without response tokens is a failed request: kept, marked, and not billed. Rows that are
equal in every column are separate requests and are never merged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from data_sources.traces.assemble import assemble
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.columns import to_text
from data_sources.traces.delimited import Table
from data_sources.traces.pieces import Piece
from data_sources.traces.row_rules import ints_of
from data_sources.traces.serving_csv import (
    Layout,
    counts_of,
    length_stats,
    mismatched,
    order_stats,
    own_seconds,
    read_piece,
    rows_by_name,
    say_mismatched,
)
from econ.workload import IntArray, Text
from messages.errors import Message

FORMAT = "burstgpt"
_PROMPT, _ANSWER, _TOTAL = "Request tokens", "Response tokens", "Total tokens"
_SESSION = "Session ID"
_LAYOUT = Layout(
    binding={
        "arrival_s": "Timestamp",
        "session_id": _SESSION,
        "finished_s": "Elapsed time",
        "model": "Model",
        "input_tokens": _PROMPT,
        "output_tokens": _ANSWER,
        "tags": "Log Type",
    },
    counts=(_TOTAL,),
)
PUBLISHED_ROWS = {"1": 1_429_737, "3": 5_344_021}
"""Rows of the published parts: https://github.com/HPMLL/BurstGPT (the count of part 2 is unknown).
Small samples of random rows with the same header are in circulation."""

_MIX = np.uint64(0x9E3779B97F4A7C15)


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All files on one clock; a `base.Reader`."""
    pieces = []
    for done, file in enumerate(files):
        progress(done / len(files), "read")
        piece, table = read_piece(file, _LAYOUT, options)
        piece.columns["failed"] = (ints_of(piece.columns, "output_tokens", piece.rows) == 0).astype(
            np.int64
        )
        counts = {name: counts_of(table, name) for name in (_PROMPT, _ANSWER, _TOTAL)}
        odd = mismatched(counts[_TOTAL], [counts[_PROMPT], counts[_ANSWER]])
        piece.stats = _stats(piece, table, counts) | {"rows_total_mismatch": len(odd)}
        _say(piece, table, odd)
        pieces.append(piece)
    return assemble(pieces, FORMAT, options)


def _stats(piece: Piece, table: Table, counts: Mapping[str, IntArray | None]) -> dict[str, Any]:
    found = length_stats(table, _LAYOUT, counts) | order_stats(piece)
    for key, column in (("models", "Model"), ("log_types", "Log Type")):
        if column in table.columns:
            found[key] = rows_by_name(to_text(table.columns[column]))
    seconds = own_seconds(piece)
    if len(seconds) and not np.isnan(seconds).all():
        found["first_ts_s"] = round(float(np.nanmin(seconds)), 6)
    sessions = table.columns.get(_SESSION)
    if sessions is not None:
        found["rows_without_session"] = int((to_text(sessions).codes < 0).sum())
    return found


def _say(piece: Piece, table: Table, odd: IntArray) -> None:
    """What the receipt says of this file: failures, repeats, odd totals, an incomplete copy."""
    name = piece.file.source.name
    failed = int(ints_of(piece.columns, "failed", piece.rows).sum())
    if failed:
        piece.notes.append(Message("serving.failed_rows", {"file": name, "rows": failed}))
    repeats = _repeats(piece)
    if repeats:
        piece.notes.append(Message("serving.equal_rows", {"file": name, "rows": repeats}))
    say_mismatched(piece, odd, _TOTAL)
    if table.rows not in PUBLISHED_ROWS.values():
        piece.notes.append(_not_as_published(piece, table))


def _not_as_published(piece: Piece, table: Table) -> Message:
    part = "3" if _SESSION in table.columns else "1"
    return Message(
        "serving.not_published_count",
        {
            "file": piece.file.source.name,
            "rows": table.rows,
            "part": part,
            "published": PUBLISHED_ROWS[part],
        },
    )


def _repeats(piece: Piece) -> int:
    """How many usable rows equal an earlier one in every column (by a 64-bit hash)."""
    rows = _at_a_shared_time(piece)
    keys = np.zeros(int(rows.sum()), dtype=np.uint64)
    for column in piece.columns.values():
        values = column.codes[rows].astype(np.int64) if isinstance(column, Text) else column[rows]
        bits = np.ascontiguousarray(values).view(np.uint64)
        keys = (keys ^ bits) * _MIX
        keys ^= keys >> np.uint64(29)
    keys.sort()
    return int((keys[1:] == keys[:-1]).sum())


def _at_a_shared_time(piece: Piece) -> npt.NDArray[np.bool_]:
    """Rows that may have an equal: in a file in order of time those with a neighbour of the same
    time, otherwise all."""
    seconds = own_seconds(piece)
    steps = np.diff(seconds)
    if len(seconds) < 2 or not (steps >= 0).all():  # an empty time is in no order
        return np.ones(len(seconds), dtype=np.bool_)
    same = steps == 0
    return np.concatenate(([False], same)) | np.concatenate((same, [False]))
