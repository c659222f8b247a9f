from __future__ import annotations

import numpy as np
import pytest

from kvcore.blocks.pool import BlockPool
from kvcore.errors import KvcoreError
from tests.kvcore.blocks.made import BLOCK_TOKENS, found, kept, named, run_of


def ids(*blocks: int) -> np.ndarray:
    return np.array(blocks, dtype=np.int32)


def test_a_pool_starts_free_and_blank() -> None:
    pool = BlockPool(8, BLOCK_TOKENS)
    counts = (pool.free_blocks, pool.blocks_in_use, pool.resident_blocks, pool.evictions)
    assert counts == (8, 0, 0, 0)


def test_a_prompt_seen_before_leaves_one_token_to_compute() -> None:
    pool = BlockPool(8, BLOCK_TOKENS)
    prompt = run_of(0, 3)
    assert kept(pool, prompt) == 0
    hashes, tokens = named(prompt)
    assert len(pool.match(hashes, tokens, len(tokens) - 1)) == 2
    assert len(pool.match(hashes, tokens, len(tokens))) == 3
    longer = [*prompt, 99]
    assert kept(pool, longer) == 3


def test_the_last_block_of_a_full_hit_is_computed_again_in_place() -> None:
    pool = BlockPool(3, BLOCK_TOKENS)
    prompt = run_of(0, 3)
    kept(pool, prompt)
    assert kept(pool, prompt) == 2
    assert (pool.evictions, pool.resident_blocks) == (0, 3)


def test_a_full_hit_on_blocks_in_use_gets_its_own_last_block_and_gives_it_back() -> None:
    pool = BlockPool(4, BLOCK_TOKENS)
    hashes, tokens = named(run_of(0, 2))
    first = pool.admit(hashes, tokens, 7, 2)
    assert first is not None
    pool.publish(first.table, hashes, tokens)
    second = pool.admit(hashes, tokens, 7, 2)
    assert second is not None
    assert second.hit_blocks == 1
    assert second.table[1] != first.table[1]
    assert pool.publish(second.table, hashes, tokens, 1) == 1
    assert second.table.tolist() == first.table.tolist()
    assert pool.blocks_in_use == 2


def test_a_partial_block_is_never_found() -> None:
    pool = BlockPool(4, BLOCK_TOKENS)
    kept(pool, [*run_of(0, 1), 50, 51])
    assert pool.resident_blocks == 1


def test_the_tail_of_a_sequence_goes_first() -> None:
    pool = BlockPool(4, BLOCK_TOKENS)
    kept(pool, run_of(0, 4))
    taken = pool.allocate(2)
    assert taken is not None
    assert len(found(pool, run_of(0, 4))) == 2


def test_blank_blocks_are_taken_before_anything_is_evicted() -> None:
    pool = BlockPool(4, BLOCK_TOKENS)
    kept(pool, run_of(0, 2))
    assert pool.allocate(2) is not None
    assert pool.evictions == 0
    assert pool.allocate(1) is not None
    assert pool.evictions == 1


def test_what_does_not_fit_is_refused_whole() -> None:
    pool = BlockPool(4, BLOCK_TOKENS)
    kept(pool, run_of(0, 4))
    held = pool.allocate(1)
    assert held is not None
    assert pool.allocate(4) is None
    hashes, tokens = named(run_of(100, 4))
    assert pool.admit(hashes, tokens, 15, 4) is None
    assert (pool.evictions, pool.free_blocks, pool.resident_blocks) == (1, 3, 3)


def test_hits_count_towards_the_room_of_an_admission() -> None:
    pool = BlockPool(4, BLOCK_TOKENS)
    kept(pool, run_of(0, 2))
    hashes, tokens = named(run_of(0, 2) + run_of(50, 2))
    admission = pool.admit(hashes, tokens, 15, 4)
    assert admission is not None
    assert (admission.hit_blocks, pool.free_blocks, pool.evictions) == (2, 0, 0)


def test_a_forced_collision_is_a_miss_and_is_not_published() -> None:
    pool = BlockPool(8, BLOCK_TOKENS)
    hashes, tokens = named(run_of(0, 2))
    others = tokens + np.uint32(1000)
    admission = pool.admit(hashes, tokens, 7, 2)
    assert admission is not None
    pool.publish(admission.table, hashes, tokens)
    assert pool.match(hashes, others, 8).tolist() == []
    liar = pool.admit(hashes, others, 7, 2)
    assert liar is not None
    assert liar.hit_blocks == 0
    assert pool.publish(liar.table, hashes, others) == 0
    assert pool.match(hashes, others, 8).tolist() == []
    assert pool.match(hashes, tokens, 8).tolist() == admission.table.tolist()


def test_a_collision_behind_another_parent_is_a_miss() -> None:
    pool = BlockPool(8, BLOCK_TOKENS)
    hashes, tokens = named([1, 1, 1, 1, 5, 5, 5, 5])
    other_hashes, other_tokens = named([2, 2, 2, 2, 5, 5, 5, 5])
    other_hashes[1] = hashes[1]  # same tokens, same digest, another history
    for names, content in ((hashes, tokens), (other_hashes[:1], other_tokens)):
        admission = pool.admit(names, content, 0, 2)
        assert admission is not None
        pool.publish(admission.table, names, content)
    assert len(pool.match(hashes, tokens, 8)) == 2
    assert len(pool.match(other_hashes, other_tokens, 8)) == 1


