"""The prefix index: open addressing over 64 bits of the digest, all 32 bytes compared.

No tombstones: what is taken out lets its followers move up, so that look-ups never get longer
with age. A slot holds a block's number plus one.
"""

from __future__ import annotations

from kvcore.blocks.compiled import compiled
from kvcore.blocks.state import NOWHERE, Int64s, State


@compiled
def find(state: State, digest: Int64s) -> int:
    """The block with this digest, or NOWHERE."""
    slots, digests = state.slots, state.digests
    mask = len(slots) - 1
    slot = digest[0] & mask
    while slots[slot]:
        block = slots[slot] - 1
        if (
            digests[block, 0] == digest[0]
            and digests[block, 1] == digest[1]
            and digests[block, 2] == digest[2]
            and digests[block, 3] == digest[3]
        ):
            return block  # type: ignore[no-any-return]
        slot = (slot + 1) & mask
    return NOWHERE


@compiled
def insert(state: State, block: int) -> None:
    """The block is found by its row of `digests` from now on. It must not be in yet."""
    slots = state.slots
    mask = len(slots) - 1
    slot = state.digests[block, 0] & mask
    while slots[slot]:
        slot = (slot + 1) & mask
    slots[slot] = block + 1


@compiled
def remove(state: State, block: int) -> None:
    """The block is no longer found. It must be in."""
    slots, digests = state.slots, state.digests
    mask = len(slots) - 1
    hole = digests[block, 0] & mask
    while slots[hole] != block + 1:
        hole = (hole + 1) & mask
    at = (hole + 1) & mask
    while slots[at]:
        home = digests[slots[at] - 1, 0] & mask
        if (at - home) & mask >= (at - hole) & mask:  # its way from home passes the hole
            slots[hole] = slots[at]
            hole = at
        at = (at + 1) & mask
    slots[hole] = 0
