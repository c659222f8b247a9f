"""kvledger's own CSV: one row a request (or a bucket), columns named as in the request table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from data_sources.traces.assemble import assemble
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.block_sizes import TableBlocks
from data_sources.traces.delimited import (
    NUMBER,
    STRING,
    TEXT,
    Header,
    Table,
    read_header,
    read_table,
)
from data_sources.traces.fields import KINDS, field_of, missing_field
from data_sources.traces.moments import moments_of
from data_sources.traces.pieces import Piece, Rules, piece_of
from econ.workload import COST_COLUMNS, TIME_COLUMNS, Text, Workload, filled
from messages.errors import Message, input_error

FORMAT = "kvledger_csv"
_SHOWN_COLUMNS = 12
_TIMES = (
    "timestamp", "datetime", "date_time", "created_at", "created", "started_at", "start_time",
    "request_time", "requested_at", "time", "日時", "時刻",
)  # fmt: skip
"""What tables of others call the moment of a request, the surest name first."""


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """Every file as rows of one request table.

    Rows whose parts exceed their total, without a prompt or without an output count are rejected
    with their line. InputError when a file has not the columns for a request.
    """
    pieces = []
    for done, file in enumerate(files):
        progress(done / len(files), "read")
        pieces.append(_piece(file, options))
    blocks = TableBlocks(pieces, options)
    return assemble(pieces, FORMAT, options, blocks.prefix)


def _piece(file: Decoded, options: ReadOptions) -> Piece:
    header = read_header(file)
    binding, unknown = bind(file, header)
    maybe = _maybe_times(binding, unknown)
    kinds = {column: kind_of(name) for name, column in binding.items()}
    table = read_table(file, header, {**kinds, **dict.fromkeys(maybe, STRING)})
    start = next((c for c in maybe if _holds_times(table, c, "arrival_s" in binding)), None)
    if start is None:
        piece = piece_of(table, binding, options, Rules())
    else:  # only our own column is UTC where a cell names no zone
        rules = Rules(times_are_utc=False)
        piece = piece_of(table, {**binding, "arrival_utc": start}, options, rules)
        piece.notes.append(Message("columnar.read_as_start", {"column": start[:60]}))
        unknown.remove(start)
    if unknown:
        piece.notes.append(not_used(file, unknown))
    return piece


def _maybe_times(binding: Mapping[str, str], unknown: Sequence[str]) -> list[str]:
    """Columns that by their name could say when a request came, where no field says it."""
    if "arrival_utc" in binding or "bucket_end_utc" in binding:
        return []
    folded = {column.strip().casefold(): column for column in reversed(unknown)}
    return [folded[name] for name in _TIMES if name in folded]


def _holds_times(table: Table, column: str, zoned: bool) -> bool:
    """Every filled cell is a time, and one at least is filled; `zoned`: each with its zone."""
    moments, bad = moments_of(table.columns[column], column)
    known = moments.filled
    return bool(known.any() and not bad.any() and (moments.zoned[known].all() or not zoned))


def bind(file: Decoded, header: Header) -> tuple[dict[str, str], list[str]]:
    """(field -> column, columns that are no field). InputError when a request cannot be made of
    the columns, or two columns mean one field."""
    binding: dict[str, str] = {}
    unknown = []
    for column in header.names:
        name = field_of(column)
        if name is None:
            unknown.append(column)
        elif name in binding:
            raise input_error(
                "columnar.field_twice",
                file=file.source.name,
                field=name,
                first=binding[name],
                second=column,
            )
        else:
            binding[name] = column
    missing = missing_field(binding)
    if missing:
        raise input_error("columnar.missing_column", file=file.source.name, column=missing)
    return binding, unknown


def kind_of(field: str) -> Any:
    """How a field's column is read from delimited text."""
    kind = KINDS[field]
    if kind == "text":
        return TEXT
    return STRING if kind in ("time", "cost", "ids", "flag") else NUMBER


def not_used(file: Decoded, columns: Sequence[str]) -> Message:
    """The assumption that says which columns were left out."""
    named = [name[:60] for name in columns if name][:_SHOWN_COLUMNS]
    more = len(columns) - len(named)
    listed = ", ".join(named) + (f", … +{more}" if more else "")
    return Message("columnar.columns_not_used", {"file": file.source.name, "columns": listed})


def to_plain_csv_rows(workload: Workload) -> Iterator[list[str]]:
    """Header and rows of `workload` as this format, exact: read back, it is the same workload.

    Block structure is not part of it. Cells are unescaped text for a CSV writer.
    """
    names = [name for name in workload.columns if workload.has(name)]
    yield ["observed_cost_usd" if name in COST_COLUMNS else name for name in names]
    columns = [_spelled(workload, name) for name in names]
    for cells in zip(*columns, strict=True):
        yield list(cells)


def _spelled(workload: Workload, name: str) -> list[str]:
    column = workload.columns[name]
    if isinstance(column, Text):
        return [value or "" for value in column.decode()]
    known = filled(name, column).tolist()
    if name in TIME_COLUMNS:
        texts = np.datetime_as_string(column.astype("datetime64[us]"), unit="us", timezone="UTC")
        return [str(t) if ok else "" for t, ok in zip(texts.tolist(), known, strict=True)]
    if name in COST_COLUMNS:
        return [_usd(v) if ok else "" for v, ok in zip(column.tolist(), known, strict=True)]
    return [repr(v) if ok else "" for v, ok in zip(column.tolist(), known, strict=True)]


def _usd(e13: int) -> str:
    whole, rest = divmod(abs(e13), 10**13)
    return f"{'-' if e13 < 0 else ''}{whole}.{rest:013d}"
