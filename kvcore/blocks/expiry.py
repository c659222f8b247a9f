"""Priorities that end: a binary heap of free blocks by the microsecond at which theirs does."""

from __future__ import annotations

from kvcore.blocks.compiled import compiled
from kvcore.blocks.lists import put_newest, take_out
from kvcore.blocks.state import CLASS, EXPIRING, HEAPED, NEWER, NOWHERE, Int32s, Int64s


@compiled
def expire_at(links: Int32s, counts: Int64s, heap: Int64s, block: int, moment_us: int) -> None:
    """The free block keeps its class until that moment. It must not be in the heap yet."""
    place = counts[EXPIRING]
    counts[EXPIRING] += 1
    heap[place, 0], heap[place, 1] = moment_us, block
    links[block, HEAPED] = place + 1
    _rise(links, heap, place)


@compiled
def forget(links: Int32s, counts: Int64s, heap: Int64s, block: int) -> None:
    """The block is in the heap no more; nothing happens where it was not."""
    place = links[block, HEAPED] - 1
    if place < 0:
        return
    last = counts[EXPIRING] - 1
    counts[EXPIRING] = last
    links[block, HEAPED] = 0
    if place != last:
        _set(links, heap, place, heap[last, 0], heap[last, 1])
        _rise(links, heap, place)
        _sink(links, counts, heap, place)


@compiled
def fall_back(links: Int32s, counts: Int64s, heap: Int64s, now_us: int, normal: int) -> int:
    """Blocks whose moment has come fall back to the class `normal`, newest first to go last; how
    many. A block that waits for its children changes its class only."""
    moved = 0
    while counts[EXPIRING] and heap[0, 0] <= now_us:
        block = heap[0, 1]
        forget(links, counts, heap, block)
        if links[block, NEWER] != NOWHERE:
            take_out(links, counts, block, links[block, CLASS])
            put_newest(links, counts, block, normal)
        links[block, CLASS] = normal
        moved += 1
    return moved


@compiled
def _set(links: Int32s, heap: Int64s, place: int, moment_us: int, block: int) -> None:
    heap[place, 0], heap[place, 1] = moment_us, block
    links[block, HEAPED] = place + 1


@compiled
def _swap(links: Int32s, heap: Int64s, one: int, other: int) -> None:
    moment_us, block = heap[one, 0], heap[one, 1]
    _set(links, heap, one, heap[other, 0], heap[other, 1])
    _set(links, heap, other, moment_us, block)


@compiled
def _rise(links: Int32s, heap: Int64s, place: int) -> None:
    while place and heap[place, 0] < heap[(place - 1) // 2, 0]:
        _swap(links, heap, place, (place - 1) // 2)
        place = (place - 1) // 2


@compiled
def _sink(links: Int32s, counts: Int64s, heap: Int64s, place: int) -> None:
    size = counts[EXPIRING]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and heap[child + 1, 0] < heap[child, 0]:
            child += 1
        if heap[place, 0] <= heap[child, 0]:
            return
        _swap(links, heap, place, child)
        place = child
