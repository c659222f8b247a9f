"""Codex session rollouts: running totals become requests, response records are counted once.

Two generations of files. Older ones hold `token_count` events with a running total, which is
re-emitted with new times, restarts, and is replayed at the start of a sub-agent's file; a request
is a change of the total. Newer ones also hold a `token_usage_record` a response; then the totals
are ignored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.builder import Builder
from data_sources.traces.codex_totals import Totals, add_up, record_usage
from data_sources.traces.follow import Follow
from data_sources.traces.json_text import Line, read_lines
from data_sources.traces.source import CHUNK_BYTES
from data_sources.traces.tally import RowRejectedError, Tally
from data_sources.traces.usage import Usage
from data_sources.traces.values import mapping, text, utc_us
from messages.errors import Message

FORMAT = "codex_rollout"
_REPLAY_US = 1_000_000
"""A sub-agent's file begins with its parent's events, all written within a second; no model
answers that fast."""

_RECORD_TYPE = b'"token_usage_record"'
_MODES = {"default": "standard", "auto": None}


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All rollouts of `files` as one workload; a `base.Reader`."""
    log = _Log()
    follow = Follow(files, progress)
    for file in files:
        _Rollout(log, file).read(follow.lines(file, read_lines(file.path)))
    workload = log.builder.workload(
        name=files[0].source.name,
        format_id=FORMAT,
        format_stats=log.stats(),
        options=options,
    )
    return ReadResult(workload=workload, receipt=log.tally.receipt(files, FORMAT, log.builder.rows))


class _Log:
    """What all files together have given."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.builder = Builder()
        self.responses: set[str] = set()
        self.events: set[tuple[Any, ...]] = set()
        self.counts: Counter[str] = Counter()
        self.sums: Counter[str] = Counter()

    def stats(self) -> dict[str, int]:
        """Counts under the format's own names; those of records only where there are any."""
        records = self.counts["token_usage_records"] > 0
        found = dict(self.sums)
        if not records or self.counts["counted_events"]:
            found["token_count_events"] = self.counts["token_count_events"]
            found["counted_events"] = self.counts["counted_events"]
        if records:
            found["token_usage_records"] = self.counts["token_usage_records"]
            found["unique_response_ids"] = len(self.responses)
            found["also_token_count_events"] = self.counts["superseded"]
        return found


class _Rollout:
    """One file: one session, or one sub-agent of a session."""

    def __init__(self, log: _Log, file: Decoded) -> None:
        self.log = log
        self.name = file.source.name
        self.has_records = _has_records(file.path)
        self.session: str | None = None
        self.agent: str | None = None
        self.replays = False
        self.first_us: int | None = None
        self.model: str | None = None
        self.mode: str | None = None
        self.total: Totals | None = None

    def read(self, lines: Iterable[Line]) -> None:
        """Takes every row, in file order: the running total only makes sense so."""
        for line in lines:
            if line.problem is not None:
                self.log.tally.reject(self.name, line.number, line.problem)
            elif not isinstance(line.value, Mapping):
                self.log.tally.ignore("not_an_object")
            else:
                self._row(line.number, line.value)

    def _row(self, number: int, row: Mapping[str, Any]) -> None:
        if self.first_us is None:
            self.first_us = utc_us(row.get("timestamp"))
        payload = mapping(row, "payload")
        kind = row.get("type")
        try:
            if kind == "token_usage_record":
                self._record(number, payload, utc_us(row.get("timestamp")))
                return
            if kind == "event_msg" and payload.get("type") == "token_count":
                self._event(number, payload, utc_us(row.get("timestamp")))
                return
        except RowRejectedError as error:
            self.log.tally.reject(self.name, number, error.reason)
            return
        if kind == "session_meta":
            self._meta(payload)
        elif kind == "turn_context":
            self.model = text(payload, "model") or self.model
            self.mode = text(payload, "service_tier") or self.mode
        self.log.tally.ignore("no_usage")

    def _meta(self, payload: Mapping[str, Any]) -> None:
        """The first one names this file; a replay brings its parent's along as a second."""
        if self.session is not None:
            return
        own = text(payload, "id", "session_id")
        spawn = mapping(payload, "source", "subagent", "thread_spawn")
        parent = text(spawn, "parent_thread_id") or text(payload, "forked_from_id")
        self.replays = "forked_from_id" in payload or bool(mapping(payload, "source", "subagent"))
        self.session = parent or own
        self.agent = own if self.replays else None

    def _record(self, number: int, payload: Mapping[str, Any], moment: int | None) -> None:
        log = self.log
        usage = mapping(payload, "usage")
        response = text(payload, "response_id") or f"{self.name}#{number}"
        log.counts["token_usage_records"] += 1
        if self._is_replay(moment):
            log.tally.ignore("replay")
            return
        if response in log.responses:
            log.tally.collapse("same_response")
            return
        counted = record_usage(usage)
        self._keep(counted, usage, response, moment, text(payload, "thread_id", "session_id"))
        log.responses.add(response)

    def _event(self, number: int, payload: Mapping[str, Any], moment: int | None) -> None:
        log = self.log
        info = mapping(payload, "info")
        if not mapping(info, "total_token_usage"):
            log.tally.ignore("no_usage")
            return
        if self.has_records:
            log.counts["superseded"] += 1
            log.tally.ignore("superseded")
            return
        log.counts["token_count_events"] += 1
        total = Totals.of(mapping(info, "total_token_usage"))
        last = mapping(info, "last_token_usage")
        if self._is_replay(moment):
            self.total = total
            log.tally.ignore("replay")
            return
        event = (self.session, self.agent, moment, total)
        if total == self.total or (moment is not None and event in log.events):
            self.total = total
            log.tally.collapse("re_emitted")
            return
        step, baseline = add_up(self.total, total, last)
        self.total = total
        log.events.add(event)
        if baseline:
            log.tally.assume(Message("traces.assume.codex_baseline"))
        self._keep(step.usage(), step.as_json(), f"{self.name}#{number}", moment, None)
        log.counts["counted_events"] += 1

    def _is_replay(self, moment: int | None) -> bool:
        if not self.replays or moment is None or self.first_us is None:
            return False
        return moment - self.first_us <= _REPLAY_US

    def _keep(
        self,
        usage: Usage,
        stated: Mapping[str, Any],
        request_id: str,
        moment: int | None,
        session: str | None,
    ) -> None:
        log = self.log
        log.builder.add(
            **usage.fields(),
            request_id=request_id,
            session_id=self.session or session,
            agent=self.agent,
            model=self.model,
            provider="openai",
            mode=_MODES.get(self.mode, self.mode) if self.mode else None,
            arrival_utc=moment,
        )
        for key in _SUMMED:
            value = stated.get(key)
            if isinstance(value, (int, float)):
                log.sums[key] += int(value)
        if usage.cache_write_30m_tokens is None:
            log.tally.assume(Message("traces.assume.codex_no_writes"))
        elif usage.assumption is not None:
            log.tally.assume(usage.assumption)
        if moment is None:
            log.tally.assume(Message("traces.assume.no_time"))


_SUMMED = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)


def _has_records(path: Path) -> bool:
    """Looked for in the bytes first: parsing every line twice would double the time."""
    tail = b""
    with path.open("rb") as raw:
        while chunk := raw.read(CHUNK_BYTES):
            if _RECORD_TYPE in tail + chunk:
                return any(_type(line) == "token_usage_record" for line in read_lines(path))
            tail = chunk[-len(_RECORD_TYPE) :]
    return False


def _type(line: Line) -> object:
    return line.value.get("type") if isinstance(line.value, Mapping) else None
