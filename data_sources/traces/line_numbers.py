"""Physical line numbers of the records of a text file, computed only when a row must be named."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path

import numpy as np

from econ.workload import IntArray

_CHUNK_BYTES = 1 << 24
_LF, _CR = 10, 13


def count_bytes(path: Path, what: bytes) -> int:
    """How often the byte `what` stands in the file."""
    return sum(chunk.count(what) for _, chunk in _chunks(path))


def holds_byte(path: Path, what: bytes) -> bool:
    """The byte `what` stands somewhere in the file."""
    if not path.stat().st_size:
        return False
    with path.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as data:
        return data.find(what) >= 0


def record_lines(path: Path, delimiter: str) -> IntArray:
    """1-based line on which each non-blank record of delimited text begins, the header first.

    Quoted line breaks belong to their record. Without quotes every non-blank line is a record;
    with them the csv module counts, which takes a second for a million rows.
    """
    if holds_byte(path, b'"'):
        return np.fromiter(_quoted_record_lines(path, delimiter), dtype=np.int64)
    return _filled_lines(path)


def unclosed_quote(path: Path, delimiter: str) -> int | None:
    """The line of the record whose quotation mark is still open at the end of the file, or None.
    Everything behind such a mark would silently become one cell."""
    if count_bytes(path, b'"') % 2 == 0:
        return None
    with path.open("r", encoding="utf-8", newline="") as stream:
        reader = csv.reader(stream, delimiter=delimiter, strict=True)
        while True:
            before = reader.line_num
            try:
                if next(reader, None) is None:
                    return None
            except csv.Error as error:
                if "unexpected end of data" in str(error):
                    return before + 1


def nonblank_lines(path: Path) -> IntArray:
    """1-based numbers of the lines that hold more than white space (JSON Lines)."""
    with path.open("rb") as stream:
        numbers = (n for n, line in enumerate(stream, start=1) if not line.isspace())
        return np.fromiter(numbers, dtype=np.int64)


def _filled_lines(path: Path) -> IntArray:
    """Numbers of the lines that are not empty. A line ends with LF, CR LF, or CR alone."""
    ends, starts = [np.zeros(0, np.int64)], [np.zeros(1, np.int64)]
    before = 0
    for start, chunk in _chunks(path):
        data = np.frombuffer(chunk, dtype=np.uint8)
        at = np.flatnonzero((data == _LF) | (data == _CR))
        previous = np.where(at > 0, data[at - 1], before)
        after = data[np.minimum(at + 1, len(data) - 1)]
        if data[-1] == _CR:
            after[-1] = _byte_at(path, start + len(data))
        breaks = (data[at] == _LF) | (after != _LF)  # the CR of CR LF ends nothing
        second = (data[at] == _LF) & (previous == _CR)
        ends.append((at - second)[breaks] + start)
        starts.append(at[breaks] + start + 1)
        before = int(data[-1])
    length = np.append(np.concatenate(ends), path.stat().st_size) - np.concatenate(starts)
    return np.asarray(np.flatnonzero(length > 0) + 1, dtype=np.int64)


def _byte_at(path: Path, position: int) -> int:
    """The byte there, 0 at the end."""
    with path.open("rb") as stream:
        stream.seek(position)
        return next(iter(stream.read(1)), 0)


def _quoted_record_lines(path: Path, delimiter: str) -> Iterator[int]:
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
