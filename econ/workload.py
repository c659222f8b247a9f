"""The workload: one request table, and the prefix structure where the file has it.

Columns are numpy arrays of equal length. Empty is not zero: token counts use -1 for empty, floats
NaN, times NaT, text code -1. Text is dictionary-encoded, so ten million requests stay small.
Reported cost is an integer count of 1e-13 USD (EMPTY_COST = empty).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

IntArray: TypeAlias = npt.NDArray[np.int64]
FloatArray: TypeAlias = npt.NDArray[np.float64]
TimeArray: TypeAlias = npt.NDArray[np.datetime64]  # datetime64[us], UTC

EMPTY = -1
EMPTY_COST = np.iinfo(np.int64).min

WRITE_COLUMNS = (
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "cache_write_30m_tokens",
    "cache_write_12h_tokens",
)
CACHE_COLUMNS = ("cached_read_tokens", *WRITE_COLUMNS)
"""What a file says of a provider's cache: with one of them filled, the workload is observed."""

TOKEN_COLUMNS = (
    "input_tokens",
    "output_tokens",
    *CACHE_COLUMNS,
    "shared_prefix_tokens",
    "fresh_tokens",
)
COUNT_COLUMNS = ("n_requests",)
FLAG_COLUMNS = ("long_context", "failed")  # 1 yes, 0 no, -1 not said
COST_COLUMNS = ("observed_cost_e13",)
INT_COLUMNS = TOKEN_COLUMNS + COUNT_COLUMNS + FLAG_COLUMNS + COST_COLUMNS
FLOAT_COLUMNS = ("arrival_s", "response_s", "finished_s")
TIME_COLUMNS = ("arrival_utc", "bucket_end_utc")
PAYER_COLUMNS = ("workspace", "project", "api_key", "user", "team", "tags")
TEXT_COLUMNS = (
    "request_id",
    "session_id",
    "agent",
    "model",
    "provider",
    "surface",
    "mode",
    "geo",
    "ttl",
    "prefix_id",
    "granularity",
    *PAYER_COLUMNS,
)
ALL_COLUMNS = INT_COLUMNS + FLOAT_COLUMNS + TIME_COLUMNS + TEXT_COLUMNS

PRIVATE_COLUMNS = ("request_id", "session_id", "prefix_id")
"""Columns whose values are names only: the digest sees their order of first appearance."""


@dataclass(frozen=True, slots=True)
class Text:
    """A dictionary-encoded text column: `values[codes[i]]`, code -1 = empty."""

    codes: npt.NDArray[np.int32]
    values: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)

    @staticmethod
    def of(values: Iterable[str | None]) -> Text:
        """Encode in order of first appearance; None and '' are empty."""
        known: dict[str, int] = {}
        codes = [known.setdefault(v, len(known)) if v else -1 for v in values]
        return Text(np.asarray(codes, dtype=np.int32), tuple(known))

    @staticmethod
    def constant(value: str | None, rows: int) -> Text:
        """`rows` times the same value; None is empty."""
        codes = np.full(rows, 0 if value else -1, dtype=np.int32)
        return Text(codes, (value,) if value else ())

    def decode(self) -> list[str | None]:
        """One str or None a row. For small tables and tests."""
        return [None if code < 0 else self.values[code] for code in self.codes.tolist()]

    def take(self, index: npt.NDArray[Any]) -> Text:
        """The rows at `index` (positions or a boolean mask); the dictionary is kept."""
        return Text(self.codes[index], self.values)

    def canonical(self) -> Text:
        """The same column with its values in order of first appearance and none unused."""
        used, first, inverse = np.unique(self.codes, return_index=True, return_inverse=True)
        order = np.argsort(first[used >= 0], kind="stable")
        rank = np.full(len(used), -1, dtype=np.int32)
        rank[np.flatnonzero(used >= 0)[order]] = np.arange(len(order), dtype=np.int32)
        values = tuple(self.values[code] for code in used[used >= 0][order].tolist())
        return Text(rank[inverse.reshape(-1)].astype(np.int32), values)


