"""Logs that say what was read and written, but not what the prompts hold: entries by conversation.

A request that continues a conversation can read what the one before it left. Each written entry
carries its own lifetime; a read restarts that of the entry that it found. What cannot be told from
lengths and times alone stays open: a prompt that grew may still have been changed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from econ.cache_kernel import COMPILE_FROM_ENTRIES
from econ.workload import IntArray

ROOM = 16
"""Entries kept for one conversation; the shortest makes room."""
OPEN_US = -1
"""The lifetime of an entry of which the provider promises none."""
COMPILE_FROM_ROWS = COMPILE_FROM_ENTRIES // 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """What is known of each row. `chain`: conversation and cache scope, -1 = none. `writes` by
    lifetime, longest first, `ttl_us` those lifetimes. `automatic`: every prompt is stored, for a
    time that nobody promises. `shortest_us`: the lifetime of an entry whose writer was not seen."""

    chain: IntArray
    now_us: IntArray
    begun_us: IntArray
    prompt: IntArray
    read: IntArray
    writes: Sequence[IntArray]
    ttl_us: Sequence[int]
    automatic: IntArray
    shortest_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Prompt tokens of each row that the conversation had left, by how they stood; 0 for none.
    `held`: the longest entry, at most the prompt; `before`: the previous prompt's tokens, -1 for
    the first of a chain."""

    alive: IntArray
    open: IntArray
    parallel: IntArray
    expired: IntArray
    late_us: IntArray
    held: IntArray
    before: IntArray


def left_by(calls: Calls) -> Left:
    """What each row found."""
    rows = len(calls.chain)
    order = np.argsort(calls.chain, kind="stable").astype(np.int64)
    order = order[calls.chain[order] >= 0]
    results = [np.zeros(rows, dtype=np.int64) for _ in range(6)]
    results.append(np.full(rows, -1, dtype=np.int64))
    writes = np.stack(calls.writes, axis=1) if calls.writes else np.zeros((rows, 0), np.int64)
    columns = (
        order, calls.chain, calls.now_us, calls.begun_us, calls.prompt, calls.read,
        calls.automatic.astype(np.int64), np.ascontiguousarray(writes, dtype=np.int64),
        np.array(calls.ttl_us, dtype=np.int64),
        *(np.zeros(ROOM, dtype=np.int64) for _ in range(4)),
    )  # fmt: skip
    if rows >= COMPILE_FROM_ROWS or "numba" in sys.modules:
        _compiled()(*columns, *results, calls.shortest_us, ROOM)
    else:
        lists = [column.tolist() for column in (*columns, *results)]
        follow: Callable[..., None] = _follow
        follow(*lists, calls.shortest_us, ROOM)
        results = [np.array(found, dtype=np.int64) for found in lists[-len(results) :]]
    alive, open_, parallel, expired, late, held, before = results
    return Left(
        alive=alive, open=open_, parallel=parallel, expired=expired, late_us=late, held=held,
        before=before,
    )  # fmt: skip


@cache
def _compiled() -> Callable[..., None]:
    from numba import njit

    compiled: Callable[..., None] = njit(cache=True)(_follow)
    return compiled


def _follow(
    order: Any,
    chain: Any,
    now_us: Any,
    begun_us: Any,
    prompt: Any,
    read: Any,
    automatic: Any,
    writes: Any,
    ttl_us: Any,
    at: Any,
    ttl: Any,
    started: Any,
    readable: Any,
    alive: Any,
    open_: Any,
    parallel: Any,
    expired: Any,
    late_us: Any,
    held: Any,
    before: Any,
    shortest_us: int,
    room: int,
) -> None:
    """One function without calls, so that it compiles as it stands. `at`, `ttl`, `started` and
    `readable` are the entries of one conversation at a time, `count` of them."""
    count, last = 0, -1
    for row in order:
        if last < 0 or chain[last] != chain[row]:
            count = 0
        else:
            before[row] = prompt[last]
        now, hit, size = now_us[row], read[row], prompt[row]
        reach = hit
        for kind in range(len(ttl_us)):
            reach += writes[row][kind]
        if automatic[row]:
            reach = size
        for one in range(count):
            held[row] = max(held[row], min(at[one], size))
            end = min(at[one], reach)
            if end <= hit:
                continue
            age = now - started[one]
            if readable[one] > now:
                parallel[row] = max(parallel[row], end)
            elif ttl[one] < 0:
                open_[row] = max(open_[row], end)
            elif age < ttl[one]:
                alive[row] = max(alive[row], end)
            else:
                late = age - ttl[one]
                if end > expired[row] or (end == expired[row] and late < late_us[row]):
                    expired[row] = end
                    late_us[row] = late
        shrunk = before[row] > size
        found, left = False, 0
        for one in range(count):
            if shrunk and at[one] > hit:
                continue  # another branch, or none: nobody can tell any more
            at[left], ttl[left] = at[one], ttl[one]
            started[left], readable[left] = started[one], readable[one]
            if at[left] == hit:
                started[left] = now
                found = True
            left += 1
        count = left
        if hit > 0 and not found and not automatic[row]:
            if count == room:
                count -= 1
            at[count], ttl[count], started[count], readable[count] = hit, shortest_us, now, now
            count += 1
        end = hit
        for kind in range(len(ttl_us) + 1):
            lifetime = -1
            if kind < len(ttl_us):
                if writes[row][kind] <= 0:
                    continue
                end += writes[row][kind]
                lifetime = ttl_us[kind]
            elif automatic[row]:
                end = size
            else:
                continue
            spot = count
            for one in range(count):
                if at[one] == end and ttl[one] == lifetime:
                    spot = one
            if spot == count:
                if count == room:
                    spot = 0
                    for one in range(count):
                        if at[one] < at[spot]:
                            spot = one
                else:
                    count += 1
            at[spot], ttl[spot] = end, lifetime
            started[spot], readable[spot] = now, begun_us[row]
        last = row
