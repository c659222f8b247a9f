"""Any 64-bit ids as whole numbers from 0 in order of first appearance, for arrays to lie over.

Compiled like `econ.replay_kernels`. Arrays are made by numpy, which asks for large pages: with
small ones a third of the time goes to the operating system.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from econ.replay_kernels import NJIT, compiled
from econ.workload import IntArray

Ranks = npt.NDArray[np.int32]
MOST = (1 << 31) - 2
"""More distinct ids than an int32 can number are beyond the memory of any machine this runs on."""

AHEAD = 24
MOST_AT_FIRST = 1 << 24  # places of a table that is made before it is known to be needed
LEAN_FROM = 1 << 26
"""From here on the ids are numbered part by part: the table of one part stays small."""
PARTS, PART_SHIFT = 8, 61


def numbered(values: IntArray) -> tuple[Ranks, int]:
    """Each value replaced by its rank in order of first appearance, and how many there are."""
    if NJIT is None:
        _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int32)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
        return np.asarray(rank[inverse.reshape(-1)]), len(first)
    return _in_parts(values) if len(values) >= LEAN_FROM else _at_once(values)


def _at_once(values: IntArray) -> tuple[Ranks, int]:
    size = _table_size(len(values))
    ranks = np.empty(len(values), dtype=np.int32)
    known, table = np.empty(size >> 1, dtype=np.int64), np.full(size, -1, dtype=np.int32)
    at = count = 0
    while True:
        at, count = _number(values, ranks, known, table, at, count)
        if at == len(values):
            return ranks, int(count)
        known = np.concatenate((known, np.empty_like(known)))
        table = np.full(2 * len(table), -1, dtype=np.int32)
        _fill(known, count, table)


def _in_parts(values: IntArray) -> tuple[Ranks, int]:
    """The values of one part of the hash at a time; then all ranks in order of appearance."""
    size = _table_size(len(values) // PARTS)
    ranks = np.empty(len(values), dtype=np.int32)
    count = 0
    for part in range(PARTS):
        new = -1
        while new < 0:
            known, table = np.empty(size >> 1, dtype=np.int64), np.full(size, -1, dtype=np.int32)
            new = _number_part(values, ranks, known, table, part, count)
            size *= 2 if new < 0 else 1
        count += new
    _in_order(ranks, np.full(count, -1, dtype=np.int32))
    return ranks, count


def _table_size(values: int) -> int:
    size = 1 << 16
    while size < values and size < MOST_AT_FIRST:
        size <<= 1
    return size


@compiled
def _slot(value: int, mask: int) -> int:
    mixed = np.uint64(value) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(32)) & mask  # type: ignore[return-value]


@compiled
def _number(
    values: IntArray, ranks: Ranks, known: IntArray, table: Ranks, at: int, count: int
) -> tuple[int, int]:
    """Open addressing from entry `at` on, until the end or until half of the table is used. What
    followed a value when it came first mostly follows it again: that is looked at before the table
    is."""
    mask, guess, warm = len(table) - 1, 0, at
    while at < len(values):
        value = values[at]
        if guess < count and known[guess] == value:
            ranks[at] = guess
            guess += 1
            at += 1
            continue
        if at >= warm:  # loads that do not wait for one another; the ranks are written over
            warm = min(at + AHEAD, len(values))
            for ahead in range(at, warm):
                ranks[ahead] = table[_slot(values[ahead], mask)]
        slot = _slot(value, mask)
        rank = table[slot]
        while rank >= 0 and known[rank] != value:
            slot = (slot + 1) & mask
            rank = table[slot]
        if rank < 0:
            if count == len(known):
                return at, count
            rank = count
            known[count] = value
            table[slot] = rank
            count += 1
        ranks[at] = rank
        guess = rank + 1
        at += 1
    return at, count


@compiled
def _fill(known: IntArray, count: int, table: Ranks) -> None:
    mask = len(table) - 1
    for at in range(count):
        slot = _slot(known[at], mask)
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = at


@compiled
def _number_part(
    values: IntArray, ranks: Ranks, known: IntArray, table: Ranks, part: int, base: int
) -> int:
    """Numbers from `base` for the values of one part; how many there are, -1 where the table is
    too small."""
    mask, count, guess = len(table) - 1, 0, 0
    for at in range(len(values)):
        value = values[at]
        mixed = np.uint64(value) * np.uint64(0x9E3779B97F4A7C15)
        if np.int64(mixed >> np.uint64(PART_SHIFT)) != part:
            continue
        if guess < count and known[guess] == value:
            ranks[at] = base + guess
            guess += 1
            continue
        slot = np.int64(mixed >> np.uint64(24)) & mask
        rank = table[slot]
        while rank >= 0 and known[rank] != value:
            slot = (slot + 1) & mask
            rank = table[slot]
        if rank < 0:
            if count == len(known):
                return -1
            rank = count
            known[count] = value
            table[slot] = rank
            count += 1
        ranks[at] = base + rank
        guess = rank + 1
    return count


@compiled
def _in_order(ranks: Ranks, order: Ranks) -> None:
    count = 0
    for at in range(len(ranks)):
        rank = order[ranks[at]]
        if rank < 0:
            rank = count
            order[ranks[at]] = rank
            count += 1
        ranks[at] = rank
