"""MHA, GQA and MQA over paged keys and values, in torch: past and new tokens apart, then merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from kvcore.attention.layers import project_qkv
from kvcore.attention.merge import attend, merge

if TYPE_CHECKING:
    from kvcore.attention.kv_cache import PagedKV
    from kvcore.model.shape import ModelShape
    from kvcore.model.weights import Layer


class GroupedAttention:
    """Projects hidden states, stores their keys and values, attends."""

    def __init__(self, shape: ModelShape, kv: PagedKV) -> None:
        self.shape, self.kv = shape, kv

    def project(
        self, layer: Layer, hidden: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        """q, k, v of ``hidden [n, D]``, each ``[n, ...]``."""
        return project_qkv(self.shape, layer, hidden, cos, sin)

    def attend(
        self,
        index: int,
        layer: Layer,
        projected: tuple[torch.Tensor, ...],
        start: int,
        table: torch.Tensor,
        *,
        last_only: bool = False,
    ) -> torch.Tensor:
        """Store the new tokens of layer ``index`` at ``start ..``; attention ``[n, H*hd]`` of each.

        The past needs no mask, the new tokens a causal one. With ``last_only`` the attention of
        the last token alone, ``[1, H*hd]``.
        """
        q, k, v = projected
        self.kv.write(index, k, v, start, table)
        dtype, scale = layer.wqkv.dtype, self.shape.head_dim**-0.5
        if last_only:
            q = q[-1:]
        grouped = (self.shape.kv_heads, self.shape.group, self.shape.head_dim)
        q = q.to(dtype).view(-1, *grouped).permute(1, 2, 0, 3).contiguous()
        k, v = (part.to(dtype).transpose(0, 1).contiguous() for part in (k, v))
        new = attend(q, k, v, causal=not last_only, scale=scale)
        out = new[0]
        if start:
            past_k, past_v = (part.to(dtype) for part in self.kv.read(index, start, table))
            out = merge(attend(q, past_k, past_v, causal=False, scale=scale), new)
        return out.permute(2, 0, 1, 3).flatten(1).to(dtype)
