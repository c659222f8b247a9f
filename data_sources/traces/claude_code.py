"""Claude Code session logs: one answer is many rows, counted once over all files.

Every content block of an answer is written as a row that repeats the same usage, streaming rows
grow, sub-agent files repeat rows of their parent, and a replayed side chain repeats an answer
under another request id. So rows are collapsed by message id alone, and the largest is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.builder import Builder, cost_e13
from data_sources.traces.follow import Follow
from data_sources.traces.json_text import Line, read_lines
from data_sources.traces.tally import RowRejectedError, Tally
from data_sources.traces.usage import Usage, anthropic_usage
from data_sources.traces.values import mapping, text, utc_us
from messages.errors import Message

FORMAT = "claude_code_jsonl"
SYNTHETIC_MODEL = "<synthetic>"
SIDECHAIN = "sidechain"
_NO_GEO = frozenset({"not_available", "global"})


@dataclass(slots=True, kw_only=True)
class _Answer:
    """One answer of the model: the largest of its rows, the earliest of its times."""

    file: str
    line: int
    message_id: str
    usage: Usage
    session_id: str | None
    agent: str | None
    model: str | None
    mode: str | None
    geo: str | None
    moment_us: int | None
    cost: int | None


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All sessions of `files` as one workload; a `base.Reader`."""
    log = _Log()
    follow = Follow(files, progress)
    for file in files:
        for line in follow.lines(file, read_lines(file.path)):
            log.take(file.source.name, line)
    builder = Builder()
    kept: list[Usage] = []
    for answer in log.answers.values():
        try:
            builder.add(**_fields(answer))
        except RowRejectedError as error:
            log.tally.reject(answer.file, answer.line, error.reason)
        else:
            kept.append(answer.usage)
            log.note(answer)
    workload = builder.workload(
        name=files[0].source.name,
        format_id=FORMAT,
        format_stats=log.stats(kept),
        options=options,
    )
    return ReadResult(workload=workload, receipt=log.tally.receipt(files, FORMAT, builder.rows))


class _Log:
    """What was seen so far, over all files."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.answers: dict[str, _Answer] = {}
        self.rows_with_usage = 0
        self.agent_files: dict[str, str] = {}

    def take(self, file: str, line: Line) -> None:
        """One row: an answer, a repetition of one, or nothing to count."""
        if line.problem is not None:
            self.tally.reject(file, line.number, line.problem)
            return
        row = line.value
        if not isinstance(row, Mapping):
            self.tally.ignore("not_an_object")
            return
        message = mapping(row, "message")
        if row.get("type") != "assistant" or not mapping(message, "usage"):
            self.tally.ignore("no_usage")
        elif message.get("model") == SYNTHETIC_MODEL:
            self.tally.ignore("synthetic")
        else:
            self.rows_with_usage += 1
            self._answer(file, line.number, row, message)

    def _answer(
        self, file: str, line: int, row: Mapping[str, Any], message: Mapping[str, Any]
    ) -> None:
        try:
            usage = anthropic_usage(mapping(message, "usage"))
        except RowRejectedError as error:
            self.tally.reject(file, line, error.reason)
            return
        identity = text(message, "id") or text(row, "uuid") or f"{file}#{line}"
        found = _Answer(
            file=file,
            line=line,
            message_id=identity,
            usage=usage,
            session_id=text(row, "sessionId"),
            agent=text(row, "agentId") or self._agent_of(file, row),
            model=text(message, "model"),
            mode=_mode(mapping(message, "usage")),
            geo=text(mapping(message, "usage"), "inference_geo"),
            moment_us=utc_us(row.get("timestamp")),
            cost=cost_e13(row.get("costUSD")),
        )
        known = self.answers.get(identity)
        self.answers[identity] = found if known is None else self._merged(known, found)

    def _agent_of(self, file: str, row: Mapping[str, Any]) -> str | None:
        """The sub-agent of a row that names none: one a sub-agent's file, None for the session
        itself. Numbered, because what a file is called is no part of a workload."""
        stem = PurePosixPath(file.replace("\\", "/")).name
        if stem.startswith("agent-"):
            return self.agent_files.setdefault(file, f"agent-{len(self.agent_files) + 1}")
        return SIDECHAIN if row.get("isSidechain") is True else None

    def _merged(self, known: _Answer, found: _Answer) -> _Answer:
        """The larger of two rows of one answer (the later on a tie), with what both say."""
        kept, dropped = (
            (found, known) if found.usage.tokens >= known.usage.tokens else (known, found)
        )
        self.tally.collapse("same_message", cost_e13=dropped.cost)
        moments = [m for m in (known.moment_us, found.moment_us) if m is not None]
        kept.moment_us = min(moments, default=None)
        kept.agent = _less_nested(known.agent, found.agent)
        kept.session_id = known.session_id or found.session_id
        return kept

    def note(self, answer: _Answer) -> None:
        """Says what had to be assumed for a kept answer."""
        if answer.usage.assumption is not None:
            self.tally.assume(answer.usage.assumption)
        if answer.moment_us is None:
            self.tally.assume(Message("traces.assume.no_time"))

    def stats(self, kept: Sequence[Usage]) -> dict[str, int]:
        """Counts beside those of every workload; `deduped_input` is the uncached input."""
        read = sum(u.cached_read_tokens or 0 for u in kept)
        write_5m = sum(u.cache_write_5m_tokens or 0 for u in kept)
        write_1h = sum(u.cache_write_1h_tokens or 0 for u in kept)
        return {
            "assistant_rows_with_usage": self.rows_with_usage,
            "unique_messages": len(kept),
            "deduped_input": sum(u.input_tokens for u in kept) - read - write_5m - write_1h,
            "deduped_write_5m": write_5m,
            "deduped_write_1h": write_1h,
            "deduped_read": read,
            "deduped_output": sum(u.output_tokens for u in kept),
        }


def _fields(answer: _Answer) -> dict[str, Any]:
    provider = _provider(answer.model)
    return {
        **answer.usage.fields(),
        "request_id": answer.message_id,
        "session_id": answer.session_id,
        "agent": answer.agent,
        "model": answer.model,
        "provider": provider,
        "surface": ("us" if answer.geo == "us" else "global") if provider == "anthropic" else None,
        "mode": answer.mode,
        "geo": None if answer.geo in _NO_GEO else answer.geo,
        "arrival_utc": answer.moment_us,
        "observed_cost_e13": answer.cost,
    }


def _less_nested(first: str | None, second: str | None) -> str | None:
    """Of two rows of one answer: the session itself before a sub-agent, a name before none."""
    if first is None or second is None:
        return None
    return second if first == SIDECHAIN else first


def _mode(usage: Mapping[str, Any]) -> str | None:
    """fast, batch, priority or standard, as far as the usage says."""
    if usage.get("speed") == "fast":
        return "fast"
    return text(usage, "service_tier") or text(usage, "speed")


def _provider(model: str | None) -> str | None:
    """Who bills. Claude Code also runs against Bedrock and against other makers' endpoints;
    the latter stay empty, which means the model's maker."""
    if model and "anthropic.claude" in model:
        return "bedrock"
    return "anthropic" if model and model.startswith("claude") else None
