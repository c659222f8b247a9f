"""A table of one file -> the part of a workload that it holds: cells read, rows checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data_sources.traces.base import Decoded, ReadOptions
from data_sources.traces.block_ids import Blocks, block_lists
from data_sources.traces.columns import (
    NULL_TEXTS,
    Cells,
    floats_of,
    lowered,
    numpy_of,
    to_cost_e13,
    to_counts,
    to_flags,
    to_seconds,
    to_text,
)
from data_sources.traces.delimited import Table
from data_sources.traces.faults import BoolArray, Faults, Lines, Rejects, shown
from data_sources.traces.fields import CLOSED_SETS, KINDS
from data_sources.traces.limits import MAX_CLOCK_S
from data_sources.traces.moments import NO_TIME, Moments, settle_zone, to_moments
from data_sources.traces.row_rules import Row, check_rows, whole_prompt
from econ.workload import Column, IntArray, Text, filled
from messages.errors import Message

EPOCH_FROM_S = 1e9
"""A start of more seconds than this (31 years) is counted from 1970, not from the first row."""

_MAX_NUMBER = 4e18
"""Nanoseconds since 1970 in the year 2096; no clock shows more."""

_SAMPLE = 1_000
"""So many starts tell which clock a column is on."""

NO_REQUEST = "columnar.no_request"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How one format's tables are to be read.

    `marks`: fields that may be filled in a row without a request (the times of an empty bucket).
    `buckets`: rows are sums over many requests, also where they do not say how many.
    `times_are_utc`: times without a zone are UTC by the format's own definition.
    `needs`: fields without which a row of this format means nothing.
    """

    marks: frozenset[str] = frozenset()
    buckets: bool = False
    times_are_utc: bool = True
    needs: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Piece:
    """The usable rows of one file. `arrival_s` in `columns` is still on the file's own clock.

    `kept`: their positions in the table; `lines`: positions in the table -> line numbers.
    """

    file: Decoded
    rows_read: int
    rows: int
    columns: dict[str, Column]
    kept: IntArray
    lines: Lines
    rejects: Rejects
    ignored: Counter[str] = field(default_factory=Counter)
    notes: list[Message] = field(default_factory=list)
    blocks: Blocks | None = None
    buckets: bool = False
    stats: dict[str, Any] = field(default_factory=dict)


def piece_of(table: Table, binding: Mapping[str, str], options: ReadOptions, rules: Rules) -> Piece:
    """Rows of `table` as request columns; `binding` is field -> column name. Faulty rows are
    rejected with their line, rows without a request are ignored."""
    reading = _Cells(table, options, rules)
    for name, column in binding.items():
        reading.take(name, column)
    columns, faults = reading.columns, reading.faults
    empty = _without_request(columns, table.rows, rules)
    for name in rules.needs:
        faults.add(~empty & ~filled_rows(name, columns[name]), _blank(binding[name]))
    whole_prompt(columns, table.rows, faults, ~empty)
    check_rows(Row(columns=columns, rows=table.rows, relevant=~empty), faults, rules.buckets)
    rejects = Rejects(table.file.source.name)
    misshapen = 0
    for line, reason in table.misshapen:
        rejects.add(line, reason)
        misshapen += 1
    empty &= ~faults.mask
    faults.tell(rejects, table.lines)
    keep = ~(faults.mask | empty)
    piece = Piece(
        file=table.file,
        rows_read=table.rows + misshapen,
        rows=int(keep.sum()),
        columns=columns if keep.all() else rows_of(columns, keep),
        kept=np.flatnonzero(keep),
        lines=table.lines,
        rejects=rejects,
        ignored=Counter({NO_REQUEST: int(empty.sum())}) if empty.any() else Counter(),
        notes=reading.notes,
        blocks=reading.blocks.take(np.flatnonzero(keep)) if reading.blocks else None,
        buckets=rules.buckets,
    )
    _name_prefixes(piece)
    return piece