def test_equal_blocks_computed_side_by_side_become_one() -> None:
    pool = BlockPool(8, BLOCK_TOKENS)
    hashes, tokens = named(run_of(0, 3))
    one, other = pool.admit(hashes, tokens, 11, 3), pool.admit(hashes, tokens, 11, 3)
    assert one is not None
    assert other is not None
    assert pool.publish(one.table, hashes, tokens) == 0
    assert pool.publish(other.table, hashes, tokens) == 3
    assert other.table.tolist() == one.table.tolist()
    assert (pool.blocks_in_use, pool.resident_blocks) == (3, 3)


def test_hits_stay_inside_a_salt() -> None:
    pool = BlockPool(8, BLOCK_TOKENS)
    kept(pool, run_of(0, 3), salt="one")
    assert found(pool, run_of(0, 3), salt="other") == []
    assert len(found(pool, run_of(0, 3), salt="one")) == 3


def test_a_block_in_use_is_never_taken() -> None:
    pool = BlockPool(4, BLOCK_TOKENS)
    kept(pool, run_of(0, 3))
    held = np.array(found(pool, run_of(0, 3)), dtype=np.int32)
    pool.reference(held)
    taken = pool.allocate(1)
    assert taken is not None
    assert not set(taken.tolist()) & set(held.tolist())
    assert pool.allocate(1) is None


def test_a_pre_empted_sequence_finds_its_whole_blocks_again() -> None:
    pool = BlockPool(6, BLOCK_TOKENS)
    hashes, tokens = named([*run_of(0, 2), 9])
    admission = pool.admit(hashes, tokens, 8, 3)
    assert admission is not None
    pool.publish(admission.table, hashes, tokens)
    pool.release(admission.table)
    assert pool.free_blocks == 6
    again = pool.admit(hashes, tokens, 8, 3)
    assert again is not None
    assert again.hit_blocks == 2


@pytest.mark.parametrize(
    ("blocks", "message_id"),
    [((0, 0), "kvcore.block_not_held"), ((3,), "kvcore.block_not_held"),
     ((-1,), "kvcore.no_such_block"), ((4,), "kvcore.no_such_block")],
)  # fmt: skip
def test_a_release_of_what_is_not_held_changes_nothing(
    blocks: tuple[int, ...], message_id: str
) -> None:
    pool = BlockPool(4, BLOCK_TOKENS)
    assert pool.allocate(2) is not None
    with pytest.raises(KvcoreError) as refused:
        pool.release(ids(0, 1, *blocks))
    assert refused.value.message_id == message_id
    assert pool.free_blocks == 2
    pool.release(ids(0, 1))
    assert pool.free_blocks == 4


def test_a_blank_block_cannot_be_referenced() -> None:
    with pytest.raises(KvcoreError, match="holds nothing"):
        BlockPool(4, BLOCK_TOKENS).reference(ids(0))


def test_a_block_that_is_not_held_cannot_be_published() -> None:
    pool = BlockPool(4, BLOCK_TOKENS)
    hashes, tokens = named(run_of(0, 1))
    with pytest.raises(KvcoreError, match="does not hold"):
        pool.publish(ids(2), hashes, tokens)
    with pytest.raises(KvcoreError, match="as many blocks"):
        pool.publish(ids(), hashes, tokens)


def test_hashes_without_their_tokens_are_refused() -> None:
    pool = BlockPool(4, BLOCK_TOKENS)
    hashes, tokens = named(run_of(0, 2))
    with pytest.raises(KvcoreError, match="there are 7 tokens"):
        pool.match(hashes, tokens[:7], 7)


@pytest.mark.parametrize(("blocks", "block_tokens"), [(0, 4), (4, 0), (-1, 4)])
def test_an_impossible_pool_is_refused(blocks: int, block_tokens: int) -> None:
    with pytest.raises(KvcoreError) as refused:
        BlockPool(blocks, block_tokens)
    assert refused.value.message_id == "kvcore.pool_size"


def test_a_fork_gives_the_writer_a_block_of_its_own() -> None:
    pool = BlockPool(4, BLOCK_TOKENS)
    table = pool.allocate(1)
    assert table is not None
    block = int(table[0])
    assert not pool.is_shared(block)
    assert pool.fork(block) == block
    pool.reference(table)
    own = pool.fork(block)
    assert own is not None
    assert own != block
    assert not pool.is_shared(block)
    assert pool.blocks_in_use == 2


def test_a_fork_of_a_findable_block_leaves_it_findable() -> None:
    pool = BlockPool(2, BLOCK_TOKENS)
    hashes, tokens = named(run_of(0, 1))
    admission = pool.admit(hashes, tokens, 3, 1)
    assert admission is not None
    pool.publish(admission.table, hashes, tokens)
    block = int(admission.table[0])
    own = pool.fork(block)
    assert own not in (None, block)
    assert found(pool, run_of(0, 1)) == [block]


def test_a_fork_without_a_free_block_is_none_and_keeps_its_place() -> None:
    pool = BlockPool(1, BLOCK_TOKENS)
    table = pool.allocate(1)
    assert table is not None
    pool.reference(table)
    assert pool.fork(0) is None
    assert pool.is_shared(0)


def test_a_reset_pool_knows_nothing() -> None:
    pool = BlockPool(4, BLOCK_TOKENS)
    kept(pool, run_of(0, 3))
    pool.reset()
    assert found(pool, run_of(0, 3)) == []
    assert pool.free_blocks == 4
