"""Physical line numbers of the records of a text file, computed only when a row must be named."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from data_sources.traces.faults import BoolArray
from econ.workload import IntArray

_CHUNK_BYTES = 1 << 24
_LF, _CR, _QUOTE = 10, 13, 34


def count_bytes(path: Path, what: bytes) -> int:
    """How often the byte `what` stands in the file."""
    return sum(chunk.count(what) for _, chunk in _chunks(path))


def holds_byte(path: Path, what: bytes) -> bool:
    """The byte `what` stands somewhere in the file."""
    return any(what in chunk for _, chunk in _chunks(path))


def record_lines(path: Path, delimiter: str, records: int) -> IntArray:
    """1-based line on which each non-blank record of delimited text begins, the header first.

    Quoted line breaks belong to their record. `records` is how many the reader found: where stray
    quotes make the quick count differ, the csv module counts.
    """
    lines = _quick_record_lines(path)
    if len(lines) == records:
        return lines
    return np.fromiter(_slow_record_lines(path, delimiter), dtype=np.int64)


def nonblank_lines(path: Path) -> IntArray:
    """1-based numbers of the lines that hold more than white space (JSON Lines)."""
    with path.open("rb") as stream:
        numbers = (n for n, line in enumerate(stream, start=1) if not line.isspace())
        return np.fromiter(numbers, dtype=np.int64)


def _quick_record_lines(path: Path) -> IntArray:
    """A line break outside quotes ends a record; outside = an even number of quotes before it."""
    at, inside, empty = _line_breaks(path)
    ends = np.flatnonzero(~inside)
    first = np.concatenate([[0], ends[:-1] + 1])[: len(ends)]  # the break of its first line
    keep = ~((first == ends) & empty[ends])
    lines = first[keep] + 1
    last_line = int(ends[-1]) + 2 if len(ends) else 1
    ended_at = int(at[ends[-1]]) if len(ends) else -1
    if ended_at < path.stat().st_size - 1:  # a last record without a line break
        lines = np.append(lines, last_line)
    return np.asarray(lines, dtype=np.int64)


def _line_breaks(path: Path) -> tuple[IntArray, BoolArray, BoolArray]:
    """(position, inside quotes, its line is empty) of every line break: LF, CR LF, or CR alone."""
    positions, insides, returns = [], [], []
    quotes, before = 0, 0
    for start, chunk in _chunks(path):
        data = np.frombuffer(chunk, dtype=np.uint8)
        at = np.flatnonzero((data == _LF) | (data == _CR))
        previous = np.where(at > 0, data[at - 1], before)
        after = data[np.minimum(at + 1, len(data) - 1)]
        if data[-1] == _CR:
            after[-1] = _byte_at(path, start + len(data))
        ends = (data[at] == _LF) | (after != _LF)
        at, previous = at[ends], previous[ends]
        marks = np.flatnonzero(data == _QUOTE)
        insides.append((quotes + np.searchsorted(marks, at)) % 2 == 1)
        returns.append((data[at] == _LF) & (previous == _CR))
        positions.append(at + start)
        quotes, before = quotes + len(marks), int(data[-1])
    at = np.concatenate([np.zeros(0, np.int64), *positions])
    crlf = np.concatenate([np.zeros(0, np.bool_), *returns])
    lengths = np.diff(at, prepend=-1) - 1
    return at, np.concatenate([np.zeros(0, np.bool_), *insides]), lengths == crlf


def _byte_at(path: Path, position: int) -> int:
    """The byte there, 0 at the end."""
    with path.open("rb") as stream:
        stream.seek(position)
        return next(iter(stream.read(1)), 0)


def _slow_record_lines(path: Path, delimiter: str) -> Iterator[int]:
    with path.open("r", encoding="utf-8", newline="") as stream:
        reader = csv.reader(stream, delimiter=delimiter)
        before = 0
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error:
                row = ["?"]  # a cell beyond csv's own limit still begins on this line
            if row:
                yield before + 1
            before = reader.line_num


def _chunks(path: Path) -> Iterator[tuple[int, bytes]]:
    start = 0
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            yield start, chunk
            start += len(chunk)
