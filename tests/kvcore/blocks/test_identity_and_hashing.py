from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvcore.blocks.hashing import chain
from kvcore.blocks.identity import Identity

TEXT = st.text(max_size=8)


def test_a_name_is_sha256_over_the_parent_and_the_packed_tokens() -> None:
    root = Identity(model="made", kv_dtype="bfloat16").root()
    first = hashlib.sha256(root + np.array([1, 2], dtype="<u4").tobytes()).digest()
    second = hashlib.sha256(first + np.array([3, 70000], dtype="<u4").tobytes()).digest()
    names = chain(root, np.array([1, 2, 3, 70000, 5]), 2)
    assert [bytes(name) for name in names] == [first, second]


def test_fewer_tokens_than_a_block_have_no_name() -> None:
    assert chain(bytes(32), np.array([1, 2, 3]), 4).shape == (0, 32)


def test_a_chain_can_be_continued() -> None:
    tokens = np.arange(12, dtype=np.int64)
    whole = chain(bytes(32), tokens, 4)
    rest = chain(bytes(whole[0]), tokens[4:], 4)
    assert np.array_equal(whole[1:], rest)


@pytest.mark.parametrize("field", ["model", "kv_dtype", "adapter", "media", "salt"])
def test_every_part_of_the_identity_changes_the_root(field: str) -> None:
    plain = {"model": "made", "kv_dtype": "bfloat16"}
    assert Identity(**plain).root() != Identity(**{**plain, field: "other"}).root()


@given(st.tuples(TEXT, TEXT, TEXT, TEXT, TEXT), st.tuples(TEXT, TEXT, TEXT, TEXT, TEXT))
def test_two_identities_never_run_together(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    fields = ("model", "kv_dtype", "adapter", "media", "salt")
    roots = [Identity(**dict(zip(fields, values, strict=True))).root() for values in (one, other)]
    assert (roots[0] == roots[1]) == (one == other)


@given(st.lists(st.integers(0, 3), max_size=12), st.lists(st.integers(0, 3), max_size=12))
def test_names_are_equal_exactly_as_far_as_the_tokens_are(one: list[int], other: list[int]) -> None:
    names = [chain(bytes(32), np.array(tokens, dtype=np.int64), 2) for tokens in (one, other)]
    for block in range(min(len(names[0]), len(names[1]))):
        end = 2 * (block + 1)
        same = bytes(names[0][block]) == bytes(names[1][block])
        assert same == (one[:end] == other[:end])
