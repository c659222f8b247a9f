"""How many tokens a block id stands for: said by the file, by the user, or found by a rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from data_sources.traces.base import ReadOptions
from data_sources.traces.block_ids import Blocks
from data_sources.traces.faults import BoolArray, Lines
from data_sources.traces.pieces import Piece
from data_sources.traces.row_rules import ints_of
from econ.workload import IntArray, Prefix, Text
from messages.errors import InputError, Message, input_error

CANDIDATES = (512, 64, 16, 128, 256, 32)
"""Sizes in use, in order of preference: the first of those that fit most rows is taken."""

ENOUGH = 0.9
"""Share of the rows with ids that a size must fit; below it nothing is assumed."""

SHOWN_ROWS = 20


def unfit(input_tokens: IntArray, ids: IntArray, size: int | IntArray) -> BoolArray:
    """Rows with ids whose number is not ceil(input_tokens / size)."""
    return np.asarray((ids > 0) & (ids != -(-input_tokens // size)))


def found_size(input_tokens: IntArray, ids: IntArray) -> int | None:
    """The candidate that fits most rows with ids, None where none fits 90 % of them."""
    with_ids = ids > 0
    total = int(with_ids.sum())
    fits = [total - int(unfit(input_tokens, ids, size).sum()) for size in CANDIDATES]
    best = max(range(len(CANDIDATES)), key=lambda i: fits[i])
    return CANDIDATES[best] if total and fits[best] >= ENOUGH * total else None


@dataclass(frozen=True, slots=True)
class KnownSize:
    """What is known about the block size of one file: `stated` in its rows (EMPTY where not),
    prompt lengths and numbers of ids."""

    file: str
    stated: IntArray
    input_tokens: IntArray
    ids: IntArray

    def settle(self, options: ReadOptions, lines: Callable[[], IntArray]) -> tuple[int, Message]:
        """(tokens of a block, the note that says how it is known). InputError where rows state
        several, or nobody states one and no candidate fits."""
        stated = np.unique(self.stated[self.stated > 0])
        if len(stated) > 1:
            sizes = ", ".join(str(size) for size in stated.tolist())
            raise input_error("columnar.block_sizes_differ", file=self.file, sizes=sizes)
        if len(stated):
            return int(stated[0]), self._note(int(stated[0]), "columnar.size_in_file")
        if options.block_tokens:
            return options.block_tokens, self._note(options.block_tokens, "columnar.size_given")
        found = found_size(self.input_tokens, self.ids)
        if found is None:
            raise self._unknown(lines())
        return found, self._note(found, "columnar.size_found")

    def _note(self, size: int, how: str) -> Message:
        return Message(
            "columnar.block_size", {"file": self.file, "size": size, "how": Message(how)}
        )

    def _unknown(self, lines: IntArray) -> InputError:
        """The refusal that names `--block-size`, the nearest size and the rows it does not fit."""
        misfits = [unfit(self.input_tokens, self.ids, size) for size in CANDIDATES]
        best = min(range(len(CANDIDATES)), key=lambda i: int(misfits[i].sum()))
        with_ids = int((self.ids > 0).sum())
        return input_error(
            "columnar.block_size_unknown",
            file=self.file,
            rows=with_ids,
            best=CANDIDATES[best],
            fits=with_ids - int(misfits[best].sum()),
            lines=shown_lines(lines[misfits[best]]),
        )


def shown_lines(lines: IntArray, total: int | None = None) -> Message:
    """'3, 8, 12' or '3, 8, 12 and 40 more'; `total` where `lines` are only the first of them."""
    total = len(lines) if total is None else total
    shown = ", ".join(str(line) for line in lines[:SHOWN_ROWS].tolist())
    if total <= SHOWN_ROWS:
        return Message("columnar.lines", {"lines": shown}, n=total)
    return Message("columnar.lines_more", {"lines": shown, "more": total - SHOWN_ROWS})


def unfit_notes(
    file: str, input_tokens: IntArray, ids: IntArray, size: int, lines: Lines
) -> list[Message]:
    """One message for each of the first rows whose ids do not fit their length, then a count."""
    rows = np.flatnonzero(unfit(input_tokens, ids, size))
    listed = rows[:SHOWN_ROWS]
    notes = [
        Message(
            "columnar.ids_do_not_fit",
            {
                "file": file,
                "line": int(line),
                "tokens": int(input_tokens[row]),
                "found": int(ids[row]),
                "expected": int(-(-input_tokens[row] // size)),
                "size": size,
            },
        )
        for row, line in zip(listed.tolist(), lines(listed).tolist(), strict=True)
    ]
    if len(rows) > SHOWN_ROWS:
        more = len(rows) - SHOWN_ROWS
        notes.append(Message("columnar.ids_do_not_fit_more", {"file": file, "more": more}))
    return notes


class TableBlocks:
    """Block structure of tables: `block_ids` with `block_tokens` and `hash_scope` columns."""

    def __init__(self, pieces: Sequence[Piece], options: ReadOptions) -> None:
        self._sizes = {_size_of(piece, options) for piece in pieces if piece.blocks is not None}
        self._scopes = {_scope_of(piece) for piece in pieces if piece.blocks is not None}
        self._file = pieces[0].file.source.name

    def prefix(self, blocks: Blocks) -> Prefix:
        """The prefix structure; InputError where files disagree about the size."""
        if len(self._sizes) > 1:
            sizes = ", ".join(str(size) for size in sorted(self._sizes))
            raise input_error("columnar.block_sizes_differ", file=self._file, sizes=sizes)
        scope = next(iter(self._scopes)) if len(self._scopes) == 1 else "file"
        return Prefix(
            offsets=blocks.offsets,
            block_ids=blocks.ids,
            block_tokens=next(iter(self._sizes)),
            scope=scope,
        )


def _size_of(piece: Piece, options: ReadOptions) -> int:
    size = _stated_or_found(piece, options)
    assert piece.blocks is not None  # noqa: S101
    tokens = ints_of(piece.columns, "input_tokens", piece.rows)
    piece.notes += unfit_notes(
        piece.file.source.name,
        tokens,
        piece.blocks.lengths,
        size,
        lambda rows: piece.lines(piece.kept[rows]),
    )
    return size


def _stated_or_found(piece: Piece, options: ReadOptions) -> int:
    assert piece.blocks is not None  # noqa: S101
    stated = ints_of(piece.columns, "block_tokens", piece.rows)
    tokens = ints_of(piece.columns, "input_tokens", piece.rows)
    known = KnownSize(piece.file.source.name, stated, tokens, piece.blocks.lengths)
    size, note = known.settle(options, lambda: piece.lines(piece.kept))
    piece.notes.append(note)
    return size


def _scope_of(piece: Piece) -> str:
    scope = piece.columns.get("hash_scope")
    named = scope.values if isinstance(scope, Text) else ()
    return named[0] if len(named) == 1 and named[0] in ("global", "model") else "file"
