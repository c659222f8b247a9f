"""Chats of the Gemini CLI: a JSON document a session, or JSON Lines that grow.

Cached tokens are inside `input` in some answers and beside it in others; `total` shows which, one
answer at a time. The same message id again replaces the earlier state of the message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.builder import Builder
from data_sources.traces.follow import Follow
from data_sources.traces.json_text import Line, records
from data_sources.traces.tally import RowRejectedError, Tally
from data_sources.traces.usage import Usage, counted, required_input, required_output
from data_sources.traces.values import mapping, text, tokens, utc_us
from messages.errors import Message

FORMAT = "gemini_cli_chat"
ASSUME_INSIDE = Message("traces.assume.gemini_cached_inside")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    file: str
    line: int
    usage: Usage
    tool_tokens: int
    input_as_written: int
    total_as_reported: int
    fields: Mapping[str, Any]


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All chats of `files` as one workload; a `base.Reader`."""
    log = _Log()
    follow = Follow(files, progress)
    for file in files:
        log.session = None
        for line in follow.lines(file, records(file)):
            for number, message in _messages(line):
                log.take(file.source.name, number, message, line)
    builder, kept = Builder(), []
    for answer in log.answers.values():
        try:
            builder.add(**answer.fields)
        except RowRejectedError as error:
            log.tally.reject(answer.file, answer.line, error.reason)
        else:
            kept.append(answer)
            log.note(answer)
    receipt = log.tally.receipt(files, FORMAT, builder.rows)
    workload = builder.workload(
        name=files[0].source.name,
        format_id=FORMAT,
        format_stats={"rows": receipt.rows_read, **log.counts, **_sums(kept)},
        options=options,
    )
    return ReadResult(workload=workload, receipt=receipt)


def _messages(line: Line) -> Iterator[tuple[int, Any]]:
    """The messages of a session document, or the row itself."""
    value = line.value
    if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
        yield from enumerate(value["messages"], start=1)
    else:
        yield line.number, value


class _Log:
    def __init__(self) -> None:
        self.tally = Tally()
        self.counts = Counter({"gemini_messages": 0, "messages_with_tokens": 0})
        self.answers: dict[tuple[str, str], _Answer] = {}
        self.session: str | None = None

    def take(self, file: str, number: int, message: Any, line: Line) -> None:
        """One message of a chat, or a row that is none."""
        if line.problem is not None:
            self.tally.reject(file, number, line.problem)
            return
        if not isinstance(message, Mapping):
            self.tally.ignore("not_an_object")
            return
        outer = line.value if isinstance(line.value, Mapping) else message
        self.session = text(outer, "sessionId") or text(message, "sessionId") or self.session
        if message.get("type") == "gemini":
            self.counts["gemini_messages"] += 1
        if message.get("type") != "gemini" or not mapping(message, "tokens"):
            self.tally.ignore("no_usage")
            return
        self.counts["messages_with_tokens"] += 1
        try:
            self._keep(file, number, message)
        except RowRejectedError as error:
            self.tally.reject(file, number, error.reason)

    def _keep(self, file: str, number: int, message: Mapping[str, Any]) -> None:
        stated = mapping(message, "tokens")
        usage = _usage(stated)
        identity = text(message, "id") or f"{file}#{number}"
        key = (self.session or "", identity)
        if key in self.answers:
            self.tally.collapse("same_message")
        self.answers[key] = _Answer(
            file=file,
            line=number,
            usage=usage,
            tool_tokens=tokens(stated, "tool") or 0,
            input_as_written=tokens(stated, "input") or 0,
            total_as_reported=tokens(stated, "total") or 0,
            fields={
                **usage.fields(),
                "request_id": identity,
                "session_id": self.session,
                "model": text(message, "model"),
                "provider": "google",
                "arrival_utc": utc_us(message.get("timestamp")),
            },
        )

    def note(self, answer: _Answer) -> None:
        """Says what had to be assumed for a kept answer."""
        if answer.usage.assumption is not None:
            self.tally.assume(answer.usage.assumption)
        if answer.fields["arrival_utc"] is None:
            self.tally.assume(Message("traces.assume.no_time"))


def _usage(stated: Mapping[str, Any]) -> Usage:
    """Tool results are part of the prompt; thoughts are billed as output."""
    prompt = required_input(stated, "input")
    output = required_output(stated, "output")
    cached, thoughts = tokens(stated, "cached"), tokens(stated, "thoughts") or 0
    tool, total = tokens(stated, "tool") or 0, tokens(stated, "total")
    inside = prompt + output + thoughts + tool
    beside = total is not None and bool(cached) and total == inside + (cached or 0)
    sure = beside or total == inside or not cached
    return counted(
        Usage(
            input_tokens=prompt + tool + ((cached or 0) if beside else 0),
            output_tokens=output + thoughts,
            cached_read_tokens=cached,
            assumption=None if sure else ASSUME_INSIDE,
        )
    )


def _sums(kept: Sequence[_Answer]) -> dict[str, int]:
    read = sum(a.usage.cached_read_tokens or 0 for a in kept)
    prompt = sum(a.usage.input_tokens - a.tool_tokens for a in kept)
    return {
        "unique_messages": len(kept),
        "input_tokens": sum(a.input_as_written for a in kept),
        "uncached_input_tokens": prompt - read,
        "tool_tokens": sum(a.tool_tokens for a in kept),
        "cached_read_tokens": read,
        "output_plus_thoughts": sum(a.usage.output_tokens for a in kept),
        "uncached_plus_cached": prompt,
        "total_tokens_as_reported": sum(a.total_as_reported for a in kept),
    }
