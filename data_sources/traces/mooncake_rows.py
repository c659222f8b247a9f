"""Rows of block traces (one JSON object a request, `hash_ids` a list) as arrays: by Arrow where
every line is plain, else line by line."""

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
from data_sources.traces.columns import numpy_of, to_text
from data_sources.traces.faults import Lines
from data_sources.traces.json_text import records
from data_sources.traces.line_numbers import count_bytes, nonblank_lines
from data_sources.traces.row_values import BadValueError, IdCollector, count_of, number_of
from econ.workload import EMPTY, FloatArray, IntArray, Text
from messages.errors import Message, input_error

COUNTS = ("input_length", "output_length", "block_size")
OWNERS = ("user", "team")
"""Who sent a request, where the file says so: what separate caches would hit can then be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Which columns a trace may have beside its times, lengths and block ids: `names` are text,
    `keys` point at rows (whole numbers, or text that is given numbers of its own below -1)."""

    names: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    time_expected: str = "columnar.expected_ms"

    def schema(self) -> Any:
        """The columns as Arrow reads them."""
        return pa.schema(
            [
                ("timestamp", pa.float64()),
                ("hash_ids", pa.list_(pa.int64())),
                *((name, pa.int64()) for name in (*COUNTS, *self.keys)),
                *((name, pa.string()) for name in self.names),
            ]
        )


MOONCAKE = Layout(names=("session_id", "model", *OWNERS))
NO_KEY = -1
_BLOCK_BYTES = 1 << 24
_PROGRESS_ROWS = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Every JSON object of the file that has plain values. `broken`: the other lines, with why.

    `times` are in the file's own unit. Counts are EMPTY where absent or null and may be negative
    or huge; keys are NO_KEY where absent or null.
    """

    times: FloatArray
    counts: Mapping[str, IntArray]
    blocks: Blocks
    names: Mapping[str, Text]
    lines: Lines
    keys: Mapping[str, IntArray] = field(default_factory=dict)
    broken: tuple[tuple[int, Message], ...] = ()
    broken_objects: int = 0

    def __len__(self) -> int:
        return len(self.times)


def read_rows(file: Decoded, progress: Progress, layout: Layout = MOONCAKE) -> Rows:
    """All rows of one file. InputError above the row limit."""
    if count_bytes(file.path, b"\n") > file.max_rows:
        raise input_error("columnar.too_many_lines", file=file.source.name, limit=file.max_rows)
    quick = _by_arrow(file, layout)
    return quick if quick is not None else _by_line(file, progress, layout)


def _by_arrow(file: Decoded, layout: Layout) -> Rows | None:
    """None where a line is not one plain object: then lines are read one by one."""
    try:
        table = pajson.read_json(
            file.path,
            read_options=pajson.ReadOptions(block_size=_BLOCK_BYTES),
            parse_options=pajson.ParseOptions(
                explicit_schema=layout.schema(), unexpected_field_behavior="ignore"
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
        times=numpy_of(table.column("timestamp"), np.float64, np.nan),
        counts={name: numpy_of(table.column(name), np.int64, EMPTY) for name in COUNTS},
        blocks=blocks_of_lists(ids),
        names={name: to_text(table.column(name)) for name in layout.names},
        lines=lambda rows: lines[rows],
        keys={name: numpy_of(table.column(name), np.int64, NO_KEY) for name in layout.keys},
    )


def physical_lines(file: Decoded) -> int:
    """Lines as an editor counts them: a last one without a line break counts too."""
    with file.path.open("rb") as stream:
        stream.seek(-1, 2)
        ended = stream.read(1) == b"\n"
    return count_bytes(file.path, b"\n") + (0 if ended else 1)


class _Collected:
    """Values of the rows so far."""

    def __init__(self, layout: Layout) -> None:
        self._time_expected = layout.time_expected
        self._times: array[float] = array("d")
        self._counts: dict[str, array[int]] = {name: array("q") for name in COUNTS}
        self._names: dict[str, list[str | None]] = {name: [] for name in layout.names}
        self._keys: dict[str, array[int]] = {name: array("q") for name in layout.keys}
        self._known_keys: dict[str, int] = {}
        self._lengths: array[int] = array("q")
        self._lines: array[int] = array("q")
        self._ids = IdCollector()

    def add(self, number: int, value: Mapping[str, Any]) -> None:
        """One object; BadValueError, and nothing added, where a value has another type."""
        time = number_of(value.get("timestamp"), "timestamp", self._time_expected)
        counts = {name: count_of(value.get(name), name) for name in COUNTS}
        keys = {name: self._key(value.get(name), name) for name in self._keys}
        ids = self._ids.checked(value.get("hash_ids"))
        self._times.append(time)
        for name, count in counts.items():
            self._counts[name].append(count)
        for name, key in keys.items():
            self._keys[name].append(key)
        for name, names in self._names.items():
            given = value.get(name)
            names.append(None if given is None else _storable(str(given)[:4096]))
        self._ids.extend(ids)
        self._lengths.append(len(ids))
        self._lines.append(number)

    def _key(self, value: object, name: str) -> int:
        if value is None:
            return NO_KEY
        if isinstance(value, str) and value.removeprefix("-").isdecimal():
            value = int(value[:20])
        if type(value) is int and -(2**62) < value < 2**62:
            return value
        if isinstance(value, str) and value:
            return self._known_keys.setdefault(value, NO_KEY - 1 - len(self._known_keys))
        raise BadValueError(name, "columnar.expected_ids", value)

    def rows(self, broken: list[tuple[int, Message]], broken_objects: int) -> Rows:
        """As arrays."""
        lines = np.asarray(self._lines, dtype=np.int64)
        lengths = np.asarray(self._lengths, dtype=np.int64)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return Rows(
            times=np.asarray(self._times, dtype=np.float64),
            counts={name: np.asarray(c, dtype=np.int64) for name, c in self._counts.items()},
            blocks=Blocks(offsets, np.asarray(self._ids.codes, dtype=np.int64)),
            names={name: Text.of(values) for name, values in self._names.items()},
            lines=lambda rows: lines[rows],
            keys={name: np.asarray(k, dtype=np.int64) for name, k in self._keys.items()},
            broken=tuple(broken),
            broken_objects=broken_objects,
        )


def _storable(name: str) -> str:
    """`name` without half surrogate pairs, which JSON may spell and no file can hold."""
    return name.encode("utf-8", "replace").decode()


def _by_line(file: Decoded, progress: Progress, layout: Layout) -> Rows:
    collected = _Collected(layout)
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
            except BadValueError as error:
                broken.append((line.number, error.message))
                broken_objects += 1
    return collected.rows(broken, broken_objects)
