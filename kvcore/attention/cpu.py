"""The CPU runner: prefill by chunks and batched decode over paged keys and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from kvcore.attention.grouped import GroupedAttention
from kvcore.attention.kv_cache import PagedKV
from kvcore.attention.latent import LatentAttention
from kvcore.attention.layers import mlp, rms_norm
from kvcore.attention.pages import in_one_piece
from kvcore.model.rope import rope_tables
from kvcore.optional import is_present

if TYPE_CHECKING:
    from kvcore.attention.fast import WholeStep
    from kvcore.model.weights import Layer, Model

FUSED_UP_TO = 7
"""New tokens of a prompt up to which the fused kernel beats torch's matrix products. Decoding
always takes it: gathering each sequence's blocks costs torch more than its products save."""


class CpuRunner:
    """Runs a model on the CPU; the contract is :class:`kvcore.attention.runner.Runner`."""

    def __init__(
        self,
        model: Model,
        *,
        blocks: int,
        block_tokens: int = 16,
        kv_dtype: torch.dtype | None = None,
    ) -> None:
        model = replace(model, weights=in_one_piece(model.weights))
        self.model, self.shape, self.weights = model, model.shape, model.weights
        self.blocks, self.block_tokens = blocks, block_tokens
        self.kv = PagedKV(self.shape, blocks, block_tokens, kv_dtype or model.weight_dtype)
        self._cos, self._sin = rope_tables(self.shape, self.shape.max_context)
        kind = GroupedAttention if self.shape.mla is None else LatentAttention
        self._step = self._fused_step()
        self._attention: GroupedAttention | LatentAttention = kind(self.shape, self.kv)

    def _fused_step(self) -> WholeStep | None:
        """The fused kernel for few tokens, where numba is present and the sizes suit it."""
        if not is_present("numba"):
            return None
        from kvcore.attention import fast  # needs numba

        if not fast.can_run(self.model, self.kv):
            return None
        return fast.WholeStep(self.model, self.kv, self._cos, self._sin)

    def copy_block(self, source: int, destination: int) -> None:
        """Copy one block of all layers."""
        self.kv.copy_block(source, destination)

    @torch.inference_mode()
    def prefill(self, tokens: torch.Tensor, start: int, table: torch.Tensor) -> torch.Tensor:
        """See :meth:`Runner.prefill`."""
        end = start + tokens.shape[0]
        if self._step is not None and tokens.shape[0] <= FUSED_UP_TO:
            places = list(range(start, end))
            return self._step.run(tokens, places, [table] * len(places), last_only=True)[0]
        table = table.long()
        cos, sin = self._cos[start:end], self._sin[start:end]
        x = functional.embedding(tokens, self.weights.embedding).float()
        for index, layer in enumerate(self.weights.layers):
            projected = self._attention.project(layer, self._normed(layer, x), cos, sin)
            last = index == self.shape.layers - 1  # only the last token's logits are asked for
            out = self._attention.attend(index, layer, projected, start, table, last_only=last)
            x = x[-1:] if last else x
            x += functional.linear(out, layer.wo)
            mlp(self.shape, layer, x)
        return self._logits(x)[0]

    @torch.inference_mode()
    def decode(
        self, tokens: torch.Tensor, positions: torch.Tensor, tables: Sequence[torch.Tensor]
    ) -> torch.Tensor:
        """See :meth:`Runner.decode`."""
        if self._step is not None:
            return self._step.run(tokens, positions.tolist(), tables)
        cos, sin = self._cos[positions], self._sin[positions]
        sequences = list(zip(positions.tolist(), (table.long() for table in tables), strict=True))
        x = functional.embedding(tokens, self.weights.embedding).float()
        for index, layer in enumerate(self.weights.layers):
            projected = self._attention.project(layer, self._normed(layer, x), cos, sin)
            outs = [
                self._attention.attend(
                    index, layer, tuple(part[row : row + 1] for part in projected), place, table
                )
                for row, (place, table) in enumerate(sequences)
            ]
            x += functional.linear(torch.cat(outs), layer.wo)
            mlp(self.shape, layer, x)
        return self._logits(x)

    def _normed(self, layer: Layer, x: torch.Tensor) -> torch.Tensor:
        hidden = rms_norm(x, layer.attn_norm, self.shape.norm_eps)
        return hidden.to(self.model.weight_dtype)

    def _logits(self, x: torch.Tensor) -> torch.Tensor:
        """Logits ``[n, V]`` in float32 of the hidden states ``x [n, D]``."""
        hidden = rms_norm(x, self.weights.final_norm, self.shape.norm_eps)
        return functional.linear(hidden.to(self.model.weight_dtype), self.weights.head).float()
