"""Models side by side: bytes a token, bytes by context, and how many sequences a device holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Literal

from econ.fleet_memory import weights_bytes_of
from econ.kv_capacity import free_bytes
from econ.kv_formats import KvFormat
from econ.kv_memory import (
    BLOCK_TOKENS,
    KvBytes,
    kv_bytes,
    mha_style_per_token,
    minimum,
    reserved,
)
from econ.layout import can_split
from econ.weight_bytes import estimated_weights
from price_tables.hardware import ModelSpec

CONTEXTS = (8_192, 32_768, 131_072)
FIRST_TOKENS, STEPS_A_DOUBLING = 1_024, 2
WeightsFrom = Literal["typed", "estimated", "quantised", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeRow:
    """One model at one context: its bytes, and per token what MHA would keep (None: not known)."""

    spec: ModelSpec
    kept: KvBytes
    mha_per_token: Fraction | None

    @property
    def shares(self) -> bool:
        """It keeps less than one key and value a query head."""
        return self.mha_per_token is not None and self.mha_per_token > self.kept.bytes_per_token

    @property
    def has_two_sizes(self) -> bool:
        """What an engine reserves differs from what the model needs by more than block rounding."""
        return self.kept.bytes_reserved > self.kept.bytes_min * Fraction(101, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One device of a group that splits a model: its bytes, the engine's share of them, how many
    devices split heads and weights, and all weights where the reader has typed them.
    `quantization`: what engines call the weights' format, of the model `quantised` alone where that
    is said; None = as the checkpoint has them."""

    device_bytes: int
    fraction: Fraction
    tensor_parallel: int = 1
    weights_bytes: int | None = None
    quantization: str | None = None
    quantised: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Sequences on the devices of a Place; None where the weights are not known, or where the
    model's heads cannot be dealt out to so many devices (not `splits`).

    `free_bytes` is what one device has left for KV, negative where the weights alone are too much.
    """

    sequences: int | None
    free_bytes: int | None
    bytes_per_rank: int
    weights_bytes: int | None
    weights_from: WeightsFrom
    splits: bool = True

    @property
    def weights_fit(self) -> bool:
        """The weights alone leave room."""
        return self.free_bytes is not None and self.free_bytes > 0


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Bytes of one sequence at one context."""

    context_tokens: int
    bytes_min: int
    bytes_reserved: int


def size_rows(
    models: Sequence[ModelSpec], dtype: KvFormat, context_tokens: int
) -> tuple[SizeRow, ...]:
    """One row a model, those that keep most a token first."""
    rows = [
        SizeRow(
            spec=model,
            kept=kv_bytes(model, dtype, context_tokens=context_tokens),
            mha_per_token=mha_style_per_token(model, dtype),
        )
        for model in models
    ]
    return tuple(sorted(rows, key=lambda row: row.kept.bytes_per_token, reverse=True))


@lru_cache(maxsize=256)
def curve(model: ModelSpec, dtype: KvFormat, last_tokens: int) -> tuple[CurvePoint, ...]:
    """Bytes of one sequence from 1,024 tokens up to `last_tokens`, evenly on a log scale, with a
    point where each window is full."""
    at = {round(FIRST_TOKENS * 2 ** (step / STEPS_A_DOUBLING)) for step in range(64)}
    at |= {g.window_tokens for g in model.groups} | {last_tokens}
    points = []
    for tokens in sorted(t for t in at if FIRST_TOKENS <= t <= last_tokens):
        blocks = -(-tokens // BLOCK_TOKENS) * BLOCK_TOKENS
        least = sum(minimum(group, dtype, tokens) for group in model.groups)
        paged = sum(reserved(group, dtype, blocks) for group in model.groups)
        points.append(CurvePoint(tokens, ceil(least), ceil(paged)))
    return tuple(points)


def fits(model: ModelSpec, dtype: KvFormat, context_tokens: int, place: Place) -> Fit:
    """How many sequences of that context fit beside the weights, in whole blocks as an engine
    reserves them. No other overhead is counted."""
    ranks = place.tensor_parallel
    one = kv_bytes(
        model, dtype, context_tokens=context_tokens, tensor_parallel=ranks,
        block_tokens=BLOCK_TOKENS,
    ).bytes_per_rank  # fmt: skip
    weights, origin = _weights(model, place)
    splits = can_split(model, ranks)
    if weights is None or not splits:
        return Fit(
            sequences=None, free_bytes=None, bytes_per_rank=one, weights_bytes=weights,
            weights_from=origin, splits=splits,
        )  # fmt: skip
    free = free_bytes(place.device_bytes, place.fraction, ceil(weights / ranks), 0)
    return Fit(
        sequences=max(free, 0) // one if one else 0,
        free_bytes=free,
        bytes_per_rank=one,
        weights_bytes=weights,
        weights_from=origin,
    )


def _weights(model: ModelSpec, place: Place) -> tuple[int | None, WeightsFrom]:
    """All weights, and how they are known."""
    if place.weights_bytes is not None:
        return place.weights_bytes, "typed"
    if place.quantization is None or place.quantised not in (None, model.id):
        found = estimated_weights(model)
        return found, "unknown" if found is None else "estimated"
    found = weights_bytes_of(model, place.quantization)
    return found, "unknown" if found is None else "quantised"
