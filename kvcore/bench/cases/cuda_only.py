"""What only CUDA has: the Triton kernel beside gathering, and graphs on and off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch.nn import functional

from kvcore.bench.cases.decode import BATCH_CONTEXT, step
from kvcore.bench.context import BLOCK_TOKENS, NO_MEMORY, TIME_BUDGET, Bench, missing
from kvcore.bench.device import free_bytes
from kvcore.cuda.runner import CudaRunner
from kvcore.optional import is_present
from kvcore.profile import CaseResult

NO_CUDA = "needs a CUDA device and Triton"
GRAPH_BATCHES = (1, 8, 64)


class Heads(NamedTuple):
    """Query heads, KV heads, elements of a head."""

    query: int
    kv: int
    size: int


SHAPES = (Heads(9, 3, 64), Heads(32, 8, 128))  # SmolLM2-135M; Llama 3.1 8B
BATCHES = (1, 8, 64, 256)
CONTEXTS = (1024, 4096, 16_384)


def attention(bench: Bench) -> Iterator[CaseResult]:
    """Bytes of keys and values read a second by one layer's decode attention.

    The Triton kernel in place, beside index_select + SDPA; to be read beside the copy limit.
    """
    if bench.device.type != "cuda" or not is_present("triton"):
        yield missing("attention", NO_CUDA)
        return
    for heads in SHAPES:
        for batch in BATCHES:
            for context in CONTEXTS:
                yield from _rows(bench, heads, batch, context)


def _rows(bench: Bench, heads: Heads, batch: int, context: int) -> Iterator[CaseResult]:
    params = {
        "heads": heads.query,
        "kv_heads": heads.kv,
        "head_dim": heads.size,
        "batch": batch,
        "context_tokens": context,
        "block_tokens": BLOCK_TOKENS,
    }
    size = 2 * batch * context * heads.kv * heads.size * bench.model.weight_dtype.itemsize
    if 3 * size > free_bytes(bench.device):  # the gathered copy needs room too
        yield missing("attention", NO_MEMORY, **params)
        return
    for kernel, run in kernels(heads, batch, context, bench.model.weight_dtype, bench.device):
        if bench.budget.left_s <= 0:
            yield missing("attention", TIME_BUDGET, kernel=kernel, **params)
        else:
            yield bench.rate("attention", bench.time(run), size, kernel=kernel, **params)


def kernels(
    heads: Heads, batch: int, context: int, dtype: torch.dtype, device: torch.device
) -> Iterator[tuple[str, Callable[[], torch.Tensor]]]:
    """Both ways over the same scattered blocks; each gives attention ``[B, H, hd]``."""
    from kvcore.cuda.paged_decode import paged_decode

    each = context // BLOCK_TOKENS
    q = torch.randn(batch, heads.query, heads.size, device=device, dtype=dtype)
    k = torch.randn(heads.kv, batch * each, heads.size, BLOCK_TOKENS, device=device, dtype=dtype)
    v = torch.randn(heads.kv, batch * each, BLOCK_TOKENS, heads.size, device=device, dtype=dtype)
    order = torch.randperm(batch * each, device=device)
    tables = order.to(torch.int32).view(batch, each)
    lengths = torch.full((batch,), context, device=device, dtype=torch.int32)
    scale = heads.size**-0.5

    def gather() -> torch.Tensor:
        shape = (heads.kv, batch, context, heads.size)
        keys = k.index_select(1, order).transpose(2, 3).reshape(shape).transpose(0, 1)
        values = v.index_select(1, order).reshape(shape).transpose(0, 1)
        return functional.scaled_dot_product_attention(
            q[:, :, None], keys, values, scale=scale, enable_gqa=heads.query > heads.kv
        )[:, :, 0]

    yield "triton", lambda: paged_decode(q, k, v, tables, lengths, scale=scale)
    yield "gather + sdpa", gather


def graphs(bench: Bench) -> Iterator[CaseResult]:
    """A decode step launched kernel by kernel, and replayed as a graph."""
    if bench.device.type != "cuda" or not is_present("triton"):
        yield missing("decode_graphs", NO_CUDA)
        return
    blocks = bench.blocks_that_fit(max(GRAPH_BATCHES) * BATCH_CONTEXT)
    for used in (False, True):
        runner = CudaRunner(bench.model, blocks=blocks, block_tokens=BLOCK_TOKENS, graphs=used)
        for batch in GRAPH_BATCHES:
            params = {"graphs": used, "batch": batch, "context_tokens": BATCH_CONTEXT}
            run = step(runner, [BATCH_CONTEXT] * batch)
            if run is None or bench.budget.left_s <= 0:
                reason = NO_MEMORY if run is None else TIME_BUDGET
                yield missing("decode_graphs", reason, **params)
            else:
                yield bench.row("decode_graphs", bench.time(run), **params)
