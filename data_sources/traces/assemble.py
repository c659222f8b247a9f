"""The pieces of several files -> one workload sorted by arrival, and the receipt of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from data_sources.traces.base import ReadOptions, ReadResult
from data_sources.traces.block_ids import Blocks, concatenate, no_blocks
from data_sources.traces.block_sizes import SHOWN_ROWS, shown_lines
from data_sources.traces.builder import seconds_from_first
from data_sources.traces.fields import BLOCK_FIELDS
from data_sources.traces.model_names import apply_model_names
from data_sources.traces.pieces import Piece, filled_rows
from data_sources.traces.row_rules import ints_of
from data_sources.traces.tally import source_file
from econ.receipt import LISTED_REJECTIONS, Ignored, Receipt, Rejection
from econ.workload import (
    ALL_COLUMNS,
    COST_COLUMNS,
    EMPTY,
    EMPTY_COST,
    FLOAT_COLUMNS,
    TEXT_COLUMNS,
    TIME_COLUMNS,
    Column,
    FloatArray,
    IntArray,
    Prefix,
    Text,
    Workload,
)
from messages.errors import Message, input_error

MakePrefix = Callable[[Blocks], Prefix | None]


def assemble(
    pieces: Sequence[Piece],
    format_id: str,
    options: ReadOptions,
    make_prefix: MakePrefix | None = None,
    collapsed: Mapping[str, int] | None = None,
) -> ReadResult:
    """One workload from the pieces of one format. `collapsed`: rows already merged, by reason id.

    InputError when no row of any file can be used: with the first reason and its line.
    """
    _refuse_nothing(pieces)
    notes = [note for piece in pieces for note in piece.notes]
    columns = _joined_columns(pieces)
    columns.pop("arrival_s", None)
    arrival = _arrivals(pieces, columns, notes)
    if arrival is not None:
        columns["arrival_s"] = arrival
    granularity = _settle_granularity(columns, pieces)
    rows = sum(piece.rows for piece in pieces)
    blocks = _joined_blocks(pieces)
    order = _order(arrival, pieces, notes)
    if order is not None:
        columns = {name: _taken(column, order) for name, column in columns.items()}
        blocks = blocks.take(order) if blocks is not None else None
    prefix = make_prefix(blocks) if make_prefix and blocks is not None else None
    workload = Workload(
        name=pieces[0].file.source.name,
        format=format_id,
        rows=rows,
        columns=_filled_only(columns),
        prefix=prefix,
        granularity=granularity,
        format_stats=_added_stats(pieces),
    )
    workload = apply_model_names(workload, options.model_names)
    return ReadResult(workload=workload, receipt=_receipt(pieces, format_id, notes, collapsed))


def _refuse_nothing(pieces: Sequence[Piece]) -> None:
    if any(piece.rows for piece in pieces):
        return
    rejected = next((r for piece in pieces for r in piece.rejects.rejections()), None)
    file = pieces[0].file.source.name
    if rejected is None:
        raise input_error("columnar.no_usage", file=file)
    raise input_error(
        "columnar.all_rejected",
        file=rejected.file,
        rejected=sum(piece.rejects.total for piece in pieces),
        line=rejected.line,
        reason=rejected.reason,
    )


def _joined_columns(pieces: Sequence[Piece]) -> dict[str, Column]:
    if len(pieces) == 1:
        return dict(pieces[0].columns)
    names = [name for name in ALL_COLUMNS if any(name in piece.columns for piece in pieces)]
    return {name: _joined(name, pieces) for name in names}


def _joined(name: str, pieces: Sequence[Piece]) -> Column:
    if name in TEXT_COLUMNS:
        return _joined_text([p.columns.get(name, Text.constant(None, p.rows)) for p in pieces])
    empty, dtype = _empty_of(name)
    return np.concatenate(
        [p.columns.get(name, np.full(p.rows, empty, dtype=dtype)) for p in pieces]
    )


def _joined_text(parts: Sequence[Any]) -> Text:
    known: dict[str, int] = {}
    codes = []
    for part in parts:
        new = [known.setdefault(value, len(known)) for value in part.values]
        lookup = np.asarray([*new, EMPTY], dtype=np.int32)  # code -1 finds the last: stays empty
        codes.append(lookup[part.codes])
    return Text(np.concatenate(codes).astype(np.int32), tuple(known))


def _empty_of(name: str) -> tuple[Any, str]:
    if name in FLOAT_COLUMNS:
        return np.nan, "f8"
    if name in TIME_COLUMNS:
        return np.datetime64("NaT"), "M8[us]"
    return (EMPTY_COST if name in COST_COLUMNS else EMPTY), "i8"


def _arrivals(
    pieces: Sequence[Piece], columns: Mapping[str, Column], notes: list[Message]
) -> FloatArray | None:
    """Seconds from the earliest request. Real times join files on one clock; without them all
    files are taken to share the clock of their numbers; else each starts at 0, which is said."""
    used = [piece for piece in pieces if piece.rows]
    own = [piece.columns.get("arrival_s") for piece in used]
    dated = [_wholly_dated(piece) for piece in used]
    if all(dated) and (len(used) > 1 or own[0] is None):
        return np.asarray(seconds_from_first(columns["arrival_utc"]))
    if all(column is not None for column in own):
        return _from_first(np.concatenate(own))  # type: ignore[arg-type]
    if not any(column is not None for column in own) and not any(
        "arrival_utc" in piece.columns for piece in used
    ):
        return None
    if len(used) > 1:
        notes.append(Message("columnar.own_clocks"))
    return np.concatenate([_own_clock(piece) for piece in used])


def _wholly_dated(piece: Piece) -> bool:
    times = piece.columns.get("arrival_utc")
    return times is not None and not isinstance(times, Text) and not np.isnat(times).any()


def _own_clock(piece: Piece) -> FloatArray:
    own = piece.columns.get("arrival_s")
    if own is not None and not isinstance(own, Text):
        return _from_first(own)
    if "arrival_utc" in piece.columns:
        return np.asarray(seconds_from_first(piece.columns["arrival_utc"]))
    return np.full(piece.rows, np.nan)


def _from_first(seconds: FloatArray) -> FloatArray:
    first = float(seconds.min()) if len(seconds) else 0.0
    if np.isnan(first):  # some are empty
        if np.isnan(seconds).all():
            return seconds
        first = float(np.nanmin(seconds))
    return seconds if first == 0.0 else np.asarray(seconds - first)


def _order(
    arrival: FloatArray | None, pieces: Sequence[Piece], notes: list[Message]
) -> IntArray | None:
    """Stable order by arrival, rows without one last; None where the rows stand so already.
    Rows that lie before their neighbour are named by line."""
    if arrival is None:
        return None
    if (arrival[1:] >= arrival[:-1]).all():  # false where one of them is empty
        return None
    known = np.where(np.isnan(arrival), np.inf, arrival)
    start = 0
    for piece in pieces:
        notes.extend(_out_of_order(piece, known[start : start + piece.rows]))
        start += piece.rows
    if not (known[1:] < known[:-1]).any():
        return None
    return np.argsort(known, kind="stable").astype(np.int64)


def _out_of_order(piece: Piece, arrival: FloatArray) -> list[Message]:
    back = np.flatnonzero(arrival[1:] < arrival[:-1]) + 1
    if not len(back):
        return []
    lines = piece.lines(piece.kept[back[: SHOWN_ROWS + 1]])
    said = shown_lines(lines, len(back))
    return [
        Message(
            "columnar.out_of_order",
            {"file": piece.file.source.name, "rows": len(back), "lines": said},
        )
    ]


def _taken(column: Column, order: IntArray) -> Column:
    return column.take(order) if isinstance(column, Text) else column[order]


def _settle_granularity(columns: dict[str, Column], pieces: Sequence[Piece]) -> str:
    """'bucket' where a row stands for several requests; single requests among them say so."""
    rows = sum(piece.rows for piece in pieces)
    named = columns.get("granularity")
    if "n_requests" not in columns and named is None and not any(p.buckets for p in pieces):
        return "request"
    counts = ints_of(columns, "n_requests", rows)
    bucket = np.concatenate([np.full(piece.rows, piece.buckets) for piece in pieces])
    bucket |= counts > 1
    if isinstance(named, Text) and "bucket" in named.values:
        bucket |= named.codes == named.values.index("bucket")
    if not bucket.any():
        return "request"
    if not bucket.all():
        columns["n_requests"] = np.where(~bucket & (counts < 0), 1, counts)
    columns["granularity"] = Text(bucket.astype(np.int32), ("request", "bucket"))
    return "bucket"


def _joined_blocks(pieces: Sequence[Piece]) -> Blocks | None:
    if not any(piece.blocks is not None for piece in pieces):
        return None
    return concatenate([piece.blocks or no_blocks(piece.rows) for piece in pieces])


def _filled_only(columns: Mapping[str, Column]) -> dict[str, Column]:
    """Columns of the request table that are not wholly empty."""
    kept = {}
    for name, column in columns.items():
        if name in BLOCK_FIELDS:
            continue
        if filled_rows(name, _head_of(column)).any() or filled_rows(name, column).any():
            kept[name] = column
    return kept


_NOT_ADDED = frozenset({"block_size", "buckets", "distinct_timestamps"})


def _head_of(column: Column) -> Column:
    """The first rows: most columns that have anything have it there."""
    return Text(column.codes[:64], column.values) if isinstance(column, Text) else column[:64]


def _added_stats(pieces: Sequence[Piece]) -> dict[str, Any]:
    """Counts of several files are added; what cannot be added stays with a single file."""
    if len(pieces) == 1:
        return dict(pieces[0].stats)
    names = dict.fromkeys(name for piece in pieces for name in piece.stats)
    values = {n: [p.stats.get(n, 0) for p in pieces] for n in names if n not in _NOT_ADDED}
    return {n: sum(v) for n, v in values.items() if all(type(x) is int for x in v)}


def _receipt(
    pieces: Sequence[Piece],
    format_id: str,
    notes: Sequence[Message],
    collapsed: Mapping[str, int] | None,
) -> Receipt:
    ignored: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    listed: list[Rejection] = []
    for piece in pieces:
        ignored += piece.ignored
        reasons += piece.rejects.by_reason
        listed.extend(piece.rejects.rejections())
    return Receipt(
        files=tuple(source_file(piece.file, format_id) for piece in pieces),
        rows_read=sum(piece.rows_read for piece in pieces),
        rows_kept=sum(piece.rows for piece in pieces),
        rows_collapsed=sum((collapsed or {}).values()),
        rows_rejected=sum(reasons.values()),
        rows_ignored=sum(ignored.values()),
        rejected=tuple(listed[:LISTED_REJECTIONS]),
        rejected_by_reason=dict(reasons),
        collapsed=_groups(collapsed or {}),
        ignored=_groups(ignored),
        assumptions=tuple(dict.fromkeys(notes)),
    )


def _groups(counts: Mapping[str, int]) -> tuple[Ignored, ...]:
    return tuple(Ignored(reason=Message(key), rows=n) for key, n in counts.items() if n)
