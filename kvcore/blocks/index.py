"""The prefix index: open addressing over 64 bits of the digest, all 32 bytes compared.

No tombstones: what is taken out lets its followers move up, so that look-ups never get longer
with age. A slot holds 32 bits of the digest and the block's number plus one; 0 is empty. Those bits
say where an entry wants to be and settle most comparisons without a look at its block.
"""

from __future__ import annotations

from kvcore.blocks.compiled import compiled
from kvcore.blocks.state import NOWHERE, Int64s

TAG_BITS = 32
TAG = (1 << TAG_BITS) - 1
NUMBER = (1 << 31) - 1


@compiled
def find(slots: Int64s, digests: Int64s, names: Int64s, place: int) -> int:
    """The block whose digest is row `place` of `names` [n, 4], or NOWHERE."""
    mask = len(slots) - 1
    tag = names[place, 0] & TAG
    slot = tag & mask
    while slots[slot]:
        if (slots[slot] >> TAG_BITS) & TAG == tag:
            block = (slots[slot] & NUMBER) - 1
            if _equal(digests, block, names, place):
                return block  # type: ignore[no-any-return]
        slot = (slot + 1) & mask
    return NOWHERE


@compiled
def _equal(digests: Int64s, block: int, names: Int64s, place: int) -> bool:
    return bool(
        digests[block, 0] == names[place, 0]
        and digests[block, 1] == names[place, 1]
        and digests[block, 2] == names[place, 2]
        and digests[block, 3] == names[place, 3]
    )


@compiled
def insert(slots: Int64s, digests: Int64s, block: int) -> None:
    """The block is found by its row of `digests` from now on. It must not be in yet."""
    mask = len(slots) - 1
    tag = digests[block, 0] & TAG
    slot = tag & mask
    while slots[slot]:
        slot = (slot + 1) & mask
    slots[slot] = (tag << TAG_BITS) | (block + 1)


@compiled
def remove(slots: Int64s, digests: Int64s, block: int) -> None:
    """The block is no longer found. It must be in."""
    mask = len(slots) - 1
    hole = digests[block, 0] & mask
    while slots[hole] & NUMBER != block + 1:
        hole = (hole + 1) & mask
    at = (hole + 1) & mask
    while slots[at]:
        home = (slots[at] >> TAG_BITS) & mask
        if (at - home) & mask >= (at - hole) & mask:  # its way from home passes the hole
            slots[hole] = slots[at]
            hole = at
        at = (at + 1) & mask
    slots[hole] = 0
