"""A pool that writes down what happens to it: small snapshots for a step-through. Pure data."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from kvcore.blocks.pool import BlockPool
from kvcore.blocks.state import CHILDREN, FINDABLE, PARENT, REFS, Bytes

BlockState = Literal["blank", "held", "held findable", "cached"]
Event = Literal["start", "hit", "computed", "released", "refused"]
HASH_DIGITS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockView:
    """One block at one moment. `hash_prefix` is empty and `parent` None where it cannot be found;
    `owners` are the sequences that hold it, by name."""

    block: int
    state: BlockState
    refs: int
    hash_prefix: str
    parent: int | None
    children: int
    owners: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What was done for `owner`, with which blocks, and every block afterwards. `evicted` are the
    hash prefixes that can no longer be found."""

    number: int
    event: Event
    owner: str
    touched: tuple[int, ...]
    evicted: tuple[str, ...]
    free_blocks: int
    blocks: tuple[BlockView, ...]


class Recorder:
    """Drives a pool for named sequences and keeps a `Step` of each thing done. Walks all blocks at
    every step: for small pools."""

    def __init__(self, pool: BlockPool) -> None:
        self.pool = pool
        self.steps: list[Step] = []
        self._tables: dict[str, npt.NDArray[np.int32]] = {}
        self._names: dict[str, tuple[Bytes, npt.NDArray[np.integer[Any]], int]] = {}
        self._write("start", "", ())

    def admit(
        self, owner: str, hashes: Bytes, tokens: npt.NDArray[np.integer[Any]], limit_tokens: int
    ) -> int | None:
        """Room for all of `tokens`; the blocks hit, or None where there was no room."""
        blocks = -(-len(tokens) // self.pool.block_tokens)
        admission = self.pool.admit(hashes, tokens, limit_tokens, blocks)
        if admission is None:
            self._write("refused", owner, ())
            return None
        table, hits = admission
        self._tables[owner], self._names[owner] = table, (hashes, tokens, hits)
        self._write("hit", owner, tuple(table[:hits].tolist()))
        return hits

    def compute(self, owner: str) -> None:
        """The sequence's blocks are computed: the whole ones can be found from now on."""
        hashes, tokens, hits = self._names[owner]
        table = self._tables[owner]
        self.pool.publish(table, hashes, tokens, hits)
        self._write("computed", owner, tuple(table[hits:].tolist()))

    def release(self, owner: str) -> None:
        """The sequence is over; its blocks can be found until their room is needed."""
        table = self._tables.pop(owner)
        del self._names[owner]
        self.pool.release(table)
        self._write("released", owner, tuple(table.tolist()))

    def _write(self, event: Event, owner: str, touched: tuple[int, ...]) -> None:
        owners: dict[int, list[str]] = defaultdict(list)
        for name, table in self._tables.items():
            for block in table.tolist():
                owners[block].append(name)
        views = tuple(self._view(at, tuple(owners[at])) for at in range(self.pool.blocks))
        before = {view.hash_prefix for view in self.steps[-1].blocks} if self.steps else set()
        gone = before - {view.hash_prefix for view in views} - {""}
        self.steps.append(
            Step(
                number=len(self.steps),
                event=event,
                owner=owner,
                touched=touched,
                evicted=tuple(sorted(gone)),
                free_blocks=self.pool.free_blocks,
                blocks=views,
            )
        )

    def _view(self, block: int, owners: tuple[str, ...]) -> BlockView:
        row = self.pool.state.links[block].tolist()
        findable = bool(row[FINDABLE])
        digest = self.pool.state.digests[block].tobytes().hex()
        return BlockView(
            block=block,
            state=_state(row[REFS], findable),
            refs=row[REFS],
            hash_prefix=digest[:HASH_DIGITS] if findable else "",
            parent=row[PARENT] if findable and row[PARENT] >= 0 else None,
            children=row[CHILDREN] if findable else 0,
            owners=owners,
        )


def _state(refs: int, findable: bool) -> BlockState:
    if refs:
        return "held findable" if findable else "held"
    return "cached" if findable else "blank"
