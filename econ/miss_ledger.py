"""What was stored where, and until when, at the moment each request came: why it read no more.

`cache_kernel` decides what a request reads. Here that is given, by the file or by such a
simulation, and entries are kept by the same rules beside it, so that what lies behind the read
tokens can be named: living, out of look-back, expired and by how long, or not yet readable.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from econ.cache_kernel import COMPILE_FROM_ENTRIES, FOREVER_US, NEVER_US, Points
from econ.structure import Structure
from econ.workload import IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Leading blocks of each row up to the longest entry of each kind that lies behind what it
    read, 0 for none. `late_us`: how long ago the expired one ended."""

    alive: IntArray
    parallel: IntArray
    back: IntArray
    expired: IntArray
    late_us: IntArray


def stored_behind(
    structure: Structure,
    points: Points,
    read_blocks: IntArray,
    *,
    ttl_us: tuple[int, int],
    lookback: int | None,
    refresh: bool,
) -> Stored:
    """What stood behind the first `read_blocks` blocks of each row. `ttl_us` of the slots."""
    results = [np.zeros(structure.rows, dtype=np.int64) for _ in range(5)]
    if len(points.after):
        _fill(structure, points, read_blocks, results, ttl_us, lookback, refresh)
    alive, parallel, back, expired, late = results
    return Stored(alive=alive, parallel=parallel, back=back, expired=expired, late_us=late)


def _fill(
    structure: Structure,
    points: Points,
    read_blocks: IntArray,
    results: list[IntArray],
    ttl_us: tuple[int, int],
    lookback: int | None,
    refresh: bool,
) -> None:
    entry = structure.offsets[points.row_of] + points.after - 1
    is_stored = np.zeros(int(structure.node.max()) + 1, dtype=np.bool_)
    is_stored[structure.node[entry]] = True
    kept = np.flatnonzero(is_stored[structure.node])
    number = np.cumsum(is_stored) - 1
    size = 2 * int(is_stored.sum())
    columns = (
        np.searchsorted(kept, structure.offsets),
        number[structure.node[kept]],
        structure.place[kept] + 1,
        points.offsets,
        np.searchsorted(kept, entry),
        points.slot,
        structure.now_us,
        structure.begun_us,
        read_blocks,
        np.full(size, NEVER_US, dtype=np.int64),
        np.full(size, FOREVER_US, dtype=np.int64),
    )
    back = lookback if lookback is not None else len(structure.node) + 1
    if len(kept) >= COMPILE_FROM_ENTRIES or "numba" in sys.modules:
        _compiled()(*columns, *results, *ttl_us, back, refresh)
        return
    lists = [column.tolist() for column in (*columns, *results)]
    keep: Callable[..., None] = _keep
    keep(*lists, *ttl_us, back, refresh)
    for result, found in zip(results, lists[-len(results) :], strict=True):
        result[:] = found


@cache
def _compiled() -> Callable[..., None]:
    from numba import njit

    compiled: Callable[..., None] = njit(cache=True)(_keep)
    return compiled


def _keep(
    offsets: Any,
    node: Any,
    place: Any,
    point_offsets: Any,
    point_entry: Any,
    point_slot: Any,
    now_us: Any,
    begun_us: Any,
    read: Any,
    started: Any,
    readable: Any,
    alive: Any,
    parallel: Any,
    back: Any,
    expired: Any,
    late_us: Any,
    short_us: int,
    long_us: int,
    lookback: int,
    refresh: bool,
) -> None:
    """One function without calls, so that it compiles as it stands; entries as in `_serve` of
    `cache_kernel`, two slots a node."""
    never = -(1 << 60)
    for row in range(len(offsets) - 1):
        now, hit = now_us[row], read[row]
        first, last = point_offsets[row], point_offsets[row + 1]
        # The longest entry of each kind first, before this request changes any.
        for point in range(first, last):
            entry = point_entry[point]
            lowest = place[entry] - lookback + 1
            while entry >= offsets[row] and place[entry] > hit:
                here = place[entry]
                for slot in range(2):
                    spot = 2 * node[entry] + slot
                    if started[spot] == never:
                        continue
                    age = now - started[spot]
                    ttl = long_us if slot == 1 else short_us
                    if age < ttl:
                        if readable[spot] > now:
                            parallel[row] = max(parallel[row], here)
                        elif here >= lowest:
                            alive[row] = max(alive[row], here)
                        else:
                            back[row] = max(back[row], here)
                    elif readable[spot] <= now:
                        late = age - ttl
                        if here > expired[row] or (here == expired[row] and late < late_us[row]):
                            expired[row] = here
                            late_us[row] = late
                entry -= 1
        if refresh:
            for point in range(first, last):
                entry = point_entry[point]
                lowest = place[entry] - lookback + 1
                while entry >= offsets[row] and (place[entry] >= lowest or place[entry] >= hit):
                    spot = 2 * node[entry]
                    if place[entry] <= hit:
                        one = now - started[spot] < short_us and readable[spot] <= now
                        two = now - started[spot + 1] < long_us and readable[spot + 1] <= now
                        if place[entry] == hit and not one and not two:
                            # It was read, so it lived longer than was known.
                            one = started[spot] != never
                            two = started[spot + 1] != never
                        if one:
                            started[spot] = now
                        if two:
                            started[spot + 1] = now
                        if one or two:
                            break
                    entry -= 1
        for point in range(first, last):
            entry, slot = point_entry[point], point_slot[point]
            spot = 2 * node[entry]
            if place[entry] > hit:
                ttl = long_us if slot == 1 else short_us
                begun = begun_us[row]
                if now - started[spot + slot] < ttl:
                    begun = min(begun, readable[spot + slot])
                started[spot + slot] = now
                readable[spot + slot] = begun
            elif now - started[spot] >= short_us and now - started[spot + 1] >= long_us:
                # Inside what was read: kept without a charge.
                started[spot + slot] = now
                readable[spot + slot] = now
