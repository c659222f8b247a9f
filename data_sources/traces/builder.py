"""A compact column builder for readers that go row by row."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from data_sources.traces.base import ReadOptions
from data_sources.traces.limits import MAX_ROWS, MAX_TEXT_CHARS
from data_sources.traces.tally import rejected
from econ.money import e13_from_usd
from econ.workload import (
    COST_COLUMNS,
    EMPTY,
    EMPTY_COST,
    FLOAT_COLUMNS,
    INT_COLUMNS,
    TEXT_COLUMNS,
    TIME_COLUMNS,
    Column,
    Text,
    Workload,
)
from messages.errors import input_error

NAT = np.iinfo(np.int64).min
Field = int | float | str | None
MOST_COST_USD = 900_000
"""In 1e-13 USD this still fits 64 bits."""


class _TextColumn:
    """Codes and their values, in order of first appearance."""

    def __init__(self) -> None:
        self.codes = array("i")
        self.known: dict[str, int] = {}

    def append(self, text: str) -> None:
        self.codes.append(self.known.setdefault(text, len(self.known)))


class Builder:
    """Rows come in as named fields; a Workload goes out, sorted stably by arrival.

    Times are given as microseconds since 1970 (UTC), costs as counts of 1e-13 USD. A field that
    is not given, or None, is empty.
    """

    def __init__(self, max_rows: int = MAX_ROWS) -> None:
        self.rows = 0
        self._max_rows = max_rows
        self._numbers: dict[str, array[int] | array[float]] = {}
        self._texts: dict[str, _TextColumn] = {}

    def add(self, **fields: Field) -> None:
        """Appends a row. InputError above the row limit, RowRejectedError for a text that is too
        long (then nothing is appended); an unknown field is a KeyError."""
        if self.rows >= self._max_rows:
            raise input_error("traces.too_many_rows", limit=self._max_rows)
        cells = {
            name: clean_text(str(value)) if name in TEXT_COLUMNS else value
            for name, value in fields.items()
            if value is not None and value != ""
        }
        for name, value in cells.items():
            self._column(name).append(value)
        self.rows += 1
        self._fill()

    def workload(
        self,
        *,
        name: str,
        format_id: str,
        format_stats: Mapping[str, Any],
        options: ReadOptions,
        granularity: str = "request",
    ) -> Workload:
        """The workload of all rows added; arrival_s follows from arrival_utc where it is empty,
        models carry the names that the user gave them."""
        columns: dict[str, Column] = {}
        for key, numbers in self._numbers.items():
            columns[key] = _as_array(key, numbers)
        for key, texts in self._texts.items():
            codes = np.frombuffer(texts.codes, dtype=np.int32).copy()
            columns[key] = Text(codes, tuple(texts.known))
        _rename_models(columns, options)
        if "arrival_utc" in columns and "arrival_s" not in columns:
            columns["arrival_s"] = seconds_from_first(columns["arrival_utc"])
        return sorted_by_arrival(
            Workload(
                name=name,
                format=format_id,
                rows=self.rows,
                columns=columns,
                granularity=granularity,
                format_stats=dict(format_stats),
            )
        )

    def _column(self, name: str) -> Any:
        if name in self._numbers:
            return self._numbers[name]
        if name in self._texts:
            return self._texts[name]
        if name in TEXT_COLUMNS:
            text = _TextColumn()
            text.codes.extend([EMPTY] * self.rows)
            self._texts[name] = text
            return text
        empty = _empty(name)
        code = "d" if name in FLOAT_COLUMNS else "q"
        self._numbers[name] = array(code, [empty]) * self.rows
        return self._numbers[name]

    def _fill(self) -> None:
        for name, numbers in self._numbers.items():
            if len(numbers) < self.rows:
                numbers.append(_empty(name))
        for text in self._texts.values():
            if len(text.codes) < self.rows:
                text.codes.append(EMPTY)


def _rename_models(columns: dict[str, Column], options: ReadOptions) -> None:
    models = columns.get("model")
    if options.model_names and isinstance(models, Text):
        columns["model"] = renamed(models, options.model_names)


def renamed(column: Text, names: Mapping[str, str]) -> Text:
    """`column` with its values renamed, each once; two that become equal become one."""
    known: dict[str, int] = {}
    table = [known.setdefault(names.get(v, v), len(known)) for v in column.values]
    codes = np.asarray([*table, EMPTY], dtype=np.int32)[column.codes]
    return Text(codes, tuple(known))


def _empty(name: str) -> Any:
    if name in FLOAT_COLUMNS:
        return float("nan")
    if name in TIME_COLUMNS:
        return NAT
    if name in COST_COLUMNS:
        return EMPTY_COST
    if name in INT_COLUMNS:
        return EMPTY
    raise KeyError(name)


def _as_array(name: str, numbers: Any) -> Any:
    if name in FLOAT_COLUMNS:
        return np.frombuffer(numbers, dtype=np.float64).copy()
    values = np.frombuffer(numbers, dtype=np.int64).copy()
    return values.view("datetime64[us]") if name in TIME_COLUMNS else values


def seconds_from_first(times: Any) -> Any:
    """Seconds from the earliest of `times` (datetime64[us]), NaN where there is none."""
    known = ~np.isnat(times)
    seconds = np.full(len(times), np.nan)
    if known.any():
        micros = (times[known] - times[known].min()).astype(np.int64)
        seconds[known] = micros / 1e6
    return seconds


def sorted_by_arrival(workload: Workload) -> Workload:
    """The rows in stable order of arrival, rows without one last. Without prefix structure only."""
    assert workload.prefix is None  # noqa: S101
    arrivals = workload.floats("arrival_s")
    order = np.argsort(arrivals, kind="stable")
    if bool((order == np.arange(workload.rows)).all()):
        return workload
    columns: dict[str, Column] = {
        name: column.take(order) if isinstance(column, Text) else column[order]
        for name, column in workload.columns.items()
    }
    return Workload(
        name=workload.name,
        format=workload.format,
        rows=workload.rows,
        columns=columns,
        granularity=workload.granularity,
        format_stats=workload.format_stats,
    )


def clean_text(text: str) -> str:
    """`text` that can be stored and shown: no lone surrogates, no NUL. Too long is rejected."""
    if len(text) > MAX_TEXT_CHARS:
        raise rejected("text_too_long", found=len(text), limit=MAX_TEXT_CHARS)
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "�")


def cost_e13(value: object) -> int | None:
    """A stated cost in USD as a count of 1e-13 USD (half up), None where there is none, it is no
    number, or more than a row can hold."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        return None
    try:
        amount = Decimal(str(value))
        if not amount.is_finite() or abs(amount) >= MOST_COST_USD:
            return None
        return e13_from_usd(amount)
    except ArithmeticError:
        return None
