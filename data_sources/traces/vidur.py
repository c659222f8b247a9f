"""Vidur's processed traces: lengths, with the seconds since the first request or without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from data_sources.traces.assemble import assemble
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.delimited import Table
from data_sources.traces.pieces import Piece
from data_sources.traces.serving_csv import (
    Layout,
    counts_of,
    length_stats,
    mean_stats,
    mismatched,
    order_stats,
    read_piece,
    say_mismatched,
)

TIMED_FORMAT = "vidur_trace"
LENGTHS_FORMAT = "vidur_lengths"
_TIME, _TOTAL = "arrived_at", "num_total_tokens"
_LAYOUT = Layout(
    binding={
        "arrival_s": _TIME,
        "input_tokens": "num_prefill_tokens",
        "output_tokens": "num_decode_tokens",
    },
    counts=(_TOTAL, "pd_ratio"),
)


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All files on one clock; a `base.Reader`."""
    pieces = []
    timed = True
    for done, file in enumerate(files):
        progress(done / len(files), "read")
        piece, table = read_piece(file, _LAYOUT, options)
        piece.stats = _stats(piece, table)
        timed &= _TIME in table.columns
        pieces.append(piece)
    return assemble(pieces, TIMED_FORMAT if timed else LENGTHS_FORMAT, options)


def _stats(piece: Piece, table: Table) -> dict[str, Any]:
    found = length_stats(table, _LAYOUT) | mean_stats(piece)
    if _TIME in table.columns:
        found |= order_stats(piece)
    if _TOTAL in table.columns:
        parts = [counts_of(table, column) for column in list(_LAYOUT.binding.values())[1:]]
        differ = mismatched(counts_of(table, _TOTAL), parts)
        found["rows_total_mismatch"] = len(differ)
        say_mismatched(piece, differ, _TOTAL)
    return found
