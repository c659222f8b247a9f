"""Any table by the user's own column names (`--map COLUMN=FIELD`): CSV, JSON Lines, Parquet."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from data_sources.traces.assemble import assemble
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.block_sizes import TableBlocks
from data_sources.traces.delimited import Header, Table, read_header, read_table
from data_sources.traces.detect import detect
from data_sources.traces.fields import NAMES, field_of, missing_field
from data_sources.traces.mapped_json import read_json
from data_sources.traces.mapped_parquet import read_parquet
from data_sources.traces.pieces import Piece, Rules, piece_of
from data_sources.traces.plain_csv import kind_of, not_used
from econ.workload import FLOAT_COLUMNS
from messages.errors import InputError, Message, input_error

FORMAT = "mapped"
"""Where files of several formats were mapped together; else the format they were detected as."""

_SHOWN = 40
_RULES = Rules(times_are_utc=False)
_IN_MILLISECONDS = re.compile(r"(?:^|[^a-z])(?:ms|msec|millis|milliseconds)\W*$|[a-z]Ms$|ミリ秒")
"""Columns of a clock of their own whose name says the unit: arrival_ms, time (ms), startMs."""
_GUESSES = {
    "input_tokens": ("prompt", "input", "context", "入力"),
    "output_tokens": ("completion", "output", "response", "generated", "出力"),
}
_MORE_GUESSES = {
    "cached_read_tokens": ("cached", "cache_read", "cache read", "読込", "読み出し"),
    "model": ("model", "モデル"),
    "start_utc": ("timestamp", "created_at", "start_time", "date", "日時", "日付"),
    "session_id": ("session", "conversation", "セッション"),
    "user": ("user", "ユーザー"),
    "team": ("team", "チーム"),
    "project": ("project", "プロジェクト"),
}
"""Only for a form, where the user sees each guess before it counts."""


class _Shape(Protocol):
    """A file whose columns are known and whose table can be read."""

    @property
    def names(self) -> Sequence[str]: ...

    def find(self, name: str) -> str | None: ...

    def table(self, binding: Mapping[str, str]) -> Table: ...


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """Every file by `options.mapping`. InputError that lists the columns where there is none, or
    where it names a column or a field that does not exist."""
    pieces = []
    for done, file in enumerate(files):
        progress(done / len(files), "read")
        pieces.append(_piece(file, options))
    blocks = TableBlocks(pieces, options)
    formats = {detect(file).format for file in files}
    name = formats.pop() if len(formats) == 1 else FORMAT
    return assemble(pieces, name, options, blocks.prefix)


def _piece(file: Decoded, options: ReadOptions) -> Piece:
    shape = _shape_of(file)
    binding = bind(file, shape.names, shape.find, options.mapping)
    piece = piece_of(shape.table(binding), binding, options, _RULES)
    _to_seconds(piece, binding)
    if piece.rejects.by_reason["columnar.parts_exceed_total"] and "input_tokens" in binding:
        values = {"file": file.source.name, "column": binding["input_tokens"]}
        piece.notes.append(Message("columnar.maybe_uncached", values))
    piece.stats = {"rows": piece.rows_read}
    unused = [name for name in shape.names if name not in binding.values()]
    if unused:
        piece.notes.append(not_used(file, unused))
    return piece


def _to_seconds(piece: Piece, binding: Mapping[str, str]) -> None:
    """Milliseconds by a column's own name become seconds, which is said; dates stay as they are."""
    dates = {n.values.get("column") for n in piece.notes if n.id == "columnar.no_zone"}
    for name in FLOAT_COLUMNS:
        column = binding.get(name, "")
        numbers = piece.columns.get(name)
        if not isinstance(numbers, np.ndarray) or column in dates:
            continue
        if _IN_MILLISECONDS.search(column):
            piece.columns[name] = numbers / 1_000.0
            piece.notes.append(Message("columnar.milliseconds", {"column": column}))


def _shape_of(file: Decoded) -> _Shape:
    if file.encoding == "binary":
        return read_parquet(file)
    with file.path.open("r", encoding="utf-8") as stream:
        while not (head := stream.read(1 << 12)).strip() and head:
            pass
    if head.lstrip()[:1] in ("{", "["):
        return read_json(file)
    return _Delimited(file=file, header=read_header(file))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Delimited:
    file: Decoded
    header: Header

    @property
    def names(self) -> Sequence[str]:
        return self.header.names

    def find(self, name: str) -> str | None:
        return self.header.find(name)

    def table(self, binding: Mapping[str, str]) -> Table:
        kinds = {column: kind_of(name) for name, column in binding.items()}
        return read_table(self.file, self.header, kinds)


class _Find(Protocol):
    def __call__(self, name: str, /) -> str | None: ...


def bind(
    file: Decoded, names: Sequence[str], find: _Find, mapping: Mapping[str, str]
) -> dict[str, str]:
    """field -> column by the user's mapping; InputError with what exists where it does not fit."""
    if not mapping or not names:
        raise _without_mapping(file, names)
    binding: dict[str, str] = {}
    for column, target in mapping.items():
        name = field_of(target)
        if name is None:
            raise input_error("columnar.unknown_field", found=target, fields=", ".join(NAMES))
        found = find(column)
        if found is None:
            raise input_error(
                "columnar.unknown_column",
                file=file.source.name,
                found=column,
                columns=_listed(names),
            )
        if name in binding:
            raise input_error(
                "columnar.field_twice",
                file=file.source.name,
                field=name,
                first=binding[name],
                second=found,
            )
        binding[name] = found
    missing = missing_field(binding)
    if missing:
        raise input_error(
            "columnar.field_not_mapped",
            file=file.source.name,
            field=missing,
            columns=_listed(names),
        )
    return binding


def _without_mapping(file: Decoded, names: Sequence[str]) -> InputError:
    if not names:
        return input_error("columnar.no_columns", file=file.source.name)
    return input_error(
        "columnar.needs_mapping",
        file=file.source.name,
        columns=_listed(names),
        example=example_mapping(names),
    )


def column_names(file: Decoded) -> Sequence[str]:
    """The columns (dotted keys for JSON) that a mapping may name. InputError: no table."""
    return _shape_of(file).names


def guessed_mapping(names: Sequence[str]) -> dict[str, str]:
    """field -> column where a column's name tells; nothing is guessed beyond that."""
    guess: dict[str, str] = {}
    for target, words in {**_GUESSES, **_MORE_GUESSES}.items():
        column = _guess(names, words, list(guess.values()))
        if column is not None:
            guess[target] = column
    return guess


def example_mapping(names: Sequence[str]) -> str:
    """A `--map` line with this file's own columns, as far as their names tell."""
    used: list[str] = []
    parts = []
    for target, words in _GUESSES.items():
        column = _guess(names, words, used) or next((n for n in names if n not in used), "?")
        used.append(column)
        parts.append(f'--map "{column[:60]}={target}"')
    return " ".join(parts)


def _guess(names: Sequence[str], words: Sequence[str], used: Sequence[str]) -> str | None:
    fitting = [n for n in names if n not in used and any(w in n.casefold() for w in words)]
    return next((n for n in fitting if "token" in n.casefold()), next(iter(fitting), None))


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(name[:60] for name in names[:_SHOWN] if name)
    return shown + (f", … +{len(names) - _SHOWN}" if len(names) > _SHOWN else "")
