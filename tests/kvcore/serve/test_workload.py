"""A trace of block ids, run through the engine: its hits are those of the pool alone."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvcore.errors import KvcoreError
from kvcore.serve.workload import BlockTrace, replay_workload, scaled_requests
from tests.kvcore.serve.tiny import VOCAB, engine

TRACE_BLOCK = 512


def _trace(rows: list[tuple[list[int], int]]) -> BlockTrace:
    """From block ids and prompt tokens of each request."""
    return BlockTrace(
        offsets=np.cumsum([0, *(len(ids) for ids, _ in rows)]),
        block_ids=np.array([block for ids, _ in rows for block in ids], dtype=np.int64),
        prompt_tokens=np.array([tokens for _, tokens in rows], dtype=np.int64),
        block_tokens=TRACE_BLOCK,
    )


def test_equal_ids_give_equal_tokens_and_others_do_not() -> None:
    requests = scaled_requests(_trace([([7, 8], 1024), ([7, 9], 1000)]), 16, VOCAB)
    first, second = (request.tokens for request in requests)
    assert first[:16] == second[:16]
    assert first[16:31] != second[16:31]
    assert (len(first), len(second)) == (32, 16 + 15)  # 488 of 512 tokens stay a partial block


def test_a_partial_block_stays_partial_at_any_scale() -> None:
    lengths = [1, 32, 33, 511]
    requests = scaled_requests(_trace([([1, 2], 512 + rest) for rest in lengths]), 16, VOCAB)
    assert [len(request.tokens) - 16 for request in requests] == [1, 1, 2, 15]


def test_blocks_of_one_token_cannot_be_partial_and_are_refused() -> None:
    with pytest.raises(KvcoreError, match="not 1"):
        scaled_requests(_trace([([1], 512)]), 1, VOCAB)


def test_tokens_without_an_id_are_shared_with_nobody() -> None:
    requests = scaled_requests(_trace([([1], 700), ([1], 700)]), 16, VOCAB)
    assert requests[0].tokens[:16] == requests[1].tokens[:16]
    assert requests[0].tokens[16:] != requests[1].tokens[16:]


def test_the_first_requests_of_a_trace_are_a_trace() -> None:
    trace = _trace([([1, 2], 1024), ([1], 512), ([3], 100)]).first(2)
    assert (trace.prompt_tokens.tolist(), trace.block_ids.tolist()) == ([1024, 512], [1, 2, 1])
    assert trace.footprint == 2


prefixes = st.sampled_from([[1, 2, 3, 4], [1, 2, 5, 6], [1, 7, 8, 9], [10, 11, 12, 13]])
rows = st.tuples(prefixes, st.integers(1, 4), st.integers(0, TRACE_BLOCK)).map(
    lambda row: (row[0][: row[1]], (row[1] - 1) * TRACE_BLOCK + max(row[2], row[1] == 1))
)


@given(rows=st.lists(rows, min_size=1, max_size=25), blocks=st.integers(4, 12))
def test_hits_are_those_of_the_pool_alone_in_any_pool(
    rows: list[tuple[list[int], int]], blocks: int
) -> None:
    result = replay_workload(
        _trace(rows), partial(engine, chunk_tokens=64), vocab=VOCAB, block_tokens=4, blocks=blocks
    )
    assert [row.hit_blocks for row in result.requests] == [
        row.pool_hit_blocks for row in result.requests
    ]
    assert result.hits_equal_pool_alone


def test_progress_and_sums_are_those_of_the_requests() -> None:
    seen: list[tuple[int, int]] = []
    result = replay_workload(
        _trace([([1, 2, 3], 1300), ([1, 2, 4], 1500), ([1, 2, 4], 1536)]),
        engine,
        vocab=VOCAB,
        block_tokens=4,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert (result.hit_blocks, result.hit_tokens, result.blocks) == (4, 16, 4)
    assert result.scale == 128
    assert result.saved_s == pytest.approx(result.cold_s - result.warm_s)
    assert result.cold_s > 0


def test_the_first_mooncake_requests_hit_as_in_the_pool_alone(reference_data: Path) -> None:
    path = reference_data / "traces/serving_prefix/mooncake/conversation_trace.jsonl"
    with path.open() as lines:
        rows = [json.loads(next(lines)) for _ in range(60)]
    trace = _trace([(row["hash_ids"], row["input_length"]) for row in rows])
    model_room = {"max_batch": 1, "context": 4000}
    for blocks in (None, 250):
        result = replay_workload(
            trace, partial(engine, **model_room), vocab=VOCAB, block_tokens=4, blocks=blocks
        )
        assert result.hits_equal_pool_alone
        assert result.hit_blocks > 0
