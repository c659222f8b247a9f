"""Rows of the Mooncake family as arrays: by Arrow where every line is plain, else line by line."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json as pajson

from data_sources.traces.base import Decoded, Progress
from data_sources.traces.block_ids import Blocks, blocks_of_lists
from data_sources.traces.columns import MAX_COUNT, numpy_of, to_text
from data_sources.traces.faults import Lines, shown
from data_sources.traces.json_text import records
from data_sources.traces.line_numbers import count_bytes, nonblank_lines
from econ.workload import EMPTY, FloatArray, IntArray, Text
from messages.errors import Message, input_error

_SCHEMA = pa.schema(
    [
        ("timestamp", pa.float64()),
        ("input_length", pa.int64()),
        ("output_length", pa.int64()),
        ("hash_ids", pa.list_(pa.int64())),
        ("block_size", pa.int64()),
        ("session_id", pa.string()),
        ("model", pa.string()),
    ]
)
COUNTS = ("input_length", "output_length", "block_size")
NAMES = ("session_id", "model")
_BLOCK_BYTES = 1 << 24
_PROGRESS_ROWS = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Every JSON object of the file that has plain values. `broken`: the other lines, with why.

    Counts are EMPTY where absent or null; `odd_counts` are negative or huge and still in place.
    """

    time_ms: FloatArray
    counts: Mapping[str, IntArray]
    blocks: Blocks
    names: Mapping[str, Text]
    lines: Lines
    broken: tuple[tuple[int, Message], ...] = ()
    broken_objects: int = 0

    def __len__(self) -> int:
        return len(self.time_ms)


def read_rows(file: Decoded, progress: Progress) -> Rows:
    """All rows of one file. InputError above the row limit."""
    if count_bytes(file.path, b"\n") > file.max_rows:
        raise input_error("columnar.too_many_lines", file=file.source.name, limit=file.max_rows)
    quick = _by_arrow(file)
    return quick if quick is not None else _by_line(file, progress)


def _by_arrow(file: Decoded) -> Rows | None:
    """None where a line is not one plain object: then lines are read one by one."""
    try:
        table = pajson.read_json(
            file.path,
            read_options=pajson.ReadOptions(block_size=_BLOCK_BYTES),
            parse_options=pajson.ParseOptions(
                explicit_schema=_SCHEMA, unexpected_field_behavior="ignore"
            ),
        )
    except pa.ArrowInvalid:
        return None
    physical = physical_lines(file)
    lines = np.arange(1, physical + 1) if physical == table.num_rows else nonblank_lines(file.path)
    ids = table.column("hash_ids")
    holes = any(chunk.flatten().null_count for chunk in ids.chunks)
    if len(lines) != table.num_rows or holes:
        return None
    return Rows(
        time_ms=numpy_of(table.column("timestamp"), np.float64, np.nan),
        counts={name: numpy_of(table.column(name), np.int64, EMPTY) for name in COUNTS},
        blocks=blocks_of_lists(ids),
        names={name: to_text(table.column(name)) for name in NAMES},
        lines=lambda rows: lines[rows],
    )


def physical_lines(file: Decoded) -> int:
    """Lines as an editor counts them: a last one without a line break counts too."""
    with file.path.open("rb") as stream:
        stream.seek(-1, 2)
        ended = stream.read(1) == b"\n"
    return count_bytes(file.path, b"\n") + (0 if ended else 1)


class _BadValueError(ValueError):
    def __init__(self, key: str, expected: str, found: object) -> None:
        super().__init__(key)
        self.message = Message(
            "columnar.wrong_cell",
            {"column": key, "expected": Message(expected), "found": shown(found)},
        )


