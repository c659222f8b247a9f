"""Azure's public inference traces (2023, 2024, multimodal 2025): a time and two lengths a row.

The times are used as distances from the first row. They become moments, and requests are priced
at them, only when the user names a time zone: what the requests cost today is the usual question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from data_sources.traces.assemble import assemble
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.delimited import Table
from data_sources.traces.faults import shown
from data_sources.traces.pieces import Piece, Rules
from data_sources.traces.serving_csv import (
    Layout,
    counts_of,
    length_stats,
    mean_stats,
    order_stats,
    own_seconds,
    read_piece,
)
from messages.errors import Message

TEXT_FORMAT = "azure_llm_trace"
IMAGE_FORMAT = "azure_lmm_trace"
_TIME = "TIMESTAMP"
_IMAGES = "NumImages"
_LAYOUT = Layout(
    binding={
        "arrival_utc": _TIME,
        "input_tokens": "ContextTokens",
        "output_tokens": "GeneratedTokens",
    },
    counts=(_IMAGES,),
    rules=Rules(times_are_utc=False),
)


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All files on one clock; a `base.Reader`."""
    pieces = []
    images = False
    for done, file in enumerate(files):
        progress(done / len(files), "read")
        piece, table = read_piece(file, _LAYOUT, options)
        piece.stats = _stats(piece, table)
        images |= _IMAGES in table.columns
        if not options.tz:
            _as_distances(piece)
        pieces.append(piece)
    return _in_microseconds(assemble(pieces, IMAGE_FORMAT if images else TEXT_FORMAT, options))


def _in_microseconds(result: ReadResult) -> ReadResult:
    """Distances without the noise of subtracting large seconds from each other."""
    workload = result.workload
    if not workload.has("arrival_s"):
        return result
    arrival_s = np.round(workload.floats("arrival_s"), 6)
    columns = {**workload.columns, "arrival_s": arrival_s}
    return replace(result, workload=replace(workload, columns=columns))


def _as_distances(piece: Piece) -> None:
    """Seconds instead of moments, which the receipt says."""
    if np.isnan(own_seconds(piece)).all():
        return
    piece.columns["arrival_s"] = own_seconds(piece)
    piece.columns.pop("arrival_utc", None)
    piece.notes = [note for note in piece.notes if note.id != "columnar.no_zone"]
    piece.notes.append(Message("serving.times_as_distances", {"file": piece.file.source.name}))


def _stats(piece: Piece, table: Table) -> dict[str, Any]:
    found = length_stats(table, _LAYOUT) | mean_stats(piece) | order_stats(piece)
    seconds = own_seconds(piece)
    if len(seconds) and not np.isnan(seconds).all():
        cells = table.columns[_TIME]
        ends = (int(np.nanargmin(seconds)), int(np.nanargmax(seconds)))
        first, last = (shown(cells[int(piece.kept[row])].as_py()) for row in ends)
        found |= {"first_ts": first, "last_ts": last}
    images = counts_of(table, _IMAGES)
    if images is not None:
        found["images"] = int(np.maximum(images, 0).sum())
    return found