class _Cells:
    """The columns of one table being read, with the faults found on the way."""

    def __init__(self, table: Table, options: ReadOptions, rules: Rules) -> None:
        self.columns: dict[str, Column] = {}
        self.faults = Faults(table.rows)
        self.notes: list[Message] = []
        self.blocks: Blocks | None = None
        self._table, self._options, self._rules = table, options, rules

    def take(self, name: str, column: str) -> None:
        """Read one field from one column of the file."""
        cells, kind = self._table.columns[column], KINDS[name]
        if kind == "text":
            self._text(name, cells)
        elif kind == "count":
            self.columns[name] = to_counts(cells, column, self.faults)
        elif kind == "seconds":
            self.columns[name] = to_seconds(cells, column, self.faults)
        elif kind == "flag":
            self.columns[name] = to_flags(cells, column, self.faults)
        elif kind == "cost":
            self.columns["observed_cost_e13"] = to_cost_e13(cells, column, self.faults)
        elif kind == "time":
            self._time(name, cells, column)
        elif kind == "start":
            self._start(cells, column)
        else:
            self.blocks = block_lists(cells, column, self.faults)

    def _text(self, name: str, cells: Cells) -> None:
        nulls = ("", *(n for n in NULL_TEXTS[1:] if n.casefold() != "none" or name != "ttl"))
        text = to_text(cells, nulls)
        self.columns[name] = lowered(text) if name in CLOSED_SETS else text

    def _time(self, name: str, cells: Cells, column: str) -> None:
        """A real time; without a known zone it counts from the start of the file only."""
        moments = to_moments(cells, column, self.faults)
        self.notes.extend(moments.notes)
        local = moments.filled & ~moments.zoned
        zone = "UTC" if self._rules.times_are_utc else self._options.tz
        if local.any() and zone is None:
            self.notes.append(Message("columnar.no_zone", {"column": column}))
            if name == "arrival_utc":
                self._seconds_of(moments)
            moments = Moments(us=np.where(local, NO_TIME, moments.us), zoned=moments.zoned)
        elif local.any() and zone is not None:
            if not self._rules.times_are_utc:
                said = {"column": column, "zone": zone}
                self.notes.append(Message("columnar.zone_assumed", said))
            moments = settle_zone(moments, zone)
        self.columns[name] = moments.utc()

    def _seconds_of(self, moments: Moments) -> None:
        self.columns.setdefault("arrival_s", np.where(moments.filled, moments.us / 1e6, np.nan))

    def _start(self, cells: Cells, column: str) -> None:
        """Seconds on the file's own clock, or real times where the cells are dates."""
        if pa.types.is_floating(cells.type) and not cells.null_count:
            seen = pc.min_max(cells)
            if (
                -EPOCH_FROM_S
                < (seen["min"].as_py() or 0)
                <= (seen["max"].as_py() or 0)
                < (EPOCH_FROM_S)
            ):  # the usual case, without any mask
                self.columns["arrival_s"] = numpy_of(cells, np.float64, np.nan)
                return
        numbers, bad = _numbers_of(cells)
        with np.errstate(invalid="ignore"):
            absurd = np.abs(numbers) > _MAX_NUMBER
        if absurd.any():
            numbers, bad = np.where(absurd, np.nan, numbers), bad | absurd
        known = numbers[~np.isnan(numbers)]
        dates = bad.any() and not len(known)
        sample = known[:: len(known) // _SAMPLE + 1]
        if dates or (len(known) and float(np.median(sample)) >= EPOCH_FROM_S):
            self._real_start(cells, column)
        else:
            with np.errstate(invalid="ignore"):
                late = np.abs(numbers) > MAX_CLOCK_S
            self.faults.add(bad | late, _not_seconds(cells, column))
            self.columns["arrival_s"] = numbers

    def _real_start(self, cells: Cells, column: str) -> None:
        moments = to_moments(cells, column, self.faults)
        self.notes.extend(moments.notes)
        if self._options.tz:
            moments = settle_zone(moments, self._options.tz)
        if moments.zoned[moments.filled].all():
            self.notes.append(Message("columnar.real_times", {"column": column}))
            self.columns.setdefault("arrival_utc", moments.utc())
        else:
            self.notes.append(Message("columnar.no_zone", {"column": column}))
            self._seconds_of(moments)


def _numbers_of(cells: Cells) -> tuple[Any, BoolArray]:
    kind = cells.type
    if pa.types.is_temporal(kind):
        return np.full(len(cells), np.nan), np.ones(len(cells), dtype=np.bool_)
    return floats_of(cells)


def _not_seconds(cells: Cells, column: str) -> Any:
    def reason(row: int) -> Message:
        expected = Message("columnar.expected_seconds")
        found = shown(cells[row].as_py())
        return Message(
            "columnar.wrong_cell", {"column": column, "expected": expected, "found": found}
        )

    return reason


def _blank(column: str) -> Callable[[int], Message]:
    return lambda _: Message("columnar.blank", {"column": column})


def filled_rows(name: str, column: Column) -> BoolArray:
    """Which rows of a column of any kind are not empty."""
    return column.codes >= 0 if isinstance(column, Text) else filled(name, column)


def _without_request(columns: Mapping[str, Column], rows: int, rules: Rules) -> BoolArray:
    """Rows in which nothing but `marks` is filled; of buckets also those that count zero."""
    empty = np.ones(rows, dtype=np.bool_)
    for name, column in columns.items():
        if name in rules.marks:
            continue
        if rules.buckets and not isinstance(column, Text) and KINDS.get(name) == "count":
            empty &= column <= 0
        else:
            empty &= ~filled_rows(name, column)
        if not empty.any():
            break
    return empty


def rows_of(columns: Mapping[str, Column], keep: BoolArray) -> dict[str, Column]:
    """The columns with only the rows under `keep`."""
    return {
        name: column.take(keep) if isinstance(column, Text) else column[keep]
        for name, column in columns.items()
    }


def _name_prefixes(piece: Piece) -> None:
    """One shared prefix a file, where rows do not say which of several they have."""
    if "shared_prefix_tokens" not in piece.columns:
        return
    default = f"<{piece.file.source.name}>"
    given = piece.columns.get("prefix_id")
    if not isinstance(given, Text):
        piece.columns["prefix_id"] = Text.constant(default, piece.rows)
        return
    if (given.codes >= 0).all():
        return
    codes = np.where(given.codes < 0, len(given.values), given.codes).astype(np.int32)
    piece.columns["prefix_id"] = Text(codes, (*given.values, default))
