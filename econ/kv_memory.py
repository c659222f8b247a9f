"""How many bytes a model keeps of what it has read.

For one sequence of T tokens, group by group (the 2 of the textbook formula
2 x L x T x H_KV x D_h x b is key plus value, which may differ in width and format):

    full          layers x kv_heads x (key + value bytes) x T
    sliding       the same with min(T, window); so does chunked, whose true average is half of it
    mla           layers x (latent + rope) x b x T: one vector for all heads, key and value in one
    indexer       layers x bytes_per_token x T
    linear_state  layers x (state + convolution), whatever T
    compressed    layers x (min(T, window) x entry + floor(T / ratio) x (entry + index)), its
                  entries in their native one byte an element

`bytes_min` is that sum. `bytes_reserved` is what an engine with one page size for all layers
sets aside: windowed layers as long as the others, T rounded up to whole blocks. Numbers that a
test holds: models.yaml of the reference figures, and public issue threads named there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from econ.kv_formats import KvFormat
from price_tables.hardware import WINDOWED, KvGroup, ModelSpec

BLOCK_TOKENS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupBytes:
    """One group: bytes that each further token adds while the context grows (0 for a state or
    beyond a window), and what it keeps whatever the length."""

    kind: str
    layers: int
    window_tokens: int | None
    bytes_per_token: Fraction
    state_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KvBytes:
    """KV bytes of `sequences` sequences of `context_tokens` tokens each.

    bytes_per_token: one token in all layers as reserved; bytes_per_token_long_context: what a
    further token adds at the minimum once every window is full; bytes_per_rank: the reserved
    bytes on one of `tensor_parallel` ranks; bytes_mha_style: the minimum if every query head kept
    its own keys and values, None where the head's width is not known.
    """

    model: str
    dtype: str
    context_tokens: int
    sequences: int
    tensor_parallel: int
    block_tokens: int
    bytes_per_token: Fraction
    bytes_per_token_long_context: Fraction
    bytes_min: int
    bytes_reserved: int
    bytes_per_rank: int
    bytes_mha_style: int | None
    groups: tuple[GroupBytes, ...]


def kv_bytes(
    model: ModelSpec,
    dtype: KvFormat,
    *,
    context_tokens: int,
    sequences: int = 1,
    tensor_parallel: int = 1,
    block_tokens: int = BLOCK_TOKENS,
) -> KvBytes:
    """The bytes of `sequences` equal sequences. All counts at least 1 (context may be 0)."""
    if context_tokens < 0 or min(sequences, tensor_parallel, block_tokens) < 1:
        raise ValueError("counts must be positive")
    reserved_tokens = ceil(context_tokens / block_tokens) * block_tokens
    groups = model.groups
    least = _total(groups, lambda g: minimum(g, dtype, context_tokens))
    mha = mha_style_per_token(model, dtype)
    return KvBytes(
        model=model.id,
        dtype=dtype.name,
        context_tokens=context_tokens,
        sequences=sequences,
        tensor_parallel=tensor_parallel,
        block_tokens=block_tokens,
        bytes_per_token=reserved_per_token(model, dtype),
        bytes_per_token_long_context=growing_per_token(model, dtype),
        bytes_min=ceil(least) * sequences,
        bytes_reserved=ceil(_total(groups, lambda g: reserved(g, dtype, reserved_tokens)))
        * sequences,
        bytes_per_rank=ceil(
            _total(groups, lambda g: reserved(g, dtype, reserved_tokens, tensor_parallel))
        )
        * sequences,
        bytes_mha_style=None if mha is None else ceil(mha * context_tokens) * sequences,
        groups=tuple(_group(g, dtype) for g in groups),
    )


def growing_per_token(model: ModelSpec, dtype: KvFormat) -> Fraction:
    """Bytes that a further token adds once every window is full."""
    return _total(model.groups, lambda g: growth(g, dtype))


def reserved_per_token(model: ModelSpec, dtype: KvFormat, tensor_parallel: int = 1) -> Fraction:
    """Bytes of one token on one rank, where windowed layers are given as many pages as others."""
    return _total(
        model.groups, lambda g: _paged_per_token(g, dtype, _rank_heads(g, tensor_parallel))
    )


def per_sequence(model: ModelSpec) -> int:
    """Bytes that a sequence keeps whatever its length: the states of linear layers."""
    return sum(_state(g) for g in model.groups)


def mha_style_per_token(model: ModelSpec, dtype: KvFormat) -> Fraction | None:
    """Bytes of a token if each query head of each attention layer kept its own key and value."""
    total = Fraction(0)
    for group in model.groups:
        if group.kind == "compressed" or (group.kind == "mla" and not group.key_dim):
            return None
        if group.kind not in ("linear_state", "indexer"):
            total += group.layers * model.query_heads * _pair(group, dtype)
    return total


def minimum(group: KvGroup, dtype: KvFormat, tokens: int, tensor_parallel: int = 1) -> Fraction:
    """The least bytes that `tokens` tokens of one sequence need in this group on one rank, with
    the copies that `reserved` tells of."""
    if group.kind == "compressed":
        return _compressed(group, tokens)
    if group.kind == "linear_state":
        return _rank_state(group, tensor_parallel)
    kept = min(tokens, group.window_tokens) if group.kind in WINDOWED else tokens
    return _paged_per_token(group, dtype, _rank_heads(group, tensor_parallel)) * kept


def reserved(group: KvGroup, dtype: KvFormat, tokens: int, tensor_parallel: int = 1) -> Fraction:
    """Bytes set aside on one rank: a head is never split, so more ranks than KV heads hold
    copies, and what has no heads (a latent vector, an index) is held by every rank whole."""
    if group.kind == "compressed":
        return _compressed(group, tokens)
    if group.kind == "linear_state":
        return _rank_state(group, tensor_parallel)
    return _paged_per_token(group, dtype, _rank_heads(group, tensor_parallel)) * tokens


def _rank_state(group: KvGroup, tensor_parallel: int) -> Fraction:
    return Fraction(group.layers * ceil((group.state_bytes + group.conv_bytes) / tensor_parallel))


def _rank_heads(group: KvGroup, tensor_parallel: int) -> int:
    return ceil(group.kv_heads / tensor_parallel)


def growth(group: KvGroup, dtype: KvFormat) -> Fraction:
    """Bytes that a further token adds in this group, on average, once its window is full."""
    if group.kind == "compressed":
        each = group.entry_elements + group.indexer_bytes_per_entry
        return Fraction(group.layers * each, group.ratio_tokens) if group.ratio_tokens else (
            Fraction(0)
        )  # fmt: skip
    return Fraction(0) if group.kind in WINDOWED else _paged_per_token(group, dtype)


def _paged_per_token(group: KvGroup, dtype: KvFormat, heads: int | None = None) -> Fraction:
    """Bytes of one token in this group while nothing has been dropped."""
    if group.kind == "linear_state":
        return Fraction(0)
    if group.kind == "indexer":
        return Fraction(group.layers * group.bytes_per_token)
    if group.kind == "mla":
        return group.layers * (
            dtype.key.vector_bytes(group.latent) + dtype.key.vector_bytes(group.rope)
        )
    if group.kind == "compressed":
        return growth(group, dtype)
    return group.layers * (group.kv_heads if heads is None else heads) * _pair(group, dtype)


def _pair(group: KvGroup, dtype: KvFormat) -> Fraction:
    return dtype.key.vector_bytes(group.key_dim) + dtype.value.vector_bytes(group.value_dim)


def _compressed(group: KvGroup, tokens: int) -> Fraction:
    entries = tokens // group.ratio_tokens if group.ratio_tokens else 0
    kept = min(tokens, group.window_tokens) * group.entry_elements
    each = group.entry_elements + group.indexer_bytes_per_entry
    return Fraction(group.layers * (kept + entries * each))


def _state(group: KvGroup) -> int:
    if group.kind != "linear_state":
        return 0
    return group.layers * (group.state_bytes + group.conv_bytes)


def _group(group: KvGroup, dtype: KvFormat) -> GroupBytes:
    return GroupBytes(
        kind=group.kind,
        layers=group.layers,
        window_tokens=group.window_tokens or None,
        bytes_per_token=growth(group, dtype),
        state_bytes=_state(group),
    )


def _total(groups: Iterable[KvGroup], of: Callable[[KvGroup], Fraction]) -> Fraction:
    return sum((of(group) for group in groups), Fraction(0))
