"""What a decoded file is. First match wins: Parquet, JSON, server logs, delimited text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from data_sources.traces.base import Decoded
from data_sources.traces.detect_csv import format_of_header, headless, split_header
from data_sources.traces.detect_json import format_of_object, hint_of_object
from data_sources.traces.json_text import (
    NOT_ONE_VALUE,
    items,
    lines_of,
    read_document,
    whole,
)
from data_sources.traces.limits import BROWSER, Limits
from messages.errors import Message, input_error

Shape = Literal["parquet", "json", "jsonl", "csv", "text"]

_LOOKED_AT_RECORDS = 5_000
"""Agent logs may begin with hundreds of rows without a request."""

_HEAD_CHARS = 1 << 18
_KEPT_KEYS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """A format id, the shape of the text, and the column names or top-level keys seen.

    `delimiter` is set for delimited text.
    """

    format: str
    shape: Shape
    columns: frozenset[str] = field(default_factory=frozenset)
    delimiter: str | None = None


def detect(decoded: Decoded, limits: Limits = BROWSER) -> Detection:
    """The format of `decoded`. InputError when it is neither JSON nor a table nor a known log."""
    if decoded.encoding == "binary":
        return _parquet(decoded)
    head = _head(decoded)
    first = head.lstrip()[:1]
    if first == "{":
        return _json(decoded)
    if log := _server_log(head):  # such a line may begin with "[", as a JSON list does
        return log
    return _json(decoded) if first == "[" else _table(decoded, head, limits)


def _parquet(decoded: Decoded) -> Detection:
    from data_sources.traces.text_records import parquet_format  # Arrow only where it is needed

    return Detection(format=parquet_format(decoded) or "generic_parquet", shape="parquet")


def _head(decoded: Decoded) -> str:
    with decoded.path.open("r", encoding="utf-8", newline="") as stream:
        while not (head := stream.read(_HEAD_CHARS)).strip() and head:
            pass
    return head


def _json(decoded: Decoded) -> Detection:
    value = whole(decoded.path)
    shape: Shape = "jsonl" if value is NOT_ONE_VALUE else "json"
    lines = lines_of(decoded.path) if value is NOT_ONE_VALUE else items(value)
    hint: str | None = None
    columns: set[str] = set()
    problem: Message | None = None
    objects = 0
    for line in islice(lines, _LOOKED_AT_RECORDS):
        problem = problem or line.problem
        if not isinstance(line.value, Mapping):
            continue
        objects += 1
        if len(columns) < _KEPT_KEYS:
            columns |= line.value.keys()
        if name := format_of_object(line.value):
            return Detection(format=name, shape=shape, columns=frozenset(columns))
        hint = hint or hint_of_object(line.value)
    if hint:
        return Detection(format=hint, shape=shape, columns=frozenset(columns))
    if objects == 0:
        _refuse_no_object(decoded, shape)
    generic = "generic_json" if shape == "json" else "generic_request_jsonl"
    return Detection(format=generic, shape=shape, columns=frozenset(columns))


def _refuse_no_object(decoded: Decoded, shape: Shape) -> None:
    if shape == "jsonl":
        read_document(decoded)  # names the line and column at which JSON ends
    raise input_error("traces.no_object", file=decoded.source.name)


def _server_log(head: str) -> Detection | None:
    lines = head.splitlines()[:20]
    if any(line.startswith(("# HELP ", "# TYPE ")) for line in lines):
        return Detection(format="vllm_prometheus", shape="text")
    if any(" Engine 0" in ln and "Prefix cache hit rate" in ln for ln in lines):
        return Detection(format="vllm_engine_log", shape="text")
    if any("Finish: " in ln and "input_ids=[" in ln for ln in lines):
        return Detection(format="sglang_request_log", shape="text")
    return None


def _table(decoded: Decoded, head: str, limits: Limits) -> Detection:
    line = next((ln for ln in head.splitlines() if ln.strip()), "")
    delimiter, names = split_header(line)
    if len(names) > limits.columns:
        raise input_error(
            "traces.too_many_columns",
            file=decoded.source.name,
            found=len(names),
            limit=limits.columns,
        )
    without = headless(names)
    if without == "no_header":
        raise input_error("traces.no_header", file=decoded.source.name, found=line.strip()[:80])
    if len(names) < 2:
        raise input_error("traces.not_a_table", file=decoded.source.name)
    return Detection(
        format=without or format_of_header(names),
        shape="csv",
        columns=frozenset(name for name in names if name),
        delimiter=delimiter,
    )
