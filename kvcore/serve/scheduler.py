"""Whose turn it is: continuous batching, chunked prefill, admission by free blocks, pre-emption.

First come, first served. Each step decodes one token of every sequence that is ready and spends
what is left of the token budget on prompts, the oldest first. When blocks run out the sequence that
came last gives all of its own back and waits at its old place in the line; what it had published
is found again if nobody took it. The oldest is never pre-empted, so everyone finishes.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from kvcore.blocks.hashing import chain
from kvcore.blocks.pool import BlockPool
from kvcore.blocks.state import REFS
from kvcore.serve.request import FinishReason
from kvcore.serve.sequence import Sequence

RootOf = Callable[[str], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`chunk_tokens`: tokens of one step, decodes and prompts together; at least one block of a
    prompt goes on, whatever is decoded. `max_batch`: sequences that run at once."""

    chunk_tokens: int
    max_batch: int
    prefix_cache: bool = True


@dataclass(slots=True, kw_only=True)
class Plan:
    """One step: a token each of `decodes`, and `chunks` of prompts with their token counts."""

    decodes: list[Sequence] = field(default_factory=list)
    chunks: list[tuple[Sequence, int]] = field(default_factory=list)
    admitted: int = 0
    preempted: int = 0


class Scheduler:
    """Owns the sequences and their blocks; knows no model. Not thread-safe: one caller steps.

    `copy_block(source, destination)` copies the data of a block that two sequences share before
    one of them writes. `root_of(salt)` is where that salt's hash chains start.
    """

    def __init__(
        self,
        pool: BlockPool,
        limits: Limits,
        *,
        copy_block: Callable[[int, int], None],
        root_of: RootOf,
    ) -> None:
        self.pool, self.limits = pool, limits
        self._copy_block, self._root_of = copy_block, root_of
        self.waiting: deque[Sequence] = deque()
        self.running: list[Sequence] = []

    @property
    def idle(self) -> bool:
        """Nothing waits and nothing runs."""
        return not self.waiting and not self.running

    def add(self, sequence: Sequence) -> None:
        """To the end of the line."""
        self.waiting.append(sequence)

    def plan(self, now_s: float) -> Plan:
        """What the next step computes. Every token of it has its place in a block."""
        plan = Plan()
        at = 0
        while at < len(self.running):  # pre-emption takes from the end
            sequence = self.running[at]
            if sequence.pending == 1 and self._has_place(sequence, plan):
                plan.decodes.append(sequence)
            at += 1
        size = self.pool.block_tokens
        budget = max(size, self.limits.chunk_tokens - len(plan.decodes))
        for sequence in self._prompts(plan, now_s):
            if sequence.pending == 1:  # all but one token was found: a decode like any other
                plan.decodes.append(sequence)
                budget -= 1
            else:
                count = _chunk(sequence, budget, size)
                plan.chunks.append((sequence, count))
                budget -= count
            if budget <= 0:
                break
        return plan

    def advance(self, sequence: Sequence, count: int) -> None:
        """`count` more tokens are computed; blocks that became full can be found from now on."""
        sequence.computed += count
        sequence.tally.computed_tokens += count
        full = sequence.computed // self.pool.block_tokens
        if self.limits.prefix_cache and full > sequence.published:
            self._name_blocks(sequence, full)
            self.pool.publish(
                sequence.table, sequence.hashes[:full], sequence.tokens, sequence.published
            )
            sequence.published = full

    def fork(self, sequence: Sequence) -> list[Sequence]:
        """The other samples of a request whose prompt is computed, on the same blocks."""
        others = [sequence.forked(1 + number) for number in range(sequence.forks_due)]
        sequence.forks_due = 0
        for other in others:
            self.pool.reference(other.table)
            insort(self.running, other, key=lambda one: one.order)
        return others

    def finish(self, sequence: Sequence, reason: FinishReason) -> None:
        """Out of the line, wherever it stands; its blocks are free."""
        sequence.reason = reason
        if sequence in self.running:
            self.running.remove(sequence)
            self._give_back(sequence)
        else:
            self.waiting.remove(sequence)

    def of_request(self, request_id: str) -> list[Sequence]:
        """Its sequences that wait or run."""
        both = (*self.running, *self.waiting)
        return [sequence for sequence in both if sequence.request.id == request_id]

    def _prompts(self, plan: Plan, now_s: float) -> Iterable[Sequence]:
        """Running sequences with a prompt to compute, then those that can be let in."""
        yield from [sequence for sequence in self.running if sequence.pending > 1]
        while self._admit(now_s):
            plan.admitted += 1
            yield self.running[-1]

    def _admit(self, now_s: float) -> bool:
        """Let the first in line in, if all of its tokens have a place and every running sequence
        keeps a block to go on with."""
        if not self.waiting or self._places_taken() > self.limits.max_batch:
            return False
        sequence = self.waiting[0]
        size = self.pool.block_tokens
        if self.limits.prefix_cache:
            self._name_blocks(sequence, sequence.length // size)
        blocks = -(-sequence.length // size)
        if not self._leaves_room(sequence, blocks):
            return False
        limit = sequence.length - 1  # one token at least is computed: its logits are needed
        before = self.pool.evictions
        admission = self.pool.admit(sequence.hashes, sequence.tokens, limit, blocks)
        if admission is None:
            return False
        sequence.tally.evictions += self.pool.evictions - before
        self.waiting.popleft()
        sequence.table, sequence.published = admission.table, admission.hit_blocks
        sequence.computed = admission.hit_blocks * size
        sequence.tally.looked_up(sequence.computed, now_s)
        self._take_last_block(sequence)
        self.running.append(sequence)
        return True

    def _places_taken(self) -> int:
        """Sequences that run, samples still to be forked from them, and the first in line."""
        everyone = (*self.running, self.waiting[0])
        return sum(1 + sequence.forks_due for sequence in everyone)

    def _leaves_room(self, sequence: Sequence, blocks: int) -> bool:
        """A block for each running sequence is left when this one has its `blocks`: it would be
        the first to be pre-empted."""
        if not self.running:
            return True
        limit = sequence.length - 1
        found = self.pool.match(sequence.hashes, sequence.tokens, limit)
        held = int((self.pool.state.links[found, REFS] > 0).sum())
        return self.pool.free_blocks - (blocks - held) >= len(self.running)

    def _take_last_block(self, sequence: Sequence) -> None:
        """Where every block of the sequence is known, only its last token is computed again: the
        last block is the known one itself where nobody holds it, else a copy."""
        last = len(sequence.table) - 1
        if sequence.published != last or sequence.length % self.pool.block_tokens:
            return
        known = self.pool.match(sequence.hashes, sequence.tokens, sequence.length)
        if len(known) == len(sequence.table):
            if known[last] != sequence.table[last]:
                self._copy_block(int(known[last]), int(sequence.table[last]))
            sequence.computed = sequence.length - 1

    def _has_place(self, sequence: Sequence, plan: Plan) -> bool:
        """Make sure that its next token has a block of its own; False if that cost it its turn."""
        while not self._extend(sequence):
            last = self.running[-1]
            self._preempt(last)
            plan.preempted += 1
            if last is sequence:
                return False
        return True

    def _extend(self, sequence: Sequence) -> bool:
        """A block for its next token that nobody else sees; False where none is free."""
        place = sequence.computed // self.pool.block_tokens
        before = self.pool.evictions
        if place == len(sequence.table):
            fresh = self.pool.allocate(1)
            if fresh is not None:
                sequence.table = np.concatenate((sequence.table, fresh))
            done = fresh is not None
        else:
            shared = int(sequence.table[place])
            own = self.pool.fork(shared)
            if own is not None and own != shared:
                self._copy_block(shared, own)
                sequence.table[place] = own
            done = own is not None
        sequence.tally.evictions += self.pool.evictions - before
        return done

    def _preempt(self, sequence: Sequence) -> None:
        """Back to the head of the line: everyone who waits came later."""
        self.running.pop()
        self._give_back(sequence)
        sequence.tally.preemptions += 1
        self.waiting.appendleft(sequence)

    def _give_back(self, sequence: Sequence) -> None:
        request = sequence.request
        self.pool.release(sequence.forget_blocks(), request.priority, request.keep_s)

    def _name_blocks(self, sequence: Sequence, full: int) -> None:
        """Hashes of its first `full` blocks; those that are known stay."""
        known = len(sequence.hashes)
        if known < full:
            size = self.pool.block_tokens
            parent = bytes(sequence.hashes[-1]) if known else self._root_of(sequence.request.salt)
            more = chain(parent, sequence.tokens[known * size : full * size], size)
            sequence.hashes = np.concatenate((sequence.hashes, more))


def _chunk(sequence: Sequence, budget: int, block_tokens: int) -> int:
    """Tokens of a prompt to compute now: all, or up to a block's end where the budget allows."""
    if sequence.pending <= budget:
        return sequence.pending
    over = (sequence.computed + budget) % block_tokens
    return budget - over if over < budget else budget
