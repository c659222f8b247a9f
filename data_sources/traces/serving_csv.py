"""Serving traces as delimited text: lengths and times in named columns, whole columns at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from data_sources.traces.base import Decoded, ReadOptions
from data_sources.traces.block_sizes import shown_lines
from data_sources.traces.columns import to_counts
from data_sources.traces.delimited import NUMBER, TEXT, Table, read_header, read_table
from data_sources.traces.faults import Faults
from data_sources.traces.pieces import Piece, Rules, piece_of
from data_sources.traces.plain_csv import kind_of, not_used
from data_sources.traces.row_rules import ints_of
from econ.workload import FloatArray, IntArray, Text
from messages.errors import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """`binding`: field -> column of the file. `counts` and `names` are columns read beside the
    request's own, for statistics only. Columns that the file has not are left out."""

    binding: Mapping[str, str]
    counts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    rules: Rules = field(default_factory=Rules)


def read_piece(file: Decoded, layout: Layout, options: ReadOptions) -> tuple[Piece, Table]:
    """The usable rows of one file, and all its rows as they stand."""
    header = read_header(file)
    binding = {n: column for n, column in layout.binding.items() if column in header.names}
    kinds: dict[str, Any] = {column: kind_of(name) for name, column in binding.items()}
    kinds |= {name: NUMBER for name in layout.counts if name in header.names}
    kinds |= {name: TEXT for name in layout.names if name in header.names}
    table = read_table(file, header, kinds)
    piece = piece_of(table, binding, options, layout.rules)
    unknown = [name for name in header.names if name not in kinds]
    if unknown:
        piece.notes.append(not_used(file, unknown))
    return piece, table


def counts_of(table: Table, column: str) -> IntArray | None:
    """A column of counts over all rows of the file, EMPTY where blank or no count; None where
    the file has no such column."""
    cells = table.columns.get(column)
    return None if cells is None else to_counts(cells, column, Faults(table.rows))


def length_stats(
    table: Table, layout: Layout, known: Mapping[str, IntArray | None] | None = None
) -> dict[str, Any]:
    """Rows of the file, and those of them with a length of zero. `known`: columns of counts that
    have been read already, by name."""
    known = known or {}
    found: dict[str, Any] = {"rows": table.rows}
    for name, key in (("input_tokens", "rows_zero_input"), ("output_tokens", "rows_zero_output")):
        column = layout.binding[name]
        counts = known[column] if column in known else counts_of(table, column)
        found[key] = 0 if counts is None else int((counts == 0).sum())
    return found


def mean_stats(piece: Piece) -> dict[str, Any]:
    """Means (three digits) and largest lengths of the usable rows."""
    found: dict[str, Any] = {}
    for name, key in (("input_tokens", "input"), ("output_tokens", "output")):
        counts = ints_of(piece.columns, name, piece.rows)
        if len(counts):
            found[f"mean_{key}"] = round(float(counts.mean()), 3)
            found[f"max_{key}"] = int(counts.max())
    return found


def own_seconds(piece: Piece) -> FloatArray:
    """The usable rows' times on the file's own clock, in file order; NaN where empty."""
    seconds = piece.columns.get("arrival_s")
    if seconds is not None and not isinstance(seconds, Text):
        return np.asarray(seconds, dtype=np.float64)
    times = piece.columns.get("arrival_utc")
    if times is None or isinstance(times, Text):
        return np.full(piece.rows, np.nan)
    us = times.astype("datetime64[us]")
    return np.where(np.isnat(us), np.nan, us.astype(np.int64) / 1e6)


def order_stats(piece: Piece) -> dict[str, Any]:
    """Neighbouring rows whose time goes down."""
    seconds = own_seconds(piece)
    return {"out_of_order_pairs": int((np.diff(seconds) < 0).sum())}


def rows_by_name(text: Text) -> dict[str, int]:
    """How many rows carry each name, in order of first appearance."""
    counts = np.bincount(text.codes[text.codes >= 0], minlength=len(text.values))
    named = zip(text.values, counts.tolist(), strict=True)
    return {name: rows for name, rows in named if rows}


def mismatched(total: IntArray | None, parts: Sequence[IntArray | None]) -> IntArray:
    """Rows whose stated total is not the sum of their parts; empty where a column is missing."""
    known = [part for part in parts if part is not None]
    if total is None or len(known) < len(parts):
        return np.zeros(0, dtype=np.int64)
    filled = total >= 0
    for part in known:
        filled &= part >= 0
    return np.flatnonzero(filled & (total != sum(known)))


def say_mismatched(piece: Piece, rows: IntArray, column: str) -> None:
    """Note the rows whose stated total, `column`, is not the sum of their parts."""
    if not len(rows):
        return
    piece.notes.append(
        Message(
            "serving.total_differs",
            {
                "file": piece.file.source.name,
                "rows": len(rows),
                "column": column,
                "lines": shown_lines(piece.lines(rows)),
            },
        )
    )
