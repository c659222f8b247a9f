"""Priorities that end: a binary heap of free blocks by the microsecond at which theirs does."""

from __future__ import annotations

from kvcore.blocks.compiled import compiled
from kvcore.blocks.lists import put_newest, take_out
from kvcore.blocks.state import CLASS, EXPIRING, HEAPED, NEWER, NOWHERE, State


@compiled
def expire_at(state: State, block: int, moment_us: int) -> None:
    """The free block keeps its class until that moment. It must not be in the heap yet."""
    place = state.counts[EXPIRING]
    state.counts[EXPIRING] += 1
    state.heap[place, 0], state.heap[place, 1] = moment_us, block
    state.links[block, HEAPED] = place + 1
    _rise(state, place)


@compiled
def forget(state: State, block: int) -> None:
    """The block is in the heap no more; nothing happens where it was not."""
    place = state.links[block, HEAPED] - 1
    if place < 0:
        return
    last = state.counts[EXPIRING] - 1
    state.counts[EXPIRING] = last
    state.links[block, HEAPED] = 0
    if place != last:
        _set(state, place, state.heap[last, 0], state.heap[last, 1])
        _rise(state, place)
        _sink(state, place)


@compiled
def fall_back(state: State, now_us: int, normal: int) -> int:
    """Blocks whose moment has come fall back to the class `normal`, newest first to go last; how
    many. A block that waits for its children changes its class only."""
    moved = 0
    while state.counts[EXPIRING] and state.heap[0, 0] <= now_us:
        block = state.heap[0, 1]
        forget(state, block)
        if state.links[block, NEWER] != NOWHERE:
            take_out(state, block, state.links[block, CLASS])
            put_newest(state, block, normal)
        state.links[block, CLASS] = normal
        moved += 1
    return moved


@compiled
def _set(state: State, place: int, moment_us: int, block: int) -> None:
    state.heap[place, 0], state.heap[place, 1] = moment_us, block
    state.links[block, HEAPED] = place + 1


@compiled
def _swap(state: State, one: int, other: int) -> None:
    moment_us, block = state.heap[one, 0], state.heap[one, 1]
    _set(state, one, state.heap[other, 0], state.heap[other, 1])
    _set(state, other, moment_us, block)


@compiled
def _rise(state: State, place: int) -> None:
    while place and state.heap[place, 0] < state.heap[(place - 1) // 2, 0]:
        _swap(state, place, (place - 1) // 2)
        place = (place - 1) // 2


@compiled
def _sink(state: State, place: int) -> None:
    size = state.counts[EXPIRING]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and state.heap[child + 1, 0] < state.heap[child, 0]:
            child += 1
        if state.heap[place, 0] <= state.heap[child, 0]:
            return
        _swap(state, place, child)
        place = child
