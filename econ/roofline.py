"""How long a prefill and a decode step take at the limits of a device.

    decode step  max(bytes / bandwidth, operations / rate)
                 bytes = weights touched by the batch + KV of every sequence
                 operations = 2 x active parameters x batch + attention over each history
    prefill      linear: 2 x active parameters x new tokens / rate
                 attention: 2 x layers x heads x (key + value) x (T^2 - c^2) / 2 / rate, causal;
                 with key = value = d and heads x d = hidden that is the textbook's
                 4 x layers x T^2 x hidden / 2

Weights are read once for a whole batch, KV once for each sequence. Of a mixture of experts a
batch touches E x (1 - (1 - k/E)^B) of its E experts in expectation. Under tensor parallelism the
step waits for the rank that reads most: its share of the weights and its KV, whole heads of it and
whole latent vectors (`econ.kv_memory`), so what ranks hold twice is read twice. Where nothing is
overridden the efficiencies are 1: floors, not predictions. `econ.speed_fit` has what was measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Literal

from econ.kv_formats import KvFormat
from econ.kv_memory import minimum
from price_tables.hardware import KvGroup, ModelSpec

WEIGHT_BYTES = {
    "fp32": Fraction(4), "bf16": Fraction(2), "fp16": Fraction(2), "fp8": Fraction(1),
    "int8": Fraction(1), "fp4": Fraction(1, 2), "int4": Fraction(1, 2),
}  # fmt: skip
"""Bytes a parameter; scales of block formats come to a few per cent more and are left out."""
RATE_OF = {"bf16": "fp16", "fp16": "fp16", "fp32": "fp32", "int4": "fp16"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Speeds:
    """What a device does a second, and the share of it that a program reaches (0..1].

    `link_bytes_per_s` and `link_latency_s` are those of one all-reduce between the ranks of
    tensor parallelism.
    """

    bandwidth_bytes_per_s: float
    ops_per_s: float
    bandwidth_ratio: float = 1.0
    ops_ratio: float = 1.0
    link_bytes_per_s: float = 450e9
    link_latency_s: float = 0.0

    @property
    def bytes_per_s(self) -> float:
        """The bandwidth that is reached."""
        return self.bandwidth_bytes_per_s * self.bandwidth_ratio

    @property
    def ops(self) -> float:
        """The rate that is reached."""
        return self.ops_per_s * self.ops_ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeStep:
    """One token for each of `batch` sequences. `step_s` includes `link_s`. Bytes are those of all
    ranks together, copies included, and those that the rank with most to read reads."""

    weight_bytes: float
    kv_bytes: float
    rank_weight_bytes: float
    rank_kv_bytes: float
    ops: float
    bandwidth_s: float
    compute_s: float
    link_s: float
    step_s: float
    tokens_per_s: float
    bound: Literal["bandwidth", "compute"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefill:
    """The prompt's new tokens. `prefill_s` is the sum of both parts and `link_s`."""

    linear_ops: float
    attention_ops: float
    linear_s: float
    attention_s: float
    link_s: float
    prefill_s: float


def active_parameters(model: ModelSpec) -> int | None:
    """Parameters that one token passes; all of them where no other figure is stated."""
    return model.parameters_active or (None if model.experts else model.parameters_total)


def touched_share(model: ModelSpec, tokens: int) -> float | None:
    """The share of all parameters that `tokens` tokens touch in one pass.

    With P in all, A active, E experts of which k serve a token, the experts hold
    X = (P - A) / (1 - k/E) and the rest is always read. None where P, A, E or k is not known of
    a mixture; 1 for a dense model.
    """
    total, active = model.parameters_total, active_parameters(model)
    if total is None or active is None:
        return None
    if active >= total:
        return 1.0
    if not model.experts or not model.experts_per_token:
        return None
    idle = 1 - model.experts_per_token / model.experts
    in_experts = (total - active) / idle
    return 1 - in_experts * idle**tokens / total


def rank_kv_bytes(
    model: ModelSpec, dtype: KvFormat, context_tokens: int, tensor_parallel: int = 1
) -> float:
    """KV bytes that one step reads for one sequence on one rank: what it keeps at the least."""
    groups = model.groups
    return float(sum(minimum(group, dtype, context_tokens, tensor_parallel) for group in groups))


def decode_step(
    model: ModelSpec,
    speeds: Speeds,
    dtype: KvFormat,
    *,
    weights_bytes: float,
    context_tokens: int,
    batch: int,
    tensor_parallel: int = 1,
    attention_copies: int = 1,
) -> DecodeStep:
    """One step of `batch` sequences with `context_tokens` tokens each, on `tensor_parallel`
    equal devices that share weights and operations evenly.

    `attention_copies` groups of them, equal in size, may each hold all weights but the experts and
    the KV of their own sequences alone (data-parallel attention; experts stay spread over all).
    ValueError where they are no whole groups, or the model's experts are not known.
    """
    share = touched_share(model, batch)
    weights = weights_bytes * (1.0 if share is None else share)
    group = _group_ranks(tensor_parallel, attention_copies)
    copied = _copied(model, weights_bytes, attention_copies)
    rank_weights = copied / group + (weights - copied) / tensor_parallel
    rank_kv = rank_kv_bytes(model, dtype, context_tokens, group) * ceil(batch / attention_copies)
    parameters = active_parameters(model) or 0
    ops = 2.0 * parameters * batch + batch * sum(
        _attention_ops(part, model.query_heads, context_tokens) for part in model.groups
    )
    bandwidth_s = (rank_weights + rank_kv) / speeds.bytes_per_s
    compute_s = ops / tensor_parallel / speeds.ops
    link_s = _link_s(model, speeds, batch, tensor_parallel, 1 if group == 1 else 2)
    step = max(bandwidth_s, compute_s) + link_s
    return DecodeStep(
        weight_bytes=rank_weights * tensor_parallel,
        kv_bytes=rank_kv * tensor_parallel,
        rank_weight_bytes=rank_weights,
        rank_kv_bytes=rank_kv,
        ops=ops,
        bandwidth_s=bandwidth_s,
        compute_s=compute_s,
        link_s=link_s,
        step_s=step,
        tokens_per_s=batch / step,
        bound="bandwidth" if bandwidth_s >= compute_s else "compute",
    )


