"""Named formats of a kept KV cache: how many bytes each takes, and what it does to the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from kvcore.errors import KvcoreError
from kvcore.model import kv_codes
from kvcore.model.dense import LayerKv, Pass, forward, head_logits
from kvcore.model.kv_codes import TOKENS, Code
from kvcore.model.rope import rope_tables, rotate, unrotate
from kvcore.model.shape import KeyPlacement, ModelShape
from kvcore.model.weights import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfFormat:
    """A format of keys or of values. bits counts one element's share of scales and zero points.

    per_head_bits: bits that a token's head takes beside its elements (a scale per token-head).
    """

    name: str
    code: Code
    bits: float
    per_head_bits: int = 0

    def bytes(self, heads: int, tokens: int, head_dim: int) -> int:
        """Exact bytes of heads x tokens x head_dim elements of one layer, scales included.

        A format that groups tokens keeps those after the last whole 16 in bf16.
        """
        full = tokens // TOKENS * TOKENS if self.name == "int4_channel" else tokens
        whole = full * (head_dim * self.bits + self.per_head_bits) / 8
        return int(heads * (whole + (tokens - full) * head_dim * 2))

    def bits_per_element(self, head_dim: int) -> float:
        """Bits an element takes on average, scales included, tokens in whole blocks."""
        return self.bits + self.per_head_bits / head_dim


HALVES = {
    half.name: half
    for half in (
        HalfFormat(name="f32", code=kv_codes.cast(torch.float32), bits=32),
        HalfFormat(name="bf16", code=kv_codes.cast(torch.bfloat16), bits=16),
        HalfFormat(name="fp8_e4m3", code=kv_codes.cast(torch.float8_e4m3fn), bits=8),
        HalfFormat(name="fp8_e4m3_scaled", code=kv_codes.fp8_token_head, bits=8, per_head_bits=16),
        HalfFormat(name="int8", code=kv_codes.int8_token_head, bits=8, per_head_bits=16),
        HalfFormat(name="q8_0", code=kv_codes.q8_0, bits=8.5),
        HalfFormat(name="q4_0", code=kv_codes.q4_0, bits=4.5),
        HalfFormat(name="int4_channel", code=kv_codes.int4_channel, bits=6),
        HalfFormat(name="int4_token", code=kv_codes.int4_token_group, bits=5),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KvFormat:
    """A format of a whole cache. keys_stored: before_rope takes positions out before coding."""

    name: str
    keys: HalfFormat
    values: HalfFormat
    keys_stored: KeyPlacement = "after_rope"

    def bytes(self, shape: ModelShape, tokens: int) -> int:
        """Exact bytes of a sequence of tokens over all layers. MLA: latent and position part."""
        if shape.mla is not None:
            k = self.keys.bytes(1, tokens, shape.mla.kv_rank)
            v = self.values.bytes(1, tokens, shape.mla.rope_dim)
        else:
            k = self.keys.bytes(shape.kv_heads, tokens, shape.head_dim)
            v = self.values.bytes(shape.kv_heads, tokens, shape.head_dim)
        return shape.layers * (k + v)

    def bits_per_element(self, head_dim: int) -> float:
        """Average over keys and values, scales included."""
        both = self.keys.bits_per_element(head_dim) + self.values.bits_per_element(head_dim)
        return both / 2


def kv_format(
    keys: str, values: str, *, name: str = "", keys_stored: KeyPlacement = "after_rope"
) -> KvFormat:
    """A format from the names of its halves. Raises KvcoreError for a name that is not known."""
    for half in (keys, values):
        if half not in HALVES:
            raise KvcoreError(
                "kvcore.kv_format_unknown",
                "There is no KV format {name}; known are {known}.",
                {"name": half, "known": ", ".join(HALVES)},
            )
    before = " before RoPE" if keys_stored == "before_rope" else ""
    called = name or (keys if keys == values and not before else f"K {keys}{before}, V {values}")
    return KvFormat(name=called, keys=HALVES[keys], values=HALVES[values], keys_stored=keys_stored)


#: What a cache may be kept in, from exact to smallest.
FORMATS = (
    kv_format("bf16", "bf16"),
    kv_format("int8", "int8"),
    kv_format("q8_0", "q8_0"),
    kv_format("fp8_e4m3", "fp8_e4m3"),
    kv_format("fp8_e4m3_scaled", "fp8_e4m3_scaled"),
    kv_format("int8", "int4_token"),
    kv_format("int4_channel", "int4_token"),
    kv_format("int4_channel", "int4_token", keys_stored="before_rope"),
    kv_format("int4_token", "int4_token"),
    kv_format("q4_0", "q4_0"),
)


def _rotary_apart(kv: LayerKv, cos: Tensor, sin: Tensor, latent: bool, back: bool) -> LayerKv:
    """Takes positions out of the part that carries them, or (back) puts them in again."""
    turn = rotate if back else unrotate
    if latent:
        return LayerKv(kv.k, turn(kv.v, cos, sin))
    return LayerKv(turn(kv.k, cos, sin), kv.v)


def through_format(shape: ModelShape, kv: Sequence[LayerKv], fmt: KvFormat) -> list[LayerKv]:
    """The kept KV of tokens 0 .. T-1 as it reads after having been stored in this format."""
    first = kv[0]
    cos, sin = rope_tables(shape, first.k.shape[1], first.k.device)
    apart = fmt.keys_stored == "before_rope"
    latent = shape.mla is not None
    read = []
    for layer in kv:
        stored = _rotary_apart(layer, cos, sin, latent, back=False) if apart else layer
        k = fmt.keys.code(stored.k).read().to(layer.k.dtype)
        v = fmt.values.code(stored.v).read().to(layer.v.dtype)
        again = LayerKv(k, v)
        read.append(_rotary_apart(again, cos, sin, latent, back=True) if apart else again)
    return read


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatError:
    """What a format did to the next-token distribution over positions scored positions.

    kl_nats: mean KL divergence from the distribution with exact KV, in nats. top1_agreement:
    share of positions whose most likely token stayed the same, 0 .. 1.
    """

    format: str
    bits_per_element: float
    kl_nats: float
    top1_agreement: float
    positions: int


def _prefix(model: Model, tokens: Tensor, prefix_tokens: int) -> tuple[Pass, Tensor]:
    """The exact pass over the prefix, and the exact log-probabilities of the rest [S, V]."""
    kept = forward(model, tokens[:prefix_tokens])
    rest = forward(model, tokens[prefix_tokens:-1], kept.kv)
    return kept, head_logits(model, rest.hidden).log_softmax(-1)


def _scored(
    model: Model, tokens: Tensor, prefix_tokens: int, formats: Sequence[KvFormat]
) -> list[FormatError]:
    """One sequence: its prefix is kept in each format, the rest attends to it."""
    kept, exact = _prefix(model, tokens, prefix_tokens)
    results = []
    for fmt in formats:
        past = through_format(model.shape, kept.kv, fmt)
        rest = forward(model, tokens[prefix_tokens:-1], past)
        found = head_logits(model, rest.hidden).log_softmax(-1)
        kl = (exact.exp() * (exact - found)).sum(-1)
        same = exact.argmax(-1) == found.argmax(-1)
        results.append(
            FormatError(
                format=fmt.name,
                bits_per_element=fmt.bits_per_element(model.shape.head_dim),
                kl_nats=float(kl.double().sum()),
                top1_agreement=float(same.sum()),
                positions=len(same),
            )
        )
    return results


def format_errors(
    model: Model,
    sequences: Sequence[Sequence[int]],
    *,
    formats: Sequence[KvFormat] = FORMATS,
    prefix_tokens: int = 192,
) -> list[FormatError]:
    """Measures each format: the prefix's KV is kept in it, the tokens after it are scored.

    sequences: token ids, each at least prefix_tokens + 2 long; the KV of tokens after the prefix
    stays exact, as a cache keeps its last, unfilled block. Raises KvcoreError for a shorter one.
    """
    shortest = min((len(sequence) for sequence in sequences), default=0)
    if shortest < prefix_tokens + 2:
        raise KvcoreError(
            "kvcore.sequence_too_short",
            "A KV format is measured on sequences of at least {least} tokens; one has {tokens}.",
            {"least": prefix_tokens + 2, "tokens": shortest},
        )
    runs = [_scored(model, torch.tensor(tokens), prefix_tokens, formats) for tokens in sequences]
    return [_mean(of_format) for of_format in zip(*runs, strict=True)]


def _mean(sums: Sequence[FormatError]) -> FormatError:
    """Sums over sequences to means over all their positions."""
    positions = sum(one.positions for one in sums)
    return replace(
        sums[0],
        kl_nats=sum(one.kl_nats for one in sums) / positions,
        top1_agreement=sum(one.top1_agreement for one in sums) / positions,
        positions=positions,
    )
