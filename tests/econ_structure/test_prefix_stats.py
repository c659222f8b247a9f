"""Ideal hits: published figures, hand-worked edges, and an obvious count beside the fast one."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import econ.prefix_stats as fast
from econ.prefix_stats import block_sizes, ideal_hit_tokens, prefix_hits, prefix_stats
from tests.econ_structure.made import blocks, mooncake_rows, table


def counted(rows, input_tokens, block_tokens=512, **columns):
    return prefix_stats(
        table(len(rows), blocks(rows, block_tokens), input_tokens=input_tokens, **columns)
    )


def trace(rows, block_tokens):
    return table(
        len(rows),
        blocks([row["hash_ids"] for row in rows], block_tokens),
        input_tokens=[row["input_length"] for row in rows],
    )


def test_mooncake_conversation_trace_gives_its_published_statistics(reference_data):
    assert prefix_stats(trace(mooncake_rows(reference_data), 512)) == {
        "total_blocks": 288_500,
        "unique_blocks": 182_790,
        "unique_prefix_chains": 182_790,
        "ideal_hit_blocks": 105_710,
        "ideal_block_hit_ratio": 0.366412,
        "ideal_hit_blocks_chain": 105_710,
        "ideal_block_hit_ratio_chain": 0.366412,
        "ideal_hit_tokens": 54_098_411,
        "ideal_token_hit_ratio": 0.373624,
        "mean_request_hit_ratio": 0.384258,
        "second_half_ideal_token_hit_ratio": 0.398113,
    }


def test_ids_that_do_not_name_their_chain_are_told_apart(reference_data):
    """RAGPulse: 21,857 chunks in 58,727 different chains (5 lists joined in prompt order)."""
    path = reference_data / "traces" / "serving_prefix" / "ragpulse" / "0_trace.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    lines.sort(key=lambda row: int(row["timestamp"]))
    parts = ("sys_prompt", "passages_ids", "history", "web_search", "user_input")
    number: dict[tuple[str, int], int] = {}
    rows = [
        [
            number.setdefault((part, block_id), len(number))
            for part in parts
            for block_id in row["hash_ids"][part]
        ]
        for row in lines
    ]
    stats = counted(rows, [row["input_length"] for row in lines])
    assert stats["total_blocks"] == 71_583
    assert stats["unique_blocks"] == 21_857
    assert stats["unique_prefix_chains"] == 58_727
    assert stats["ideal_hit_blocks_chain"] == 12_856
    assert stats["ideal_block_hit_ratio_chain"] == 0.179596
    assert stats["ideal_hit_blocks"] == 14_325


def test_a_row_never_hits_on_itself():
    stats = counted([[7, 7, 7]], [1_536])
    assert (stats["ideal_hit_blocks"], stats["unique_blocks"]) == (0, 1)
    assert stats["unique_prefix_chains"] == 3


def test_a_hit_stops_at_the_first_unknown_block():
    stats = counted([[1, 2, 3], [1, 9, 3]], [1_536, 1_536])
    assert stats["ideal_hit_blocks"] == 1
    assert stats["ideal_hit_tokens"] == 512


def test_a_partial_last_block_counts_its_own_tokens():
    stats = counted([[1, 2], [1, 2]], [600, 600])
    assert stats["ideal_hit_tokens"] == 600
    assert stats["ideal_token_hit_ratio"] == 0.5


def test_a_known_block_behind_another_front_hits_by_id_but_not_by_chain():
    stats = counted([[1, 2], [3, 4], [3, 2]], [1_024] * 3)
    assert stats["ideal_hit_blocks"] == 2
    assert stats["ideal_hit_blocks_chain"] == 1


def test_the_second_half_is_filled_by_the_first():
    stats = counted([[1], [2], [1], [3]], [512] * 4)
    assert stats["second_half_ideal_token_hit_ratio"] == 0.5
    assert stats["ideal_token_hit_ratio"] == 0.25


def test_rows_without_blocks_count_nowhere_in_the_mean():
    stats = counted([[1], [], [1], []], [512, 100, 512, 100])
    assert stats["mean_request_hit_ratio"] == 0.5
    assert stats["ideal_hit_blocks"] == 1


def test_an_empty_structure_has_counts_of_zero_and_no_ratios():
    stats = counted([[], []], [0, 0])
    assert stats["total_blocks"] == stats["unique_prefix_chains"] == 0
    assert stats["ideal_block_hit_ratio"] is None
    assert stats["ideal_token_hit_ratio"] is None
    assert stats["mean_request_hit_ratio"] is None


def test_a_workload_without_structure_has_no_statistics():
    plain = table(1, input_tokens=[10])
    assert prefix_stats(plain) == {}
    assert prefix_hits(plain) is None
    assert ideal_hit_tokens(plain) is None


def test_blocks_of_unequal_length_count_their_own_tokens():
    stats = counted([[1, 2], [1, 2, 3]], [130, 137], block_tokens=[30, 100, 30, 100, 7])
    assert stats["ideal_hit_tokens"] == 130


def test_ids_are_shared_inside_a_model_only_where_it_says_per_model():
    stats = counted([[1], [1], [1]], [512] * 3, model=["a", "b", "a"])
    assert stats["ideal_hit_blocks"] == 2
    assert stats["ideal_hit_blocks_per_model"] == 1
    assert stats["ideal_block_hit_ratio_per_model"] == 0.333333
    assert "ideal_hit_blocks_per_model" not in counted([[1]], [512], model=["a"])


def test_a_missing_prompt_length_hits_no_tokens():
    assert counted([[1], [1]], [512, -1])["ideal_hit_tokens"] == 0


@pytest.mark.parametrize("stretch", [1, 2**40, -(2**40)])
def test_large_sparse_and_negative_ids_count_as_small_ones(stretch):
    rows = [[1, 2], [1, 3], [4, 2], [1, 2, 5]]
    stretched = [[block_id * stretch for block_id in row] for row in rows]
    assert counted(stretched, [2_000] * 4) == counted(rows, [2_000] * 4)


def test_chains_are_hashed_anew_when_two_collide(monkeypatch):
    honest, seeds = fast._chain_hashes, []

    def collides_at_first(ids, starts, place, seed):
        seeds.append(seed)
        return honest(ids, starts, place, seed) * np.uint64(0 if seed < 2 else 1)

    monkeypatch.setattr(fast, "_chain_hashes", collides_at_first)
    assert counted([[1, 2], [3, 2]], [1_024] * 2)["unique_prefix_chains"] == 4
    assert seeds == [0, 1, 2]


def test_endless_collisions_are_an_error_and_not_a_wrong_count(monkeypatch):
    monkeypatch.setattr(fast, "_chain_hashes", lambda ids, *_: np.zeros(len(ids), dtype=np.uint64))
    with pytest.raises(AssertionError, match="collided"):
        counted([[1, 2], [3, 2]], [1_024] * 2)


ROWS = st.lists(st.lists(st.integers(0, 4), max_size=6), min_size=1, max_size=12)


@given(ROWS, st.sampled_from([1, 1_000_003]))
def test_the_fast_count_equals_the_obvious_one(rows, stretch):
    rows = [[block_id * stretch for block_id in row] for row in rows]
    input_tokens = [max(0, 10 * len(row) - 3) for row in rows]
    made = table(len(rows), blocks(rows, 10), input_tokens=input_tokens)
    hits = prefix_hits(made)
    known, known_chains = set(), set()
    for number, row in enumerate(rows):
        run = next((i for i, block_id in enumerate(row) if block_id not in known), len(row))
        chains = [tuple(row[: i + 1]) for i in range(len(row))]
        chain_run = sum(1 for chain in chains if chain in known_chains)
        tokens = sum(max(0, min(10, input_tokens[number] - 10 * i)) for i in range(run))
        assert hits.hit_blocks[number] == run
        assert hits.hit_blocks_chain[number] == chain_run
        assert hits.hit_tokens[number] == tokens
        known.update(row)
        known_chains.update(chains)
    assert hits.unique_blocks == len(known)
    assert hits.unique_chains == len(known_chains)
    assert ideal_hit_tokens(made).tolist() == hits.hit_tokens.tolist()
    assert int(block_sizes(made, made.prefix).sum()) == sum(input_tokens)
