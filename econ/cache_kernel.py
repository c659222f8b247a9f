"""One cache with breakpoints, served request by request: the rules of `prompt_cache_oracle`.

Only prefixes at which some request sets a breakpoint can ever be stored, so every request is cut to
those. The same function runs as plain Python and, for long workloads, compiled by numba, which is
imported only then.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from econ.structure import Structure
from econ.workload import IntArray

FOREVER_US = 1 << 58
NEVER_US = -(1 << 60)
COMPILE_FROM_ENTRIES = 400_000  # below this plain Python is done before a compiler has started
SHORT, LONG = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """Row i has breakpoints `offsets[i]:offsets[i+1]`, each after `after` >= 1 blocks, ascending,
    with lifetime `slot` SHORT or LONG."""

    offsets: IntArray
    after: IntArray
    slot: IntArray

    @classmethod
    def one(cls, after: IntArray, slot: IntArray | int = SHORT) -> Points:
        """At most one breakpoint a row: after `after` blocks, none where that is 0."""
        placed = after > 0
        slots = np.broadcast_to(np.asarray(slot, dtype=np.int64), after.shape)
        return cls(
            offsets=np.concatenate((np.zeros(1, np.int64), np.cumsum(placed))),
            after=after[placed],
            slot=slots[placed],
        )

    def kept(self, wanted: Any) -> Points:
        """Only the breakpoints of the mask `wanted`."""
        running = np.concatenate((np.zeros(1, np.int64), np.cumsum(wanted)))
        return Points(
            offsets=running[self.offsets], after=self.after[wanted], slot=self.slot[wanted]
        )

    @property
    def row_of(self) -> IntArray:
        """The row of every breakpoint."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def hits(
    structure: Structure,
    points: Points,
    *,
    ttl_us: tuple[int, int],
    lookback: int | None,
    refresh: bool,
) -> IntArray:
    """How many blocks each row reads. `ttl_us` of the slots; rows are served in their order."""
    if not len(points.after):
        return np.zeros(structure.rows, dtype=np.int64)
    entry = structure.offsets[points.row_of] + points.after - 1
    stored = np.zeros(int(structure.node.max()) + 1, dtype=np.bool_)
    stored[structure.node[entry]] = True
    kept = np.flatnonzero(stored[structure.node])
    number = np.cumsum(stored) - 1
    columns = (
        np.searchsorted(kept, structure.offsets),
        number[structure.node[kept]],
        structure.place[kept] + 1,
        points.offsets,
        np.searchsorted(kept, entry),
        points.slot,
        structure.now_us,
        structure.begun_us,
    )
    tables = (
        np.full(2 * int(stored.sum()), NEVER_US, dtype=np.int64),
        np.full(2 * int(stored.sum()), FOREVER_US, dtype=np.int64),
        np.zeros(int(np.diff(points.offsets).max()), dtype=np.int64),
        np.zeros(structure.rows, dtype=np.int64),
    )
    back = lookback if lookback is not None else len(structure.node) + 1
    if len(kept) >= COMPILE_FROM_ENTRIES or "numba" in sys.modules:
        _compiled()(*columns, *tables, ttl_us[SHORT], ttl_us[LONG], back, refresh)
        return tables[-1]
    lists = [column.tolist() for column in (*columns, *tables)]
    serve: Callable[..., None] = _serve
    serve(*lists, ttl_us[SHORT], ttl_us[LONG], back, refresh)
    return np.array(lists[-1], dtype=np.int64)


def compile_ahead() -> None:
    """Compile for large traces now, so that the first of them does not wait; kept on disk."""
    whole = [np.zeros(n, dtype=np.int64) for n in (2, 1, 1, 2, 1, 1, 1, 1, 2, 2, 1, 1)]
    _compiled()(*whole, 1, 1, 1, True)


@cache
def _compiled() -> Callable[..., None]:
    from numba import njit

    compiled: Callable[..., None] = njit(cache=True)(_serve)
    return compiled


def _serve(
    offsets: Any,
    node: Any,
    place: Any,
    point_offsets: Any,
    point_entry: Any,
    point_slot: Any,
    now_us: Any,
    begun_us: Any,
    started: Any,
    readable: Any,
    found: Any,
    result: Any,
    short_us: int,
    long_us: int,
    lookback: int,
    refresh: bool,
) -> None:
    """One function without calls, so that it compiles as it stands. `started` and `readable` hold
    two slots a node; `found` is room for one row's breakpoints."""
    for row in range(len(offsets) - 1):
        now = now_us[row]
        first, last = point_offsets[row], point_offsets[row + 1]
        hit = -1
        for point in range(first, last):
            # The longest readable prefix that this breakpoint finds, looking back.
            entry = point_entry[point]
            lowest = place[entry] - lookback + 1
            seen = -1
            while entry >= offsets[row] and place[entry] >= lowest:
                spot = 2 * node[entry]
                if (now - started[spot] < short_us and readable[spot] <= now) or (
                    now - started[spot + 1] < long_us and readable[spot + 1] <= now
                ):
                    seen = entry
                    break
                entry -= 1
            found[point - first] = seen
            hit = max(hit, seen)
        if refresh:
            for index in range(last - first):
                if found[index] >= 0:
                    spot = 2 * node[found[index]]
                    if now - started[spot] < short_us and readable[spot] <= now:
                        started[spot] = now
                    if now - started[spot + 1] < long_us and readable[spot + 1] <= now:
                        started[spot + 1] = now
        for point in range(first, last):
            entry, slot = point_entry[point], point_slot[point]
            spot = 2 * node[entry]
            if entry > hit:
                ttl_us = long_us if slot == 1 else short_us
                begun = begun_us[row]
                if now - started[spot + slot] < ttl_us:
                    begun = min(begun, readable[spot + slot])
                started[spot + slot] = now
                readable[spot + slot] = begun
            elif now - started[spot] >= short_us and now - started[spot + 1] >= long_us:
                # Inside what was read: kept without a charge, no longer than what was read.
                of_hit = 2 * node[hit]
                if slot == 1 and now - started[of_hit + 1] >= long_us:
                    slot = 0
                started[spot + slot] = now
                readable[spot + slot] = now
        result[row] = place[hit] if hit >= 0 else 0
