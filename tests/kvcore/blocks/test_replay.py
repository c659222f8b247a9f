"""The real pool against the replay of econ, request by request."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_sources.traces.base import ReadOptions
from econ.replay import hits_at, row_hits
from econ.replay_input import blocks_of
from econ.replay_oracle import oracle_hits
from econ.workload import Workload
from jobs.reading import read_paths
from kvcore.blocks.replay import replay_hits, trace_pool
from kvcore.errors import KvcoreError

MOONCAKE = Path("traces", "serving_prefix", "mooncake", "conversation_trace.jsonl")


@pytest.fixture(scope="module")
def mooncake(reference_data: Path) -> Workload:
    result = read_paths([reference_data / MOONCAKE], ReadOptions(), lambda fraction, stage: None)
    return result.workload


@pytest.mark.parametrize("policy", ["lru-leaf", "lru"])
@pytest.mark.parametrize("capacity", [None, 300, 1_000, 5_859, 10_000, 30_000])
def test_all_mooncake_requests_hit_what_the_replay_says(
    mooncake: Workload, capacity: int | None, policy: str
) -> None:
    blocks, prefix = blocks_of(mooncake, "engine"), mooncake.prefix
    assert prefix is not None
    pool = trace_pool(capacity or blocks.footprint, policy)
    hits = replay_hits(
        prefix.offsets, prefix.block_ids, blocks.input_tokens, prefix.block_tokens, pool
    )
    assert len(hits) == 12_031
    assert np.array_equal(hits, row_hits(blocks, capacity, policy))
    assert pool.free_blocks == pool.blocks
    if capacity is None:
        sums = hits_at(blocks, capacity, hits)
        ratios = (sums.block_hit_ratio, sums.token_hit_ratio, sums.mean_request_hit_ratio)
        assert tuple(round(ratio or 0, 6) for ratio in ratios) == (0.366003, 0.373380, 0.382089)
        assert pool.evictions == 0


CHAINS = st.lists(
    st.tuples(st.lists(st.integers(0, 1), min_size=1, max_size=5), st.integers(0, 3)),
    min_size=1,
    max_size=25,
)


@given(chains=CHAINS, spare=st.integers(0, 6), policy=st.sampled_from(["lru-leaf", "priority"]))
def test_any_chains_hit_what_the_slow_definition_says(
    chains: list[tuple[list[int], int]], spare: int, policy: str
) -> None:
    block_tokens = 4
    numbers: dict[tuple[int, ...], int] = {}
    rows, looks, prompts = [], [], []
    for words, missing in chains:  # one id for each prefix: equal ids are equal chains
        row = [numbers.setdefault(tuple(words[: at + 1]), len(numbers)) for at in range(len(words))]
        prompts.append(len(row) * block_tokens - missing)
        rows.append(row)
        looks.append((prompts[-1] - 1) // block_tokens)
    whole = [row[: prompt // block_tokens] for row, prompt in zip(rows, prompts, strict=True)]
    capacity = max(1, *(len(row) for row in whole)) + spare
    hits = replay_hits(
        np.concatenate(([0], np.cumsum([len(row) for row in rows]))),
        np.array([block for row in rows for block in row], dtype=np.int64),
        np.array(prompts),
        block_tokens,
        trace_pool(capacity, policy),
    )
    assert hits.tolist() == oracle_hits(whole, looks, capacity, "lru-leaf")


def test_a_request_that_can_never_fit_is_refused() -> None:
    with pytest.raises(KvcoreError, match="Request 2 needs 3 blocks at once; the pool has 2"):
        replay_hits(np.array([0, 1, 4]), np.arange(4), np.array([512, 1536]), 512, trace_pool(2))
