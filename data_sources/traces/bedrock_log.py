"""Bedrock's model invocation log: one JSON object a call.

Cache reads and writes are counted beside the input tokens. Bodies of prompts and answers may stand
in the log and are never kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.builder import Builder
from data_sources.traces.follow import Follow
from data_sources.traces.json_text import Line, records
from data_sources.traces.tally import RowRejectedError, Tally
from data_sources.traces.usage import ASSUME_5M, Usage, counted, required_input, required_output
from data_sources.traces.values import mapping, text, tokens, utc_us
from messages.errors import Message

FORMAT = "bedrock_invocation_log"


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """The calls of all `files`, each once; a `base.Reader`."""
    log = _Log(max(file.max_rows for file in files))
    follow = Follow(files, progress)
    for file in files:
        for line in follow.lines(file, records(file)):
            try:
                log.take(line)
            except RowRejectedError as error:
                log.tally.reject(file.source.name, line.number, error.reason)
    receipt = log.tally.receipt(files, FORMAT, log.builder.rows)
    workload = log.builder.workload(
        name=files[0].source.name,
        format_id=FORMAT,
        format_stats={"rows": receipt.rows_read, **log.sums},
        options=options,
    )
    return ReadResult(workload=workload, receipt=receipt)


class _Log:
    """Calls as they come; a call that is delivered again, in any file, counts once."""

    def __init__(self, max_rows: int) -> None:
        self.tally = Tally()
        self.builder = Builder(max_rows)
        self.sums = Counter[str]()
        self._known: set[str] = set()

    def take(self, line: Line) -> None:
        """One line; RowRejectedError where it is no call that can be billed."""
        if line.problem is not None:
            raise RowRejectedError(line.problem)
        call = line.value
        if not isinstance(call, Mapping):
            self.tally.ignore("not_an_object")
            return
        if call.get("errorCode") and not mapping(call, "output").get("outputTokenCount"):
            self.tally.ignore("failed")
            return
        if "inputTokenCount" not in mapping(call, "input"):
            self.tally.ignore("no_usage")
            return
        usage, written = _usage(call)
        number = text(call, "requestId")
        if number in self._known:
            self.tally.collapse("same_response")
            return
        arrival_us = utc_us(call.get("timestamp"))
        self.builder.add(
            **usage.fields(),
            request_id=number,
            model=_model(call),
            provider="bedrock",
            geo=text(call, "region"),
            user=text(mapping(call, "identity"), "arn"),
            arrival_utc=arrival_us,
        )
        if number is not None:
            self._known.add(number)
        if arrival_us is None:
            self.tally.assume(Message("traces.assume.no_time"))
        if usage.assumption is not None:
            self.tally.assume(usage.assumption)
        self._count(call, usage, written)

    def _count(self, call: Mapping[str, Any], usage: Usage, written: int) -> None:
        self.sums["inputTokenCount"] += tokens(mapping(call, "input"), "inputTokenCount") or 0
        self.sums["cacheRead"] += usage.cached_read_tokens or 0
        self.sums["cacheWrite"] += written
        self.sums["outputTokenCount"] += usage.output_tokens


def _usage(call: Mapping[str, Any]) -> tuple[Usage, int]:
    """(tokens of the call, those of them that were written)."""
    prompt = mapping(call, "input")
    uncached = required_input(prompt, "inputTokenCount")
    read = tokens(prompt, "cacheReadInputTokenCount")
    written = tokens(prompt, "cacheWriteInputTokenCount")
    usage = Usage(
        input_tokens=uncached + (read or 0) + (written or 0),
        output_tokens=required_output(mapping(call, "output"), "outputTokenCount"),
        cached_read_tokens=read,
        cache_write_5m_tokens=written,
        assumption=ASSUME_5M if written else None,
    )
    return counted(usage), written or 0


def _model(call: Mapping[str, Any]) -> str | None:
    """The model or profile, without the address in front of it: an address names the account."""
    found = text(call, "modelId")
    return found.rsplit("/", 1)[-1] if found else None
