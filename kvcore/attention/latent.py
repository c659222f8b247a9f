"""MLA over paged latents, in torch.

Many new tokens: keys and values are written out per head (fewer FLOPs a pair of tokens).
Few: the up-projections are absorbed into the query and the output, so that all heads attend to
the latents as they lie in the cache (DeepSeek-V2, https://arxiv.org/abs/2405.04434, 2.1.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from kvcore.attention.merge import attend, merge
from kvcore.model.dense import project_mla

if TYPE_CHECKING:
    from kvcore.attention.kv_cache import PagedKV
    from kvcore.model.shape import ModelShape
    from kvcore.model.weights import Layer, MlaLayer

ABSORB_UP_TO = 16
"""New tokens up to which absorbing is cheaper than writing all keys out again."""

Part = tuple[torch.Tensor, torch.Tensor]


class LatentAttention:
    """Projects hidden states, stores their latents, attends."""

    def __init__(self, shape: ModelShape, kv: PagedKV) -> None:
        self.shape, self.kv = shape, kv
        self._scale = shape.head_dim**-0.5

    def project(
        self, layer: Layer, hidden: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        """Query ``[n, H, nope]``, its rotary part, latent ``[n, rank]``, position ``[n, rope]``."""
        q_nope, q_rope, latent, position = project_mla(hidden, _mla(layer), self.shape, cos, sin)
        return q_nope.transpose(0, 1), q_rope.transpose(0, 1), latent[0], position[0]

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
        """As :meth:`GroupedAttention.attend`, ``[n, H*v_dim]``."""
        q_nope, q_rope, latent, position = projected
        mla = _mla(layer)
        self.kv.write_latent(index, latent, position, start, table)
        if last_only:
            q_nope, q_rope = q_nope[-1:], q_rope[-1:]
        over = self._absorbed if q_nope.shape[0] <= ABSORB_UP_TO else self._written_out
        new = over(mla, q_nope, q_rope, latent, position, causal=not last_only)
        out = new[0]
        if start:
            past = (part.to(latent.dtype) for part in self.kv.read_latent(index, start, table))
            out = merge(over(mla, q_nope, q_rope, *past, causal=False), new)
        return out.transpose(0, 1).flatten(1).to(latent.dtype)

    def _absorbed(
        self,
        mla: MlaLayer,
        q_nope: torch.Tensor,
        q_rope: torch.Tensor,
        latent: torch.Tensor,
        position: torch.Tensor,
        *,
        causal: bool,
    ) -> Part:
        """Output ``[H, n, v_dim]`` and log-sum-exp ``[H, n]``: one shared key head of rank+rope."""
        lifted = torch.einsum("thn,hnr->htr", q_nope, mla.w_uk)
        q = torch.cat((lifted, q_rope.transpose(0, 1)), dim=-1)[None]
        k = torch.cat((latent, position), dim=-1)[None]
        out, lse = attend(q, k, latent[None], causal=causal, scale=self._scale)
        return torch.einsum("htr,hvr->htv", out[0], mla.w_uv), lse[0]

    def _written_out(
        self,
        mla: MlaLayer,
        q_nope: torch.Tensor,
        q_rope: torch.Tensor,
        latent: torch.Tensor,
        position: torch.Tensor,
        *,
        causal: bool,
    ) -> Part:
        """The same with each head's keys and values written out."""
        k_nope = torch.einsum("tr,hnr->htn", latent, mla.w_uk)
        v = torch.einsum("tr,hvr->htv", latent, mla.w_uv)
        k = torch.cat((k_nope, position.expand(k_nope.shape[0], -1, -1)), dim=-1)
        q = torch.cat((q_nope, q_rope), dim=-1).transpose(0, 1)[:, None]
        out, lse = attend(q, k, v, causal=causal, scale=self._scale)
        return out[:, 0], lse[:, 0]


def _mla(layer: Layer) -> MlaLayer:
    if layer.mla is None:
        raise ValueError("this layer has no latent attention")
    return layer.mla
