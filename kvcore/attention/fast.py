"""Runs :func:`kvcore.attention.step.whole_step` on a team of threads. Needs numba."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from kvcore.attention import step

if TYPE_CHECKING:
    from kvcore.attention.kv_cache import PagedKV
    from kvcore.model.weights import Layer, Model

DTYPES = (torch.float32, torch.bfloat16)


def can_run(model: Model, kv: PagedKV) -> bool:
    """Whether sizes and dtypes are those the kernel is written for."""
    shape = model.shape
    widths = (shape.hidden, shape.intermediate, shape.heads * shape.head_dim)
    return (
        shape.mla is None
        and all(width % 16 == 0 for width in widths)
        and shape.head_dim % 32 == 0
        and kv.block_tokens % 8 == 0
        and step.PART_TOKENS % kv.block_tokens == 0
        and model.weight_dtype in DTYPES
        and kv.dtype in DTYPES
    )


class WholeStep:
    """The fused step of one model over one cache; holds its threads and scratch memory."""

    def __init__(self, model: Model, kv: PagedKV, cos: torch.Tensor, sin: torch.Tensor) -> None:
        self.model, self.shape, self.kv = model, model.shape, kv
        self._cos, self._sin = cos.numpy(), sin.numpy()
        self._threads = torch.get_num_threads()
        self._team = ThreadPoolExecutor(max(1, self._threads - 1), "kvcore-step")
        rows = [_addresses(layer) for layer in model.weights.layers]
        rows.append([model.weights.final_norm.data_ptr(), model.weights.head.data_ptr()])
        self._weights = np.zeros((len(rows), step.COLUMNS), np.int64)
        for index, row in enumerate(rows):
            self._weights[index, : len(row)] = row
        phases = 6 * self.shape.layers + 2
        self._shared = np.zeros((phases + 1) * step.SHARED_WORDS, np.int64)
        group = self.shape.group
        self._scores = np.empty((self._threads, group, step.PART_TOKENS), np.float32)

    def run(
        self,
        tokens: torch.Tensor,
        positions: Sequence[int],
        tables: Sequence[torch.Tensor],
        *,
        last_only: bool = False,
    ) -> torch.Tensor:
        """Logits ``[B, V]`` of B tokens, or ``[1, V]`` of the last; their keys and values written.

        Tokens of one sequence may stand side by side: all are written before any is attended to.
        """
        shape, batch = self.shape, len(positions)
        x = functional.embedding(tokens, self.model.weights.embedding).float().numpy()
        places = np.asarray(positions, np.int64)
        longest = int(places.max()) + 1
        blocks = np.zeros((batch, -(-longest // self.kv.block_tokens)), np.int32)
        for row, table in enumerate(tables):
            count = min(len(table), blocks.shape[1])
            blocks[row, :count] = table[:count].numpy()
        parts = -(-longest // step.PART_TOKENS)
        heads, dim = shape.heads, shape.head_dim

        def empty(*size: int) -> Any:
            return np.empty(size, np.float32)

        first_logits = batch - 1 if last_only else 0
        logits = empty(batch - first_logits, shape.vocab)
        arguments: tuple[Any, ...] = (
            self._threads,
            self._shared.ctypes.data,
            self.model.weight_dtype == torch.bfloat16,
            self.kv.dtype == torch.bfloat16,
            heads,
            shape.kv_heads,
            dim,
            shape.intermediate,
            shape.vocab,
            shape.norm_eps,
            self._weights,
            self.kv.k.data_ptr(),
            self.kv.v.data_ptr(),
            self.kv.blocks,
            self.kv.block_tokens,
            blocks,
            places,
            self._cos,
            self._sin,
            x,
            empty(batch, (heads + 2 * shape.kv_heads) * dim),
            empty(batch, parts, heads, dim),
            empty(batch, parts, heads, 2),
            empty(batch, shape.intermediate),
            empty(self._threads, batch, max(shape.hidden, heads * dim)),
            self._scores,
            first_logits,
            logits,
        )
        self._shared.fill(0)
        others = [
            self._team.submit(step.whole_step, thread, *arguments)
            for thread in range(1, self._threads)
        ]
        step.whole_step(0, *arguments)
        for other in others:
            other.result()
        return torch.from_numpy(logits)


def _addresses(layer: Layer) -> list[int]:
    """In the order of the columns of the step's table."""
    parts = (
        layer.attn_norm,
        layer.wqkv,
        layer.bqkv,
        layer.q_norm,
        layer.k_norm,
        layer.wo,
        layer.mlp_norm,
        layer.w_gate_up,
        layer.w_down,
    )
    return [0 if part is None else part.contiguous().data_ptr() for part in parts]
