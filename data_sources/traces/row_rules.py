"""What a row must be to count as a request: lengths that are there, and parts that fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from data_sources.traces.faults import BoolArray, Faults
from data_sources.traces.fields import LIFETIMES, UNCACHED
from econ.workload import CACHE_COLUMNS, EMPTY, Column, IntArray, Text
from messages.errors import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The rows to check. `relevant`: those that hold a request at all."""

    columns: Mapping[str, Column]
    rows: int
    relevant: BoolArray

    def ints(self, name: str) -> IntArray:
        """An integer column, all EMPTY where the file has none."""
        return ints_of(self.columns, name, self.rows)


def ints_of(columns: Mapping[str, Column], name: str, rows: int) -> IntArray:
    """An integer column, all EMPTY where it is absent."""
    column = columns.get(name)
    if column is None:
        return np.full(rows, EMPTY, dtype=np.int64)
    assert not isinstance(column, Text)  # noqa: S101
    return column


def cached_tokens(columns: Mapping[str, Column], rows: int) -> IntArray:
    """Read plus written tokens of each row, empty ones counted as 0."""
    parts = [np.maximum(ints_of(columns, n, rows), 0) for n in CACHE_COLUMNS if n in columns]
    total = parts.pop() if parts else np.zeros(rows, dtype=np.int64)
    for part in parts:
        total += part
    return total


def whole_prompt(
    columns: dict[str, Column], rows: int, faults: Faults, relevant: BoolArray
) -> None:
    """Fill input_tokens (the whole prompt) from its parts where the file gives parts only."""
    uncached = columns.pop(UNCACHED, None)
    if uncached is not None:
        assert not isinstance(uncached, Text)  # noqa: S101
        whole = np.where(uncached >= 0, uncached + cached_tokens(columns, rows), EMPTY)
        if "input_tokens" in columns:
            _refuse_other_total(ints_of(columns, "input_tokens", rows), whole, faults, relevant)
        else:
            columns["input_tokens"] = whole
    elif "input_tokens" not in columns and "shared_prefix_tokens" in columns:
        shared = ints_of(columns, "shared_prefix_tokens", rows)
        fresh = ints_of(columns, "fresh_tokens", rows)
        both = (shared >= 0) & (fresh >= 0)
        columns["input_tokens"] = np.where(both, shared + fresh, EMPTY)


def _refuse_other_total(
    stated: IntArray, whole: IntArray, faults: Faults, relevant: BoolArray
) -> None:
    differ = relevant & (stated >= 0) & (whole >= 0) & (stated != whole)
    faults.add(
        differ,
        lambda row: Message(
            "columnar.parts_are_not_total",
            {"parts": int(whole[row]), "total": int(stated[row])},
        ),
    )


def check_rows(row: Row, faults: Faults, buckets: bool) -> None:
    """Add the faults of rows whose numbers do not make a request."""
    _check_lengths(row, faults)
    _check_parts(row, faults)
    _check_structure(row, faults)
    _check_lifetime(row, faults)
    if not buckets:
        _check_request_count(row, faults)


def _check_lengths(row: Row, faults: Faults) -> None:
    prompt, output = row.ints("input_tokens"), row.ints("output_tokens")
    if row.rows and prompt.min() > 0 and output.min() >= 0:
        return
    due = row.relevant & (row.ints("failed") != 1)
    faults.add(due & (prompt == EMPTY), lambda _: Message("columnar.no_input"))
    faults.add(due & (prompt == 0), lambda _: Message("columnar.zero_input"))
    faults.add(due & (output == EMPTY), lambda _: Message("columnar.no_output"))


def _check_parts(row: Row, faults: Faults) -> None:
    if not any(name in row.columns for name in CACHE_COLUMNS):
        return
    prompt = row.ints("input_tokens")
    parts = cached_tokens(row.columns, row.rows)
    faults.add(
        row.relevant & (prompt >= 0) & (parts > prompt),
        lambda r: Message(
            "columnar.parts_exceed_total", {"parts": int(parts[r]), "total": int(prompt[r])}
        ),
    )


def _check_structure(row: Row, faults: Faults) -> None:
    if "shared_prefix_tokens" not in row.columns or "fresh_tokens" not in row.columns:
        return
    shared, fresh = row.ints("shared_prefix_tokens"), row.ints("fresh_tokens")
    prompt = row.ints("input_tokens")
    differ = shared + fresh != prompt
    if not differ.any():
        return
    given = row.relevant & (shared >= 0) & (fresh >= 0) & (prompt >= 0)
    faults.add(
        given & differ,
        lambda r: Message(
            "columnar.structure_is_not_total",
            {"shared": int(shared[r]), "fresh": int(fresh[r]), "total": int(prompt[r])},
        ),
    )


def _check_lifetime(row: Row, faults: Faults) -> None:
    ttl = row.columns.get("ttl")
    if not isinstance(ttl, Text):
        return
    unknown = [code for code, value in enumerate(ttl.values) if value not in LIFETIMES]
    if not unknown:
        return
    faults.add(
        row.relevant & np.isin(ttl.codes, unknown),
        lambda r: Message(
            "columnar.unknown_lifetime",
            {"expected": ", ".join(LIFETIMES), "found": ttl.values[ttl.codes[r]][:60]},
        ),
    )


def _check_request_count(row: Row, faults: Faults) -> None:
    if "n_requests" not in row.columns:
        return
    faults.add(
        row.relevant & (row.ints("n_requests") == 0), lambda _: Message("columnar.zero_requests")
    )
