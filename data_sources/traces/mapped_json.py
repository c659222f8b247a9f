"""JSON Lines (or a JSON list) as a table: nested keys by dotted path, one row an object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from data_sources.traces.base import Decoded
from data_sources.traces.columns import Cells
from data_sources.traces.delimited import Table
from data_sources.traces.fields import KINDS, spelt_in
from data_sources.traces.json_text import records
from data_sources.traces.limits import MAX_TEXT_CHARS
from messages.errors import Message, input_error

_LOOKED_AT = 200
_DEPTH = 6
_NESTED_SHOWN = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonShape:
    """One file; `names` are the dotted paths of its first objects, in order of appearance."""

    file: Decoded
    names: Sequence[str]

    def find(self, name: str) -> str | None:
        """The path itself: it may appear only in later rows, so unknown ones are looked up."""
        return spelt_in(self.names, name) or self._later(name)

    def _later(self, name: str) -> str | None:
        rows = islice(records(self.file), _LOOKED_AT, None)
        found = any(
            isinstance(line.value, Mapping) and value_at(line.value, name) is not None
            for line in rows
        )
        return name if found else None

    def table(self, binding: Mapping[str, str]) -> Table:
        """All rows; lines that are no JSON object are misshapen."""
        values: dict[str, list[Any]] = {column: [] for column in binding.values()}
        lists = {column for name, column in binding.items() if KINDS[name] == "ids"}
        numbers: list[int] = []
        broken: list[tuple[int, Message]] = []
        for line in records(self.file):
            if line.problem is not None:
                broken.append((line.number, line.problem))
            elif not isinstance(line.value, Mapping):
                broken.append((line.number, Message("columnar.not_an_object")))
            else:
                self._refuse_too_many(len(numbers))
                numbers.append(line.number)
                for column, cells in values.items():
                    cells.append(value_at(line.value, column))
        lines = np.asarray(numbers, dtype=np.int64)
        return Table(
            file=self.file,
            rows=len(numbers),
            columns={c: _cells(cells, c in lists) for c, cells in values.items()},
            lines=lambda rows: lines[rows],
            misshapen=broken,
        )

    def _refuse_too_many(self, rows: int) -> None:
        if rows >= self.file.max_rows:
            raise input_error(
                "columnar.too_many_lines", file=self.file.source.name, limit=self.file.max_rows
            )


def read_json(file: Decoded) -> JsonShape:
    """The paths of the first rows of `file`."""
    names: dict[str, None] = {}
    for line in islice(records(file), _LOOKED_AT):
        if isinstance(line.value, Mapping) and len(names) < _NESTED_SHOWN:
            names.update(dict.fromkeys(_paths(line.value, "", _DEPTH)))
    return JsonShape(file=file, names=tuple(names))


def value_at(value: Mapping[str, Any], path: str) -> Any:
    """What stands at a dotted path; a key that itself has dots goes before nesting."""
    if path in value:
        return value[path]
    head, dot, rest = path.partition(".")
    while dot:
        inner = value.get(head)
        if isinstance(inner, Mapping):
            found = value_at(inner, rest)
            if found is not None:
                return found
        more, dot, rest = rest.partition(".")
        head = f"{head}.{more}"
    return None


def _paths(value: Mapping[str, Any], before: str, depth: int) -> Iterator[str]:
    for key, inner in value.items():
        if isinstance(inner, Mapping) and inner and depth:
            yield from _paths(inner, f"{before}{key}.", depth - 1)
        else:
            yield f"{before}{key}"


def _cells(values: list[Any], lists: bool) -> Cells:
    """An Arrow column: integers and floats as they are, anything mixed as text."""
    if lists:
        return _lists(values)
    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {int} and all(value is None or abs(value) < 2**62 for value in values):
        return pa.chunked_array([pa.array(values, type=pa.int64())])
    if kinds and kinds <= {int, float} and float in kinds:
        numbers = [None if value is None else _float(value) for value in values]
        return pa.chunked_array([pa.array(numbers, type=pa.float64())])
    return pa.chunked_array([pa.array([_text(value) for value in values], type=pa.string())])


def _lists(values: list[Any]) -> Cells:
    spelled = [
        [_text(item) for item in value] if isinstance(value, list) else _split(value)
        for value in values
    ]
    return pa.chunked_array([pa.array(spelled, type=pa.list_(pa.string()))])


def _split(value: Any) -> list[str | None] | None:
    return None if value is None else [_text(value)]


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer of more than 308 digits
        return float("inf")


def _text(value: Any) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else str(value).lower() if value is True or (
        value is False
    ) else str(value)  # fmt: skip
    return text[:MAX_TEXT_CHARS].encode("utf-8", "replace").decode("utf-8")
