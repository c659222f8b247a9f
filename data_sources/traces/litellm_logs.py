"""LiteLLM's spend logs, as CSV or JSON: one row a call, with what the gateway says it cost.

`prompt_tokens` holds reads and writes too, whoever serves the call; the split stands in
`metadata.usage_object`. Some releases leave cached tokens out of it for some kinds of call: one row
that cannot be meant the first way turns the meaning for its file and kind of call.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.builder import Builder, cost_e13
from data_sources.traces.detect_csv import split_header
from data_sources.traces.follow import Follow
from data_sources.traces.json_text import Line, NotJsonError, parse, records
from data_sources.traces.line_numbers import unclosed_quote
from data_sources.traces.tally import RowRejectedError, Tally
from data_sources.traces.usage import (
    ASSUME_5M,
    ASSUME_30M,
    Usage,
    counted,
    required_input,
    required_output,
)
from data_sources.traces.values import mapping, text, tokens, utc_us, zone
from messages.errors import Message, input_error

FORMAT = "litellm_spend_logs"
_FAILED = "failure"
_THIRTY_MINUTES = frozenset({"openai", "azure-openai"})
"""Providers whose writes live for 30 minutes unless the row says otherwise; 5 elsewhere."""

_PROVIDERS = {
    "azure": "azure-openai",
    "azure_ai": "azure-openai",
    "bedrock_converse": "bedrock",
    "dashscope": "alibaba",
    "fireworks_ai": "fireworks",
    "gemini": "google",
    "together_ai": "together",
    "vertex_ai": "vertex",
}
_KEPT = ("request_id", "session_id", "model", "custom_llm_provider", "end_user", "user", "team_id",
         "api_key", "status", "startTime", "spend")  # fmt: skip
"""Columns that are looked at again; prompts and answers are let go of at once."""

Group = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    file: str
    line: int
    row: Mapping[str, Any]
    group: Group
    prompt_tokens: int
    read: int | None
    written: int | None
    written_1h: int | None
    output_tokens: int


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """The calls of all `files`, each once; a `base.Reader`. Times without a zone are UTC."""
    tally, follow = Tally(), Follow(files, progress)
    calls: list[_Call] = []
    beside: set[Group] = set()
    for file in files:
        for line in follow.lines(file, _lines(file)):
            try:
                call = _call(file, line, tally)
            except RowRejectedError as error:
                tally.reject(file.source.name, line.number, error.reason)
                continue
            if call is not None:
                calls.append(call)
                if (call.read or 0) + (call.written or 0) > call.prompt_tokens:
                    beside.add(call.group)
    builder, sums = Builder(max(file.max_rows for file in files)), Counter[str]()
    known: set[str] = set()
    for call in calls:
        try:
            _add(call, call.group in beside, builder, tally, known, options)
        except RowRejectedError as error:
            tally.reject(call.file, call.line, error.reason)
            continue
        sums.update(prompt_tokens=call.prompt_tokens, completion_tokens=call.output_tokens,
                    cached_tokens=call.read or 0,
                    cache_creation_tokens=call.written or 0)  # fmt: skip
    for name, kind in sorted(beside):
        tally.assume(Message("traces.assume.litellm_beside", {"file": name, "call_type": kind}))
    receipt = tally.receipt(files, FORMAT, builder.rows)
    workload = builder.workload(
        name=files[0].source.name,
        format_id=FORMAT,
        format_stats={"rows": receipt.rows_read, **sums},
        options=options,
    )
    return ReadResult(workload=workload, receipt=receipt)


def _lines(file: Decoded) -> Iterator[Line]:
    """JSON as it is, or the records of a CSV as the same objects."""
    with file.path.open("r", encoding="utf-8") as stream:
        first = next((line for line in stream if line.strip("\ufeff \t\r\n")), "")
    if first.lstrip("\ufeff \t")[:1] in ("{", "["):
        yield from records(file)
        return
    delimiter, _ = split_header(first.removeprefix("\ufeff"))
    open_at = unclosed_quote(file.path, delimiter)
    if open_at is not None:
        raise input_error("columnar.unclosed_quote", file=file.source.name, line=open_at)
    with file.path.open("r", encoding="utf-8-sig", newline="") as stream:
        rows = csv.DictReader(stream, delimiter=delimiter)
        try:
            for row in rows:
                size = sum(len(cell) for cell in row.values() if isinstance(cell, str))
                yield Line(rows.line_num, row, None, size)
        except csv.Error as error:
            raise input_error(
                "traces.litellm_cell", file=file.source.name, line=rows.line_num
            ) from error


def _call(file: Decoded, line: Line, tally: Tally) -> _Call | None:
    """One row's counts; None where it is no call. RowRejectedError where it cannot be used."""
    if line.problem is not None:
        raise RowRejectedError(line.problem)
    row = line.value
    if not isinstance(row, Mapping):
        tally.ignore("not_an_object")
        return None
    usage = mapping(_metadata(row), "usage_object")
    if not usage and row.get("status") == _FAILED and not tokens(row, "prompt_tokens"):
        tally.ignore("failed")
        return None
    details = mapping(usage, "prompt_tokens_details")
    split = mapping(details, "cache_creation_token_details") or mapping(
        usage, "cache_creation_token_details"
    )
    return _Call(
        file=file.source.name,
        line=line.number,
        row={name: row.get(name) for name in _KEPT},
        group=(file.source.name, text(row, "call_type") or "-"),
        prompt_tokens=required_input(row, "prompt_tokens"),
        read=_first(tokens(details, "cached_tokens"), tokens(usage, "cache_read_input_tokens")),
        written=_first(
            tokens(usage, "cache_creation_input_tokens"),
            tokens(details, "cache_creation_tokens"),
            tokens(details, "cache_write_tokens"),
        ),
        written_1h=tokens(split, "ephemeral_1h_input_tokens"),
        output_tokens=required_output(row, "completion_tokens"),
    )


