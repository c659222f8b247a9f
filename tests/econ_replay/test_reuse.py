"""Gaps between uses, by hand."""

from __future__ import annotations

from econ.replay_input import blocks_of
from econ.reuse import EDGES_S, LIFETIMES_S, reuse
from tests.econ_replay.made import made


def test_gaps_fall_into_their_bins() -> None:
    rows = [[0, 1, 1], [0], [0, 2], [0, 1]]
    found = reuse(blocks_of(made(rows, times_s=[0, 3, 303, 3903])))
    bins = {edge: n for edge, n in zip(found.edges_s, found.uses or (), strict=True) if n}
    assert bins == {2: 1, 300: 1, 3600: 2}  # 3 s; exactly 5 min; 3,600 s and 3,903 s
    assert (found.unique_blocks, found.reused_blocks) == (3, 2)
    assert found.reused_share == 2 / 3
    assert found.requests_of_most_used == 4
    assert found.median_first_reuse_s == (3 + 3903) / 2
    assert [found.within(s) for s in LIFETIMES_S] == [0.25, 0.5, 0.5, 1.0]


def test_lifetimes_of_providers_are_edges() -> None:
    assert set(LIFETIMES_S) < set(EDGES_S)
    assert list(EDGES_S) == sorted(set(EDGES_S))


def test_without_times_there_are_shares_but_no_gaps() -> None:
    found = reuse(blocks_of(made([[0], [0]], times_s=[0, float("nan")])))
    assert found.uses is None
    assert found.median_first_reuse_s is None
    assert found.within(300) is None
    assert found.reused_share == 1.0


def test_nothing_used_again() -> None:
    found = reuse(blocks_of(made([[0], [1]])))
    assert found.median_first_reuse_s is None
    assert found.within(300) is None
    assert found.reused_share == 0.0
