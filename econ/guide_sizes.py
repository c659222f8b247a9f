"""Sizes for the guide: a model of one's own, and what the tables' models keep of a token."""

from __future__ import annotations

from dataclasses import dataclass

from econ.kv_formats import KvFormat, kv_format
from econ.kv_memory import kv_bytes, mha_style_per_token, reserved_per_token
from price_tables.hardware import KvGroup, ModelSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The factors of 2 x L x H_KV x D_h x b, the number of query heads beside them."""

    layers: int
    kv_heads: int
    head_dim: int
    query_heads: int = 32


def dense_model(shape: Shape) -> ModelSpec:
    """A model of uniform full attention with this shape, of no parameters."""
    group = KvGroup(
        kind="full",
        layers=shape.layers,
        kv_heads=shape.kv_heads,
        key_dim=shape.head_dim,
        value_dim=shape.head_dim,
    )
    return ModelSpec(
        id="own", name="own", repository=None, parameters_total=None, parameters_active=None,
        parameters_verified=False, hidden=shape.head_dim * shape.query_heads, layers=shape.layers,
        query_heads=shape.query_heads, experts=None, experts_per_token=None, attention="full",
        max_context_tokens=None, checkpoint_dtype="bfloat16", groups=(group,), source="", as_of="",
    )  # fmt: skip


def kept_bytes(model: ModelSpec, tokens: int, dtype: KvFormat | None = None) -> int:
    """Bytes of one sequence without block rounding; 16 bits where no format is said."""
    return kv_bytes(
        model, dtype or kv_format("bf16"), context_tokens=tokens, block_tokens=1
    ).bytes_min


ELEMENT_BITS = {
    "fp32": (32, 32), "bf16": (16, 16), "fp16": (16, 16), "fp8": (8, 8), "int8": (8, 8),
    "q8_0": (8, 8), "q4_0": (4, 4), "int4": (4, 4), "kivi4": (4, 4), "k8v4": (8, 4),
}  # fmt: skip
"""Bits of a key's and a value's element alone, in each format; what is above them are scales."""


def scale_share(dtype: KvFormat, dim: int) -> float:
    """Of the bytes of one key and one value of `dim` elements: scales and the rest of the last
    group, 0..1. KeyError for a format without bits of its own."""
    bare = sum(ELEMENT_BITS[dtype.name]) * dim / 8
    return float(1 - bare / (dtype.key.vector_bytes(dim) + dtype.value.vector_bytes(dim)))


def shrunk(model: ModelSpec) -> float | None:
    """How many times smaller a token is than if each query head kept its own key and value."""
    dtype = kv_format("bf16")
    whole = mha_style_per_token(model, dtype)
    each = reserved_per_token(model, dtype)
    return None if whole is None or not each else float(whole / each)
