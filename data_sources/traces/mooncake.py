"""The Mooncake family: one JSON object a request, prompts as lists of prefix block ids.

`timestamp` is in milliseconds, ids are compared inside one file. The block size stands in the row,
is named by the user, or is found where one size fits at least 90 % of the rows; it is never
assumed. Rows whose ids do not fit their length, or out of time order, are kept and listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from data_sources.traces.assemble import assemble
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.block_ids import Blocks
from data_sources.traces.block_sizes import KnownSize, unfit, unfit_notes
from data_sources.traces.columns import MAX_COUNT
from data_sources.traces.faults import Faults, Rejects
from data_sources.traces.mooncake_rows import COUNTS, Rows, physical_lines, read_rows
from data_sources.traces.pieces import MAX_START, Piece
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
    faults = _faults(rows)
    keep = np.flatnonzero(~faults.mask)
    size, notes = _block_size(file, rows, keep, options)
    if size is not None:
        misfits = np.zeros(len(rows), dtype=np.bool_)
        misfits[keep] = unfit(rows.counts["input_length"][keep], rows.blocks.lengths[keep], size)
        if options.leave_out_flagged:
            faults.add(misfits, _misfit(rows, size))
            keep = np.flatnonzero(~faults.mask)
        else:
            notes += _flags(file, rows, keep, size)
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
        **{name: text.take(keep) for name, text in rows.names.items()},
    }
    arrival_s = rows.time_ms[keep] / 1000.0
    if not np.isnan(arrival_s).all():
        columns["arrival_s"] = arrival_s
    return columns


def _faults(rows: Rows) -> Faults:
    """Rows that are no request: numbers out of range, no prompt, no answer length."""
    faults = Faults(len(rows))
    for name in COUNTS:
        counts = rows.counts[name]
        odd = (counts < EMPTY) | (counts > MAX_COUNT)
        faults.add(odd, _odd_number(name, counts, "columnar.expected_count"))
    with np.errstate(invalid="ignore"):
        absurd = np.abs(rows.time_ms) > MAX_START
    faults.add(absurd, _odd_number("timestamp", rows.time_ms, "columnar.expected_ms"))
    prompt, output = rows.counts["input_length"], rows.counts["output_length"]
    faults.add(prompt == EMPTY, lambda _: Message("columnar.no_input"))
    faults.add(prompt == 0, lambda _: Message("columnar.zero_input"))
    faults.add(output == EMPTY, lambda _: Message("columnar.no_output"))
    return faults


def _odd_number(name: str, numbers: npt.NDArray[Any], expected: str) -> Any:
    def reason(row: int) -> Message:
        return Message(
            "columnar.wrong_cell",
            {"column": name, "expected": Message(expected), "found": str(numbers[row])},
        )

    return reason


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


def _flags(file: Decoded, rows: Rows, keep: IntArray, size: int) -> list[Message]:
    return unfit_notes(
        file.source.name,
        rows.counts["input_length"][keep],
        rows.blocks.lengths[keep],
        size,
        lambda positions: rows.lines(keep[positions]),
    )


def _misfit(rows: Rows, size: int) -> Any:
    def reason(row: int) -> Message:
        tokens = int(rows.counts["input_length"][row])
        return Message(
            "columnar.ids_left_out",
            {
                "tokens": tokens,
                "found": int(rows.blocks.lengths[row]),
                "expected": -(-tokens // size),
                "size": size,
            },
        )

    return reason


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
    return found | _times(rows.time_ms[keep]) | _means(prompt[keep], output[keep])


def _times(time_ms: Any) -> dict[str, Any]:
    known = time_ms[~np.isnan(time_ms)]
    if not len(known):
        return {}
    return {
        "first_ts_s": round(float(known.min()) / 1000, 6),
        "last_ts_s": round(float(known.max()) / 1000, 6),
        "distinct_timestamps": len(np.unique(known)),
        "out_of_order_pairs": int((np.diff(known) < 0).sum()),
    }


def _means(prompt: IntArray, output: IntArray) -> dict[str, Any]:
    if not len(prompt):
        return {}
    return {
        "mean_input": round(float(prompt.mean()), 2),
        "mean_output": round(float(output.mean()), 2),
    }
