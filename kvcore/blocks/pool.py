"""The blocks of a KV cache: who holds them, what they hold, and who goes first.

The pool keeps numbers and names of blocks; their keys and values lie with the runner. Life of a
sequence: `admit` (or `match`, `reference`, `allocate`), `publish` what has been computed, `release`
at the end, on cancellation and on pre-emption alike: whole published blocks stay findable until
their room is needed. A block in use is never taken. One thread at a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kvcore.blocks import kernels
from kvcore.blocks.policies import DEFAULT_PRIORITY, EvictionPolicy, policy_named
from kvcore.blocks.state import (
    EVICTIONS,
    EXPIRING,
    FINDABLE,
    FREE,
    MOST_CLASSES,
    NO_ROOM,
    NO_SUCH_BLOCK,
    NOT_FINDABLE,
    NOT_HELD,
    REFS,
    RESIDENT,
    Arrays,
    Bytes,
    Int32s,
    State,
    Tokens,
    new_state,
)
from kvcore.errors import KvcoreError

US_PER_S = 1_000_000
FOR_EVER = -1
PACKED = np.dtype(np.uint32)
DIGEST_BYTES = 32
REASONS = {
    NO_SUCH_BLOCK: ("kvcore.no_such_block", "A block number is not one of the pool's {blocks}."),
    NOT_HELD: ("kvcore.block_not_held", "A block is given that its caller does not hold."),
    NOT_FINDABLE: ("kvcore.block_blank", "A free block that holds nothing cannot be referenced."),
}


class Admission(NamedTuple):
    """`table` int32 [blocks]: the sequence's blocks, all held by it. The first `hit_blocks` are
    computed; everything behind them is to be computed, in place."""

    table: Int32s
    hit_blocks: int


class BlockPool:
    """`blocks` blocks of `block_tokens` tokens. `clock` gives seconds and is asked only while
    priorities are waiting to end. KvcoreError where a size is impossible."""

    def __init__(
        self,
        blocks: int,
        block_tokens: int,
        *,
        policy: str | EvictionPolicy = "lru-leaf",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.policy = policy_named(policy) if isinstance(policy, str) else policy
        if blocks < 1 or block_tokens < 1 or not 0 < self.policy.classes <= MOST_CLASSES:
            raise KvcoreError(
                "kvcore.pool_size",
                "A pool needs at least one block of one token and 1 to {most} classes of "
                "eviction, not {blocks} blocks of {block_tokens} tokens and {classes} classes.",
                {
                    "most": MOST_CLASSES,
                    "blocks": blocks,
                    "block_tokens": block_tokens,
                    "classes": self.policy.classes,
                },
            )
        self.blocks, self.block_tokens = blocks, block_tokens
        self._clock = clock
        self._tail_first = int(self.policy.tail_first)
        self.reset()

    def reset(self) -> None:
        """All blocks free and blank, all counts zero, whoever held them."""
        self.state: State = new_state(
            self.blocks, self.block_tokens, self.policy.classes, int(self.policy.leaf_only)
        )
        self._arrays: Arrays = (*self.state,)
        self._counts = self.state.counts

    @property
    def free_blocks(self) -> int:
        """Blocks that nobody holds: `allocate` can give so many."""
        return int(self._counts[FREE])

    @property
    def blocks_in_use(self) -> int:
        """Blocks that somebody holds."""
        return self.blocks - self.free_blocks

    @property
    def resident_blocks(self) -> int:
        """Blocks that can be found, held or not."""
        return int(self._counts[RESIDENT])

    @property
    def evictions(self) -> int:
        """Findable blocks given up for others since the last reset."""
        return int(self._counts[EVICTIONS])

    def match(
        self, hashes: Bytes, tokens: npt.NDArray[np.integer[Any]], limit_tokens: int
    ) -> Int32s:
        """The blocks of the longest known prefix, int32 [k], not yet referenced.

        `hashes` uint8 [n, 32] as `hashing.chain` gives them, `tokens` the n blocks' tokens or more.
        Whole blocks within `limit_tokens` only: with the prompt's length less one, one token at
        least is left to compute. Tokens are compared, so a collision is a miss. Nothing changes.
        """
        names, packed = self._named(hashes, tokens)
        most = max(0, min(len(names), limit_tokens // self.block_tokens))
        found = np.empty(most, dtype=np.int32)
        return found[: kernels.match(self._arrays, names, packed, most, found)]

    def reference(self, ids: Int32s) -> None:
        """One more holder for each block. KvcoreError, and nothing done, where one is blank."""
        self._done(kernels.reference(self._arrays, _plain(ids)))

    def allocate(self, blocks: int) -> Int32s | None:
        """`blocks` blocks held once, int32; blank ones first, then evicted ones. None, and nothing
        evicted, where so many are not free. Zero is always possible."""
        if self._counts[EXPIRING]:
            self._expire()
        taken = np.empty(blocks, dtype=np.int32)
        return None if kernels.allocate(self._arrays, taken) == NO_ROOM else taken

    def admit(
        self,
        hashes: Bytes,
        tokens: npt.NDArray[np.integer[Any]],
        limit_tokens: int,
        blocks: int,
    ) -> Admission | None:
        """`match`, `reference` and `allocate` in one: a table of `blocks` blocks, or None and
        nothing changed where there is no room.

        On a full hit, the last whole block is behind the limit: where nobody holds it, it is in
        the table itself, to be computed again in place, and nothing is evicted for a second copy.
        """
        if self._counts[EXPIRING]:
            self._expire()
        names, packed = self._named(hashes, tokens)
        table = np.empty(blocks, dtype=np.int32)
        most = max(0, min(len(names), limit_tokens // self.block_tokens))
        hits = kernels.admit(self._arrays, names, packed, most, table)
        return None if hits == NO_ROOM else Admission(table, hits)

    def publish(
        self,
        table: Int32s,
        hashes: Bytes,
        tokens: npt.NDArray[np.integer[Any]],
        first_block: int = 0,
    ) -> int:
        """Make the computed whole blocks `first_block`.. of a sequence findable.

        `table` is the sequence's from its first block on, `hashes` one a whole block from the
        first on, `tokens` likewise. A block whose equal is findable already is given back and the
        equal held instead: `table` is CHANGED IN PLACE; how many were. A block is not published
        behind one that is not. KvcoreError where a block is not held.
        """
        names, packed = self._named(hashes, tokens)
        if len(table) < len(names):
            raise KvcoreError(
                "kvcore.table_short",
                "{hashes} hashes need as many blocks; the table has {blocks}.",
                {"hashes": len(names), "blocks": len(table)},
            )
        return self._done(kernels.publish(self._arrays, table, names, packed, first_block))

    def release(
        self, ids: Int32s, priority: int = DEFAULT_PRIORITY, expires_s: float | None = None
    ) -> None:
        """One holder less for each block of a sequence, given head first; the tail goes first.

        Where it was the last, a findable block keeps `priority` (for `expires_s` seconds from now,
        None = for ever) and a blank one is used next. KvcoreError, and nothing done, where a block
        is given more often than it is held.
        """
        which = 1 + self.policy.place(priority)
        until_us = FOR_EVER
        if expires_s is not None and self.policy.classes > 1:
            until_us = round((self._clock() + expires_s) * US_PER_S)
        self._done(kernels.release(self._arrays, _plain(ids), which, until_us, self._tail_first))

    def is_shared(self, block: int) -> bool:
        """Whether writing into the block would be seen by others, now or later: it has several
        holders or can be found."""
        row = self.state.links[block]
        return bool(row[REFS] > 1 or row[FINDABLE])

    def fork(self, block: int) -> int | None:
        """A block that the holder of `block` may write to, held instead of it: itself where it is
        not shared, else a new one, into which the caller copies. None where none is free."""
        if not self.is_shared(block):
            return block
        taken = self.allocate(1)
        if taken is None:
            return None
        self.release(np.array([block], dtype=np.int32))
        return int(taken[0])

    def _named(self, hashes: Bytes, tokens: npt.NDArray[np.integer[Any]]) -> tuple[Bytes, Tokens]:
        if hashes.shape[1] != DIGEST_BYTES or len(tokens) < len(hashes) * self.block_tokens:
            raise KvcoreError(
                "kvcore.hashes_and_tokens",
                "{hashes} hashes of {block_tokens}-token blocks need 32 bytes each and as many "
                "blocks of tokens; there are {tokens} tokens.",
                {
                    "hashes": len(hashes),
                    "block_tokens": self.block_tokens,
                    "tokens": len(tokens),
                },
            )
        as_they_are = tokens.dtype is PACKED and tokens.flags.carray
        packed: Tokens = tokens if as_they_are else tokens.astype(PACKED)  # type: ignore[assignment]
        return _plain(hashes), packed

    def _expire(self) -> None:
        now_us = round(self._clock() * US_PER_S)
        kernels.expire(self._arrays, now_us, 1 + self.policy.normal_class)

    def _done(self, answer: int) -> int:
        if answer < 0:
            message_id, sentence = REASONS[answer]
            raise KvcoreError(message_id, sentence, {"blocks": self.blocks})
        return answer


def _plain(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array as the compiled loops know it: another layout would be compiled for anew."""
    return array if array.flags.carray else array.copy()
