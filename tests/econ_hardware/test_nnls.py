"""Least squares without negative coefficients, against cases done by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.nnls import least_relative_error, nnls


def test_an_exact_answer_is_found() -> None:
    matrix = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    assert nnls(matrix, np.array([3.0, 4.0, 5.0])) == pytest.approx([3.0, 2.0])


def test_a_coefficient_that_would_be_negative_is_zero() -> None:
    """Without the bound x = (2, -1); with it the first column alone: (1 x 1 + 1 x 2) / 2."""
    matrix = np.array([[1.0, 1.0], [1.0, 0.0]])
    assert nnls(matrix, np.array([1.0, 2.0])) == pytest.approx([1.5, 0.0])


def test_what_can_only_be_negative_is_nothing() -> None:
    assert nnls(np.array([[1.0], [2.0]]), np.array([-1.0, -1.0])) == pytest.approx([0.0])


def test_a_column_of_zeros_gets_nothing() -> None:
    matrix = np.array([[0.0, 1.0], [0.0, 1.0]])
    assert nnls(matrix, np.array([2.0, 4.0])) == pytest.approx([0.0, 3.0])


def test_two_equal_columns_share_and_stay_at_or_above_zero() -> None:
    found = nnls(np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([2.0, 2.0]))
    assert found.sum() == pytest.approx(2.0)
    assert (found >= 0).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(6, 30))
def test_no_allowed_step_makes_it_better(seed: int, columns: int, rows: int) -> None:
    """Karush, Kuhn and Tucker: no gain where x is 0, none either way elsewhere."""
    random = np.random.default_rng(seed)
    scale = 10.0 ** random.integers(-6, 3, columns)
    matrix = random.normal(size=(rows, columns)) * scale
    target = random.normal(size=rows)
    found = nnls(matrix, target)
    gain = (matrix / scale).T @ (target - matrix @ found)
    assert (found >= 0).all()
    assert (gain <= 1e-6).all()
    assert np.abs(gain[found > 0]).max(initial=0.0) <= 1e-6


def test_one_wild_row_does_not_pull_the_rest() -> None:
    """Nine rows say 2, one says 200: the least absolute error is at 2, the mean far from it."""
    matrix, target = np.ones((10, 1)), np.array([2.0] * 9 + [200.0])
    assert least_relative_error(matrix, target) == pytest.approx([2.0], rel=1e-3)
    assert nnls(matrix, target)[0] > 20