def _first(*counts: int | None) -> int | None:
    """The first count that is there; a count above zero before a zero."""
    said = [count for count in counts if count is not None]
    return max(said, default=None)


def _metadata(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The column as an object: a database holds it as text, the API as an object."""
    value = row.get("metadata")
    if isinstance(value, str):
        try:
            value = parse(value)
        except NotJsonError:
            return {}
    return value if isinstance(value, Mapping) else {}


def _add(
    call: _Call,
    beside: bool,
    builder: Builder,
    tally: Tally,
    known: set[str],
    options: ReadOptions,
) -> None:
    cost = cost_e13(call.row.get("spend"))
    number = text(call.row, "request_id")
    if number in known:
        tally.collapse("same_response", cost_e13=cost)
        return
    usage = _usage(call, beside)
    arrival_us = utc_us(call.row.get("startTime"), zone(options.tz or "UTC"))
    builder.add(
        **usage.fields(),
        request_id=number,
        session_id=text(call.row, "session_id"),
        model=text(call.row, "model"),
        provider=_provider(call.row),
        user=text(call.row, "end_user", "user"),
        team=text(call.row, "team_id"),
        api_key=text(call.row, "api_key"),
        failed=int(call.row.get("status") == _FAILED),
        arrival_utc=arrival_us,
        observed_cost_e13=cost,
    )
    if number is not None:
        known.add(number)
    if arrival_us is None:
        tally.assume(Message("traces.assume.no_time"))
    if usage.assumption is not None:
        tally.assume(usage.assumption)


def _usage(call: _Call, beside: bool) -> Usage:
    """The tokens in buckets. A lifetime that the row does not say is the provider's shorter one."""
    long = call.written_1h or 0
    written = None if call.written is None else max(call.written - long, 0)
    total = call.prompt_tokens + (((call.read or 0) + (call.written or 0)) if beside else 0)
    usage = Usage(
        input_tokens=total,
        output_tokens=call.output_tokens,
        cached_read_tokens=call.read,
        cache_write_1h_tokens=call.written_1h,
    )
    if _provider(call.row) in _THIRTY_MINUTES:
        assumed = ASSUME_30M if written else None
        return counted(replace(usage, cache_write_30m_tokens=written or None, assumption=assumed))
    assumed = ASSUME_5M if written and call.written_1h is None else None
    return counted(replace(usage, cache_write_5m_tokens=written, assumption=assumed))


def _provider(row: Mapping[str, Any]) -> str | None:
    """Who bills, in the price book's words."""
    name = text(row, "custom_llm_provider")
    return None if name is None else _PROVIDERS.get(name.casefold(), name.casefold())
