"""Weights in the layout the kernels read: fused QKV, fused gate and up, norms always fp32."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, TypeVar

import torch
from torch import Tensor

from kvcore.model.shape import ModelShape

if TYPE_CHECKING:
    from kvcore.model.tokenizer import Tokenizer

NORMS = frozenset({"attn_norm", "mlp_norm", "q_norm", "k_norm", "q_a_norm", "kv_a_norm"})


@dataclass(frozen=True, slots=True, kw_only=True)
class MlaLayer:
    """Latent attention. H heads, D hidden, R kv_rank, N nope_dim, P rope_dim, V v_dim.

    Rotary rows are in half-split order, whatever order the file had.
    """

    wq: Tensor  # [H*(N+P), D], or [H*(N+P), q_rank] after w_q_a
    w_q_a: Tensor | None  # [q_rank, D]
    q_a_norm: Tensor | None  # [q_rank] f32
    w_kv_a: Tensor  # [R+P, D]: latent, then the shared rotary key
    kv_a_norm: Tensor  # [R] f32
    w_uk: Tensor  # [H, N, R]: latent to each head's key
    w_uv: Tensor  # [H, V, R]: latent to each head's value


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One layer. D hidden, H heads, KV kv_heads, hd head_dim, F intermediate.

    With mla, wqkv is empty ([0, D]) and wo is [D, H*v_dim].
    """

    attn_norm: Tensor  # [D] f32
    wqkv: Tensor  # [(H+2*KV)*hd, D]: all q rows, then k, then v
    bqkv: Tensor | None  # [(H+2*KV)*hd], dtype of the weights
    q_norm: Tensor | None  # [hd] f32, before RoPE
    k_norm: Tensor | None  # [hd] f32
    wo: Tensor  # [D, H*hd]
    mlp_norm: Tensor  # [D] f32
    w_gate_up: Tensor  # [2F, D]: gate rows, then up rows
    w_down: Tensor  # [D, F]
    mla: MlaLayer | None = None


Part = TypeVar("Part", Layer, MlaLayer)


def _moved(part: Part, dtype: torch.dtype, device: torch.device | str) -> Part:
    """A copy of a layer in another dtype or place; norms keep fp32."""
    changed: dict[str, object] = {}
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, Tensor):
            kind = torch.float32 if field.name in NORMS else dtype
            changed[field.name] = value.to(device=device, dtype=kind)
        elif isinstance(value, MlaLayer):
            changed[field.name] = _moved(value, dtype, device)
    return replace(part, **changed)  # type: ignore[arg-type]


def _tensors(part: Layer | MlaLayer) -> Iterator[Tensor]:
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, MlaLayer):
            yield from _tensors(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """All weights of a model. head is the embedding itself where they are tied."""

    embedding: Tensor  # [V, D]
    layers: tuple[Layer, ...]
    final_norm: Tensor  # [D] f32
    head: Tensor  # [V, D]

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of the matrices; norms are fp32 whatever it is."""
        return self.embedding.dtype

    @property
    def device(self) -> torch.device:
        return self.embedding.device

    @property
    def bytes(self) -> int:
        """Bytes held, a tied head counted once."""
        tables = [self.embedding] if self.head is self.embedding else [self.embedding, self.head]
        everything = [*tables, self.final_norm]
        for layer in self.layers:
            everything.extend(_tensors(layer))
        return sum(tensor.nbytes for tensor in everything)

    def to(self, dtype: torch.dtype, device: torch.device | str) -> Weights:
        """The same weights in another dtype or place. Norms stay fp32; a tied head stays tied."""
        embedding = self.embedding.to(device=device, dtype=dtype)
        tied = self.head is self.embedding
        return Weights(
            embedding=embedding,
            layers=tuple(_moved(layer, dtype, device) for layer in self.layers),
            final_norm=self.final_norm.to(device=device),
            head=embedding if tied else self.head.to(device=device, dtype=dtype),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model ready to run. source says where the weights came from, in words for a reader.

    tokenizer is None where the source has none that can be read; tokenizer_problem says why.
    """

    shape: ModelShape
    weights: Weights
    tokenizer: Tokenizer | None
    name: str
    source: str
    weight_dtype: torch.dtype
    is_random: bool = False
    tokenizer_problem: str = ""

    @property
    def device(self) -> torch.device:
        return self.weights.device

    def to(self, dtype: torch.dtype, device: torch.device | str = "cpu") -> Model:
        """The same model with its matrices in another dtype or place."""
        return replace(self, weights=self.weights.to(dtype, device), weight_dtype=dtype)
