"""The clairvoyant replay's loops: it knows every block's next use, so no cache hits more.

Compiled like `econ.replay_kernels`; held against `econ.replay_oracle`.
"""

from __future__ import annotations

import numpy as np

from econ.replay_input import Ids
from econ.replay_kernels import compiled
from econ.workload import IntArray

NEVER, REPEAT = -1, -2
WORD_BITS, WORD_SHIFT = 32, 5


@compiled
def next_uses(
    offsets: IntArray, ids: Ids, id_space: int, arrival_us: IntArray, ttl_us: int
) -> IntArray:
    """For every entry where the next request that has its id has it first; NEVER where none has
    it, or none within the lifetime; REPEAT where the id stands in this request before."""
    uses = np.empty(len(ids), dtype=np.int64)
    at_of = np.full(id_space, -1, dtype=np.int64)
    row_of = np.full(id_space, -1, dtype=np.int64)
    for row in range(len(offsets) - 2, -1, -1):
        for at in range(offsets[row], offsets[row + 1]):
            block = ids[at]
            if row_of[block] == row:
                uses[at] = REPEAT
                continue
            use = at_of[block]
            if use >= 0 and ttl_us >= 0:
                gap_us = arrival_us[row_of[block]] - arrival_us[row]
                use = use if gap_us <= ttl_us else NEVER
            uses[at] = use
            at_of[block], row_of[block] = at, row
    return uses


@compiled
def _levels(size: int) -> IntArray:
    """Where each level of a tree of bits over `size` places starts; the last one is the end."""
    starts = np.zeros(16, dtype=np.int64)
    level = 0
    while True:
        size = (size + WORD_BITS - 1) >> WORD_SHIFT
        starts[level + 1] = starts[level] + max(size, 1)
        level += 1
        if size <= 1:
            return starts[: level + 1]


@compiled
def _put(bits: IntArray, starts: IntArray, place: int) -> None:
    for level in range(len(starts) - 1):
        word = starts[level] + (place >> WORD_SHIFT)
        before = bits[word]
        bits[word] = before | (1 << (place & (WORD_BITS - 1)))
        if before != 0:
            return
        place >>= WORD_SHIFT


@compiled
def _take(bits: IntArray, starts: IntArray, place: int) -> None:
    for level in range(len(starts) - 1):
        word = starts[level] + (place >> WORD_SHIFT)
        bits[word] &= ~(1 << (place & (WORD_BITS - 1)))
        if bits[word] != 0:
            return
        place >>= WORD_SHIFT


@compiled
def _highest(bits: IntArray, starts: IntArray) -> int:
    place = 0
    for level in range(len(starts) - 2, -1, -1):
        word = bits[starts[level] + place]
        high = 0
        for step in (16, 8, 4, 2, 1):
            if word >> step:
                word >>= step
                high += step
        place = (place << WORD_SHIFT) + high
    return place


@compiled
def clairvoyant_hits(offsets: IntArray, uses: IntArray, look: IntArray, capacity: int) -> IntArray:
    """Hit blocks of each request when the block with the furthest next use goes, of one request
    the deepest; blocks of the current request stay while it fits. `uses` is of `next_uses`.

    A resident block is the bit at its next use, so the highest bit is the victim; blocks that
    nobody uses again are only counted and go first.
    """
    rows = len(offsets) - 1
    hits = np.zeros(rows, dtype=np.int64)
    starts = _levels(max(len(uses), 1))
    bits = np.zeros(starts[len(starts) - 1], dtype=np.int64)
    size = useless = 0
    for row in range(rows):
        first, end = offsets[row], offsets[row + 1]
        distinct = 0
        leading = True
        for at in range(first, end):
            known = uses[at] == REPEAT
            if not known:
                distinct += 1
                known = (bits[at >> WORD_SHIFT] >> (at & (WORD_BITS - 1))) & 1 == 1
                if known:
                    _take(bits, starts, at)
                    size -= 1
            leading = leading and known and at - first < look[row]
            if leading:
                hits[row] += 1
        if distinct <= capacity:
            size, useless = _shrink(bits, starts, size, useless, capacity - distinct)
        for at in range(first, end):
            if uses[at] >= 0:
                _put(bits, starts, uses[at])
            elif uses[at] == NEVER:
                useless += 1
        size, useless = _shrink(bits, starts, size + distinct, useless, capacity)
    return hits


@compiled
def _shrink(
    bits: IntArray, starts: IntArray, size: int, useless: int, most: int
) -> tuple[int, int]:
    while size > most:
        if useless:
            useless -= 1
        else:
            _take(bits, starts, _highest(bits, starts))
        size -= 1
    return size, useless
