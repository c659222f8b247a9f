"""Lists of free blocks: one ring a class, linked through the blocks' own rows. All O(1).

The end of the ring of class c is the row behind the blocks' rows, plus c: its NEWER is the oldest.
"""

from __future__ import annotations

from kvcore.blocks.compiled import compiled
from kvcore.blocks.state import (
    BLOCKS,
    MASK_BITS,
    MASK_HIGH,
    MASK_LOW,
    NEWER,
    NOWHERE,
    OLDER,
    Int32s,
    Int64s,
)


@compiled
def put_newest(links: Int32s, counts: Int64s, block: int, which: int) -> None:
    """The block goes last of its class."""
    end = counts[BLOCKS] + which
    _between(links, block, links[end, OLDER], end)
    _mark(counts, which)


@compiled
def put_oldest(links: Int32s, counts: Int64s, block: int, which: int) -> None:
    """The block goes first of its class."""
    end = counts[BLOCKS] + which
    _between(links, block, end, links[end, NEWER])
    _mark(counts, which)


@compiled
def _between(links: Int32s, block: int, older: int, newer: int) -> None:
    links[block, OLDER], links[block, NEWER] = older, newer
    links[older, NEWER] = links[newer, OLDER] = block


@compiled
def _mark(counts: Int64s, which: int) -> None:
    place = int(which)  # interpreted, a 32-bit number would not shift beyond its own width
    if place < MASK_BITS:
        counts[MASK_LOW] |= 1 << place
    else:
        counts[MASK_HIGH] |= 1 << (place - MASK_BITS)


@compiled
def take_out(links: Int32s, counts: Int64s, block: int, which: int) -> None:
    """The block is in no list any more. It must be in that of class `which`."""
    older, newer = links[block, OLDER], links[block, NEWER]
    links[older, NEWER], links[newer, OLDER] = newer, older
    links[block, NEWER] = links[block, OLDER] = NOWHERE
    if older == newer:  # the end of the ring, or the one block that is left
        _unmark(links, counts, which)


@compiled
def _unmark(links: Int32s, counts: Int64s, which: int) -> None:
    end = counts[BLOCKS] + which
    if links[end, NEWER] != end:
        return
    place = int(which)
    if place < MASK_BITS:
        counts[MASK_LOW] &= ~(1 << place)
    else:
        counts[MASK_HIGH] &= ~(1 << (place - MASK_BITS))


@compiled
def lowest_class(counts: Int64s) -> int:
    """The first class with a block in its list, NOWHERE where all are empty."""
    if counts[MASK_LOW]:
        return lowest_bit(counts[MASK_LOW])
    if counts[MASK_HIGH]:
        return MASK_BITS + lowest_bit(counts[MASK_HIGH])
    return NOWHERE


@compiled
def lowest_bit(word: int) -> int:
    """The place of the lowest set bit of a positive word, by halves."""
    at, width = 0, 32
    while width:
        if not word & ((1 << width) - 1):
            word >>= width
            at += width
        width >>= 1
    return at
