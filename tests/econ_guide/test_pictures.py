"""What the guide's pictures are made of: block tables, holes, timelines, evictions, scales."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ import guide_attention as small
from econ.guide_blocks import BLOCK_TOKENS, BLOCKS, FREE_ORDER, PROMPT, Tables, story
from econ.guide_sizes import ELEMENT_BITS, scale_share
from econ.guide_timeline import timelines
from econ.guide_waste import holes
from econ.kv_formats import FORMATS
from econ.replay_oracle import oracle_hits, oracle_steps

ROWS = ((1, 2, 3), (1, 2, 4), (5, 6), (1, 2, 3))


def test_a_fork_copies_the_table_and_no_block() -> None:
    first, forked, *_ = story()
    assert forked.tables["B"] == forked.tables["A"] == first.tables["A"]
    assert len(first.tables["A"]) == -(-PROMPT // BLOCK_TOKENS)
    assert sorted(forked.holders) == [0] * (BLOCKS - 3) + [2] * 3


def test_a_shared_block_is_copied_once_and_the_other_sequence_keeps_it() -> None:
    _, forked, copied, appended, *_ = story()
    last = forked.tables["A"][-1]
    assert (copied.event, copied.sequence) == ("copy", "A")
    assert copied.copied == (last, copied.tables["A"][-1])
    assert copied.tables["B"][-1] == last
    assert copied.tables["A"][:-1] == copied.tables["B"][:-1]
    assert (appended.event, appended.copied) == ("append", None)  # the last holder writes in place


def test_what_another_sequence_holds_stays_when_one_ends() -> None:
    last = story()[-1]
    assert set(last.tables) == {"B"}
    assert {n for n, holders in enumerate(last.holders) if holders} == set(last.tables["B"])


@given(st.lists(st.sampled_from(["A", "B"]), max_size=8))
def test_holders_are_counted_right_whatever_is_written(order: list[str]) -> None:
    made = Tables()
    made.start("A", PROMPT)
    moments = [made.fork("A", "B"), *(made.append(name) for name in order)]
    for now in moments:
        counted = Counter(block for blocks in now.tables.values() for block in blocks)
        assert now.holders == tuple(counted.get(block, 0) for block in range(BLOCKS))
        for name, blocks in now.tables.items():
            assert len(blocks) == -(-now.tokens[name] // BLOCK_TOKENS)
    made.end("A")
    made.end("B")
    assert sorted(made.free) == sorted(FREE_ORDER)
    assert made.holders == [0] * BLOCKS


def test_the_pieces_of_a_memory_cover_it_and_its_holes_are_those_that_are_counted() -> None:
    found = holes(100, (30, 20, 30, 20), (0, 2), 40)
    assert found.pieces == ((0, 30, None), (30, 20, 1), (50, 30, None), (80, 20, 3))
    assert sum(length for _, length, n in found.pieces if n is None) == found.free == 60
    assert max(length for _, length, n in found.pieces if n is None) == found.largest == 30
    assert not found.fits


def test_the_end_of_a_memory_that_was_never_given_is_a_hole() -> None:
    assert holes(10, (4,), (), 3).pieces == ((0, 4, 0), (4, 6, None))
    assert holes(10, (), (), 3).pieces == ((0, 10, None),)


@pytest.mark.parametrize("policy", ["lru", "lru-leaf", "fifo", "clairvoyant"])
def test_each_step_of_a_replay_has_the_hits_and_no_more_blocks_than_room(policy) -> None:  # type: ignore[no-untyped-def]
    look = [len(row) for row in ROWS]
    found = list(oracle_steps(ROWS, look, 4, policy))
    assert [hits for hits, _ in found] == oracle_hits(ROWS, look, 4, policy)
    for before, (hits, resident), row in zip([((), ()), *found], found, ROWS, strict=False):
        assert len(resident) <= 4
        assert set(row[:hits]) <= set(before[1])


def test_the_mask_lets_each_position_see_itself_and_those_before() -> None:
    seen = small.mask(4)
    assert seen.dtype == np.bool_
    assert [[int(x) for x in row] for row in seen] == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [1, 1, 1, 1],
    ]
    assert [int(row.sum()) for row in seen] == [step.keys_read for step in small.steps(4)]


def test_apart_the_running_answer_never_waits_for_the_new_prompt() -> None:
    found = timelines(prefill_s=0.3, step_s=0.01, move_s=0.05, before_s=0.1, after_s=0.1)
    assert found.stall_s == pytest.approx(0.31)
    assert found.apart_stall_s == 0.01
    assert found.apart_first_s - found.first_s == pytest.approx(0.05)
    for lane in (found.together, found.decode):
        assert sum(span.length_s for span in lane) == pytest.approx(found.end_s)
        ends = [span.start_s + span.length_s for span in lane]
        assert ends[:-1] == pytest.approx([span.start_s for span in lane[1:]])


def test_scales_are_what_a_format_stores_beside_its_elements() -> None:
    """q8_0: 34 bytes for 32 elements, q4_0: 18 for 32; plain sizes have none."""
    assert scale_share(FORMATS["q8_0"], 128) == pytest.approx(2 / 34)
    assert scale_share(FORMATS["q4_0"], 128) == pytest.approx(2 / 18)
    assert scale_share(FORMATS["bf16"], 128) == 0
    assert set(ELEMENT_BITS) == set(FORMATS)
    assert all(0 <= scale_share(one, 128) < 0.5 for one in FORMATS.values())
