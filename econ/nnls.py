"""Least squares with coefficients that are never negative, and its robust form.

A time is a sum of parts, and no part takes less than no time: hence the bound. The method is the
active set of Lawson and Hanson (Solving Least Squares Problems, 1974, chapter 23), on the normal
equations, because there are a dozen columns and up to a few thousand rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
ROUNDS = 80
LEAST_ERROR = 1e-3
"""A row that fits better than a thousandth weighs no more than one that fits this well."""
_TOLERANCE = 1e-10


def nnls(matrix: Array, target: Array) -> Array:
    """The non-negative x with the least |matrix x - target|^2; shapes (n, k), (n,) -> (k,).

    Columns may differ by orders of magnitude: they are scaled to length one first. A column of
    zeros gets 0.
    """
    lengths = np.sqrt((matrix**2).sum(axis=0))
    scale = np.where(lengths > 0, lengths, 1.0)
    scaled = matrix / scale
    gram, right = scaled.T @ scaled, scaled.T @ target
    found = _active_set(gram, right, lengths > 0)
    return np.asarray(found / scale, dtype=np.float64)


def _active_set(gram: Array, right: Array, usable: NDArray[np.bool_]) -> Array:
    size = len(right)
    x = np.zeros(size)
    chosen = np.zeros(size, dtype=bool)
    for _ in range(10 * size):
        gain = np.where(chosen | ~usable, -np.inf, right - gram @ x)
        best = int(np.argmax(gain))
        if gain[best] <= _TOLERANCE * max(1.0, float(np.abs(right).max())):
            break
        chosen[best] = True
        x = _inside(gram, right, x, chosen)
    return x


def _inside(gram: Array, right: Array, x: Array, chosen: NDArray[np.bool_]) -> Array:
    """The best x over the chosen columns, walked to from `x` without leaving the bounds; columns
    that meet 0 on the way are let go."""
    while True:
        at = np.flatnonzero(chosen)
        wanted = np.zeros_like(x)
        wanted[at] = np.linalg.lstsq(gram[np.ix_(at, at)], right[at], rcond=None)[0]
        below = at[wanted[at] <= 0]
        if not len(below):
            return wanted
        step = min(float(x[i] / (x[i] - wanted[i])) if x[i] > wanted[i] else 0.0 for i in below)
        x = x + step * (wanted - x)
        let_go = chosen & (x <= _TOLERANCE)
        let_go[below[int(np.argmin(x[below]))]] = True
        chosen &= ~let_go
        x = np.where(chosen, x, 0.0)


def least_relative_error(matrix: Array, target: Array) -> Array:
    """The non-negative x with about the least mean |matrix x / target - 1|; every target above 0.

    Each row is divided by its target, then weighted anew by the inverse of its error until nothing
    moves (iteratively reweighted least squares), so that few far rows do not pull the rest.
    """
    rows = matrix / target[:, None]
    weights = np.ones(len(target))
    found = np.zeros(matrix.shape[1])
    for _ in range(ROUNDS):
        root = np.sqrt(weights)
        before, found = found, nnls(rows * root[:, None], root)
        if np.allclose(before, found, rtol=1e-6, atol=0):
            break
        weights = 1 / np.maximum(np.abs(rows @ found - 1), LEAST_ERROR)
    return found
