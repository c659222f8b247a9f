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

from econ.replay_input import Ids
from econ.workload import IntArray

F = TypeVar("F", bound=Callable[..., Any])
Links = npt.NDArray[np.int32]
Touches = npt.NDArray[np.signedinteger[Any]]


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


def lru_hits(
    offsets: IntArray, ids: Ids, id_space: int, look: IntArray, capacity: int,
    tail_first: bool, arrival_us: IntArray, ttl_us: int,
) -> IntArray:  # fmt: skip
    """See `_lru_hits`."""
    last = untouched(len(ids), id_space)
    return _lru_hits(offsets, ids, id_space, look, capacity, tail_first, arrival_us, ttl_us, last)


def untouched(entries: int, id_space: int) -> Touches:
    """The number of each block's last touch, -1 = none; made by numpy, which asks for large pages,
    and narrow where the numbers are."""
    return np.full(id_space, -1, dtype=np.int32 if entries < 1 << 31 else np.int64)


@compiled
def _lru_hits(
    offsets: IntArray, ids: Ids, id_space: int, look: IntArray, capacity: int,
    tail_first: bool, arrival_us: IntArray, ttl_us: int, last: Touches,
) -> IntArray:  # fmt: skip
    """Hit blocks of each request: the least recently touched goes. Touched head first, or tail
    first; then a block is always older than the one in front of it, and leaves go first. A block
    whose lifetime is over (`ttl_us` >= 0) is older than all that are alive, so it never keeps
    one of them out."""
    rows = len(offsets) - 1
    hits = np.zeros(rows, dtype=np.int64)
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
    offsets: IntArray, ids: Ids, id_space: int, look: IntArray, capacity: int,
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
