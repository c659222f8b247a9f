"""One sample of a request while the engine works on it: its tokens and its block table."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kvcore.serve.request import FinishReason, Request, Tally
from kvcore.serve.sampling import Drawer

BlockIds = npt.NDArray[np.int32]
Hashes = npt.NDArray[np.uint8]
NO_BLOCKS: BlockIds = np.empty(0, dtype=np.int32)
FIRST_ROOM = 64


class Sequence:
    """`tokens` are prompt and answer so far; keys and values of the first `computed` are in the
    blocks of `table`. `hashes` name the full blocks of which the name is known, `published` counts
    those that the pool's index has been given. `order` is its place in the line."""

    def __init__(self, request: Request, sample: int, order: tuple[int, int], tally: Tally) -> None:
        self.request, self.sample, self.order, self.tally = request, sample, order, tally
        self.drawer = Drawer(request.sampling, sample)
        self._tokens = np.empty(len(request.tokens) + FIRST_ROOM, dtype=np.uint32)
        self._tokens[: len(request.tokens)] = request.tokens
        self.length = len(request.tokens)
        self.table: BlockIds = NO_BLOCKS
        self.hashes: Hashes = np.empty((0, 32), dtype=np.uint8)
        self.computed = 0
        self.published = 0
        self.forks_due = request.samples - 1 if sample == 0 else 0
        self.reason: FinishReason | None = None

    @property
    def tokens(self) -> npt.NDArray[np.uint32]:
        """Prompt and answer so far [length], a view."""
        return self._tokens[: self.length]

    @property
    def answer(self) -> tuple[int, ...]:
        """The tokens that were generated."""
        return tuple(int(token) for token in self.tokens[len(self.request.tokens) :])

    @property
    def pending(self) -> int:
        """Tokens whose keys and values are not there yet: 1 is a decode step."""
        return self.length - self.computed

    def append(self, token: int) -> None:
        """One more generated token."""
        if self.length == len(self._tokens):
            self._tokens = np.concatenate((self._tokens, np.empty_like(self._tokens)))
        self._tokens[self.length] = token
        self.length += 1

    def forked(self, sample: int) -> Sequence:
        """Another sample at the same place, on the same blocks. The caller references them."""
        other = Sequence(self.request, sample, (self.order[0], sample), self.tally)
        other.table = self.table.copy()
        other.hashes, other.published = self.hashes, self.published
        other.computed = self.computed
        return other

    def forget_blocks(self) -> BlockIds:
        """Give up all computed state; the blocks that the caller has to release, head first."""
        table, self.table = self.table, NO_BLOCKS
        self.computed = self.published = 0
        return table
