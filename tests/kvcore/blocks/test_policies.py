from __future__ import annotations

import numpy as np
import pytest

from kvcore.blocks.policies import POLICIES, policy_named
from kvcore.blocks.pool import BlockPool
from kvcore.errors import KvcoreError
from tests.kvcore.blocks.made import BLOCK_TOKENS, found, kept, named, run_of


class Clock:
    """Seconds that a test sets."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_an_unknown_policy_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(KvcoreError, match="lru-leaf, priority, lru"):
        policy_named("mru")


@pytest.mark.parametrize("priority", [-1, 101])
def test_a_priority_out_of_range_is_refused(priority: int) -> None:
    pool = BlockPool(4, BLOCK_TOKENS, policy="priority")
    table = pool.allocate(1)
    assert table is not None
    with pytest.raises(KvcoreError, match="from 0 to 100"):
        pool.release(table, priority)
    assert pool.blocks_in_use == 1


def test_the_least_recently_released_chain_goes_first_from_its_end() -> None:
    pool = BlockPool(4, BLOCK_TOKENS)
    kept(pool, run_of(0, 2))
    kept(pool, run_of(100, 2))
    pool.allocate(1)
    assert (len(found(pool, run_of(0, 2))), len(found(pool, run_of(100, 2)))) == (1, 2)
    pool.allocate(2)
    assert (len(found(pool, run_of(0, 2))), len(found(pool, run_of(100, 2)))) == (0, 1)


def test_plain_lru_takes_the_beginning_first_and_loses_the_whole_chain() -> None:
    pool = BlockPool(4, BLOCK_TOKENS, policy="lru")
    kept(pool, run_of(0, 4))
    pool.allocate(1)
    assert found(pool, run_of(0, 4)) == []
    assert pool.resident_blocks == 3


def test_the_lowest_priority_goes_first() -> None:
    pool = BlockPool(6, BLOCK_TOKENS, policy="priority")
    kept(pool, run_of(0, 2), priority=80)
    kept(pool, run_of(100, 2))
    kept(pool, run_of(200, 2), priority=0)
    for left in ((2, 2, 1), (2, 2, 0), (2, 1, 0), (2, 0, 0), (1, 0, 0)):
        pool.allocate(1)
        assert tuple(len(found(pool, run_of(at, 2))) for at in (0, 100, 200)) == left


@pytest.mark.parametrize("priority", [0, 59, 60, 100])
def test_every_priority_has_a_list_of_its_own(priority: int) -> None:
    pool = BlockPool(2, BLOCK_TOKENS, policy="priority")
    kept(pool, run_of(0, 1), priority=priority)
    kept(pool, run_of(100, 1), priority=abs(priority - 1))
    pool.allocate(1)
    assert (len(found(pool, run_of(0, 1))) == 1) == (priority > 0)


def test_a_parent_waits_for_a_child_of_higher_priority() -> None:
    pool = BlockPool(3, BLOCK_TOKENS, policy="priority")
    kept(pool, run_of(0, 2), priority=90)
    kept(pool, run_of(0, 1), priority=10)  # the beginning alone, worth less now
    kept(pool, run_of(100, 1), priority=50)
    pool.allocate(1)
    assert (len(found(pool, run_of(0, 2))), len(found(pool, run_of(100, 1)))) == (2, 0)
    pool.allocate(1)
    assert len(found(pool, run_of(0, 2))) == 1
    pool.allocate(1)
    assert found(pool, run_of(0, 1)) == []


def test_a_priority_ends_and_the_block_is_like_any_other() -> None:
    clock = Clock()
    pool = BlockPool(2, BLOCK_TOKENS, policy="priority", clock=clock)
    kept(pool, run_of(0, 1), priority=90, expires_s=10)
    kept(pool, run_of(100, 1), priority=40)
    clock.now_s = 9.9
    first = pool.allocate(1)
    assert first is not None
    assert len(found(pool, run_of(0, 1))) == 1
    pool.release(first)
    kept(pool, run_of(100, 1), priority=40)
    clock.now_s = 10.0
    pool.allocate(1)
    assert (len(found(pool, run_of(0, 1))), len(found(pool, run_of(100, 1)))) == (0, 1)


def test_a_low_priority_that_ends_is_raised() -> None:
    clock = Clock()
    pool = BlockPool(2, BLOCK_TOKENS, policy="priority", clock=clock)
    kept(pool, run_of(0, 1), priority=5, expires_s=1)
    kept(pool, run_of(100, 1), priority=20)
    clock.now_s = 2.0
    pool.allocate(1)
    assert (len(found(pool, run_of(0, 1))), len(found(pool, run_of(100, 1)))) == (1, 0)


def test_a_block_that_is_held_again_forgets_when_its_priority_ended() -> None:
    clock = Clock()
    pool = BlockPool(2, BLOCK_TOKENS, policy="priority", clock=clock)
    kept(pool, run_of(0, 1), priority=90, expires_s=1)
    hashes, tokens = named(run_of(0, 1))
    held = pool.match(hashes, tokens, 4)
    pool.reference(held)
    clock.now_s = 5.0
    pool.release(held, 90)
    kept(pool, run_of(100, 1), priority=40)
    pool.allocate(1)
    assert len(found(pool, run_of(0, 1))) == 1


def test_many_priorities_end_in_the_order_of_their_moments() -> None:
    clock = Clock()
    pool = BlockPool(64, BLOCK_TOKENS, policy="priority", clock=clock)
    moments = np.random.default_rng(7).permutation(64) + 1
    for at, moment in enumerate(moments):
        kept(pool, run_of(100 * at, 1), priority=90, expires_s=int(moment))
    for passed in range(1, 65, 9):
        clock.now_s = passed
        taken = pool.allocate(1)
        assert taken is not None
        left = [len(found(pool, run_of(100 * at, 1))) for at in range(64)]
        gone = {int(moments[at]) for at in range(64) if not left[at]}
        assert all(moment <= passed for moment in gone)


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_serves_the_same_requests(policy: str) -> None:
    pool = BlockPool(8, BLOCK_TOKENS, policy=policy)
    hits = [kept(pool, [*run_of(100 * (at % 3), 2), 7]) for at in range(6)]
    assert hits == [0, 0, 0, 2, 2, 2]


def test_a_policy_of_ones_own_is_one_small_class() -> None:
    class NewestKept:
        """Everything above a threshold stays longest."""

        name, classes, leaf_only, tail_first, normal_class = "two-lists", 2, True, True, 0

        def place(self, priority: int) -> int:
            return int(priority > 50)

    pool = BlockPool(2, BLOCK_TOKENS, policy=NewestKept())
    kept(pool, run_of(0, 1), priority=51)
    kept(pool, run_of(100, 1), priority=50)
    pool.allocate(1)
    assert (len(found(pool, run_of(0, 1))), len(found(pool, run_of(100, 1)))) == (1, 0)
