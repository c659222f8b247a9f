"""Delimited text as Arrow columns: only the columns asked for, with line numbers on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from data_sources.traces.base import Decoded
from data_sources.traces.columns import NULL_TEXTS, Cells, is_text
from data_sources.traces.detect_csv import split_header
from data_sources.traces.faults import Lines, shown
from data_sources.traces.fields import spelt_in
from data_sources.traces.limits import MAX_CELL_BYTES, MAX_COLUMNS
from data_sources.traces.line_numbers import count_bytes, holds_byte, record_lines, unclosed_quote
from econ.workload import IntArray
from messages.errors import InputError, Message, input_error

TEXT = pa.dictionary(pa.int32(), pa.string())
STRING = pa.string()
NUMBER = None
"""What a column is to be read as: names, text to be parsed later, or numbers."""

_BLOCK_BYTES = 1 << 22
_INFERRED = (pa.null(), pa.int64(), pa.float64(), pa.string())


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Columns of one file by name, as Arrow; `lines` turns row positions into line numbers.

    `misshapen`: rows that could not even be cut into cells, with their line.
    """

    file: Decoded
    rows: int
    columns: Mapping[str, Cells]
    lines: Lines
    misshapen: Iterable[tuple[int, Message]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first non-blank line: `names` trimmed, in order; `line` is its 1-based number."""

    delimiter: str
    names: tuple[str, ...]
    line: int

    def find(self, name: str) -> str | None:
        """The file's own spelling of a column: exact, else ignoring case and outer spaces."""
        return spelt_in(self.names, name)


def read_header(file: Decoded) -> Header:
    """InputError for more columns than the limit."""
    with file.path.open("r", encoding="utf-8", newline="") as stream:
        lines = ((n, text) for n, text in enumerate(stream, start=1) if text.strip("\ufeff \t\r\n"))
        number, line = next(lines, (1, ""))
    delimiter, names = split_header(line.removeprefix("\ufeff"))
    if len(names) > MAX_COLUMNS:
        raise input_error(
            "columnar.too_many_columns",
            file=file.source.name,
            found=len(names),
            limit=MAX_COLUMNS,
        )
    return Header(delimiter=delimiter, names=tuple(names), line=number)


def read_table(file: Decoded, header: Header, kinds: Mapping[str, Any]) -> Table:
    """The columns named in `kinds` (name -> TEXT, STRING or NUMBER).

    InputError where a limit is passed or a wanted name stands on two columns.
    """
    for name in kinds:
        if header.names.count(name) > 1:
            raise input_error("columnar.twice_in_header", file=file.source.name, column=name)
    _refuse_too_many_rows(file, header)
    reading = _Reading(file, header)
    table = reading.read(kinds)
    dates = {n: STRING for n in kinds if table.column(n).type not in (*_INFERRED, TEXT)}
    if dates:  # a number column that Arrow took for dates: as the file spells it
        kinds = {**kinds, **dates}
        table = reading.read(kinds)
    if reading.skipped:
        table = reading.read(kinds, threads=False)  # only so does Arrow number the bad rows
    columns = {name: table.column(name) for name in kinds}
    for name, cells in columns.items():
        _refuse_long_cells(file, name, cells)
    return Table(
        file=file,
        rows=table.num_rows,
        columns=columns,
        lines=partial(reading.lines, table.num_rows),
        misshapen=reading.misshapen(),
    )


class _Reading:
    """One file being read: what Arrow could not cut into cells, and where its records begin."""

    def __init__(self, file: Decoded, header: Header) -> None:
        self.bad: list[tuple[int | None, int]] = []  # (record, cells found)
        self._blank: list[int | None] = []
        self._file, self._header = file, header
        self._quoted = holds_byte(file.path, b'"')
        line = unclosed_quote(file.path, header.delimiter) if self._quoted else None
        if line is not None:
            raise input_error("columnar.unclosed_quote", file=file.source.name, line=line)
        self._starts: IntArray | None = None

    def read(self, kinds: Mapping[str, Any], threads: bool = True) -> Any:
        """The Arrow table of the columns in `kinds`; fills `bad`."""
        self.bad.clear()
        self._blank.clear()
        numbers = {name: str(i) for i, name in enumerate(self._header.names)}
        types = {numbers[name]: kind for name, kind in kinds.items() if kind is not None}
        convert = pacsv.ConvertOptions(
            column_types=types,
            include_columns=[numbers[name] for name in kinds],
            null_values=list(NULL_TEXTS),
            true_values=[],
            false_values=[],
        )
        try:
            table = pacsv.read_csv(
                self._file.path,
                read_options=self._read_options(threads),
                parse_options=pacsv.ParseOptions(
                    delimiter=self._header.delimiter,
                    newlines_in_values=self._quoted,
                    invalid_row_handler=self._skip,
                ),
                convert_options=convert,
            )
        except pa.ArrowInvalid as error:
            raise self._refusal(error) from error
        return table.rename_columns(list(kinds))

    def _read_options(self, threads: bool) -> Any:
        """Columns go by position, so that equal names elsewhere in the header cannot clash."""
        return pacsv.ReadOptions(
            use_threads=threads,
            block_size=_BLOCK_BYTES,
            column_names=[str(i) for i in range(len(self._header.names))],
            skip_rows_after_names=self._header.line,
        )

    def _refusal(self, error: Exception) -> InputError:
        name = self._file.source.name
        if "straddling" in str(error):
            return input_error("columnar.row_too_long", file=name, limit_bytes=_BLOCK_BYTES)
        return input_error("columnar.unreadable", file=name, found=shown(error))

    def _skip(self, row: Any) -> str:
        record = None if row.number is None else row.number - self._header.line
        if row.text.strip():
            self.bad.append((record, row.actual_columns))
        else:
            self._blank.append(record)  # white space only: no row
        return "skip"

    @property
    def skipped(self) -> int:
        """Records that gave no row."""
        return len(self.bad) + len(self._blank)

    def lines(self, good_rows: int, rows: IntArray) -> IntArray:
        """Line numbers of the good rows at `rows`."""
        good = np.ones(good_rows + self.skipped + 1, dtype=np.bool_)
        good[0] = False  # the header
        good[[r for r in (*(r for r, _ in self.bad), *self._blank) if r is not None]] = False
        return self._line_of(np.flatnonzero(good)[rows])

    def misshapen(self) -> Iterator[tuple[int, Message]]:
        """Rows of another number of cells than the header has."""
        expected = len(self._header.names)
        for record, found in self.bad:
            line = int(self._line_of(np.asarray([record or 0]))[0])
            yield line, Message("columnar.cells", {"expected": expected, "found": found})

    def _line_of(self, records: IntArray) -> IntArray:
        """Line of each record; record 0 is the header."""
        if self._starts is None:
            self._starts = record_lines(self._file.path, self._header.delimiter)
        # Arrow and csv may count differently behind a stray quote: then the last line known
        return np.asarray(self._starts[np.minimum(records, len(self._starts) - 1)])


def _refuse_too_many_rows(file: Decoded, header: Header) -> None:
    """A row has at least one byte a column, so small files need no counting."""
    if file.path.stat().st_size <= file.max_rows * len(header.names):
        return
    found = count_bytes(file.path, b"\n")
    if found > file.max_rows + 1:
        raise input_error(
            "columnar.too_many_rows", file=file.source.name, found=found, limit=file.max_rows
        )


def _refuse_long_cells(file: Decoded, name: str, cells: Cells) -> None:
    if not is_text(cells):
        return
    for chunk in cells.chunks:
        text = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
        longest = pc.max(pc.binary_length(text)).as_py() or 0
        if longest > MAX_CELL_BYTES:
            raise input_error(
                "columnar.cell_too_long",
                file=file.source.name,
                column=name,
                found_bytes=longest,
                limit_bytes=MAX_CELL_BYTES,
            )
