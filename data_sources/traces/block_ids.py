"""Block ids of prompts as flat int64 arrays. No id is cut, and text never equals a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data_sources.traces.columns import Cells, is_text, plain_strings, validity
from data_sources.traces.faults import Faults, shown
from econ.workload import IntArray
from messages.errors import Message


@dataclass(frozen=True, slots=True)
class Blocks:
    """Row i has the ids `ids[offsets[i]:offsets[i+1]]`."""

    offsets: IntArray
    ids: IntArray

    @property
    def lengths(self) -> IntArray:
        """Number of ids of every row."""
        return np.diff(self.offsets)

    def take(self, rows: IntArray) -> Blocks:
        """The rows at these positions, in this order."""
        lengths = self.lengths[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        if len(rows) == len(self.offsets) - 1 and bool((np.diff(rows) == 1).all()):
            return Blocks(offsets, self.ids[self.offsets[0] : self.offsets[-1]])
        index = np.arange(offsets[-1], dtype=np.int64)
        index += np.repeat(self.offsets[rows] - offsets[:-1], lengths)
        return Blocks(offsets, self.ids[index])


def concatenate(parts: Sequence[Blocks]) -> Blocks:
    """Rows of several files one after another. Ids compare inside one file only: those of
    different files are made different."""
    if len(parts) == 1:
        return parts[0]
    offsets, ids, first_id, first_row = [np.zeros(1, np.int64)], [], 0, 0
    for part in parts:
        values, codes = np.unique(part.ids, return_inverse=True)
        ids.append(codes.reshape(-1).astype(np.int64) + first_id)
        offsets.append(part.offsets[1:] + first_row)
        first_id, first_row = first_id + len(values), first_row + len(part.ids)
    return Blocks(np.concatenate(offsets), np.concatenate(ids))


def no_blocks(rows: int) -> Blocks:
    """`rows` rows without ids."""
    return Blocks(np.zeros(rows + 1, np.int64), np.zeros(0, np.int64))


def blocks_of_lists(cells: Any) -> Blocks:
    """An Arrow list<int64> array as Blocks; a null list has no ids."""
    lengths = np.asarray(pc.fill_null(pc.list_value_length(cells), 0).to_numpy(), dtype=np.int64)
    values = pc.list_flatten(cells)
    ids = np.asarray(values.cast(pa.int64()).to_numpy(), dtype=np.int64)
    return Blocks(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), ids)


def block_lists(cells: Cells, column: str, faults: Faults) -> Blocks:
    """Ids of a table column: lists, or text such as "1 2 3" or "[1, 2, 3]"."""
    if pa.types.is_null(cells.type):
        return no_blocks(len(cells))
    if is_text(cells):
        bare = pc.replace_substring_regex(plain_strings(cells), r"[\[\](){}'\"]", "")
        bare = pc.utf8_trim_whitespace(bare)
        bare = pc.if_else(pc.equal(bare, ""), None, bare)
        cells = pc.split_pattern_regex(bare, r"[\s,;|]+")
    elif not pa.types.is_list(cells.type) and not pa.types.is_large_list(cells.type):
        cells = pc.split_pattern(cells.cast(pa.string()), " ")
    return _flattened(cells, column, faults)


def _flattened(cells: Cells, column: str, faults: Faults) -> Blocks:
    values = pc.list_flatten(cells)
    if values.null_count:
        holes = pc.list_parent_indices(cells).filter(pc.is_null(values))
        mask = np.zeros(len(cells), dtype=np.bool_)
        mask[np.asarray(holes.to_numpy(), dtype=np.int64)] = True
        faults.add(mask & validity(cells), _hole(cells, column))
        values = pc.fill_null(values, pa.scalar("" if is_text(values) else 0, values.type))
    lengths = np.asarray(pc.fill_null(pc.list_value_length(cells), 0).to_numpy(), dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    if pa.types.is_signed_integer(values.type):
        return Blocks(offsets, np.asarray(values.cast(pa.int64()).to_numpy(), dtype=np.int64))
    coded = values.dictionary_encode()  # as spelled: "007" and "7" are two ids
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.unify_dictionaries().combine_chunks()
    return Blocks(offsets, np.asarray(coded.indices.to_numpy(), dtype=np.int64))


def _hole(cells: Cells, column: str) -> Any:
    def reason(row: int) -> Message:
        expected = Message("columnar.expected_ids")
        found = shown(cells[row].as_py())
        return Message(
            "columnar.wrong_cell", {"column": column, "expected": expected, "found": found}
        )

    return reason
