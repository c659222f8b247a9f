"""TraceLab: one row a round of a coding agent (Claude Code or Codex), with what its cache read.

A request arrives with the last message or tool result before the answer begins. Reasoning is part
of the output. Claude's rows say what was written to the cache but not for how long.
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
from data_sources.traces.usage import ASSUME_5M, Usage, counted, required_output
from data_sources.traces.values import text, tokens, utc_us
from messages.errors import Message

FORMAT = "tracelab_rounds"
_PROVIDERS = {"claude": "anthropic", "codex": "openai"}
_INPUTS = frozenset({"user_message", "tool_result"})
_OUTPUTS = frozenset({"reasoning", "text", "tool_call"})


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """The rounds of all `files`, each once; a `base.Reader`."""
    log = _Log(max(file.max_rows for file in files))
    follow = Follow(files, progress)
    for file in files:
        for line in follow.lines(file, records(file)):
            try:
                log.take(line)
            except RowRejectedError as error:
                log.tally.reject(file.source.name, line.number, error.reason)
    workload = log.builder.workload(
        name=files[0].source.name, format_id=FORMAT, format_stats=log.stats(), options=options
    )
    receipt = log.tally.receipt(files, FORMAT, log.builder.rows)
    return ReadResult(workload=workload, receipt=receipt)


class _Log:
    """Rounds as they come: a round that comes again, from any file, is counted once."""

    def __init__(self, max_rows: int) -> None:
        self.tally = Tally()
        self.builder = Builder(max_rows)
        self._counts = Counter[str]()
        self._known: set[tuple[str | None, str, int | None]] = set()

    def take(self, line: Line) -> None:
        """One line; RowRejectedError where it is no round."""
        if line.problem is not None:
            raise RowRejectedError(line.problem)
        row = line.value
        if not isinstance(row, Mapping):
            raise RowRejectedError(Message("columnar.not_an_object"))
        usage, fresh = _usage(row)
        session, number = text(row, "session_id"), text(row, "round_id")
        arrival_us = _arrival_us(row.get("timing_events"))
        if number is not None:
            key = (session, number, arrival_us)
            if key in self._known:
                self.tally.collapse("same_round")
                return
            self._known.add(key)
        agent = (text(row, "provider") or "").lower()
        self.builder.add(
            **usage.fields(),
            request_id=number,
            session_id=session,
            model=text(row, "model"),
            provider=_PROVIDERS.get(agent, agent),
            project=text(row, "project"),
            arrival_utc=arrival_us,
        )
        self._count(agent, usage, fresh)
        if arrival_us is None:
            self.tally.assume(Message("traces.assume.no_time"))

    def _count(self, agent: str, usage: Usage, fresh: int) -> None:
        if usage.cache_write_5m_tokens:
            self.tally.assume(ASSUME_5M)
        self._counts["rows"] += 1
        self._counts["total_input_tokens"] += usage.input_tokens
        if agent in _PROVIDERS:
            self._counts[f"rows_{agent}"] += 1
        self._counts["prefix_tokens"] += usage.cached_read_tokens or 0
        self._counts["newly_append_tokens"] += fresh
        self._counts["cache_creation_tokens"] += usage.cache_write_5m_tokens or 0

    def stats(self) -> dict[str, Any]:
        """The counts under the names of the catalogue."""
        found: dict[str, Any] = dict(self._counts)
        whole = found.pop("total_input_tokens", 0)
        if whole:
            found["provider_reported_hit_ratio"] = round(found["prefix_tokens"] / whole, 6)
        found["rows"] = found.get("rows", 0) + self.tally.rows_rejected
        return found


def _usage(row: Mapping[str, Any]) -> tuple[Usage, int]:
    """(tokens of the round, those that were appended since the last one)."""
    read, fresh = tokens(row, "prefix_tokens"), tokens(row, "newly_append_tokens")
    whole = tokens(row, "input_tokens_total")
    if whole is None and read is None and fresh is None:
        raise RowRejectedError(Message("columnar.no_input"))
    whole = (read or 0) + (fresh or 0) if whole is None else whole
    if read is not None and fresh is not None and read + fresh != whole:
        parts = read + fresh
        raise RowRejectedError(
            Message("columnar.parts_are_not_total", {"parts": parts, "total": whole})
        )
    usage = Usage(
        input_tokens=whole,
        output_tokens=required_output(row, "output_tokens"),
        cached_read_tokens=read,
        cache_write_5m_tokens=tokens(row, "claude_cache_creation_input_tokens"),
    )
    return counted(usage), fresh if fresh is not None else whole - (read or 0)


def _arrival_us(events: object) -> int | None:
    """Microseconds of the last input before the first output, else of the first event."""
    if not isinstance(events, list):
        return None
    timed = [
        (at, str(event.get("event_type")))
        for event in events
        if isinstance(event, Mapping) and (at := utc_us(event.get("timestamp"))) is not None
    ]
    timed.sort(key=lambda event: event[0])
    arrival = None
    for at, kind in timed:
        if kind in _OUTPUTS:
            break
        if kind in _INPUTS:
            arrival = at
    if arrival is not None:
        return arrival
    return timed[0][0] if timed else None
