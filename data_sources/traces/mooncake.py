"""The Mooncake family: one JSON object a request, prompts as lists of prefix block ids.

`timestamp` is in milliseconds, ids are compared inside one file. The block size stands in the row,
is named by the user, or is found where one size fits at least 90 % of the rows; it is never
assumed. Rows whose ids do not fit their length, or out of time order, are kept and listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from data_sources.traces.assemble import assemble
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.block_ids import Blocks
from data_sources.traces.block_rows import (
    MILLISECONDS,
    faults_of,
    flags,
    mean_stats,
    misfit,
    time_stats,
)
from data_sources.traces.block_sizes import KnownSize, unfit
from data_sources.traces.faults import Rejects
from data_sources.traces.mooncake_rows import OWNERS, Rows, physical_lines, read_rows
from data_sources.traces.pieces import Piece
from econ.workload import EMPTY, Column, IntArray, Prefix
from messages.errors import Message, input_error

FORMAT = "mooncake_trace"


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All traces on one clock. InputError where the block size is not said and cannot be found."""
    pieces, sizes = [], []
    for done, file in enumerate(files):
        progress(done / len(files), "read")
        piece, size = _piece(file, read_rows(file, progress), options)
        pieces.append(piece)
        sizes.append(size)
    known = sorted({size for size in sizes if size is not None})
    if len(known) > 1:
        text = ", ".join(str(size) for size in known)
        raise input_error("columnar.block_sizes_differ", file=files[0].source.name, sizes=text)
    return assemble(pieces, FORMAT, options, lambda blocks: _prefix(blocks, known))


def _prefix(blocks: Blocks, sizes: Sequence[int]) -> Prefix | None:
    if not sizes or not len(blocks.ids):
        return None
    return Prefix(offsets=blocks.offsets, block_ids=blocks.ids, block_tokens=sizes[0], scope="file")


def _piece(file: Decoded, rows: Rows, options: ReadOptions) -> tuple[Piece, int | None]:
    faults = faults_of(rows, MILLISECONDS)
    keep = np.flatnonzero(~faults.mask)
    size, notes = _block_size(file, rows, keep, options)
    if size is not None:
        misfits = np.zeros(len(rows), dtype=np.bool_)
        misfits[keep] = unfit(rows.counts["input_length"][keep], rows.blocks.lengths[keep], size)
        if options.leave_out_flagged:
            faults.add(misfits, misfit(rows, size))
            keep = np.flatnonzero(~faults.mask)
        else:
            notes += flags(file, rows, keep, size)
    stats = _stats(file, rows, keep, size)
    rejects = Rejects(file.source.name)
    for line, reason in rows.broken:
        rejects.add(line, reason)
    faults.tell(rejects, rows.lines)
    piece = Piece(
        file=file,
        rows_read=len(rows) + len(rows.broken),
        rows=len(keep),
        columns=_columns(rows, keep),
        kept=keep,
        lines=rows.lines,
        rejects=rejects,
        notes=notes,
        blocks=rows.blocks.take(keep),
        stats=stats,
    )
    return piece, size


def _columns(rows: Rows, keep: IntArray) -> dict[str, Column]:
    """Columns of the kept rows; times only where the trace has any."""
    columns: dict[str, Column] = {
        "input_tokens": rows.counts["input_length"][keep],
        "output_tokens": rows.counts["output_length"][keep],
        **{
            name: text.take(keep)
            for name, text in rows.names.items()
            if name not in OWNERS or text.values
        },
    }
    arrival_s = rows.times[keep] / MILLISECONDS.units_a_second
    if not np.isnan(arrival_s).all():
        columns["arrival_s"] = arrival_s
    return columns


def _block_size(
    file: Decoded, rows: Rows, keep: IntArray, options: ReadOptions
) -> tuple[int | None, list[Message]]:
    """(tokens of a block, how it is known); None for a trace without ids."""
    lengths, tokens = rows.blocks.lengths[keep], rows.counts["input_length"][keep]
    notes = [Message("columnar.time_in_ms", {"file": file.source.name})]
    if not lengths.any():
        return None, notes
    known = KnownSize(file.source.name, rows.counts["block_size"][keep], tokens, lengths)
    size, note = known.settle(options, lambda: rows.lines(keep))
    return size, [*notes, note]


def _stats(file: Decoded, rows: Rows, keep: IntArray, size: int | None) -> dict[str, Any]:
    """What the trace itself amounts to, under the names of its catalogue entry."""
    prompt, output = rows.counts["input_length"], rows.counts["output_length"]
    ids = rows.blocks.lengths
    objects = len(rows) + rows.broken_objects
    found: dict[str, Any] = {
        "rows": objects,
        "physical_lines": physical_lines(file),
        "valid_json_objects": objects,
        "rows_usable_for_tokens": len(keep),
        "rows_with_hash_ids_and_positive_input": int(((ids > 0) & (prompt > 0)).sum()),
        "rows_without_hash_ids": int((ids == 0).sum()),
        "rows_missing_or_null_output": int((output == EMPTY).sum()),
        "rows_zero_input": int((prompt == 0).sum()),
        "rows_zero_output": int((output == 0).sum()),
    }
    if size is not None:
        misfits = int(unfit(prompt[keep], ids[keep], size).sum())
        found |= {"block_size": size, "rows_len_hash_ne_ceil": misfits}
        found[f"rows_len_hash_ne_ceil_{size}"] = misfits
    return found | time_stats(rows, keep, MILLISECONDS) | mean_stats(rows, keep)
