"""Random weights of any shape: the same bytes and FLOPs as the real model, no meaning."""

from __future__ import annotations

import torch
from torch import Tensor

from kvcore.model.shape import ModelShape
from kvcore.model.weights import Layer, MlaLayer, Weights


class _Source:
    """Draws matrices with unit output variance, so that activations neither vanish nor burst."""

    def __init__(self, seed: int, dtype: torch.dtype, device: torch.device | str) -> None:
        self.generator = torch.Generator(device=device).manual_seed(seed)
        self.dtype = dtype
        self.device = device

    def matrix(self, *sizes: int, scale: float | None = None) -> Tensor:
        values = torch.empty(sizes, dtype=self.dtype, device=self.device)
        values.normal_(generator=self.generator)
        return values.mul_(scale if scale is not None else sizes[-1] ** -0.5)

    def ones(self, size: int) -> Tensor:
        return torch.ones(size, dtype=torch.float32, device=self.device)


def _mla_layer(shape: ModelShape, source: _Source) -> MlaLayer | None:
    m = shape.mla
    if m is None:
        return None
    return MlaLayer(
        wq=source.matrix(shape.heads * shape.head_dim, m.q_rank or shape.hidden),
        w_q_a=None if m.q_rank is None else source.matrix(m.q_rank, shape.hidden),
        q_a_norm=None if m.q_rank is None else source.ones(m.q_rank),
        w_kv_a=source.matrix(m.kv_rank + m.rope_dim, shape.hidden),
        kv_a_norm=source.ones(m.kv_rank),
        w_uk=source.matrix(shape.heads, m.nope_dim, m.kv_rank),
        w_uv=source.matrix(shape.heads, m.v_dim, m.kv_rank),
    )


def _layer(shape: ModelShape, source: _Source) -> Layer:
    d, hd = shape.hidden, shape.head_dim
    rows = 0 if shape.mla else (shape.heads + 2 * shape.kv_heads) * hd
    out = shape.heads * (shape.mla.v_dim if shape.mla else hd)
    # Residual branches are damped by depth, as in GPT-2's initialisation.
    damp = (2 * shape.layers) ** -0.5
    return Layer(
        attn_norm=source.ones(d),
        wqkv=source.matrix(rows, d),
        bqkv=source.matrix(rows, scale=0.1) if shape.qkv_bias else None,
        q_norm=source.ones(hd) if shape.qk_norm else None,
        k_norm=source.ones(hd) if shape.qk_norm else None,
        wo=source.matrix(d, out, scale=damp * out**-0.5),
        mlp_norm=source.ones(d),
        w_gate_up=source.matrix(2 * shape.intermediate, d),
        w_down=source.matrix(d, shape.intermediate, scale=damp * shape.intermediate**-0.5),
        mla=_mla_layer(shape, source),
    )


def random_weights(
    shape: ModelShape, *, seed: int, dtype: torch.dtype, device: torch.device | str
) -> Weights:
    """Weights of this shape; equal seed, dtype and device give equal weights."""
    source = _Source(seed, dtype, device)
    embedding = source.matrix(shape.vocab, shape.hidden)
    head = embedding if shape.tied_embeddings else source.matrix(shape.vocab, shape.hidden)
    layers = tuple(_layer(shape, source) for _ in range(shape.layers))
    norm = source.ones(shape.hidden)
    return Weights(embedding=embedding, layers=layers, final_norm=norm, head=head)
