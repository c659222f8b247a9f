"""One token of a small batch through all layers in one call per thread. Needs numba.

All threads run :data:`whole_step` at once. Work inside a phase is handed out by a shared counter;
phases are separated by a barrier that spins, then yields. Weights are streamed once per step,
whatever the batch; keys and values are read where they lie.

Phases of a layer: norm and QKV; bias, norms, RoPE and write; attention by parts of the keys; merge
and output projection; norm, gate and up; down. After the last layer: norm and head.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit, types

from kvcore.attention import rows as row_work
from kvcore.attention import simd, tiles, vector_ir
from kvcore.attention.rows import element, finish_head, norm, rows_dot, write_token
from kvcore.attention.tiles import attend_blocks, merge_parts

# Columns of the table of addresses, one row a layer; the last row holds final norm and head.
ATTN_NORM, WQKV, BQKV, Q_NORM, K_NORM, WO, MLP_NORM, W_GATE_UP, W_DOWN = range(9)
COLUMNS = 9
PART_TOKENS = 256
"""Tokens of one part of split-KV attention."""
TILE_ROWS = 32
"""Weight rows that all tokens of a batch are multiplied with before the next are read."""
SHARED_WORDS = 8
"""int64 words from one shared counter to the next: a cache line of its own."""
_SPINS = 4000

_sched_yield = types.ExternalFunction("sched_yield", types.int32())


@njit(nogil=True)
def _wait(shared: int, threads: int, phase: int) -> None:
    """The barrier after phase number ``phase``: the first shared word counts arrivals."""
    simd.fetch_add(shared)
    target = threads * (phase + 1)
    spins = 0
    while simd.load_shared(shared) < target:
        spins += 1
        if spins > _SPINS:
            _sched_yield()


@njit(nogil=True)
def _next(shared: int, phase: int) -> Any:
    """The next piece of work of a phase, for whichever thread asks first."""
    return simd.fetch_add(shared + (phase + 1) * SHARED_WORDS * 8)


@njit(nogil=True)
def _piece(rows: int, threads: int) -> Any:
    """Rows of one piece of work: two pieces a thread, so that each reads one long stream."""
    return (rows + 2 * threads - 1) // (2 * threads)


@njit(nogil=True)
def _project(
    bf16: bool, w: int, shared: int, threads: int, phase: int, inputs: Any, x: Any, buffer: Any
) -> int:
    """Add ``w @ inputs[b]`` to each residual row ``x[b]``; the number of the next phase."""
    batch, hidden = x.shape
    piece = _piece(hidden, threads)
    while True:
        start = _next(shared, phase) * piece
        if start >= hidden:
            break
        end = min(start + piece, hidden)
        for row in range(start, end, TILE_ROWS):
            rows = min(TILE_ROWS, end - row)
            for b in range(batch):
                rows_dot(bf16, w, row, rows, inputs[b], buffer)
                for i in range(rows):
                    x[b, row + i] += buffer[i]
    _wait(shared, threads, phase)
    return phase + 1


@njit(nogil=True)
def _whole_step(
    thread: int,
    threads: int,
    shared: int,  # address of zeroed int64 words: barrier, then one counter a phase
    w_bf16: bool,
    kv_bf16: bool,
    heads: int,
    kv_heads: int,
    dim: int,
    intermediate: int,
    vocab: int,
    eps: float,
    weights: Any,  # int64 [L + 1, COLUMNS] addresses, 0 where there is none
    k_base: int,
    v_base: int,
    blocks: int,
    block_tokens: int,
    tables: Any,  # int32 [B, blocks of the longest]
    positions: Any,  # int64 [B]
    cos: Any,  # float32 [T, dim/2]
    sin: Any,
    x: Any,  # float32 [B, D]: embeddings in, hidden states out
    qkv: Any,  # float32 [B, (H + 2 KV) * dim]
    acc: Any,  # float32 [B, parts, H, dim]
    stats: Any,  # float32 [B, parts, H, 2]
    act: Any,  # float32 [B, F]
    scratch: Any,  # float32 [threads, B, max(D, H * dim)]
    s_scratch: Any,  # float32 [threads, H / KV, PART_TOKENS]
    first_logits: int,  # rows from here on get logits
    logits: Any,  # float32 [B - first_logits, V]
) -> None:
    """Hidden states of B tokens through all layers; see the module's text for the phases."""
    batch, hidden = x.shape
    layers = weights.shape[0] - 1
    group, q_width, width = heads // kv_heads, heads * dim, qkv.shape[1]
    kv_size = 2 if kv_bf16 else 4
    head_bytes = blocks * block_tokens * dim * kv_size
    scale = np.float32(1.0 / np.sqrt(dim))
    one = np.float32(1.0)
    mine, s_mine = scratch[thread], s_scratch[thread]
    gate, up = np.empty(TILE_ROWS, np.float32), np.empty(TILE_ROWS, np.float32)
    parts = acc.shape[1]
    phase = 0
    for layer in range(layers):
        at = weights[layer]
        for b in range(batch):
            norm(x[b], at[ATTN_NORM], eps, mine[b, :hidden])
        piece = _piece(width, threads)
        while True:
            start = _next(shared, phase) * piece
            if start >= width:
                break
            end = min(start + piece, width)
            for row in range(start, end, TILE_ROWS):
                rows = min(TILE_ROWS, end - row)
                for b in range(batch):
                    rows_dot(w_bf16, at[WQKV], row, rows, mine[b, :hidden], qkv[b, row:])
        _wait(shared, threads, phase)
        phase += 1

        bias = at[BQKV]
        for task in range(thread, batch * kv_heads, threads):
            b, kv_head = task // kv_heads, task % kv_heads
            place = positions[b]
            c, n = cos[place], sin[place]
            for head in range(kv_head * group, (kv_head + 1) * group):
                q = qkv[b, head * dim : (head + 1) * dim]
                finish_head(w_bf16, q, head, bias, at[Q_NORM], eps, c, n, scale)
            head = heads + kv_head
            key = qkv[b, head * dim : (head + 1) * dim]
            finish_head(w_bf16, key, head, bias, at[K_NORM], eps, c, n, one)
            head += kv_heads
            value = qkv[b, head * dim : (head + 1) * dim]
            if bias:
                for i in range(dim):
                    value[i] += element(w_bf16, bias, head * dim + i)
            block = (layer * kv_heads + kv_head) * head_bytes
            block += tables[b, place // block_tokens] * block_tokens * dim * kv_size
            slot = place % block_tokens
            write_token(
                kv_bf16, k_base + block, v_base + block, slot, block_tokens, dim, key, value
            )
        _wait(shared, threads, phase)
        phase += 1

        while True:
            task = _next(shared, phase)
            if task >= batch * kv_heads * parts:
                break
            b, kv_head, part = task // (kv_heads * parts), task // parts % kv_heads, task % parts
            first = part * PART_TOKENS
            last = min(first + PART_TOKENS, positions[b] + 1)
            if first < last:
                head = kv_head * group
                start = (layer * kv_heads + kv_head) * head_bytes
                attend_blocks(
                    kv_bf16,
                    k_base + start,
                    v_base + start,
                    tables[b],
                    first,
                    last,
                    block_tokens,
                    dim,
                    group,
                    qkv[b, head * dim : (head + group) * dim],
                    s_mine,
                    acc[b, part, head : head + group],
                    stats[b, part, head : head + group],
                )
        _wait(shared, threads, phase)
        phase += 1

        for b in range(batch):
            used = (positions[b] + PART_TOKENS) // PART_TOKENS
            for head in range(heads):
                out = mine[b, head * dim : (head + 1) * dim]
                merge_parts(used, acc[b, :, head], stats[b, :, head], out)
        phase = _project(w_bf16, at[WO], shared, threads, phase, mine[:, :q_width], x, gate)

        for b in range(batch):
            norm(x[b], at[MLP_NORM], eps, mine[b, :hidden])
        piece = _piece(intermediate, threads)
        while True:
            start = _next(shared, phase) * piece
            if start >= intermediate:
                break
            end = min(start + piece, intermediate)
            for row in range(start, end, TILE_ROWS):
                rows = min(TILE_ROWS, end - row)
                for b in range(batch):
                    h = mine[b, :hidden]
                    rows_dot(w_bf16, at[W_GATE_UP], row, rows, h, gate)
                    rows_dot(w_bf16, at[W_GATE_UP], intermediate + row, rows, h, up)
                    for i in range(rows):
                        act[b, row + i] = gate[i] / (one + np.exp(-gate[i])) * up[i]
        _wait(shared, threads, phase)
        phase += 1
        phase = _project(w_bf16, at[W_DOWN], shared, threads, phase, act, x, gate)

    at = weights[layers]
    for b in range(first_logits, batch):
        norm(x[b], at[ATTN_NORM], eps, mine[b, :hidden])
    piece = _piece(vocab, threads)
    while True:
        start = _next(shared, phase) * piece
        if start >= vocab:
            break
        end = min(start + piece, vocab)
        for row in range(start, end, TILE_ROWS):
            rows = min(TILE_ROWS, end - row)
            for b in range(first_logits, batch):
                out = logits[b - first_logits, row:]
                rows_dot(w_bf16, at[WQKV], row, rows, mine[b, :hidden], out)
    _wait(shared, threads, phase)


def _entry(sources: int) -> Any:
    """The step compiled once and kept on disk; ``sources`` makes the kept one theirs."""

    @njit(cache=True, nogil=True)
    def entry(*arguments: Any) -> None:
        if sources >= 0:  # numba keys its files by what a function closes over
            _whole_step(*arguments)

    return entry


whole_step: Any = _entry(
    zlib.crc32(
        b"".join(
            Path(str(room.__file__)).read_bytes() for room in (vector_ir, simd, tiles, row_work)
        )
    )
)
