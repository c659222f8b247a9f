"""Alibaba Bailian (Qwen) usage traces: one request a row, 16 tokens a block id, turns that name
the turn before them.

A session is everything that leads back to one first turn. The first turn may lie before the file
begins: then its number is still the session's. Timestamps are seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from data_sources.traces.assemble import assemble
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.block_ids import Blocks
from data_sources.traces.block_rows import (
    SECONDS,
    faults_of,
    flags,
    mean_stats,
    misfit,
    time_stats,
)
from data_sources.traces.block_sizes import unfit
from data_sources.traces.chat_roots import Chats, chats_of
from data_sources.traces.faults import Rejects
from data_sources.traces.mooncake_rows import Layout, Rows, read_rows
from data_sources.traces.pieces import Piece
from data_sources.traces.serving_csv import rows_by_name
from econ.workload import Column, IntArray, Prefix, Text
from messages.errors import Message

FORMAT = "bailian_trace"
BLOCK_TOKENS = 16
"""By the format's own definition: https://github.com/alibaba-edu/qwen-bailian-usagetraces-anon."""

_LAYOUT = Layout(
    names=("type",), keys=("chat_id", "parent_chat_id"), time_expected="columnar.expected_seconds"
)


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All traces on one clock; a `base.Reader`. `--block-size` overrides the 16 tokens."""
    size = options.block_tokens or BLOCK_TOKENS
    pieces = []
    for done, file in enumerate(files):
        progress(done / len(files), "read")
        rows = read_rows(file, progress, _LAYOUT)
        pieces.append(_piece(file, rows, size, options))
    return assemble(pieces, FORMAT, options, partial(_prefix, size=size))


def _prefix(blocks: Blocks, size: int) -> Prefix | None:
    if not len(blocks.ids):
        return None
    return Prefix(offsets=blocks.offsets, block_ids=blocks.ids, block_tokens=size, scope="file")


def _piece(file: Decoded, rows: Rows, size: int, options: ReadOptions) -> Piece:
    faults = faults_of(rows, SECONDS)
    keep = np.flatnonzero(~faults.mask)
    chats = chats_of(rows.keys["chat_id"], rows.keys["parent_chat_id"])
    notes = _notes(file, chats, size, options)
    if options.leave_out_flagged:
        misfits = np.zeros(len(rows), dtype=np.bool_)
        misfits[keep] = unfit(rows.counts["input_length"][keep], rows.blocks.lengths[keep], size)
        faults.add(misfits, misfit(rows, size))
        keep = np.flatnonzero(~faults.mask)
    else:
        notes += flags(file, rows, keep, size)
    rejects = Rejects(file.source.name)
    for line, reason in rows.broken:
        rejects.add(line, reason)
    faults.tell(rejects, rows.lines)
    return Piece(
        file=file,
        rows_read=len(rows) + len(rows.broken),
        rows=len(keep),
        columns=_columns(rows, chats, keep),
        kept=keep,
        lines=rows.lines,
        rejects=rejects,
        notes=notes,
        blocks=rows.blocks.take(keep),
        stats=_stats(rows, chats, keep, size),
    )


def _columns(rows: Rows, chats: Chats, keep: IntArray) -> dict[str, Column]:
    columns: dict[str, Column] = {
        "input_tokens": rows.counts["input_length"][keep],
        "output_tokens": rows.counts["output_length"][keep],
        "session_id": _session_names(chats).take(keep),
        "tags": rows.names["type"].take(keep),
    }
    if not np.isnan(rows.times[keep]).all():
        columns["arrival_s"] = rows.times[keep]
    return columns


def _session_names(chats: Chats) -> Text:
    """The number of the first turn as the session's name; rows without any number have none."""
    known = chats.session[chats.has_session]
    values, codes = np.unique(known, return_inverse=True)
    all_codes = np.full(len(chats.session), -1, dtype=np.int32)
    all_codes[chats.has_session] = codes.reshape(-1).astype(np.int32)
    return Text(all_codes, tuple(str(value) for value in values.tolist()))


def _notes(file: Decoded, chats: Chats, size: int, options: ReadOptions) -> list[Message]:
    name = file.source.name
    how = "columnar.size_given" if options.block_tokens else "serving.size_by_format"
    notes = [
        Message("serving.time_in_s", {"file": name}),
        Message("columnar.block_size", {"file": name, "size": size, "how": Message(how)}),
    ]
    for rows, said in ((chats.absent, "absent_parents"), (chats.cyclic, "parent_cycles")):
        if rows:
            notes.append(Message(f"serving.{said}", {"file": name, "rows": rows}))
    return notes


def _stats(rows: Rows, chats: Chats, keep: IntArray, size: int) -> dict[str, Any]:
    prompt, output = rows.counts["input_length"], rows.counts["output_length"]
    misfits = unfit(prompt[keep], rows.blocks.lengths[keep], size)
    found: dict[str, Any] = {
        "rows": len(rows) + rows.broken_objects,
        "rows_zero_input": int((prompt == 0).sum()),
        "rows_zero_output": int((output == 0).sum()),
        "rows_len_hash_ne_ceil": int(misfits.sum()),
        "block_size": size,
        "roots": chats.roots,
        "follow_up_turns": len(rows) - chats.roots,
        "types": rows_by_name(rows.names["type"]),
    }
    return found | time_stats(rows, keep, SECONDS) | mean_stats(rows, keep)
