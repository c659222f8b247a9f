"""Work on single rows and heads inside the fused step. Needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from kvcore.attention import simd


@njit(nogil=True, fastmath=True)
def norm(x: Any, weight: int, eps: float, out: Any) -> None:
    """RMS norm of a row; the weight by its address."""
    count = x.shape[0]
    total = np.float32(0.0)
    for i in range(count):
        total += x[i] * x[i]
    scale = np.float32(1.0 / np.sqrt(total / count + eps))
    for i in range(count):
        out[i] = x[i] * scale * simd.load_f32(weight + i * 4)


@njit(nogil=True)
def rows_dot(bf16: bool, w: int, first: int, rows: int, x: Any, y: Any) -> None:
    """``y[:rows] = w[first : first + rows] @ x`` with w by its address."""
    count = x.shape[0]
    if bf16:
        simd.rows_dot_bf16(w + first * count * 2, x.ctypes.data, y.ctypes.data, rows, count)
    else:
        simd.rows_dot_f32(w + first * count * 4, x.ctypes.data, y.ctypes.data, rows, count)


@njit(nogil=True, fastmath=True)
def rotate(x: Any, cos: Any, sin: Any, scale: Any) -> None:
    """RoPE of one head, half-split, in place, times ``scale``."""
    half = cos.shape[0]
    for i in range(half):
        low, high = x[i], x[half + i]
        x[i] = (low * cos[i] - high * sin[i]) * scale
        x[half + i] = (high * cos[i] + low * sin[i]) * scale


@njit(nogil=True)
def element(bf16: bool, bias: int, index: int) -> Any:
    return simd.load_bf16(bias + index * 2) if bf16 else simd.load_f32(bias + index * 4)


@njit(nogil=True, fastmath=True)
def finish_head(
    bf16: bool,
    x: Any,
    head: int,
    bias: int,
    weight: int,
    eps: float,
    cos: Any,
    sin: Any,
    scale: Any,
) -> None:
    """Bias, norm and RoPE of one head of q or k."""
    dim = x.shape[0]
    if bias:
        for i in range(dim):
            x[i] += element(bf16, bias, head * dim + i)
    if weight:
        norm(x, weight, eps, x)
    rotate(x, cos, sin, scale)


@njit(nogil=True)
def store(bf16: bool, address: int, index: int, value: float) -> None:
    if bf16:
        simd.store_bf16(address + index * 2, value)
    else:
        simd.store_f32(address + index * 4, value)


@njit(nogil=True)
def write_token(
    bf16: bool, k: int, v: int, slot: int, size: int, dim: int, key: Any, value: Any
) -> None:
    """One token of one KV head into its block: keys transposed, values as they are."""
    for i in range(dim):
        store(bf16, k, i * size + slot, key[i])
        store(bf16, v, slot * dim + i, value[i])
