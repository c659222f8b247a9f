"""The index alone, with digests that all want the same few slots."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kvcore.blocks.index import find, insert, remove

BLOCKS, SLOTS = 12, 16
HOMES = st.lists(st.integers(0, SLOTS - 1), min_size=BLOCKS, max_size=BLOCKS)
DONE = st.lists(st.integers(0, BLOCKS - 1), max_size=60)


@given(homes=HOMES, done=DONE)
def test_a_crowded_index_finds_just_what_is_in_it(homes: list[int], done: list[int]) -> None:
    digests = np.zeros((BLOCKS, 4), dtype=np.int64)
    digests[:, 0] = homes  # equal in the 64 bits that are indexed, apart only in the last ones
    digests[:, 3] = np.arange(BLOCKS)
    slots, inside = np.zeros(SLOTS, dtype=np.int64), set()
    for block in done:
        if block in inside:
            remove(slots, digests, block)
        else:
            insert(slots, digests, block)
        inside ^= {block}
        assert int((slots != 0).sum()) == len(inside)
        for at in range(BLOCKS):
            assert find(slots, digests, digests, at) == (at if at in inside else -1)


def test_a_digest_with_its_highest_bits_set_is_found() -> None:
    digests = np.full((2, 4), -1, dtype=np.int64)
    digests[1, 1] = 5
    slots = np.zeros(4, dtype=np.int64)
    insert(slots, digests, 0)
    insert(slots, digests, 1)
    assert [find(slots, digests, digests, at) for at in (0, 1)] == [0, 1]
    remove(slots, digests, 0)
    assert [find(slots, digests, digests, at) for at in (0, 1)] == [-1, 1]
