"""The plain forward pass: no cache, every token computed. The reference all others must equal.

Also keeps the KV it computed, and continues over KV it is given, for measuring formats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from kvcore.model.rope import rope_tables, rotate
from kvcore.model.shape import ModelShape
from kvcore.model.weights import Layer, MlaLayer, Model


class LayerKv(NamedTuple):
    """One layer's kept state for tokens 0 .. T-1.

    k: keys after RoPE [KV, T, hd]; MLA: the normed latent [1, T, rank].
    v: values [KV, T, hd]; MLA: the rotated shared position part [1, T, rope].
    """

    k: Tensor
    v: Tensor

    def joined(self, new: LayerKv) -> LayerKv:
        """These tokens, then the new ones."""
        return LayerKv(torch.cat((self.k, new.k), dim=1), torch.cat((self.v, new.v), dim=1))


class Pass(NamedTuple):
    """What a forward pass gives: final hidden states [T, D], normed, and the KV of every layer."""

    hidden: Tensor
    kv: list[LayerKv]


class _Positions(NamedTuple):
    cos: Tensor  # [T, dim/2] of the new tokens
    sin: Tensor
    mask: Tensor | None  # [T, past+T] additive; None: causal from position 0


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """x / rms(x) * weight over the last axis, computed in fp32, in x's dtype."""
    wide = x.float()
    scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
    return (wide * scale).to(x.dtype) * weight.to(x.dtype)


def _attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """q [H, T, hd] over k, v [KV, S, ...]: each KV head serves H/KV neighbouring query heads."""
    group = q.shape[0] // k.shape[0]
    if group > 1:  # enable_gqa is several times slower than this copy in bf16 on a CPU
        k, v = k.repeat_interleave(group, 0), v.repeat_interleave(group, 0)
    mask = None if mask is None else mask.to(q.dtype)
    return F.scaled_dot_product_attention(
        q[None], k[None], v[None], attn_mask=mask, is_causal=mask is None
    )[0]


