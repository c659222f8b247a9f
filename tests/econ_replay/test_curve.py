"""The curve: its ends, its knee, what is printed of it."""

from __future__ import annotations

import numpy as np
import pytest

from econ.curve import MAX_POINTS, curve, curve_of, curve_to_json, knee_of
from econ.replay_input import blocks_of
from tests.econ_replay.made import made


def test_the_knee_is_where_a_block_more_brings_less_than_the_average_one() -> None:
    """Shares of the unlimited hits less shares of the footprint: 0.4, 0.6, 0.5, 0.25, 0."""
    sizes = np.asarray([20, 30, 50, 75, 100])
    ratios = np.asarray([0.6, 0.9, 1.0, 1.0, 1.0]) * 0.37
    found = knee_of(sizes, ratios)
    assert found is not None
    assert (found.capacity_blocks, found.low_blocks, found.high_blocks) == (30, 30, 30)


def test_the_knee_s_range_are_the_sizes_that_are_nearly_as_good() -> None:
    sizes = np.asarray([10, 20, 30, 100])
    found = knee_of(sizes, np.asarray([0.69, 0.80, 0.88, 1.0]))  # excess 0.59, 0.60, 0.58, 0
    assert found is not None
    assert (found.low_blocks, found.capacity_blocks, found.high_blocks) == (10, 20, 30)


def test_a_workload_without_hits_has_no_knee() -> None:
    found = curve(made([[0], [1], [2]]))
    assert found.knee() is None
    assert curve_to_json(found, found.knee())["knee_blocks"] is None


def test_a_straight_curve_has_its_knee_at_the_footprint() -> None:
    found = curve(made([[0], [0]]))
    knee = found.knee()
    assert knee is not None
    assert (knee.capacity_blocks, knee.low_blocks, knee.high_blocks) == (1, 1, 1)


def test_the_curve_ends_at_the_footprint_with_the_unlimited_ratio() -> None:
    rows = [[0, 1, 2], [3, 4], [0, 1, 2], [3, 5]]
    found = curve(made(rows))
    assert found.capacity_blocks.tolist() == [3, 4, 5, 6]
    assert (found.footprint_blocks, found.exact_from_blocks) == (6, 3)
    assert found.ratios("block")[-1] == 4 / 10
    assert found.ratios("request")[-1] == pytest.approx((0 + 0 + 1 + 0.5) / 4)


def test_capacities_that_are_asked_for_are_the_only_points() -> None:
    rows = [[0, 1, 2], [0, 1, 2]]
    found = curve(made(rows), at_blocks=(9, 1, 3, 1))
    assert found.capacity_blocks.tolist() == [1, 3, 9]
    assert found.hit_blocks.tolist() == [1, 3, 3]  # 1 is below the longest request: a replay


def test_long_curves_are_thinned() -> None:
    rows = [[at] for at in range(5_000)] * 2
    found = curve(made(rows))
    assert len(found.capacity_blocks) <= MAX_POINTS
    assert found.capacity_blocks[[0, -1]].tolist() == [1, 5_000]
    assert found.hit_blocks[[0, -2, -1]].tolist() == [0, 0, 5_000]


def test_a_replayed_curve_has_as_many_points_as_it_may() -> None:
    blocks = blocks_of(made([[at] for at in range(500)] * 2))
    found = curve_of(blocks, "clairvoyant", points=20)
    assert len(found.capacity_blocks) <= 20
    assert found.exact_from_blocks == 1
    assert found.hit_blocks[[0, -1]].tolist() == [0, 500]
    assert (np.diff(found.hit_blocks) >= 0).all()


def test_json_has_its_columns() -> None:
    found = curve(made([[0], [1], [0], [1]], block_tokens=3))
    data = curve_to_json(found, found.knee())
    assert data["columns"] == [
        "capacity_blocks",
        "hit_blocks",
        "hit_tokens",
        "mean_request_hit_ratio",
    ]
    assert data["points"] == [[1, 0, 0, 0.0], [2, 2, 6, 0.5]]
    assert (data["total_blocks"], data["total_tokens"], data["footprint_blocks"]) == (4, 12, 2)