Column: TypeAlias = npt.NDArray[Any] | Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """Who starts like whom. Request i has blocks offsets[i]:offsets[i+1] of `block_ids`; two
    requests share a prefix exactly as far as their leading ids agree.

    `block_tokens` is one int (tokens per full block; a last block may be partial) or an int64
    array with one size per entry of `block_ids` (message blocks of unequal length).
    `scope`: ids compare inside 'file', 'model' or 'global'.
    `message_blocks`: each block is one message block, so look-back can be counted in them.
    Breakpoints, where the file has them: request i has breakpoints
    `bp_offsets[i]:bp_offsets[i+1]`, each after `bp_blocks` leading blocks, with lifetime
    `bp_ttl_s`.
    """

    offsets: IntArray
    block_ids: IntArray
    block_tokens: int | IntArray
    scope: str = "file"
    message_blocks: bool = False
    bp_offsets: IntArray | None = None
    bp_blocks: IntArray | None = None
    bp_ttl_s: IntArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """`columns` holds only what the file has; `column()` gives an empty column for the rest.

    Rows are sorted stably by arrival where arrivals exist. `granularity`: 'request', or 'bucket'
    when rows are sums over many requests. `name` is for people and never part of the digest.
    """

    name: str
    format: str
    rows: int
    columns: Mapping[str, Column]
    prefix: Prefix | None = None
    granularity: str = "request"
    format_stats: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, column in self.columns.items():
            if name not in ALL_COLUMNS:
                raise AssertionError(f"unknown workload column {name!r}")
            if len(column) != self.rows:
                raise AssertionError(f"column {name!r} has {len(column)} rows, not {self.rows}")

    def has(self, name: str) -> bool:
        """The file has this column and at least one row of it is filled."""
        column = self.columns.get(name)
        if column is None:
            return False
        if isinstance(column, Text):
            return bool((column.codes >= 0).any())
        return bool(filled(name, column).any())

    def ints(self, name: str) -> IntArray:
        """An integer column, -1 (EMPTY_COST for cost) where empty."""
        column = self.columns.get(name)
        if column is None:
            empty = EMPTY_COST if name in COST_COLUMNS else EMPTY
            return np.full(self.rows, empty, dtype=np.int64)
        assert not isinstance(column, Text)  # noqa: S101
        return column.astype(np.int64, copy=False)

    def counts(self, name: str) -> IntArray:
        """An integer column with empty read as 0. Only for sums that say so."""
        return np.maximum(self.ints(name), 0)

    def floats(self, name: str) -> FloatArray:
        """A float column, NaN where empty."""
        column = self.columns.get(name)
        if column is None:
            return np.full(self.rows, np.nan)
        assert not isinstance(column, Text)  # noqa: S101
        return column.astype(np.float64, copy=False)

    def times(self, name: str) -> TimeArray:
        """A UTC column as datetime64[us], NaT where empty."""
        column = self.columns.get(name)
        if column is None:
            return np.full(self.rows, np.datetime64("NaT"), dtype="datetime64[us]")
        assert not isinstance(column, Text)  # noqa: S101
        return column.astype("datetime64[us]", copy=False)

    def text(self, name: str) -> Text:
        """A text column; all empty where the file has none."""
        column = self.columns.get(name)
        if column is None:
            return Text.constant(None, self.rows)
        assert isinstance(column, Text)  # noqa: S101
        return column

    def requests(self) -> IntArray:
        """Requests a row: n_requests where filled, else 1 for a request row, 0 for a bucket."""
        counts = self.ints("n_requests")
        return np.where(counts >= 0, counts, 0 if self.granularity == "bucket" else 1)

    def says_requests(self) -> npt.NDArray[np.bool_]:
        """Which rows say how many requests they are; a sum without a count does not."""
        if self.granularity != "bucket":
            return np.ones(self.rows, dtype=np.bool_)
        return np.asarray(self.ints("n_requests") >= 0)

    @property
    def observed(self) -> bool:
        """The file says what was read from or written to a provider's cache."""
        return any(self.has(column) for column in CACHE_COLUMNS)

    @property
    def dated(self) -> bool:
        """At least one row has a real UTC time."""
        return self.has("arrival_utc")


def filled(name: str, column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which rows of a numeric or time column are not empty."""
    if name in TIME_COLUMNS:
        return np.asarray(~np.isnat(column), dtype=np.bool_)
    if name in FLOAT_COLUMNS:
        return np.asarray(~np.isnan(column), dtype=np.bool_)
    if name in COST_COLUMNS:
        return np.asarray(column != EMPTY_COST)
    return np.asarray(column >= 0)


def first_appearance(ids: npt.NDArray[Any]) -> IntArray:
    """Each id replaced by its rank in order of first appearance, from 0."""
    _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int64)
    return np.asarray(rank[inverse.reshape(-1)])


def digest(workload: Workload) -> str:
    """SHA-256 of the normalised workload: what is in it, not what it is called.

    Columns that are wholly empty count as absent; session, request, prefix and block ids are
    replaced by their order of first appearance, so renaming them changes nothing.
    """
    sha = hashlib.sha256()
    sha.update(f"kvledger-workload-1|{workload.rows}|{workload.granularity}".encode())
    for name in ALL_COLUMNS:
        if not workload.has(name):
            continue
        column = workload.columns[name]
        sha.update(f"|{name}|".encode())
        if isinstance(column, Text):
            canonical = column.canonical()
            sha.update(np.ascontiguousarray(canonical.codes, dtype="<i4").tobytes())
            if name not in PRIVATE_COLUMNS:
                for value in canonical.values:
                    sha.update(len(value.encode()).to_bytes(4, "little") + value.encode())
        elif name in TIME_COLUMNS:
            sha.update(column.astype("datetime64[us]").astype("<i8").tobytes())
        elif name in FLOAT_COLUMNS:
            sha.update(np.ascontiguousarray(column, dtype="<f8").tobytes())
        else:
            sha.update(np.ascontiguousarray(column, dtype="<i8").tobytes())
    if workload.prefix is not None:
        _digest_prefix(sha, workload.prefix)
    return sha.hexdigest()


def _digest_prefix(sha: hashlib._Hash, prefix: Prefix) -> None:
    sha.update(f"|prefix|{prefix.scope}|{int(prefix.message_blocks)}|".encode())
    sha.update(np.ascontiguousarray(prefix.offsets, dtype="<i8").tobytes())
    sha.update(first_appearance(prefix.block_ids).astype("<i8").tobytes())
    if isinstance(prefix.block_tokens, int):
        sha.update(str(prefix.block_tokens).encode())
    else:
        sha.update(np.ascontiguousarray(prefix.block_tokens, dtype="<i8").tobytes())
    for part in (prefix.bp_offsets, prefix.bp_blocks, prefix.bp_ttl_s):
        if part is not None:
            sha.update(np.ascontiguousarray(part, dtype="<i8").tobytes())
