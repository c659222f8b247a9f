"""The small transformer: the mask's promise to the last bit, and what is counted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econ import guide_attention as small

TOKENS = (5, 17, 3, 44, 9, 28, 61, 2, 33, 12)


@given(
    st.lists(st.integers(0, 63), min_size=2, max_size=20),
    st.lists(st.integers(0, 63), min_size=1, max_size=12),
    st.integers(0, 50),
)
@settings(max_examples=40, deadline=None)
def test_later_tokens_leave_every_bit_of_earlier_keys_and_values(
    tokens: list[int], later: list[int], seed: int
) -> None:
    weights = small.small_weights(seed)
    alone, longer = small.run(weights, tokens), small.run(weights, tokens + later)
    count = len(tokens)
    assert np.array_equal(alone.keys, longer.keys[:, :count])
    assert np.array_equal(alone.values, longer.values[:, :count])
    assert np.array_equal(alone.out, longer.out[:count])


@given(st.lists(st.integers(0, 63), min_size=1, max_size=20), st.integers(0, 50))
@settings(max_examples=40, deadline=None)
def test_with_a_cache_one_position_at_a_time_gives_the_same_bits(
    tokens: list[int], seed: int
) -> None:
    weights = small.small_weights(seed)
    at_once, cached = small.run(weights, tokens), small.run_cached(weights, tokens)
    assert np.array_equal(at_once.out, cached.out)
    assert np.array_equal(at_once.keys, cached.keys)


def test_without_the_mask_a_later_token_changes_what_came_before_in_deeper_layers() -> None:
    weights = small.small_weights()
    alone = small.run(weights, TOKENS[:6], masked=False)
    longer = small.run(weights, TOKENS, masked=False)
    assert np.array_equal(alone.keys[0], longer.keys[0, :6])  # the first layer sees tokens alone
    assert not np.array_equal(alone.keys[1], longer.keys[1, :6])


def test_names_of_bits_are_equal_where_bits_are() -> None:
    weights = small.small_weights()
    alone = small.names_of_bits(small.run(weights, TOKENS[:6]), 6)
    assert alone == small.names_of_bits(small.run(weights, TOKENS), 6)
    unmasked = small.names_of_bits(small.run(weights, TOKENS, masked=False), 6)
    assert all(a != b for a, b in zip(alone[:5], unmasked[:5], strict=True))


def test_a_naive_program_computes_the_square_of_what_a_cache_needs() -> None:
    weights = small.small_weights()
    naive = small.naive_projections(weights, TOKENS)
    assert sum(naive) == 3 * weights.layers * sum(range(1, len(TOKENS) + 1))
    assert small.run_cached(weights, TOKENS).projections == 3 * weights.layers * len(TOKENS)


def test_a_query_is_used_once_and_a_key_by_every_later_step() -> None:
    assert small.reads(4) == ((1, 4), (1, 3), (1, 2), (1, 1))


def test_the_fourth_step_computes_three_vectors_and_reads_four_positions() -> None:
    fourth = small.steps(4)[3]
    assert (fourth.computed, fourth.appended, fourth.keys_read) == (3, 2, 4)


@given(st.integers(1, 9), st.integers(1, 30))
@settings(max_examples=30, deadline=None)
def test_scattered_blocks_give_the_bits_of_one_piece(block_tokens: int, count: int) -> None:
    tokens = [(7 * n + 3) % 64 for n in range(count)]
    assert small.through_blocks(small.small_weights(), tokens, block_tokens)


def test_what_is_written_depends_on_every_earlier_token() -> None:
    weights = small.small_weights()
    chances = small.next_scores(weights, small.run(weights, TOKENS).out[-1])
    other = small.next_scores(weights, small.run(weights, (6, *TOKENS[1:])).out[-1])
    assert chances.sum() == pytest.approx(1)
    assert not np.array_equal(chances, other)
    assert len(small.write(weights, TOKENS[:3], 4)) == 4


def test_heads_that_cannot_be_shared_out_are_refused() -> None:
    with pytest.raises(ValueError, match="evenly"):
        small.small_weights(heads=4, kv_heads=3)