def _group_ranks(tensor_parallel: int, attention_copies: int) -> int:
    """Devices of one group."""
    if attention_copies < 1 or tensor_parallel % attention_copies:
        raise ValueError("copies of attention must divide the devices")
    return tensor_parallel // attention_copies


def held_weights(model: ModelSpec, weights_bytes: float, attention_copies: int) -> float:
    """Bytes of weights on all ranks together."""
    return weights_bytes + (attention_copies - 1) * _copied(model, weights_bytes, attention_copies)


def _copied(model: ModelSpec, weights_bytes: float, attention_copies: int) -> float:
    """Bytes of what each group holds: all that is read for every token."""
    outside = touched_share(model, 0)
    if attention_copies == 1:
        return 0.0
    if outside is None or outside == 1.0:
        raise ValueError("only a mixture of known experts has copies of attention")
    return weights_bytes * outside


def prefill(
    model: ModelSpec,
    speeds: Speeds,
    *,
    prompt_tokens: int,
    cached_tokens: int = 0,
    tensor_parallel: int = 1,
    parameters: float | None = None,
) -> Prefill:
    """The part of a prompt of `prompt_tokens` that is not among the `cached_tokens` at its head.

    `parameters` overrides the model's active ones (an article's 70e9 for 70.6e9).
    """
    if not 0 <= cached_tokens <= prompt_tokens:
        raise ValueError("cached tokens must lie within the prompt")
    new = prompt_tokens - cached_tokens
    linear = 2.0 * (parameters or active_parameters(model) or 0) * new
    attention = sum(
        _causal_ops(group, model.query_heads, prompt_tokens)
        - _causal_ops(group, model.query_heads, cached_tokens)
        for group in model.groups
    )
    linear_s = linear / tensor_parallel / speeds.ops
    attention_s = attention / tensor_parallel / speeds.ops
    link_s = _link_s(model, speeds, new, tensor_parallel) if new else 0.0
    return Prefill(
        linear_ops=linear,
        attention_ops=attention,
        linear_s=linear_s,
        attention_s=attention_s,
        link_s=link_s,
        prefill_s=linear_s + attention_s + link_s,
    )


def _head_widths(group: KvGroup) -> float:
    """Key plus value elements that one query head multiplies with, a token of history."""
    if group.kind == "mla":
        return 2 * group.latent + group.rope
    if group.kind == "compressed":
        return 2 * group.entry_elements
    return group.key_dim + group.value_dim


def _attention_ops(group: KvGroup, heads: int, context_tokens: int) -> float:
    """Operations of one new query over a history, all layers of the group."""
    if group.kind in ("linear_state", "indexer"):
        return 0.0
    return 2.0 * group.layers * heads * _head_widths(group) * _seen(group, context_tokens)


def _seen(group: KvGroup, context_tokens: int) -> float:
    """Entries that a query at the end of a context meets."""
    if group.kind == "compressed":
        compressed = context_tokens // group.ratio_tokens if group.ratio_tokens else 0
        return min(context_tokens, group.window_tokens) + compressed
    if group.window_tokens:
        return min(context_tokens, group.window_tokens)
    return context_tokens


def _causal_ops(group: KvGroup, heads: int, tokens: int) -> float:
    """Operations of all queries of a prompt, each over what lies before it: the sum of
    `_seen` over positions, by its integral. Prefill of latent attention works on the heads' own
    keys and values."""
    if group.kind in ("linear_state", "indexer"):
        return 0.0
    widths = group.key_dim + group.value_dim if group.kind == "mla" and group.key_dim else (
        _head_widths(group)
    )  # fmt: skip
    window = group.window_tokens
    met = (
        tokens**2 / 2
        if not window
        else min(tokens, window) ** 2 / 2 + window * max(tokens - window, 0)
    )
    if group.kind == "compressed" and group.ratio_tokens:
        met += tokens**2 / 2 / group.ratio_tokens
    return 2.0 * group.layers * heads * widths * met


def _link_s(model: ModelSpec, speeds: Speeds, tokens: int, ranks: int, exchanges: int = 2) -> float:
    """Two all-reduces a layer over 2-byte activations, behind attention and behind the rest; a
    ring moves 2 (n-1)/n of the data. Sending tokens to experts and back moves as much as one."""
    if ranks == 1:
        return 0.0
    moved = tokens * model.hidden * 2 * 2 * (ranks - 1) / ranks
    return exchanges * model.layers * (moved / speeds.link_bytes_per_s + speeds.link_latency_s)