@dataclass(slots=True)
class _Collected:
    """Values of the rows so far."""

    time_ms: array[float] = field(default_factory=lambda: array("d"))
    counts: dict[str, array[int]] = field(
        default_factory=lambda: {name: array("q") for name in COUNTS}
    )
    names: dict[str, list[str | None]] = field(default_factory=lambda: {name: [] for name in NAMES})
    lengths: array[int] = field(default_factory=lambda: array("q"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    ids: IdCollector = field(default_factory=lambda: IdCollector())

    def add(self, number: int, value: Mapping[str, Any]) -> None:
        """One object; _BadValueError, and nothing added, where a value has another type."""
        time_ms = _number(value.get("timestamp"), "timestamp", "columnar.expected_ms")
        counts = {name: _count(value.get(name), name) for name in COUNTS}
        ids = self.ids.checked(value.get("hash_ids"))
        self.time_ms.append(time_ms)
        for name, count in counts.items():
            self.counts[name].append(count)
        for name in NAMES:
            given = value.get(name)
            self.names[name].append(None if given is None else str(given)[:4096])
        self.ids.extend(ids)
        self.lengths.append(len(ids))
        self.lines.append(number)

    def rows(self, broken: list[tuple[int, Message]], broken_objects: int) -> Rows:
        """As arrays."""
        lines = np.asarray(self.lines, dtype=np.int64)
        lengths = np.asarray(self.lengths, dtype=np.int64)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return Rows(
            time_ms=np.asarray(self.time_ms, dtype=np.float64),
            counts={name: np.asarray(c, dtype=np.int64) for name, c in self.counts.items()},
            blocks=Blocks(offsets, np.asarray(self.ids.codes, dtype=np.int64)),
            names={name: Text.of(values) for name, values in self.names.items()},
            lines=lambda rows: lines[rows],
            broken=tuple(broken),
            broken_objects=broken_objects,
        )


class IdCollector:
    """Block ids one row after another: numbers as they are while all fit 64 bits; from the first
    other id on, every distinct id has a number of its own ("7" is not 7)."""

    def __init__(self) -> None:
        self.codes: array[int] = array("q")
        self._known: dict[tuple[bool, int | str], int] | None = None

    def checked(self, ids: object) -> list[int | str]:
        """The list itself; _BadValueError where it holds anything but numbers and text."""
        if ids is None:
            return []
        if not isinstance(ids, list) or not {type(value) for value in ids} <= {int, str}:
            raise _BadValueError("hash_ids", "columnar.expected_ids", ids)
        return ids

    def extend(self, ids: list[int | str]) -> None:
        """Append the ids of one row."""
        if self._known is None:
            before = len(self.codes)
            try:
                self.codes.extend(ids)  # type: ignore[arg-type]
            except (TypeError, OverflowError):
                del self.codes[before:]
                self._switch()
        if self._known is not None:
            known = self._known
            self.codes.extend([known.setdefault((type(v) is str, v), len(known)) for v in ids])

    def _switch(self) -> None:
        known: dict[tuple[bool, int | str], int] = {}
        self.codes = array("q", [known.setdefault((False, v), len(known)) for v in self.codes])
        self._known = known


def _by_line(file: Decoded, progress: Progress) -> Rows:
    collected = _Collected()
    broken: list[tuple[int, Message]] = []
    broken_objects = 0
    for done, line in enumerate(records(file)):
        if done % _PROGRESS_ROWS == 0:
            progress(0.5, "read")
        if line.problem is not None:
            broken.append((line.number, line.problem))
        elif not isinstance(line.value, Mapping):
            broken.append((line.number, Message("columnar.not_an_object")))
        else:
            try:
                collected.add(line.number, line.value)
            except _BadValueError as error:
                broken.append((line.number, error.message))
                broken_objects += 1
    return collected.rows(broken, broken_objects)


def _number(value: object, key: str, expected: str) -> float:
    """A float, NaN where nothing is given; numbers may be written as text."""
    if value is None or value == "":
        return float("nan")
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _BadValueError(key, expected, value)
    try:
        number = float(value)
    except (ValueError, OverflowError) as error:
        raise _BadValueError(key, expected, value) from error
    if not np.isfinite(number):
        raise _BadValueError(key, expected, value)
    return number


def _count(value: object, key: str) -> int:
    """A count, EMPTY where nothing is given; `3.0` and "3" are 3."""
    if type(value) is int and 0 <= value <= MAX_COUNT:
        return value
    number = _number(value, key, "columnar.expected_count")
    if np.isnan(number):
        return EMPTY
    if number != int(number) or not 0 <= number <= MAX_COUNT:
        raise _BadValueError(key, "columnar.expected_count", value)
    return int(number)
