"""What a linear-attention layer keeps instead of keys and values: one matrix of fixed size.

    plain            S = S + k vᵀ
    gated delta rule S = a S, then S = S + b k (v - Sᵀ k)ᵀ        (arXiv 2412.06464)
    per channel      the same with one decay for each row of S    (arXiv 2510.26692)

Reading is Sᵀ q. With a key of length 1 and b = 1 the newest value written at that key is read back
exactly; the plain sum reads back all values ever written there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """A value written at a key; keys are numbered, each an axis of its own."""

    key: int
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What each rule reads back at each key after all writes: [keys]."""

    plain: tuple[float, ...]
    delta: tuple[float, ...]
    gated: tuple[float, ...]


def plain_step(state: FloatArray, key: FloatArray, value: FloatArray) -> FloatArray:
    """S [keys, values] with one more outer product."""
    return np.asarray(state + np.outer(key, value))


def delta_step(
    state: FloatArray,
    key: FloatArray,
    value: FloatArray,
    *,
    strength: float,
    decay: float | FloatArray = 1.0,
) -> FloatArray:
    """S [keys, values] after the gated delta rule. `decay`: one number, or one a row."""
    faded = np.asarray(state * np.reshape(decay, (-1, 1)))
    return np.asarray(faded + strength * np.outer(key, value - key @ faded))


def read(state: FloatArray, query: FloatArray) -> FloatArray:
    """What the state says to a query."""
    return np.asarray(query @ state)


def remembered(
    writes: Sequence[Write], keys: int, *, strength: float = 1.0, decay: float = 1.0
) -> Memory:
    """The three rules over the same writes: a sum, the delta rule, the delta rule with decay."""
    axes = np.eye(keys)
    plain, delta, gated = (np.zeros((keys, 1)) for _ in range(3))
    for one in writes:
        key, value = axes[one.key], np.array([one.value])
        plain = plain_step(plain, key, value)
        delta = delta_step(delta, key, value, strength=strength)
        gated = delta_step(gated, key, value, strength=strength, decay=decay)
    plain_read, delta_read, gated_read = (
        tuple(float(read(state, axis)[0]) for axis in axes) for state in (plain, delta, gated)
    )
    return Memory(plain=plain_read, delta=delta_read, gated=gated_read)
