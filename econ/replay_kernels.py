"""The loops of the replay, compiled by numba where it is installed, plain Python elsewhere.

Import this module only where a replay runs: numba takes a third of a second to import and the
loops some seconds to compile, once for each installation. Held against `econ.replay_oracle`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from econ.workload import IntArray

F = TypeVar("F", bound=Callable[..., Any])
Links = npt.NDArray[np.int32]
AHEAD = 24
MOST_AT_FIRST = 1 << 24  # places of a table that is made before it is known to be needed


def _compiler() -> Any:
    try:
        return importlib.import_module("numba").njit
    except ImportError:  # the same loops run without it, some hundred times slower
        return None


NJIT: Any = _compiler()


def compiled(function: F) -> F:
    """`function` compiled without the GIL; kept on disk where a folder can be written."""
    if NJIT is None:
        return function
    try:
        return cast(F, NJIT(cache=True, nogil=True)(function))
    except RuntimeError:  # no folder for the compiled code
        return cast(F, NJIT(nogil=True)(function))


def numbered(values: IntArray) -> tuple[IntArray, int]:
    """Each value replaced by its rank in order of first appearance, and how many there are."""
    if NJIT is None:
        _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int64)
        return np.asarray(rank[inverse.reshape(-1)]), len(first)
    ranks, count = _numbered(values)
    return ranks, int(count)


@compiled
def _numbered(values: IntArray) -> tuple[IntArray, int]:
    """Open addressing; the table doubles when half of it is used. What followed a value when it
    came first mostly follows it again: that is looked at before the table is."""
    size = 1 << 16
    while size < len(values) and size < MOST_AT_FIRST:
        size <<= 1
    ranks = np.empty(len(values), dtype=np.int64)
    known = np.empty(size >> 1, dtype=np.int64)
    table = np.full(size, -1, dtype=np.int32)
    mask, count, guess, warm = size - 1, 0, 0, 0
    for at in range(len(values)):
        value = values[at]
        if guess < count and known[guess] == value:
            ranks[at] = guess
            guess += 1
            continue
        if at >= warm:  # loads that do not wait for one another; the ranks are written over
            warm = min(at + AHEAD, len(values))
            for ahead in range(at, warm):
                ranks[ahead] = table[_slot(values[ahead], mask)]
        slot = _slot(value, mask)
        while table[slot] >= 0 and known[table[slot]] != value:
            slot = (slot + 1) & mask
        if table[slot] < 0:
            if count == len(known):
                known, table = _doubled(known)
                mask = len(table) - 1
                slot = _slot(value, mask)
                while table[slot] >= 0:
                    slot = (slot + 1) & mask
            known[count] = value
            table[slot] = count
            count += 1
        ranks[at] = table[slot]
        guess = ranks[at] + 1
    return ranks, count


@compiled
def _doubled(known: IntArray) -> tuple[IntArray, Links]:
    more = np.empty(2 * len(known), dtype=np.int64)
    table = np.full(4 * len(known), -1, dtype=np.int32)
    mask = len(table) - 1
    for at in range(len(known)):
        more[at] = known[at]
        slot = _slot(known[at], mask)
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = at
    return more, table


@compiled
def _slot(value: int, mask: int) -> int:
    mixed = np.uint64(value) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(32)) & mask  # type: ignore[return-value]


@compiled
def _unlink(newer: Links, older: Links, block: int) -> None:
    newer[older[block]] = newer[block]
    older[newer[block]] = older[block]
    newer[block] = -1


@compiled
def _push(newer: Links, older: Links, block: int) -> None:
    """Put `block` at the newest place of the ring whose end is the last index."""
    end = len(newer) - 1
    newest = older[end]
    older[block], newer[block] = newest, end
    newer[newest], older[end] = block, block


@compiled
def _ring(size: int) -> tuple[Links, Links]:
    """An empty ring over `size` blocks; newer[block] is -1 where it is not in it."""
    newer = np.full(size + 1, -1, dtype=np.int32)
    older = np.full(size + 1, -1, dtype=np.int32)
    newer[size] = older[size] = size
    return newer, older


@compiled
def lru_hits(
    offsets: IntArray, ids: IntArray, id_space: int, look: IntArray, capacity: int,
    tail_first: bool, arrival_us: IntArray, ttl_us: int,
) -> IntArray:  # fmt: skip
    """Hit blocks of each request: the least recently touched goes. Touched head first, or tail
    first; then a block is always older than the one in front of it, and leaves go first. A block
    whose lifetime is over (`ttl_us` >= 0) is older than all that are alive, so it never keeps
    one of them out."""
    rows = len(offsets) - 1
    hits = np.zeros(rows, dtype=np.int64)
    last = np.full(id_space, -1, dtype=np.int64)  # the number of a block's last touch
    touched = np.zeros(id_space if ttl_us >= 0 else 0, dtype=np.int64)
    size = oldest = oldest_row = 0  # touches before `oldest` keep nothing any more
    for row in range(rows):
        first, end = offsets[row], offsets[row + 1]
        hit = 0
        while hit < look[row] and last[ids[first + hit]] >= oldest:
            if ttl_us >= 0 and arrival_us[row] - touched[ids[first + hit]] > ttl_us:
                break
            hit += 1
        hits[row] = hit
        for touch in range(first, end):
            block = ids[first + end - 1 - touch] if tail_first else ids[touch]
            size += int(last[block] < oldest)
            last[block] = touch
            if ttl_us >= 0:
                touched[block] = arrival_us[row]
        while size > capacity:
            while oldest >= offsets[oldest_row + 1]:
                oldest_row += 1
            start, stop = offsets[oldest_row], offsets[oldest_row + 1]
            block = ids[start + stop - 1 - oldest] if tail_first else ids[oldest]
            size -= int(last[block] == oldest)
            oldest += 1
    return hits


@compiled
def fifo_hits(
    offsets: IntArray, ids: IntArray, id_space: int, look: IntArray, capacity: int,
    arrival_us: IntArray, ttl_us: int,
) -> IntArray:  # fmt: skip
    """Hit blocks of each request: the block that was put in first goes, as soon as there is one
    too many. A block whose lifetime is over leaves its place at once."""
    rows = len(offsets) - 1
    hits = np.zeros(rows, dtype=np.int64)
    newer, older = _ring(id_space)
    later, sooner = _ring(id_space if ttl_us >= 0 else 0)  # by last touch: who expires next
    touched = np.zeros(id_space if ttl_us >= 0 else 0, dtype=np.int64)
    size = 0
    for row in range(rows):
        first, end = offsets[row], offsets[row + 1]
        while ttl_us >= 0 and size and arrival_us[row] - touched[later[id_space]] > ttl_us:
            _unlink(newer, older, later[id_space])
            _unlink(later, sooner, later[id_space])
            size -= 1
        hit = 0
        while hit < look[row] and newer[ids[first + hit]] >= 0:
            hit += 1
        hits[row] = hit
        for at in range(first, end):
            block = ids[at]
            if newer[block] < 0:
                _push(newer, older, block)
                size += 1
            elif ttl_us >= 0:
                _unlink(later, sooner, block)
            if ttl_us >= 0:
                _push(later, sooner, block)
                touched[block] = arrival_us[row]
            if size > capacity:
                gone = newer[id_space]
                _unlink(newer, older, gone)
                size -= 1
                if ttl_us >= 0:
                    _unlink(later, sooner, gone)
    return hits
