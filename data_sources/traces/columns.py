"""Cells of a file -> columns of the request table, whole columns at a time.

Files write one number in many ways: `3`, `3.0`, `12,345`, full-width digits, a blank, `None`. Blank
is empty and 0 is 0. What is no number makes its row faulty; it never becomes one silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from data_sources.traces.builder import cost_e13
from data_sources.traces.faults import BoolArray, Faults, shown
from data_sources.traces.limits import MAX_DURATION_S, MAX_TOKENS_A_ROW
from econ.workload import EMPTY, EMPTY_COST, FloatArray, IntArray, Text
from messages.errors import Message

Cells: TypeAlias = Any
"""A pyarrow ChunkedArray (pyarrow is untyped)."""

NULL_TEXTS = ("", "None", "none", "NONE", "null", "NULL", "Null", "NaN", "nan", "N/A", "n/a")
"""Texts that mean 'nothing stands here' in numbers, times and names."""

MAX_COUNT = MAX_TOKENS_A_ROW
"""Largest count of tokens or requests in one cell: below 2^53, so `3.0` is read exactly."""

_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_THOUSANDS = r"^[+-]?\d{1,3}([,\s]\d{3})+(\.\d*)?$"


def is_text(cells: Cells) -> bool:
    """The column holds strings, plain or dictionary-encoded."""
    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def plain_strings(cells: Cells) -> Cells:
    """Trimmed strings in which NULL_TEXTS are null; full-width characters become ASCII."""
    text = cells.cast(pa.string())
    if not pc.all(pc.string_is_ascii(text), min_count=0).as_py():
        text = pc.utf8_normalize(text, form="NFKC")
    text = pc.utf8_trim_whitespace(text)
    return pc.if_else(pc.is_in(text, value_set=pa.array(NULL_TEXTS)), None, text)


def numpy_of(cells: Cells, dtype: npt.DTypeLike, empty: float) -> npt.NDArray[Any]:
    """A numeric column as numpy, nulls as `empty`."""
    if cells.null_count:
        cells = pc.fill_null(cells, pa.scalar(empty, type=cells.type))
    return np.asarray(cells.to_numpy()).astype(dtype, copy=False)


def validity(cells: Cells) -> BoolArray:
    """Which cells are not null."""
    if not cells.null_count:
        return np.ones(len(cells), dtype=np.bool_)
    return np.asarray(pc.is_valid(cells).to_numpy(), dtype=np.bool_)


def floats_of(cells: Cells) -> tuple[FloatArray, BoolArray]:
    """(values, bad): NaN where empty or bad. Understands every spelling of a number."""
    kind = cells.type
    if pa.types.is_null(kind):
        return np.full(len(cells), np.nan), np.zeros(len(cells), dtype=np.bool_)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        values = numpy_of(cells.cast(pa.float64(), safe=False), np.float64, np.nan)
        seen = pc.min_max(cells)
        if np.isfinite([float(seen[end].as_py() or 0) for end in ("min", "max")]).all():
            return values, np.zeros(len(values), dtype=np.bool_)
        return np.where(np.isinf(values), np.nan, values), np.isinf(values)
    if is_text(cells):
        return _floats_of_text(plain_strings(cells))
    return np.full(len(cells), np.nan), validity(cells)


def _floats_of_text(text: Cells) -> tuple[FloatArray, BoolArray]:
    text = pc.replace_substring_regex(text, pattern=r"^(US)?\$\s*", replacement="")
    grouped = pc.match_substring_regex(text, _THOUSANDS)
    if pc.any(grouped, min_count=0).as_py():
        bare = pc.replace_substring_regex(text, pattern=r"[,\s]", replacement="")
        text = pc.if_else(grouped, bare, text)
    number = pc.match_substring_regex(text, _NUMBER)
    values = pc.cast(pc.if_else(number, text, None), pa.float64())
    floats = numpy_of(values, np.float64, np.nan)
    infinite = np.isinf(floats)
    bad = (validity(text) & np.isnan(floats)) | infinite
    return np.where(infinite, np.nan, floats), bad


def to_counts(cells: Cells, column: str, faults: Faults) -> IntArray:
    """Whole numbers from 0 to MAX_COUNT, EMPTY where blank; all else is a fault of its row."""
    if pa.types.is_signed_integer(cells.type):
        counts = numpy_of(cells.cast(pa.int64()), np.int64, EMPTY)
        seen = pc.min_max(cells)
        if (seen["min"].as_py() or 0) >= 0 and (seen["max"].as_py() or 0) <= MAX_COUNT:
            return counts
        bad = (counts > MAX_COUNT) | ((counts < 0) & validity(cells))
    else:
        floats, bad = floats_of(cells)
        filled = ~np.isnan(floats)
        with np.errstate(invalid="ignore"):
            odd = filled & ((floats != np.floor(floats)) | (floats < 0) | (floats > MAX_COUNT))
        bad |= odd
        counts = np.where(filled & ~bad, floats, EMPTY).astype(np.int64)
    faults.add(bad, _wrong_cell(cells, column, "columnar.expected_count"))
    return np.where(bad, EMPTY, counts) if bad.any() else counts


def to_seconds(cells: Cells, column: str, faults: Faults) -> FloatArray:
    """Durations in seconds, NaN where blank; text and negative numbers are faults."""
    seconds, bad = floats_of(cells)
    with np.errstate(invalid="ignore"):
        bad = bad | (seconds < 0) | (seconds > MAX_DURATION_S)
    faults.add(bad, _wrong_cell(cells, column, "columnar.expected_seconds"))
    return seconds


_YES = ("1", "1.0", "true", "yes", "y", "t")
_NO = ("0", "0.0", "false", "no", "n", "f")


def to_flags(cells: Cells, column: str, faults: Faults) -> IntArray:
    """1 yes, 0 no, EMPTY where blank."""
    text = pc.utf8_lower(plain_strings(cells))
    yes = np.asarray(pc.is_in(text, value_set=pa.array(_YES)).to_numpy(), dtype=np.bool_)
    no = np.asarray(pc.is_in(text, value_set=pa.array(_NO)).to_numpy(), dtype=np.bool_)
    faults.add(
        validity(text) & ~yes & ~no, _wrong_cell(cells, column, "columnar.expected_yes_or_no")
    )
    return np.where(yes, 1, np.where(no, 0, EMPTY)).astype(np.int64)


def to_cost_e13(cells: Cells, column: str, faults: Faults) -> IntArray:
    """Exact 1e-13 USD (half up beyond), EMPTY_COST where blank. Credits may be negative."""
    text = plain_strings(cells)
    text = pc.replace_substring_regex(text, pattern=r"^(-?)(US)?\$\s*", replacement=r"\1")
    text = pc.replace_substring(text, pattern=",", replacement="")
    number = pc.match_substring_regex(text, _NUMBER)
    bad = validity(text) & ~np.asarray(pc.fill_null(number, False).to_numpy(), dtype=np.bool_)
    costs = np.full(len(text), EMPTY_COST, dtype=np.int64)
    spelled = pc.unique(pc.if_else(number, text, None).combine_chunks()).drop_null()
    scaled = [cost_e13(value) for value in spelled.to_pylist()]
    index = pc.fill_null(pc.index_in(text, value_set=spelled), -1)
    codes = np.asarray(index.to_numpy(), dtype=np.int64)
    table = np.asarray([EMPTY_COST if cost is None else cost for cost in scaled], dtype=np.int64)
    priced = codes >= 0
    costs[priced] = table[codes[priced]]
    bad |= priced & (costs == EMPTY_COST)
    faults.add(bad, _wrong_cell(cells, column, "columnar.expected_usd"))
    return costs


def to_text(cells: Cells, nulls: tuple[str, ...] = NULL_TEXTS) -> Text:
    """Names as they stand, trimmed; `nulls` are empty. Numbers are spelled out."""
    if pa.types.is_null(cells.type):
        return Text.constant(None, len(cells))
    if not is_text(cells):
        cells = cells.cast(pa.string())
    if not pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_encode()
    cells = cells.unify_dictionaries()
    if not cells.num_chunks:
        return Text.constant(None, 0)
    parts = [chunk.indices for chunk in cells.chunks]
    indices = pa.chunked_array([pc.fill_null(p, -1) if p.null_count else p for p in parts])
    codes = indices.to_numpy().astype(np.int32, copy=False)
    return _tidy(codes, cells.chunk(0).dictionary, nulls)


def _tidy(codes: npt.NDArray[np.int32], dictionary: Cells, nulls: tuple[str, ...]) -> Text:
    """Trim the values, drop the null ones, and let equal ones share a code."""
    trimmed = pc.utf8_trim_whitespace(dictionary.cast(pa.string()))
    trimmed = pc.replace_substring(trimmed, "\0", "�")  # no store keeps a NUL
    if (
        trimmed.equals(dictionary)
        and not pc.any(pc.is_in(trimmed, value_set=pa.array(nulls)), min_count=0).as_py()
    ):
        return Text(codes, tuple(trimmed.to_pylist()))
    values = [None if value in nulls else value for value in trimmed.to_pylist()]
    encoded = Text.of(values)
    return Text(_recode(codes, encoded.codes), encoded.values)


def _recode(codes: npt.NDArray[np.int32], new: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    lookup = np.append(new, np.int32(-1))  # code -1 finds the last entry: stays empty
    return np.asarray(lookup[codes], dtype=np.int32)


def map_text(text: Text, change: Mapping[str, str | None]) -> Text:
    """`text` with some values renamed (None empties them); equal results share a code."""
    renamed = [change.get(value, value) for value in text.values]
    if renamed == list(text.values):
        return text
    encoded = Text.of(renamed)
    return Text(_recode(text.codes, encoded.codes), encoded.values)


def lowered(text: Text) -> Text:
    """The same column in lower case: for closed sets such as modes and lifetimes."""
    return map_text(text, {value: value.lower() for value in text.values})


def _wrong_cell(cells: Cells, column: str, expected: str) -> Any:
    def reason(row: int) -> Message:
        return Message(
            "columnar.wrong_cell",
            {"column": column, "expected": Message(expected), "found": shown(cells[row].as_py())},
        )

    return reason
