"""What a file may be at most. Every refusal names one of these and the value that was found."""

from __future__ import annotations

from dataclasses import dataclass

MAX_UPLOAD_BYTES = 1_000_000_000
"""Bytes of one file in the browser; larger ones go through the shell."""

MAX_ROWS = 20_000_000
MAX_COLUMNS = 64
"""Columns of delimited text."""

MAX_CELL_BYTES = 4_096
"""One cell of delimited text."""

MAX_UNPACKED_BYTES = 4_000_000_000
"""What one gzip or zip file may unpack to."""

MAX_UNPACK_RATIO = 200
"""Unpacked to packed bytes; real logs stay under 60. Judged only above RATIO_FLOOR_BYTES,
so that a small, very regular file passes."""

RATIO_FLOOR_BYTES = 64_000_000
MAX_ZIP_MEMBERS = 1_000
MAX_JSON_DOCUMENT_BYTES = 256_000_000
"""One JSON value must fit in memory; JSON Lines is read line by line and has no such limit."""

MAX_LINE_BYTES = 64_000_000
"""One line of JSON Lines: agent logs carry pictures in theirs."""

MAX_TEXT_CHARS = 4_096
"""One name (model, key, session) in a row."""

EARLIEST_US = 315_532_800_000_000  # 1980
LATEST_US = 4_102_444_800_000_000  # 2100
"""Times of requests, in microseconds since 1970. What lies outside is no time of a request: no
calendar may hold it, and the hours between it and the others would fill the memory."""

MAX_DURATION_S = 1e9
"""31 years between the start of a request and its answer."""

MAX_CLOCK_S = 1e11
"""A start on the file's own clock; in microseconds it still fits 64 bits."""

MAX_TOKENS_A_ROW = 10**13
"""More than any bucket of any export; keeps sums over 20 M rows of cost inside 64 bits apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits that a caller may set. The defaults are those of the browser."""

    upload_bytes: int = MAX_UPLOAD_BYTES
    unpacked_bytes: int = MAX_UNPACKED_BYTES
    unpack_ratio: int = MAX_UNPACK_RATIO
    ratio_floor_bytes: int = RATIO_FLOOR_BYTES
    zip_members: int = MAX_ZIP_MEMBERS
    rows: int = MAX_ROWS
    columns: int = MAX_COLUMNS


BROWSER = Limits()
SHELL = Limits(upload_bytes=10**12, unpacked_bytes=10**12, rows=10**9)
"""The shell reads a person's own disk: only bombs are refused there."""
