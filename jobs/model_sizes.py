"""What a model's cache weighs and how much of it fits: service calls of the page and the shell."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import Any

from econ.kv_capacity import Capacity, free_bytes, implied_overhead, room
from econ.kv_config import ReadConfig
from econ.kv_formats import KvFormat, kv_format
from econ.kv_memory import BLOCK_TOKENS, KvBytes, kv_bytes, reserved_per_token
from econ.kv_sources import MOST_BYTES, read_model
from econ.layout import check_ranks
from econ.model_names import find_model
from jobs import own_models
from messages.errors import Message, SourceError, input_error
from price_tables.hardware import Hardware, ModelSpec
from price_tables.hardware_load import load_hardware

FILE_ENDINGS = (".json", ".gguf", ".safetensors")
RATIO_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Where the KV has to fit: free bytes as they are, or a device with what else is on it.

    `fraction` of the device is the engine's; `engine_blocks` is what its log said it found room
    for, and measures the overhead.
    """

    free_bytes: int | None = None
    device_bytes: int | None = None
    fraction: Fraction = Fraction(1)
    weights_bytes: int = 0
    engine_blocks: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KvAsked:
    """One question about KV bytes. All counts at least 1."""

    model: str
    context_tokens: int
    dtype: str = "bf16"
    sequences: int = 1
    tensor_parallel: int = 1
    block_tokens: int = BLOCK_TOKENS
    memory: Memory | None = None


@lru_cache(maxsize=1)
def hardware() -> Hardware:
    """The models and devices that come with kvledger."""
    return load_hardware()


def model_of(text: str) -> ReadConfig:
    """A known model by name, or the one that the file of this path describes.

    NotFoundError with near names, SourceError or DataError with one sentence.
    """
    if own_models.is_own(text):
        return ReadConfig(own_models.own_model(text), ())
    path = Path(text)
    if _names_a_file(path):
        return read_model(_start_of(path), name=path.name)
    return ReadConfig(find_model(hardware().models, text), ())


def _names_a_file(path: Path) -> bool:
    try:
        return path.suffix.lower() in FILE_ENDINGS or path.is_file()
    except (OSError, ValueError):  # too long for a path, or with a NUL
        return False


def _start_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise SourceError(Message("hardware.no_file", {"name": path.name, "why": why})) from error


def kv_answer(asked: KvAsked) -> tuple[ReadConfig, dict[str, Any]]:
    """The model with its assumptions, and the answer in the shell's shape. UsageError for devices
    that the heads cannot be dealt out to."""
    read = model_of(asked.model)
    check_ranks(read.spec, asked.tensor_parallel, "--tp")
    dtype = kv_format(asked.dtype)
    found = kv_bytes(
        read.spec,
        dtype,
        context_tokens=asked.context_tokens,
        sequences=asked.sequences,
        tensor_parallel=asked.tensor_parallel,
        block_tokens=asked.block_tokens,
    )
    fits = None if asked.memory is None else capacity(read.spec, dtype, asked, asked.memory)
    return read, _json(read.spec, found, fits)


def capacity(model: ModelSpec, dtype: KvFormat, asked: KvAsked, memory: Memory) -> Capacity:
    """Blocks, tokens and sequences that fit on one rank; the overhead is measured where an engine's
    log line is given. `sequences` counts whole sequences of the asked context."""
    each = reserved_per_token(model, dtype, asked.tensor_parallel)
    block = each * asked.block_tokens
    device = memory.device_bytes if memory.free_bytes is None else memory.free_bytes
    whole = memory.free_bytes is not None
    fraction = Fraction(1) if whole else memory.fraction
    weights = 0 if whole else memory.weights_bytes
    overhead, source = 0, "none"
    if memory.engine_blocks is not None:
        overhead = implied_overhead(
            device or 0, fraction, weights, engine_blocks=memory.engine_blocks, block_bytes=block
        )
        if overhead < 0:
            raise input_error("fleet.contradicts_log", blocks=memory.engine_blocks)
        source = "engine log"
    one = kv_bytes(
        model, dtype, context_tokens=asked.context_tokens, block_tokens=asked.block_tokens,
        tensor_parallel=asked.tensor_parallel,
    ).bytes_per_rank  # fmt: skip
    paged = -(-asked.context_tokens // asked.block_tokens) * block
    return room(
        free_bytes(device or 0, fraction, weights, overhead),
        bytes_per_token=each,
        sequence_bytes=max(ceil(one - paged), 0),  # a state, or windows beside their entries
        context_tokens=asked.context_tokens,
        block_tokens=asked.block_tokens,
        overhead_bytes=overhead,
        overhead_source=source,
    )


def _json(model: ModelSpec, found: KvBytes, fits: Capacity | None) -> dict[str, Any]:
    return {
        "model": found.model,
        "dtype": found.dtype,
        "context_tokens": found.context_tokens,
        "sequences": found.sequences,
        "tensor_parallel": found.tensor_parallel,
        "block_tokens": found.block_tokens,
        "bytes_per_token": _number(found.bytes_per_token),
        "bytes_per_token_long_context": _number(found.bytes_per_token_long_context),
        "bytes_min": found.bytes_min,
        "bytes_reserved": found.bytes_reserved,
        "bytes_per_rank": found.bytes_per_rank,
        "bytes_mha_style": found.bytes_mha_style,
        "groups": [
            {
                "kind": group.kind,
                "layers": group.layers,
                "window_tokens": group.window_tokens,
                "bytes_per_token": _number(group.bytes_per_token),
                "state_bytes": group.state_bytes,
            }
            for group in found.groups
        ],
        "capacity": None if fits is None else asdict(fits),
        "source": model.source,
        "as_of": model.as_of or None,
    }


def _number(value: Fraction) -> int | float:
    """Bytes are whole; where entries are shared by several tokens, a float of six digits."""
    return int(value) if value.denominator == 1 else round(float(value), RATIO_DIGITS)


def model_of_bytes(data: bytes, name: str) -> ReadConfig:
    """The model that was pasted or uploaded. DataError with one sentence."""
    return read_model(data, name=name.strip() or "config.json")
