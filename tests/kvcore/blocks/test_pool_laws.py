"""Whatever is done in whatever order: the pool agrees with a plain model of it."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kvcore.blocks.pool import BlockPool
from kvcore.blocks.state import CHILDREN, FINDABLE, NEWER, PARENT, REFS
from tests.kvcore.blocks.made import BLOCK_TOKENS, named

BLOCKS = 6
WORDS = st.lists(st.integers(0, 1), min_size=1, max_size=5)  # one word is a block of one token
SALTS = st.sampled_from(["", "a"])


class Held:
    """A sequence as its scheduler would know it."""

    def __init__(self, words: list[int], salt: str, tail: int, table: np.ndarray) -> None:
        self.words, self.salt, self.table = words, salt, table
        self.hashes, self.tokens = named(tokens_of(words, tail), salt)


def tokens_of(words: list[int], tail: int) -> list[int]:
    return [word for word in words for _ in range(BLOCK_TOKENS)] + [9] * tail


class PoolLaws(RuleBasedStateMachine):
    held: list[Held]

    @initialize(policy=st.sampled_from(["lru-leaf", "priority", "lru"]))
    def start(self, policy: str) -> None:
        self.now_s = 0.0
        self.pool = BlockPool(BLOCKS, BLOCK_TOKENS, policy=policy, clock=lambda: self.now_s)
        self.leaf_only = self.pool.policy.leaf_only
        self.held = []
        self.content: dict[int, tuple[str, tuple[int, ...]]] = {}
        self.published: set[tuple[str, tuple[int, ...]]] = set()

    @rule(words=WORDS, salt=SALTS, tail=st.integers(0, BLOCK_TOKENS - 1))
    def admit(self, words: list[int], salt: str, tail: int) -> None:
        hashes, tokens = named(tokens_of(words, tail), salt)
        before = self.in_use()
        blocks = len(words) + (tail > 0)
        free, evicted = self.pool.free_blocks, self.pool.evictions
        admission = self.pool.admit(hashes, tokens, len(tokens) - 1, blocks)
        if admission is None:
            assert (self.pool.free_blocks, self.pool.evictions) == (free, evicted)
            assert blocks > 0
            return
        table, hits = admission
        assert hits * BLOCK_TOKENS < len(tokens)
        for place in range(hits):  # a hit holds just this content, written under this salt
            assert self.content[int(table[place])] == (salt, tuple(words[: place + 1]))
        assert not set(table[hits:].tolist()) & before.keys()
        assert len(set(table.tolist())) == len(table)
        for block in table[hits:].tolist():
            if not self.pool.state.links[block, FINDABLE]:
                self.content.pop(block, None)
        self.held.append(Held(words, salt, tail, table))

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def publish(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from(self.held))
        old = one.table.copy()
        replaced = self.pool.publish(one.table, one.hashes, one.tokens)
        assert replaced == int((old != one.table).sum())
        for place in range(len(one.words)):
            block = int(one.table[place])
            if self.pool.state.links[block, FINDABLE]:
                self.content[block] = (one.salt, tuple(one.words[: place + 1]))
                self.published.add(self.content[block])

    @precondition(lambda self: self.held)
    @rule(
        data=st.data(),
        priority=st.sampled_from([0, 35, 61, 100]),
        expires_s=st.sampled_from([None, 1.0, 3.0]),
    )
    def release(self, data: st.DataObject, priority: int, expires_s: float | None) -> None:
        one = self.held.pop(data.draw(st.integers(0, len(self.held) - 1)))
        self.pool.release(one.table, priority, expires_s)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def share(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from(self.held))
        self.pool.reference(one.table)
        other = Held(one.words, one.salt, 0, one.table.copy())
        other.hashes, other.tokens = one.hashes, one.tokens
        self.held.append(other)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def fork_the_tail(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from(self.held))
        if len(one.table) == len(one.words):
            return  # whole blocks are never written to again
        block = int(one.table[-1])
        shared = self.in_use()[block] > 1
        assert self.pool.is_shared(block) == shared
        own = self.pool.fork(block)
        if own is None:
            assert self.pool.free_blocks == 0
        else:
            assert (own != block) == shared
            self.content.pop(own, None) if shared else None
            one.table[-1] = own

    @rule(words=WORDS, salt=SALTS)
    def look_up(self, words: list[int], salt: str) -> None:
        hashes, tokens = named(tokens_of(words, 0), salt)
        for place, block in enumerate(self.pool.match(hashes, tokens, len(tokens)).tolist()):
            assert self.content[block] == (salt, tuple(words[: place + 1]))
            assert self.content[block] in self.published

    @rule(passed_s=st.sampled_from([0.5, 2.0]))
    def wait(self, passed_s: float) -> None:
        self.now_s += passed_s

    def in_use(self) -> Counter[int]:
        return Counter(block for one in self.held for block in one.table.tolist())

    @invariant()
    def every_block_has_just_its_holders(self) -> None:
        refs = self.pool.state.links[:BLOCKS, REFS].tolist()
        assert dict(self.in_use()) == {at: count for at, count in enumerate(refs) if count}
        assert self.pool.free_blocks + len(self.in_use()) == BLOCKS
        assert self.pool.blocks_in_use == len(self.in_use())

    @invariant()
    def the_index_knows_just_the_findable(self) -> None:
        findable = np.flatnonzero(self.pool.state.links[:BLOCKS, FINDABLE]).tolist()
        numbers = [int(slot & 0x7FFFFFFF) - 1 for slot in self.pool.state.slots if slot]
        assert sorted(numbers) == findable
        assert self.pool.resident_blocks == len(findable)
        names = [self.content[block] for block in findable]
        assert len(set(names)) == len(names)

    @invariant()
    def no_block_outlives_the_one_in_front_of_it(self) -> None:
        if not self.leaf_only:
            return
        links = self.pool.state.links
        findable = np.flatnonzero(links[:BLOCKS, FINDABLE]).tolist()
        children = Counter(int(links[block, PARENT]) for block in findable)
        for block in findable:
            parent = int(links[block, PARENT])
            salt, words = self.content[block]
            if len(words) > 1:
                assert links[parent, FINDABLE]
                assert self.content[parent] == (salt, words[:-1])
                assert links[parent, REFS] or not links[block, REFS]
            assert links[block, CHILDREN] == children[block]

    @invariant()
    def every_list_is_a_ring_of_free_blocks(self) -> None:
        links, listed = self.pool.state.links, []
        for end in range(BLOCKS, len(links)):
            at = int(links[end, NEWER])
            while at != end:
                listed.append(at)
                assert links[links[at, NEWER], 1] == at
                at = int(links[at, NEWER])
        assert len(set(listed)) == len(listed)
        assert not links[listed, REFS].any()
        waiting = set(range(BLOCKS)) - set(listed) - self.in_use().keys()
        assert all(links[block, CHILDREN] for block in waiting)

    def teardown(self) -> None:
        if not hasattr(self, "pool"):
            return
        for one in self.held:
            self.pool.release(one.table)
        assert self.pool.free_blocks == BLOCKS
        assert self.pool.allocate(BLOCKS) is not None
        assert self.pool.resident_blocks == 0


PoolLaws.TestCase.settings = settings(
    max_examples=120,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestPoolLaws = PoolLaws.TestCase
