"""Decode attention over paged keys and values in Triton: split over the context, merged by LSE.

One program takes one sequence, one KV head and one split of its context. The G query heads that
share a KV head are the rows of one matrix product, padded to the 16 rows a tensor core takes
(grouped-query decoding as in https://crfm.stanford.edu/2023/10/12/flashdecoding.html). A split's
length is a constant of the kernel, so that no loop bound comes from memory: the same code runs
under Triton's interpreter on a CPU and inside a CUDA graph. Splits beyond a sequence's end leave
at once.

int8 keys and values carry one scale per token and head; it multiplies the scores and the
probabilities, never the tiles. fp8 (e4m3, unscaled) is widened after loading.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl

TILE_TOKENS = 64
SPLIT_TOKENS = (128, 256, 512, 1024, 2048, 4096)
PROGRAMS_WANTED = 512  # a few for each of some 140 multiprocessors


class Scales(NamedTuple):
    """One scale a token and KV head: ``k, v [KV, NB, BS]``, float16 or float32."""

    k: torch.Tensor
    v: torch.Tensor


@triton.jit  # type: ignore[untyped-decorator]
def _split_kernel(  # type: ignore[no-untyped-def]
    q_ptr,  # [B, H, HD]
    k_ptr,  # [KV, NB, HD, BS]
    v_ptr,  # [KV, NB, BS, HD]
    k_scale_ptr,  # [KV, NB, BS]
    v_scale_ptr,
    table_ptr,  # [B, WIDTH]
    length_ptr,  # [B]
    out_ptr,  # [B, H, splits, HD] f32
    lse_ptr,  # [B, H, splits] f32
    scale,
    blocks,
    width,
    splits,
    GROUP: tl.constexpr,
    ROWS: tl.constexpr,
    HEAD: tl.constexpr,
    HEAD_PADDED: tl.constexpr,
    BLOCK: tl.constexpr,
    TILE: tl.constexpr,
    TILES: tl.constexpr,
    SCALED: tl.constexpr,
):
    row, head, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    heads = tl.num_programs(1)
    length = tl.load(length_ptr + row)
    rows = tl.arange(0, ROWS)
    dims = tl.arange(0, HEAD_PADDED)
    query_heads = row * heads * GROUP + head * GROUP + rows
    inside = (rows < GROUP)[:, None] & (dims < HEAD)[None, :]
    start = split * TILE * TILES
    peak = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    acc = tl.zeros((ROWS, HEAD_PADDED), tl.float32)
    if start < length:
        q = tl.load(q_ptr + query_heads[:, None] * HEAD + dims[None, :], mask=inside, other=0.0)
        base = head.to(tl.int64) * blocks
        for tile in range(TILES):
            tokens = start + tile * TILE + tl.arange(0, TILE)
            there = tokens < length
            block = tl.load(table_ptr + row * width + tokens // BLOCK, mask=there, other=0)
            place = (base + block.to(tl.int64)) * BLOCK  # in tokens, of this head
            slot = tokens % BLOCK
            in_head = (dims < HEAD)[:, None] & there[None, :]
            k = tl.load(
                k_ptr + (place * HEAD + slot)[None, :] + dims[:, None] * BLOCK,
                mask=in_head,
                other=0.0,
            ).to(q.dtype)
            scores = tl.dot(q, k, input_precision="ieee") * scale
            if SCALED:
                scores *= tl.load(k_scale_ptr + place + slot, mask=there, other=0.0)[None, :]
            scores = tl.where(there[None, :], scores, float("-inf"))
            new_peak = tl.maximum(peak, tl.max(scores, axis=1))
            # A tile past the end has no score; the peak must not be subtracted from itself there.
            steady = tl.where(new_peak == float("-inf"), 0.0, new_peak)
            p = tl.exp(scores - steady[:, None])
            shrink = tl.exp(peak - steady)
            total = total * shrink + tl.sum(p, axis=1)
            if SCALED:
                p *= tl.load(v_scale_ptr + place + slot, mask=there, other=0.0)[None, :]
            v = tl.load(
                v_ptr + (place + slot)[:, None] * HEAD + dims[None, :],
                mask=there[:, None] & (dims < HEAD)[None, :],
                other=0.0,
            ).to(q.dtype)
            acc = acc * shrink[:, None] + tl.dot(p.to(q.dtype), v, input_precision="ieee")
            peak = new_peak
        acc = acc / tl.where(total == 0.0, 1.0, total)[:, None]
    lse = tl.where(total > 0.0, peak + tl.log(tl.where(total > 0.0, total, 1.0)), float("-inf"))
    spot = query_heads * splits + split
    tl.store(lse_ptr + spot, lse, mask=rows < GROUP)
    tl.store(out_ptr + spot[:, None] * HEAD + dims[None, :], acc, mask=inside)


@triton.jit  # type: ignore[untyped-decorator]
def _merge_kernel(  # type: ignore[no-untyped-def]
    part_ptr,  # [B*H, splits, HEAD] f32
    lse_ptr,  # [B*H, splits] f32
    out_ptr,  # [B*H, HEAD]
    splits,
    HEAD: tl.constexpr,
    HEAD_PADDED: tl.constexpr,
    ROUNDS: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    row = tl.program_id(0)
    dims = tl.arange(0, HEAD_PADDED)
    peak = float("-inf")
    for turn in range(ROUNDS):
        some = turn * AT_ONCE + tl.arange(0, AT_ONCE)
        lse = tl.load(lse_ptr + row * splits + some, mask=some < splits, other=float("-inf"))
        peak = tl.maximum(peak, tl.max(lse, axis=0))
    total = 0.0
    acc = tl.zeros((HEAD_PADDED,), tl.float32)
    for turn in range(ROUNDS):
        some = turn * AT_ONCE + tl.arange(0, AT_ONCE)
        lse = tl.load(lse_ptr + row * splits + some, mask=some < splits, other=float("-inf"))
        weight = tl.exp(lse - peak)
        # A split past the sequence's end holds nothing; its zero weight must not meet it.
        used = (weight > 0.0)[:, None] & (dims < HEAD)[None, :]
        spot = (row * splits + some)[:, None] * HEAD + dims[None, :]
        part = tl.load(part_ptr + spot, mask=used, other=0.0)
        acc += tl.sum(part * weight[:, None], axis=0)
        total += tl.sum(weight, axis=0)
    tl.store(out_ptr + row * HEAD + dims, acc / total, mask=dims < HEAD)


def split_tokens(batch: int, kv_heads: int, context_tokens: int) -> int:
    """Tokens a program takes: the longest split that still gives enough programs."""
    for tokens in reversed(SPLIT_TOKENS):
        if batch * kv_heads * -(-context_tokens // tokens) >= PROGRAMS_WANTED:
            return tokens
    return SPLIT_TOKENS[0]


def paged_decode(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    tables: torch.Tensor,
    lengths: torch.Tensor,
    *,
    scale: float,
    scales: Scales | None = None,
    split: int | None = None,
) -> torch.Tensor:
    """Attention ``[B, H, hd]`` of one query a sequence over its first ``lengths [B]`` tokens.

    ``q [B, H, hd]``, one layer's ``k [KV, NB, hd, BS]`` and ``v [KV, NB, BS, hd]``,
    ``tables [B, W]`` int32 (entries past a sequence's blocks are not read), ``lengths`` int32, at
    least 1. ``split``: tokens a program, a multiple of 64; chosen from the table's width where not
    given. The result has q's dtype; sums are float32.
    """
    batch, heads, head_dim = q.shape
    kv_heads, blocks, _, block_tokens = k.shape
    group, width = heads // kv_heads, tables.shape[1]
    context = width * block_tokens
    each = split or split_tokens(batch, kv_heads, context)
    splits = -(-context // each)
    padded = max(16, triton.next_power_of_2(head_dim))
    parts = torch.empty(batch, heads, splits, head_dim, dtype=torch.float32, device=q.device)
    lse = torch.empty(batch, heads, splits, dtype=torch.float32, device=q.device)
    k_scale, v_scale = scales if scales is not None else (lse, lse)
    _split_kernel[(batch, kv_heads, splits)](
        *(q, k, v, k_scale, v_scale, tables, lengths, parts, lse),
        *(scale, blocks, width, splits),
        GROUP=group,
        ROWS=max(16, triton.next_power_of_2(group)),
        HEAD=head_dim,
        HEAD_PADDED=padded,
        BLOCK=block_tokens,
        TILE=TILE_TOKENS,
        TILES=each // TILE_TOKENS,
        SCALED=scales is not None,
    )
    out = torch.empty_like(q)
    at_once = min(32, triton.next_power_of_2(splits))
    _merge_kernel[(batch * heads,)](
        *(parts, lse, out, splits),
        HEAD=head_dim,
        HEAD_PADDED=padded,
        ROUNDS=triton.next_power_of_2(-(-splits // at_once)),
        AT_ONCE=at_once,
    )
    return out
