"""Lists of free blocks: one ring a class, linked through the blocks' own rows. All O(1)."""

from __future__ import annotations

from kvcore.blocks.compiled import compiled
from kvcore.blocks.state import (
    MASK_BITS,
    MASK_HIGH,
    MASK_LOW,
    NEWER,
    NOWHERE,
    OLDER,
    State,
)


@compiled
def end_of(state: State, which: int) -> int:
    """The row that closes the ring of class `which`: its NEWER is the oldest block."""
    return len(state.heap) + which


@compiled
def put_newest(state: State, block: int, which: int) -> None:
    """The block goes last of its class."""
    end = end_of(state, which)
    newest = state.links[end, OLDER]
    _between(state, block, newest, end, which)


@compiled
def put_oldest(state: State, block: int, which: int) -> None:
    """The block goes first of its class."""
    end = end_of(state, which)
    oldest = state.links[end, NEWER]
    _between(state, block, end, oldest, which)


@compiled
def _between(state: State, block: int, older: int, newer: int, which: int) -> None:
    links = state.links
    links[block, OLDER], links[block, NEWER] = older, newer
    links[older, NEWER] = links[newer, OLDER] = block
    if which < MASK_BITS:
        state.counts[MASK_LOW] |= 1 << which
    else:
        state.counts[MASK_HIGH] |= 1 << (which - MASK_BITS)


@compiled
def take_out(state: State, block: int, which: int) -> None:
    """The block is in no list any more. It must be in that of class `which`."""
    links = state.links
    older, newer = links[block, OLDER], links[block, NEWER]
    links[older, NEWER], links[newer, OLDER] = newer, older
    links[block, NEWER] = links[block, OLDER] = NOWHERE
    if older == newer:  # only the end of the ring is left
        if which < MASK_BITS:
            state.counts[MASK_LOW] &= ~(1 << which)
        else:
            state.counts[MASK_HIGH] &= ~(1 << (which - MASK_BITS))


@compiled
def lowest_class(state: State) -> int:
    """The first class with a block in its list, NOWHERE where all are empty."""
    if state.counts[MASK_LOW]:
        return lowest_bit(state.counts[MASK_LOW])
    if state.counts[MASK_HIGH]:
        return MASK_BITS + lowest_bit(state.counts[MASK_HIGH])
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
