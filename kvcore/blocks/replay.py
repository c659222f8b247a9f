"""Hits of a whole trace of block ids through the real pool, without a forward pass.

Each request is admitted, published and released before the next: what a paged cache of this size
could have hit when nothing overlaps. Only whole prompt blocks are kept, and one token at least of
each prompt is computed: the last, partial block and the reply are left out, as they can never hit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from kvcore.blocks.hashing import chain
from kvcore.blocks.identity import Identity
from kvcore.blocks.policies import EvictionPolicy
from kvcore.blocks.pool import BlockPool
from kvcore.blocks.state import Int64s
from kvcore.errors import KvcoreError

ID_TOKENS = 2
"""A trace names a block by a number of 64 bits and hides its tokens: two tokens stand for it."""
TRACE = Identity(model="trace", kv_dtype="none")


def trace_pool(blocks: int, policy: str | EvictionPolicy = "lru-leaf") -> BlockPool:
    """A pool for `replay_hits`: `blocks` blocks of the trace, whatever their length there."""
    return BlockPool(blocks, ID_TOKENS, policy=policy)


def replay_hits(
    offsets: npt.NDArray[np.integer[Any]],
    block_ids: npt.NDArray[np.integer[Any]],
    prompt_tokens: npt.NDArray[np.integer[Any]],
    block_tokens: int,
    pool: BlockPool,
) -> Int64s:
    """Hit blocks of each request, int64 [n].

    Request i has the blocks `block_ids[offsets[i]:offsets[i + 1]]` of `block_tokens` tokens, the
    last one partial where `prompt_tokens[i]` says so. KvcoreError where a request alone does not
    fit the pool: it could not be served.
    """
    hits = np.zeros(len(offsets) - 1, dtype=np.int64)
    root = TRACE.root()
    for row in range(len(hits)):
        whole = min(int(offsets[row + 1] - offsets[row]), int(prompt_tokens[row]) // block_tokens)
        most = min(whole, max(int(prompt_tokens[row]) - 1, 0) // block_tokens)
        ids = block_ids[offsets[row] : offsets[row] + whole]
        tokens = ids.astype("<i8").view(np.uint32)
        names = chain(root, tokens, ID_TOKENS)
        admitted = pool.admit(names, tokens, most * ID_TOKENS, whole)
        if admitted is None:
            raise KvcoreError(
                "kvcore.request_over_pool",
                "Request {request} needs {needed} blocks at once; the pool has {blocks}.",
                {"request": row + 1, "needed": whole, "blocks": pool.blocks},
            )
        hits[row] = admitted.hit_blocks
        pool.publish(admitted.table, names, tokens, admitted.hit_blocks)
        pool.release(admitted.table)
    return hits
