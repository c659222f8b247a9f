"""What a block pool is made of: six arrays, and the meaning of every column.

Everything a block knows lies in one row of eight int32, so that one cache line answers for it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Tokens = npt.NDArray[np.uint32]
Bytes = npt.NDArray[np.uint8]

# columns of `links`: one row a block, then one row a list, the end of that list's ring
NEWER, OLDER = 0, 1  # neighbours in the list; NEWER is NOWHERE for a block in no list
CLASS = 2  # the list a free block belongs to: BLANK, or 1 + its place in the policy's order
REFS = 3  # sequences that hold the block; 0 = free
PARENT = 4  # the block in front of it in its chain, NOWHERE for the first
CHILDREN = 5  # findable blocks whose parent it is
FINDABLE = 6  # 1 where the index knows it
HEAPED = 7  # 1 + its place in the heap of expiries, 0 = not there
COLUMNS = 8

NOWHERE = -1
BLANK = 0  # the list of free blocks that hold nothing: taken before anything is evicted

# places of `counts`
BLOCKS, FREE, RESIDENT, EVICTIONS, EXPIRING, LEAF_ONLY, MASK_LOW, MASK_HIGH = range(8)
COUNTS = 8
MASK_BITS = 60  # lists with blocks in them, one bit each, in two words
MOST_CLASSES = 2 * MASK_BITS - 1

# what a kernel answers where it did nothing
NO_ROOM, NOT_HELD, NOT_FINDABLE, NO_SUCH_BLOCK = -1, -2, -3, -4


class State(NamedTuple):
    """`digests` [blocks, 4] are the 32 bytes of a block's hash, `kept` [blocks, block_tokens] the
    tokens it holds, `slots` the index, `heap` [blocks, 2] (microsecond, block) of priorities that
    end."""

    links: Int32s
    digests: Int64s
    kept: Tokens
    slots: Int64s
    counts: Int64s
    heap: Int64s


Arrays = tuple[Int32s, Int64s, Tokens, Int64s, Int64s, Int64s]
"""The members of a State: kernels take it as a plain tuple, which numba unpacks fastest."""


def new_state(blocks: int, block_tokens: int, classes: int, leaf_only: int) -> State:
    """All blocks free and blank, the lowest number taken first. `classes` <= MOST_CLASSES."""
    links = np.zeros((blocks + classes + 1, COLUMNS), dtype=np.int32)
    numbers = np.arange(blocks, dtype=np.int32)
    links[:blocks, NEWER], links[:blocks, OLDER] = numbers + 1, numbers - 1
    links[:, PARENT] = NOWHERE
    ends = np.arange(blocks, blocks + classes + 1, dtype=np.int32)
    links[blocks:, NEWER] = links[blocks:, OLDER] = ends
    links[0, OLDER] = blocks
    links[blocks, NEWER], links[blocks, OLDER] = 0, blocks - 1
    counts = np.zeros(COUNTS, dtype=np.int64)
    counts[BLOCKS], counts[FREE] = blocks, blocks
    counts[LEAF_ONLY], counts[MASK_LOW] = leaf_only, 1 << BLANK
    slots = 2
    while slots < 2 * blocks:  # at most half full, so that a miss ends soon
        slots *= 2
    return State(
        links=links,
        digests=np.zeros((blocks, 4), dtype=np.int64),
        kept=np.zeros((blocks, block_tokens), dtype=np.uint32),
        slots=np.zeros(slots, dtype=np.int64),
        counts=counts,
        heap=np.zeros((blocks, 2), dtype=np.int64),
    )
