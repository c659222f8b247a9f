"""The event stream of `codex exec`: one usage a turn, without time or model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.builder import Builder
from data_sources.traces.codex_totals import Totals
from data_sources.traces.follow import Follow
from data_sources.traces.json_text import Line, read_lines
from data_sources.traces.tally import RowRejectedError, Tally
from data_sources.traces.values import mapping, text
from messages.errors import Message

FORMAT = "codex_exec_json"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    line: int
    thread: str | None
    usage: Totals


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All streams of `files` as one workload; a `base.Reader`."""
    tally, builder, sums = Tally(), Builder(), Counter[str]()
    follow = Follow(files, progress)
    for file in files:
        lines = follow.lines(file, read_lines(file.path))
        for turn in _own_usage(_turns(file, lines, tally), tally):
            try:
                builder.add(
                    **turn.usage.usage().fields(),
                    request_id=f"{file.source.name}#{turn.line}",
                    session_id=turn.thread,
                    provider="openai",
                )
                sums.update(turn.usage.as_json())
            except RowRejectedError as error:
                tally.reject(file.source.name, turn.line, error.reason)
    receipt = tally.receipt(files, FORMAT, builder.rows)
    workload = builder.workload(
        name=files[0].source.name,
        format_id=FORMAT,
        format_stats={"rows": receipt.rows_read, **sums},
        options=options,
    )
    return ReadResult(workload=workload, receipt=receipt)


def _turns(file: Decoded, lines: Iterable[Line], tally: Tally) -> list[_Turn]:
    turns: list[_Turn] = []
    thread: str | None = None
    for line in lines:
        row = _row(file, line, tally)
        if row is None:
            continue
        thread = text(row, "thread_id") or thread
        usage = mapping(row, "usage")
        if row.get("type") != "turn.completed" or not usage:
            tally.ignore("no_usage")
            continue
        try:
            turns.append(_Turn(line=line.number, thread=thread, usage=Totals.of(usage)))
        except RowRejectedError as error:
            tally.reject(file.source.name, line.number, error.reason)
    return turns


def _row(file: Decoded, line: Line, tally: Tally) -> Mapping[str, Any] | None:
    if line.problem is not None:
        tally.reject(file.source.name, line.number, line.problem)
        return None
    if not isinstance(line.value, Mapping):
        tally.ignore("not_an_object")
        return None
    return line.value


def _own_usage(turns: Sequence[_Turn], tally: Tally) -> list[_Turn]:
    """Each turn with its own usage. A thread whose counts only grow reports running totals."""
    own: list[_Turn] = []
    for thread in dict.fromkeys(turn.thread for turn in turns):
        mine = [turn for turn in turns if turn.thread == thread]
        steps = [after.usage.minus(before.usage) for before, after in pairwise(mine)]
        if not steps:
            own.extend(mine)
        elif any(step.falls or step.input_tokens == 0 for step in steps):
            tally.assume(Message("traces.assume.exec_per_turn"))
            own.extend(mine)
        else:
            tally.assume(Message("traces.assume.exec_cumulative"))
            own.append(mine[0])
            own.extend(
                _Turn(line=turn.line, thread=thread, usage=step)
                for turn, step in zip(mine[1:], steps, strict=True)
            )
    return own
