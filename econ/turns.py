"""What a request can share with the one before it in its chain, where the file names no prefixes.

Two bounds. A trace with sessions alone: at best each turn's prompt contains the previous prompt and
answer, at worst nothing is shared. A log with observed tokens: at most what the previous request
left in the cache, at least what this one read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from econ.structure import times_us
from econ.workload import WRITE_COLUMNS, IntArray, Workload

SESSION_CHAIN = ("session_id", "agent")
OBSERVED_CHAIN = ("session_id", "agent", "model")
NO_ROW = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Per row: `prompt`; `most` and `least` tokens that the previous request of the chain may have
    stored; `stored` tokens up to this row's own breakpoint; `gap_us` since the previous request, -1
    for the first of a chain or where the previous one had not begun to be answered."""

    rows: int
    prompt: IntArray
    most: IntArray
    least: IntArray
    stored: IntArray
    gap_us: IntArray
    observed: bool


def turns_of(workload: Workload) -> Turns | None:
    """The turns of `workload`; None where it has neither sessions nor observed tokens."""
    if workload.observed:
        return _observed(workload)
    return _sessions(workload) if workload.has("session_id") else None


def previous_rows(workload: Workload, names: tuple[str, ...]) -> IntArray:
    """For each row the row before it with the same text in the columns `names`, NO_ROW if none."""
    columns = [workload.text(name).codes.astype(np.int64) for name in names]
    order = np.lexsort((np.arange(workload.rows), *reversed(columns)))
    same = np.ones(max(len(order) - 1, 0), dtype=np.bool_)
    for column in columns:
        same &= column[order[1:]] == column[order[:-1]]
    previous = np.full(workload.rows, NO_ROW, dtype=np.int64)
    previous[order[1:][same]] = order[:-1][same]
    return previous


def gaps_us(workload: Workload, previous: IntArray) -> IntArray:
    """Microseconds since the previous request began; -1 where there is none."""
    now, _ = times_us(workload)
    return np.where(previous >= 0, now - now[previous], -1)


def written_tokens(workload: Workload) -> IntArray:
    """Observed writes of every lifetime together."""
    zero = np.zeros(workload.rows, dtype=np.int64)
    return sum((workload.counts(c) for c in WRITE_COLUMNS if workload.has(c)), zero)


def _readable_gaps(workload: Workload, previous: IntArray) -> IntArray:
    now, begun = times_us(workload)
    readable = (previous >= 0) & (begun[previous] <= now)
    return np.where(readable, gaps_us(workload, previous), -1)


def _sessions(workload: Workload) -> Turns:
    prompt = workload.counts("input_tokens")
    previous = previous_rows(workload, SESSION_CHAIN)
    previous[workload.text("session_id").codes < 0] = NO_ROW
    before = prompt[previous]
    holds = prompt >= before + workload.counts("output_tokens")[previous]
    return Turns(
        rows=workload.rows,
        prompt=prompt,
        most=np.where((previous >= 0) & holds, before, 0),
        least=np.zeros(workload.rows, dtype=np.int64),
        stored=prompt,
        gap_us=_readable_gaps(workload, previous),
        observed=False,
    )


def _observed(workload: Workload) -> Turns:
    prompt, read = workload.counts("input_tokens"), workload.counts("cached_read_tokens")
    held = read + written_tokens(workload)
    previous = previous_rows(workload, OBSERVED_CHAIN)
    most = np.minimum(np.where(previous >= 0, held[previous], 0), prompt)
    return Turns(
        rows=workload.rows,
        prompt=prompt,
        most=np.maximum(most, np.where(previous >= 0, read, 0)),
        least=np.where(previous >= 0, read, 0),
        stored=np.maximum(held, most),
        gap_us=_readable_gaps(workload, previous),
        observed=True,
    )
