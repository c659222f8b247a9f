"""Whatever the table: tokens are conserved, and a broken cell costs exactly its own row."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from data_sources.traces.base import ReadOptions, ReadResult, no_progress
from data_sources.traces.line_numbers import record_lines
from data_sources.traces.plain_csv import read
from tests.data_sources.traces_columnar.conftest import decoded

COUNTS = ("input_tokens", "output_tokens", "cached_read_tokens", "cache_write_5m_tokens")
LETTERS = st.characters(
    codec="utf-8", exclude_categories=["Cc"], include_characters="\n", exclude_characters="\ufeff"
)
NAMES = st.one_of(st.just(""), st.text(LETTERS, max_size=6))
ENDINGS = st.sampled_from(["\n", "\r\n"])
Rows = list[dict[str, Any]]
Cells = list[list[str]]


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    read_tokens, written = draw(st.integers(0, 10**6)), draw(st.integers(0, 10**6))
    fresh = draw(st.integers(1, 10**6))
    return {
        "session_id": draw(NAMES),
        "input_tokens": read_tokens + written + fresh,
        "output_tokens": draw(st.integers(0, 10**6)),
        "cached_read_tokens": read_tokens,
        "cache_write_5m_tokens": written,
    }


def spelled(draw: st.DrawFn, number: int) -> str:
    ways = [str(number), f"{number}.0", f"{number:,}", f" {number} "]
    return draw(st.sampled_from(ways))


@st.composite
def tables(draw: st.DrawFn) -> tuple[Rows, Cells]:
    rows = draw(st.lists(requests(), min_size=1, max_size=12))
    cells = [[row["session_id"], *(spelled(draw, row[name]) for name in COUNTS)] for row in rows]
    return rows, cells


def read_cells(cells: list[list[str]], ending: str) -> tuple[ReadResult, bytes]:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=ending)
    writer.writerow(["session_id", *COUNTS])
    writer.writerows(cells)
    data = out.getvalue().encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(data)
        return read(decoded(path, Path(folder)), ReadOptions(), no_progress), data


@settings(max_examples=60, deadline=None)
@given(tables(), ENDINGS)
def test_tokens_are_conserved(table: tuple[Rows, Cells], ending: str) -> None:
    rows, cells = table
    result, _ = read_cells(cells, ending)
    assert result.receipt.rows_read == result.receipt.rows_kept == len(rows)
    for name in COUNTS:
        assert result.workload.ints(name).tolist() == [row[name] for row in rows]


@settings(max_examples=60, deadline=None)
@given(
    tables(),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["x", "-4", "0.5", "1e99"]),
    st.data(),
)
def test_one_broken_cell_rejects_exactly_its_line(
    table: tuple[Rows, Cells],
    ending: str,
    broken: str,
    data: st.DataObject,
) -> None:
    rows, cells = table
    good = dict.fromkeys(COUNTS, 1) | {"session_id": "good", "input_tokens": 5}
    rows, cells = [*rows, good], [*cells, ["good", "5", "1", "1", "1"]]
    at = data.draw(st.integers(0, len(rows) - 2))
    column = data.draw(st.integers(1, len(COUNTS)))
    cells[at][column] = broken
    result, written = read_cells(cells, ending)
    (rejection,) = result.receipt.rejected
    assert rejection.reason.values["column"] == COUNTS[column - 1]
    assert rejection.line == first_lines(written)[at + 1]
    kept = [row for number, row in enumerate(rows) if number != at]
    for name in COUNTS:
        assert result.workload.ints(name).tolist() == [row[name] for row in kept]


def first_lines(data: bytes) -> list[int]:
    """The physical line on which each record begins, by Python's csv module."""
    reader = csv.reader(io.StringIO(data.decode(), newline=""))
    lines, before = [], 0
    for row in reader:
        if row:
            lines.append(before + 1)
        before = reader.line_num
    return lines


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from('a,"\n\r'), max_size=40))
def test_line_numbers_are_those_of_the_csv_module(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(text.encode())
        expected = first_lines(text.encode())
        assert record_lines(path, ",").tolist() == expected
