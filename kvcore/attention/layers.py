"""The steps of one decoder layer around attention, in torch, on ``x [n, D]``.

The residual stream stays in float32; matrix products run in the weights' dtype.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from kvcore.model.rope import rotate

if TYPE_CHECKING:
    from kvcore.model.shape import ModelShape
    from kvcore.model.weights import Layer

MLP_ROWS = 2048
"""Tokens a piece of the MLP: matrix products reach their best rate, and memory stays bounded."""


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """``x / sqrt(mean(x^2) + eps) * weight`` over the last axis, in float32."""
    return functional.rms_norm(x, (x.shape[-1],), weight, eps)


def project_qkv(
    shape: ModelShape,
    layer: Layer,
    hidden: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Queries ``[n, H, hd]``, keys and values ``[n, KV, hd]`` after norms and RoPE, float32.

    ``hidden [n, D]`` is normed; ``cos, sin [n, hd/2]`` belong to its positions.
    """
    rows = functional.linear(hidden, layer.wqkv, layer.bqkv).float()
    rows = rows.view(hidden.shape[0], -1, shape.head_dim)
    q, k, v = torch.split(rows, [shape.heads, shape.kv_heads, shape.kv_heads], dim=1)
    if layer.q_norm is not None and layer.k_norm is not None:
        q = rms_norm(q, layer.q_norm, shape.norm_eps)
        k = rms_norm(k, layer.k_norm, shape.norm_eps)
    cos, sin = cos[:, None], sin[:, None]
    return rotate(q, cos, sin), rotate(k, cos, sin), v


def mlp(shape: ModelShape, layer: Layer, x: torch.Tensor) -> None:
    """Add the gated MLP's output to ``x``, in place."""
    for rows in torch.split(x, MLP_ROWS):
        hidden = rms_norm(rows, layer.mlp_norm, shape.norm_eps).to(layer.w_gate_up.dtype)
        gate, up = functional.linear(hidden, layer.w_gate_up).chunk(2, dim=-1)
        rows += functional.linear(functional.silu(gate).mul_(up), layer.w_down)