def project_qkv(
    x: Tensor, layer: Layer, shape: ModelShape, cos: Tensor, sin: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Queries [H, T, hd], keys and values [KV, T, hd] of normed hidden states x [T, D], rotated."""
    tokens, hd = x.shape[0], shape.head_dim
    rows = F.linear(x, layer.wqkv, layer.bqkv).view(tokens, -1, hd).transpose(0, 1)
    q, k, v = torch.split(rows, [shape.heads, shape.kv_heads, shape.kv_heads])
    if layer.q_norm is not None and layer.k_norm is not None:
        q = rms_norm(q, layer.q_norm, shape.norm_eps)
        k = rms_norm(k, layer.k_norm, shape.norm_eps)
    return rotate(q, cos, sin), rotate(k, cos, sin), v


def _grouped(
    x: Tensor, layer: Layer, shape: ModelShape, at: _Positions, past: LayerKv | None
) -> tuple[Tensor, LayerKv]:
    q, k, v = project_qkv(x, layer, shape, at.cos, at.sin)
    new = LayerKv(k, v)
    whole = new if past is None else past.joined(new)
    out = _attend(q, whole.k, whole.v, at.mask)
    return out.transpose(0, 1).reshape(x.shape[0], -1), new


def project_mla(
    x: Tensor, mla: MlaLayer, shape: ModelShape, cos: Tensor, sin: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Queries [H, T, nope] and [H, T, rope]; kept: latent [1, T, rank], position [1, T, rope]."""
    m = shape.mla
    if m is None:
        raise ValueError("this shape has no latent attention")
    tokens = x.shape[0]
    source = x
    if mla.w_q_a is not None and mla.q_a_norm is not None:
        source = rms_norm(F.linear(x, mla.w_q_a), mla.q_a_norm, shape.norm_eps)
    q = F.linear(source, mla.wq).view(tokens, shape.heads, -1).transpose(0, 1)
    q_nope, q_rope = torch.split(q, [m.nope_dim, m.rope_dim], dim=-1)
    latent, position = torch.split(F.linear(x, mla.w_kv_a), [m.kv_rank, m.rope_dim], dim=-1)
    latent = rms_norm(latent, mla.kv_a_norm, shape.norm_eps)
    return q_nope, rotate(q_rope, cos, sin), latent[None], rotate(position[None], cos, sin)


def _latent(
    x: Tensor, mla: MlaLayer, shape: ModelShape, at: _Positions, past: LayerKv | None
) -> tuple[Tensor, LayerKv]:
    """Latent attention with keys and values written out per head: the definition."""
    q_nope, q_rope, latent, position = project_mla(x, mla, shape, at.cos, at.sin)
    new = LayerKv(latent, position)
    whole = new if past is None else past.joined(new)
    k_nope = torch.einsum("tr,hnr->htn", whole.k[0], mla.w_uk)
    values = torch.einsum("tr,hvr->htv", whole.k[0], mla.w_uv)
    k = torch.cat((k_nope, whole.v.expand(shape.heads, -1, -1)), dim=-1)
    out = _attend(torch.cat((q_nope, q_rope), dim=-1), k, values, at.mask)
    return out.transpose(0, 1).reshape(x.shape[0], -1), new


def mlp(x: Tensor, layer: Layer) -> Tensor:
    """SwiGLU: down(silu(gate) * up) of normed hidden states x [T, D]."""
    gate, up = F.linear(x, layer.w_gate_up).chunk(2, dim=-1)
    return F.linear(F.silu(gate) * up, layer.w_down)


def _positions(model: Model, start: int, tokens: int) -> _Positions:
    cos, sin = rope_tables(model.shape, start + tokens, model.device)
    mask = None
    if start:
        whole = torch.full((tokens, start + tokens), float("-inf"), device=model.device)
        mask = whole.triu(start + 1)
    return _Positions(cos[start:], sin[start:], mask)


@torch.inference_mode()
def forward(model: Model, tokens: Tensor, past: Sequence[LayerKv] | None = None) -> Pass:
    """Runs tokens [T] i64, at positions after those of past, and keeps the new tokens' KV.

    past: one LayerKv a layer, as an earlier pass kept it (or as a format gave it back).
    """
    shape = model.shape
    start = past[0].k.shape[1] if past else 0
    at = _positions(model, start, len(tokens))
    x = model.weights.embedding[tokens.to(model.device)]
    kept = []
    for index, layer in enumerate(model.weights.layers):
        normed = rms_norm(x, layer.attn_norm, shape.norm_eps)
        before = past[index] if past else None
        if layer.mla is not None:
            mixed, new = _latent(normed, layer.mla, shape, at, before)
        else:
            mixed, new = _grouped(normed, layer, shape, at, before)
        kept.append(new)
        x = x + F.linear(mixed, layer.wo)
        x = x + mlp(rms_norm(x, layer.mlp_norm, shape.norm_eps), layer)
    return Pass(rms_norm(x, model.weights.final_norm, shape.norm_eps), kept)


@torch.inference_mode()
def head_logits(model: Model, hidden: Tensor) -> Tensor:
    """Logits [..., V] f32 of normed final hidden states [..., D]."""
    return F.linear(hidden, model.weights.head).float()


def dense_logits(model: Model, tokens: Tensor) -> Tensor:
    """Logits [T, V] f32 after each of tokens [T] i64, nothing cached."""
    return head_logits(model, forward(model, tokens).hidden)


def dense_generate(model: Model, tokens: Tensor, n: int) -> list[int]:
    """n greedy tokens after tokens [T] i64, the whole sequence computed again for each."""
    sequence = tokens.to(model.device)
    for _ in range(n):
        last = forward(model, sequence).hidden[-1]
        chosen = head_logits(model, last).argmax().reshape(1)
        sequence = torch.cat((sequence, chosen))
    return [int(token) for token in sequence[len(tokens) :]]
