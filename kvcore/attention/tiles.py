"""Attention of one KV head's query group over a run of blocks, read in place. Needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from kvcore.attention import simd


@njit(inline="always")
def scores(
    bf16: bool, heads: int, k: int, width: int, q: int, s: int, stride: int, dim: int
) -> None:
    """Scores of 16 tokens of a block for up to four query heads."""
    if bf16:
        if heads == 1:
            simd.scores_bf16_1(k, width, q, s, stride, dim)
        elif heads == 2:
            simd.scores_bf16_2(k, width, q, s, stride, dim)
        elif heads == 3:
            simd.scores_bf16_3(k, width, q, s, stride, dim)
        else:
            simd.scores_bf16_4(k, width, q, s, stride, dim)
    elif heads == 1:
        simd.scores_f32_1(k, width, q, s, stride, dim)
    elif heads == 2:
        simd.scores_f32_2(k, width, q, s, stride, dim)
    elif heads == 3:
        simd.scores_f32_3(k, width, q, s, stride, dim)
    else:
        simd.scores_f32_4(k, width, q, s, stride, dim)


@njit(inline="always")
def values(
    bf16: bool, heads: int, v: int, dim: int, p: int, stride: int, o: int, tokens: int
) -> None:
    """Add 32 elements of the weighted values of a block's tokens for up to four query heads."""
    if bf16:
        if heads == 1:
            simd.values_bf16_1(v, dim, p, stride, o, tokens)
        elif heads == 2:
            simd.values_bf16_2(v, dim, p, stride, o, tokens)
        elif heads == 3:
            simd.values_bf16_3(v, dim, p, stride, o, tokens)
        else:
            simd.values_bf16_4(v, dim, p, stride, o, tokens)
    elif heads == 1:
        simd.values_f32_1(v, dim, p, stride, o, tokens)
    elif heads == 2:
        simd.values_f32_2(v, dim, p, stride, o, tokens)
    elif heads == 3:
        simd.values_f32_3(v, dim, p, stride, o, tokens)
    else:
        simd.values_f32_4(v, dim, p, stride, o, tokens)


@njit(nogil=True)
def attend_blocks(
    bf16: bool,
    k: int,  # address of this layer's and KV head's keys [NB, hd, BS]
    v: int,  # and values [NB, BS, hd]
    table: Any,  # int32 [blocks of the sequence]
    first: int,  # tokens [first, last) are attended to; first begins a block
    last: int,
    block_tokens: int,
    dim: int,
    heads: int,
    q: Any,  # float32 [heads * dim], scaled, contiguous
    s: Any,  # float32 scratch [heads, at least last-first rounded up to a block]
    out: Any,  # float32 [heads, dim]: weighted values, not divided
    stats: Any,  # float32 [heads, 2]: maximum of the scores and sum of their exponentials
) -> None:
    """One part of split-KV attention; :func:`merge_parts` joins the parts."""
    size = 2 if bf16 else 4
    tile = block_tokens * dim * size
    stride = s.shape[1]
    q_at, s_at, width = q.ctypes.data, s.ctypes.data, block_tokens
    for token in range(first, last, block_tokens):
        index = token // block_tokens
        block = k + table[index] * tile
        if token + block_tokens < last:  # blocks lie anywhere: no stream for the hardware to see
            simd.prefetch(k + table[index + 1] * tile, tile)
        if block_tokens % 16 == 0:
            for lane in range(0, block_tokens, 16):
                at = s_at + (token - first + lane) * 4
                for g in range(0, heads, 4):
                    scores(
                        bf16,
                        min(4, heads - g),
                        block + lane * size,
                        width,
                        q_at + g * dim * 4,
                        at + g * stride * 4,
                        stride,
                        dim,
                    )
        else:
            for lane in range(0, block_tokens, 8):
                at = s_at + (token - first + lane) * 4
                for g in range(heads):
                    query, place = q_at + g * dim * 4, at + g * stride * 4
                    if bf16:
                        simd.scores_bf16_8(block + lane * size, width, query, place, stride, dim)
                    else:
                        simd.scores_f32_8(block + lane * size, width, query, place, stride, dim)
    count = last - first
    padded = (count + 15) // 16 * 16
    for g in range(heads):
        for t in range(count, padded):
            s[g, t] = -1e30
        stats[g, 0] = simd.row_max(s_at + g * stride * 4, padded)
        stats[g, 1] = simd.exp_sum(s_at + g * stride * 4, padded)
        for j in range(dim):
            out[g, j] = 0.0
    o_at = out.ctypes.data
    for token in range(first, last, block_tokens):
        index = token // block_tokens
        block = v + table[index] * tile
        if token + block_tokens < last:
            simd.prefetch(v + table[index + 1] * tile, tile)
        at = s_at + (token - first) * 4
        tokens = min(block_tokens, last - token)
        for g in range(0, heads, 4):
            some = min(4, heads - g)
            for j in range(0, dim, 32):
                place = o_at + (g * dim + j) * 4
                values(
                    bf16, some, block + j * size, dim, at + g * stride * 4, stride, place, tokens
                )


@njit(nogil=True, fastmath=True)
def merge_parts(parts: int, acc: Any, stats: Any, out: Any) -> None:
    """Join ``acc [parts, dim]`` with ``stats [parts, 2]`` of one head into ``out [dim]``."""
    dim = out.shape[0]
    top = stats[0, 0]
    for part in range(1, parts):
        top = max(top, stats[part, 0])
    total = np.float32(0.0)
    for part in range(parts):
        total += stats[part, 1] * np.exp(stats[part, 0] - top)
    for j in range(dim):
        out[j] = 0.0
    for part in range(parts):
        share = np.exp(stats[part, 0] - top) / total
        for j in range(dim):
            out[j] += share * acc[part, j]
