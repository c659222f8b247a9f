"""Ways to find room for a growing sequence: whole regions, or blocks from the pool."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from kvcore.blocks.contiguous import ContiguousMemory
from kvcore.blocks.pool import BlockPool
from kvcore.blocks.state import Int32s


class Memory(Protocol):
    """The contract of what `occupancy.serve` fills. Tokens are counted in places of one token.

    `room(sequence)` are places reserved for it, `free_places` those reserved for nobody.
    """

    places: int

    @property
    def free_places(self) -> int: ...

    def needed(self, prompt_tokens: int, reply_tokens: int) -> int:
        """Places that must be free for the sequence to start."""
        ...

    def start(self, sequence: int, prompt_tokens: int, reply_tokens: int) -> bool:
        """Find room for the prompt; False, and nothing changed, where there is none."""
        ...

    def grow(self, sequence: int) -> bool:
        """More room for a sequence that has filled what it has; False where there is none."""
        ...

    def room(self, sequence: int) -> int: ...

    def stop(self, sequence: int) -> None:
        """Give back all room of the sequence."""
        ...


class Regions:
    """One region a sequence, `region_tokens` long, or exactly prompt and reply where that is None:
    what only an engine could do that knows how long the reply will be."""

    def __init__(self, places: int, region_tokens: int | None) -> None:
        self.places, self._region_tokens = places, region_tokens
        self._memory = ContiguousMemory(places)
        self._of: dict[int, tuple[int, int]] = {}

    @property
    def free_places(self) -> int:
        """Places in no region."""
        return self._memory.free_places

    def needed(self, prompt_tokens: int, reply_tokens: int) -> int:
        """The region's length, or more than there is where the sequence is longer."""
        whole = prompt_tokens + reply_tokens
        region = whole if self._region_tokens is None else self._region_tokens
        return region if whole <= region else self.places + 1

    def start(self, sequence: int, prompt_tokens: int, reply_tokens: int) -> bool:
        """Reserve the whole region at once."""
        length = self.needed(prompt_tokens, reply_tokens)
        first = self._memory.reserve(length)
        if first is None:
            return False
        self._of[sequence] = (first, length)
        return True

    def grow(self, sequence: int) -> bool:
        """A region never grows."""
        return False

    def room(self, sequence: int) -> int:
        """The region's length."""
        return self._of[sequence][1]

    def stop(self, sequence: int) -> None:
        """Free the region."""
        self._memory.free(self._of.pop(sequence)[0])


class Blocks:
    """Blocks of `block_tokens` from a pool, one more whenever the last is full."""

    def __init__(self, places: int, block_tokens: int) -> None:
        self.pool = BlockPool(places // block_tokens, block_tokens)
        self.places = self.pool.blocks * block_tokens
        self._of: dict[int, Int32s] = {}

    @property
    def free_places(self) -> int:
        """Places in blocks that nobody holds."""
        return self.pool.free_blocks * self.pool.block_tokens

    def needed(self, prompt_tokens: int, reply_tokens: int) -> int:
        """Whole blocks for the prompt and the first token of the reply: with less, a sequence
        could start only to be sent away at once."""
        first = prompt_tokens + min(1, reply_tokens)
        return -(-first // self.pool.block_tokens) * self.pool.block_tokens

    def start(self, sequence: int, prompt_tokens: int, reply_tokens: int) -> bool:
        """Blocks for the beginning, wherever they lie."""
        blocks = self.needed(prompt_tokens, reply_tokens) // self.pool.block_tokens
        table = self.pool.allocate(blocks)
        if table is not None:
            self._of[sequence] = table
        return table is not None

    def grow(self, sequence: int) -> bool:
        """One more block."""
        more = self.pool.allocate(1)
        if more is not None:
            self._of[sequence] = np.concatenate((self._of[sequence], more))
        return more is not None

    def room(self, sequence: int) -> int:
        """Places in the sequence's blocks."""
        return len(self._of[sequence]) * self.pool.block_tokens

    def stop(self, sequence: int) -> None:
        """Release the blocks."""
        self.pool.release(self._of.pop(sequence))
