"""How much KV fits: device memory less weights less overhead, in whole blocks.

free = device x fraction - weights - overhead. The overhead (activations, graphs, libraries) is
measured by one line of an engine's log where there is one: it says how many blocks the engine
found room for, and what is missing from the arithmetic is the overhead.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """What fits into `free_bytes`. `sequences`: of the asked context, in whole blocks;
    `residual_bytes`: what the blocks leave over."""

    free_bytes: int
    overhead_bytes: int
    overhead_source: str
    blocks: int
    tokens: int
    sequences: int
    residual_bytes: int


def room(
    free_bytes: int,
    *,
    bytes_per_token: Fraction,
    sequence_bytes: int,
    context_tokens: int,
    block_tokens: int,
    overhead_bytes: int = 0,
    overhead_source: str = "none",
) -> Capacity:
    """Blocks, tokens and sequences of `free_bytes`; nothing fits where that is negative.

    `sequence_bytes` is what a sequence keeps whatever its length; it is paid before its blocks.
    """
    free = max(free_bytes, 0)
    block_bytes = bytes_per_token * block_tokens
    blocks = floor(free / block_bytes) if block_bytes else 0
    needed = -(-context_tokens // block_tokens) * block_bytes + sequence_bytes
    return Capacity(
        free_bytes=free_bytes,
        overhead_bytes=overhead_bytes,
        overhead_source=overhead_source,
        blocks=blocks,
        tokens=blocks * block_tokens,
        sequences=floor(free / needed) if needed else 0,
        residual_bytes=free - floor(blocks * block_bytes),
    )


def free_bytes(
    device_bytes: int, fraction: Fraction, weights_bytes: int, overhead_bytes: int
) -> int:
    """Bytes left for KV, negative where the weights alone do not fit."""
    return floor(device_bytes * fraction - weights_bytes - overhead_bytes)


def implied_overhead(
    device_bytes: int,
    fraction: Fraction,
    weights_bytes: int,
    *,
    engine_blocks: int,
    block_bytes: Fraction,
) -> int:
    """The overhead that an engine must have had if it found room for `engine_blocks` blocks."""
    return floor(device_bytes * fraction - weights_bytes - engine_blocks * block_bytes)
