"""Ids as ranks of first appearance, whichever way they are numbered."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ import replay_numbering

whole = st.integers(-(1 << 63), (1 << 63) - 1)


def expected(values: list[int]) -> list[int]:
    """The definition."""
    known: dict[int, int] = {}
    return [known.setdefault(value, len(known)) for value in values]


@given(st.lists(st.one_of(whole, st.integers(-2, 2)), min_size=1, max_size=60))
def test_ranks_are_in_order_of_first_appearance(values: list[int]) -> None:
    ranks, count = replay_numbering.numbered(np.asarray(values, dtype=np.int64))
    assert ranks.tolist() == expected(values)
    assert count == len(set(values))
    assert ranks.dtype == np.int32


@pytest.mark.parametrize("first_size", [1 << 4, 1 << 18])
def test_part_by_part_gives_the_same_as_at_once_and_tables_grow(
    first_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = np.random.default_rng(3)
    values = made.integers(-(1 << 62), 1 << 62, 3_000)[made.integers(0, 3_000, 20_000)]
    monkeypatch.setattr(replay_numbering, "_table_size", lambda entries: first_size)
    at_once, count = replay_numbering.numbered(values)
    monkeypatch.setattr(replay_numbering, "LEAN_FROM", 1)
    in_parts, again = replay_numbering.numbered(values)
    assert at_once.tolist() == in_parts.tolist() == expected(values.tolist())
    assert count == again == len(np.unique(values))
