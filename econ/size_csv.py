"""Sizes as CSV: one row a model and context, raw bytes, with what they were computed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from econ.csv_safe import Cell, csv_bytes
from econ.kv_formats import KvFormat
from econ.kv_memory import BLOCK_TOKENS
from econ.size_study import CONTEXTS, Place, fits, size_rows
from price_tables.hardware import DeviceSpec, ModelSpec

COLUMNS = (
    "model", "name", "attention", "kv_dtype", "context_tokens", "block_tokens",
    "bytes_per_token", "bytes_per_token_long_context", "bytes_min", "bytes_reserved",
    "bytes_mha_style", "device", "device_bytes", "memory_fraction", "tensor_parallel",
    "weights_bytes", "weights_from", "bytes_per_rank", "sequences", "source", "as_of",
)  # fmt: skip
DIGITS = 6


def size_csv(
    models: Sequence[ModelSpec],
    dtype: KvFormat,
    context_tokens: int,
    device: DeviceSpec,
    place: Place,
) -> bytes:
    """Every model at the three usual lengths and at `context_tokens`; bytes of one sequence."""
    return csv_bytes(COLUMNS, _lines(models, dtype, context_tokens, device, place))


def _lines(
    models: Sequence[ModelSpec],
    dtype: KvFormat,
    context_tokens: int,
    device: DeviceSpec,
    place: Place,
) -> Iterator[dict[str, Cell]]:
    for tokens in sorted({*CONTEXTS, context_tokens}):
        for row in size_rows(models, dtype, tokens):
            fit = fits(row.spec, dtype, tokens, place)
            yield {
                "model": row.spec.id,
                "name": row.spec.name,
                "attention": row.spec.attention,
                "kv_dtype": row.kept.dtype,
                "context_tokens": tokens,
                "block_tokens": BLOCK_TOKENS,
                "bytes_per_token": _number(row.kept.bytes_per_token),
                "bytes_per_token_long_context": _number(row.kept.bytes_per_token_long_context),
                "bytes_min": row.kept.bytes_min,
                "bytes_reserved": row.kept.bytes_reserved,
                "bytes_mha_style": row.kept.bytes_mha_style,
                "device": device.name,
                "device_bytes": device.memory_bytes,
                "memory_fraction": float(place.fraction),
                "tensor_parallel": place.tensor_parallel,
                "weights_bytes": fit.weights_bytes,
                "weights_from": fit.weights_from,
                "bytes_per_rank": fit.bytes_per_rank,
                "sequences": fit.sequences,
                "source": row.spec.source,
                "as_of": row.spec.as_of,
            }


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else round(float(value), DIGITS)
