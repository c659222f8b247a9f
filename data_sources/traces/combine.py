"""Several workloads become one: columns united, prefix ids kept apart, receipts added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from data_sources.traces.base import ReadResult
from data_sources.traces.builder import seconds_from_first
from econ.receipt import LISTED_REJECTIONS, Ignored, Receipt, SourceFile
from econ.workload import (
    ALL_COLUMNS,
    FLOAT_COLUMNS,
    TEXT_COLUMNS,
    TIME_COLUMNS,
    Column,
    IntArray,
    Prefix,
    Text,
    Workload,
    first_appearance,
)
from messages.errors import Message


def combine(results: Sequence[ReadResult], name: str) -> ReadResult:
    """One result from one or more, named `name`; rows sorted stably by arrival.

    Parts with real times share one clock; a part without keeps its own, from its own start,
    which the receipt says.
    """
    workloads = [result.workload for result in results]
    receipt = add_receipts([result.receipt for result in results], _clock_notes(workloads))
    if len(workloads) == 1:
        return ReadResult(workload=_renamed(workloads[0], name), receipt=receipt)
    return ReadResult(workload=_joined(workloads, name), receipt=receipt)


def add_receipts(receipts: Sequence[Receipt], notes: Sequence[Message] = ()) -> Receipt:
    """The sum of `receipts`, with further assumptions `notes`. The first 100 rejections stay."""
    reasons: Counter[str] = Counter()
    for receipt in receipts:
        reasons.update(receipt.rejected_by_reason)
    costs = [r.collapsed_cost_e13 for r in receipts if r.collapsed_cost_e13 is not None]
    rejected = tuple(line for r in receipts for line in r.rejected)
    assumptions = (m for r in receipts for m in r.assumptions)
    return Receipt(
        files=tuple(file for r in receipts for file in _counted(r)),
        rows_read=sum(r.rows_read for r in receipts),
        rows_kept=sum(r.rows_kept for r in receipts),
        rows_collapsed=sum(r.rows_collapsed for r in receipts),
        rows_rejected=sum(r.rows_rejected for r in receipts),
        rows_ignored=sum(r.rows_ignored for r in receipts),
        rejected=rejected[:LISTED_REJECTIONS],
        rejected_by_reason=dict(reasons),
        collapsed=_added(g for r in receipts for g in r.collapsed),
        ignored=_added(g for r in receipts for g in r.ignored),
        assumptions=tuple(dict.fromkeys((*assumptions, *notes))),
        collapsed_cost_e13=sum(costs) if costs else None,
    )


def _counted(receipt: Receipt) -> tuple[SourceFile, ...]:
    """The files of a receipt; one that stands alone in it has all its rows."""
    if len(receipt.files) != 1:
        return receipt.files
    return (replace(receipt.files[0], rows=receipt.rows_kept),)


def _added(groups: Any) -> tuple[Ignored, ...]:
    rows: dict[Message, int] = {}
    for group in groups:
        rows[group.reason] = rows.get(group.reason, 0) + group.rows
    return tuple(Ignored(reason=reason, rows=n) for reason, n in rows.items())


def _clock_notes(workloads: Sequence[Workload]) -> list[Message]:
    filled = [w for w in workloads if w.rows]
    dated = [w.dated for w in filled]
    timed = [w.has("arrival_s") for w in filled]
    if len(filled) < 2 or all(dated) or not any(timed):
        return []
    return [Message("traces.assume.own_clocks")]


def _renamed(workload: Workload, name: str) -> Workload:
    return Workload(
        name=name,
        format=workload.format,
        rows=workload.rows,
        columns=workload.columns,
        prefix=workload.prefix,
        granularity=workload.granularity,
        format_stats=workload.format_stats,
    )


def _joined(parts: Sequence[Workload], name: str) -> Workload:
    present = {c for part in parts for c in part.columns}
    columns: dict[str, Column] = {c: _stacked(parts, c) for c in ALL_COLUMNS if c in present}
    granularities = {part.granularity for part in parts}
    if len(granularities) > 1:
        columns.update(_mixed_granularity(parts))
    if all(part.dated for part in parts if part.rows) and "arrival_utc" in columns:
        columns["arrival_s"] = seconds_from_first(columns["arrival_utc"])
    order = _order(columns, sum(part.rows for part in parts))
    formats = sorted({part.format for part in parts})
    return Workload(
        name=name,
        format="+".join(formats),
        rows=len(order),
        columns={key: _take(column, order) for key, column in columns.items()},
        prefix=take_prefix(joined_prefix(parts), order),
        granularity="bucket" if "bucket" in granularities else "request",
        format_stats={part.format: dict(part.format_stats) for part in parts},
    )


def _stacked(parts: Sequence[Workload], column: str) -> Column:
    if column in TEXT_COLUMNS:
        return _stacked_text([part.text(column) for part in parts])
    if column in TIME_COLUMNS:
        return np.concatenate([part.times(column) for part in parts])
    if column in FLOAT_COLUMNS:
        return np.concatenate([part.floats(column) for part in parts])
    return np.concatenate([part.ints(column) for part in parts])


def _stacked_text(parts: Sequence[Text]) -> Text:
    known: dict[str, int] = {}
    codes = []
    for part in parts:
        table = np.asarray(
            [known.setdefault(value, len(known)) for value in part.values] + [-1], dtype=np.int32
        )
        codes.append(table[part.codes])  # code -1 takes the last entry: empty stays empty
    return Text(np.concatenate(codes), tuple(known))


def _mixed_granularity(parts: Sequence[Workload]) -> dict[str, Column]:
    """Requests and buckets side by side: every row says what it is and how many it counts."""
    kinds = [Text.constant(part.granularity, part.rows) for part in parts]
    counts = [
        part.ints("n_requests") if part.granularity == "bucket" else part.requests()
        for part in parts
    ]
    return {"granularity": _stacked_text(kinds), "n_requests": np.concatenate(counts)}


def _order(columns: dict[str, Column], rows: int) -> IntArray:
    arrivals = columns.get("arrival_s")
    if arrivals is None:
        return np.arange(rows, dtype=np.int64)
    return np.argsort(arrivals, kind="stable")  # type: ignore[arg-type]


def _take(column: Column, index: IntArray) -> Column:
    return column.take(index) if isinstance(column, Text) else column[index]


def joined_prefix(parts: Sequence[Workload]) -> Prefix | None:
    """The prefix structures of `parts` one after another; a part without has no blocks.

    Ids of different parts never meet, except where every part says that its ids are global.
    """
    with_blocks = [(part, part.prefix) for part in parts if part.prefix is not None]
    if not with_blocks:
        return None
    prefixes = [prefix for _, prefix in with_blocks]
    shared = all(prefix.scope == "global" for prefix in prefixes)
    ids: list[IntArray] = []
    base = 0
    for part, prefix in with_blocks:
        own = prefix.block_ids if shared else _own_ids(part, prefix) + base
        base = max(base, int(own.max()) + 1) if len(own) else base
        ids.append(own)
    lengths = [_lengths(part) for part in parts]
    has_breakpoints = any(prefix.bp_offsets is not None for prefix in prefixes)
    return Prefix(
        offsets=_offsets(np.concatenate(lengths)),
        block_ids=np.concatenate(ids),
        block_tokens=_block_tokens(prefixes),
        scope="global" if shared else "file",
        message_blocks=all(prefix.message_blocks for prefix in prefixes),
        bp_offsets=_offsets(np.concatenate([_bp_lengths(p) for p in parts]))
        if has_breakpoints
        else None,
        bp_blocks=_bp_values(prefixes, "bp_blocks") if has_breakpoints else None,
        bp_ttl_s=_bp_values(prefixes, "bp_ttl_s") if has_breakpoints else None,
    )


def take_prefix(prefix: Prefix | None, order: IntArray) -> Prefix | None:
    """The prefix structure of the rows at `order`, in that order."""
    if prefix is None or bool((order == np.arange(len(order))).all()):
        return prefix
    picks, offsets = _ranges(prefix.offsets, order)
    tokens = prefix.block_tokens
    bp_offsets = bp_blocks = bp_ttl_s = None
    if prefix.bp_offsets is not None:
        bp_picks, bp_offsets = _ranges(prefix.bp_offsets, order)
        bp_blocks = None if prefix.bp_blocks is None else prefix.bp_blocks[bp_picks]
        bp_ttl_s = None if prefix.bp_ttl_s is None else prefix.bp_ttl_s[bp_picks]
    return Prefix(
        offsets=offsets,
        block_ids=prefix.block_ids[picks],
        block_tokens=tokens if isinstance(tokens, int) else tokens[picks],
        scope=prefix.scope,
        message_blocks=prefix.message_blocks,
        bp_offsets=bp_offsets,
        bp_blocks=bp_blocks,
        bp_ttl_s=bp_ttl_s,
    )


def _own_ids(part: Workload, prefix: Prefix) -> IntArray:
    """Ids of one part from 0; where they compare inside a model only, the model is part of them."""
    ranks = first_appearance(prefix.block_ids)
    if prefix.scope != "model" or not len(ranks):
        return ranks
    models = np.repeat(part.text("model").codes.astype(np.int64) + 1, _lengths(part))
    return first_appearance(models * (int(ranks.max()) + 1) + ranks)


def _lengths(part: Workload) -> IntArray:
    if part.prefix is None:
        return np.zeros(part.rows, dtype=np.int64)
    return np.diff(part.prefix.offsets)


def _bp_lengths(part: Workload) -> IntArray:
    if part.prefix is None or part.prefix.bp_offsets is None:
        return np.zeros(part.rows, dtype=np.int64)
    return np.diff(part.prefix.bp_offsets)


def _bp_values(prefixes: Sequence[Prefix], name: str) -> IntArray:
    values = [getattr(prefix, name) for prefix in prefixes if prefix.bp_offsets is not None]
    return np.concatenate([value for value in values if value is not None])


def _block_tokens(prefixes: Sequence[Prefix]) -> int | IntArray:
    sizes = [prefix.block_tokens for prefix in prefixes]
    first = sizes[0]
    if isinstance(first, int) and all(isinstance(s, int) and s == first for s in sizes):
        return first
    return np.concatenate(
        [
            np.full(len(prefix.block_ids), size, dtype=np.int64) if isinstance(size, int) else size
            for prefix, size in zip(prefixes, sizes, strict=True)
        ]
    )


def _offsets(lengths: IntArray) -> IntArray:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])


def _ranges(offsets: IntArray, order: IntArray) -> tuple[IntArray, IntArray]:
    """(positions of the rows' entries in their new order, the new offsets)."""
    lengths = np.diff(offsets)[order]
    fresh = _offsets(lengths)
    shift = np.repeat(offsets[:-1][order] - fresh[:-1], lengths)
    return np.arange(len(shift), dtype=np.int64) + shift, fresh
