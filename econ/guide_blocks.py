"""A block table at work: logical blocks of two sequences over one memory of physical blocks.

Blocks are held by count. A sequence that is forked shares all its blocks; who writes into a block
that another one holds as well gets a copy first (copy on write, Kwon et al. 2023, section 4.4). The
engine's own pool has the same rules at full speed; this one is small enough to draw.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Event = Literal["start", "fork", "append", "copy", "grow", "end"]
BLOCKS, BLOCK_TOKENS, PROMPT = 8, 4, 10
FREE_ORDER = (5, 1, 6, 3, 0, 7, 2, 4)
"""Physical blocks in the order in which they are handed out: what was freed last comes first, so
neighbours in a sequence are rarely neighbours in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """After one event: each sequence's table (physical block numbers in logical order) and length
    in tokens; `holders` [blocks]; `touched`: blocks that were written; `copied`: (from, to)."""

    event: Event
    sequence: str
    tables: dict[str, tuple[int, ...]]
    tokens: dict[str, int]
    holders: tuple[int, ...]
    touched: tuple[int, ...] = ()
    copied: tuple[int, int] | None = None


@dataclass(slots=True)
class Tables:
    """Block tables over `BLOCKS` physical blocks of `BLOCK_TOKENS` tokens."""

    free: list[int] = field(default_factory=lambda: list(FREE_ORDER))
    holders: list[int] = field(default_factory=lambda: [0] * BLOCKS)
    tables: dict[str, list[int]] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)

    def _take(self) -> int:
        block = self.free.pop(0)
        self.holders[block] = 1
        return block

    def _drop(self, block: int) -> None:
        self.holders[block] -= 1
        if not self.holders[block]:
            self.free.insert(0, block)

    def start(self, name: str, tokens: int) -> Moment:
        """A new sequence with a prompt of `tokens`."""
        self.tables[name] = [self._take() for _ in range(-(-tokens // BLOCK_TOKENS))]
        self.tokens[name] = tokens
        return self._seen("start", name, tuple(self.tables[name]))

    def fork(self, name: str, new: str) -> Moment:
        """A second answer to the same prompt: the table is copied, no block is."""
        self.tables[new], self.tokens[new] = list(self.tables[name]), self.tokens[name]
        for block in self.tables[new]:
            self.holders[block] += 1
        return self._seen("fork", new, ())

    def append(self, name: str) -> Moment:
        """One more token: into the last block, into a copy of it, or into a new one."""
        table, place = self.tables[name], self.tokens[name] % BLOCK_TOKENS
        self.tokens[name] += 1
        if not place:
            table.append(self._take())
            return self._seen("grow", name, (table[-1],))
        last = table[-1]
        if self.holders[last] == 1:
            return self._seen("append", name, (last,))
        table[-1] = self._take()
        self._drop(last)
        return self._seen("copy", name, (table[-1],), (last, table[-1]))

    def end(self, name: str) -> Moment:
        """A sequence lets go; what another one holds stays."""
        for block in reversed(self.tables.pop(name)):
            self._drop(block)
        del self.tokens[name]
        return self._seen("end", name, ())

    def _seen(
        self,
        event: Event,
        name: str,
        touched: tuple[int, ...],
        copied: tuple[int, int] | None = None,
    ) -> Moment:
        return Moment(
            event=event,
            sequence=name,
            touched=touched,
            copied=copied,
            tables={one: tuple(blocks) for one, blocks in self.tables.items()},
            tokens=dict(self.tokens),
            holders=tuple(self.holders),
        )


def story() -> tuple[Moment, ...]:
    """A prompt, a second answer to it, both written on, and the first one ended."""
    made = Tables()
    return (
        made.start("A", PROMPT),
        made.fork("A", "B"),
        made.append("A"),
        made.append("B"),
        made.append("A"),
        made.append("A"),
        made.end("A"),
    )
