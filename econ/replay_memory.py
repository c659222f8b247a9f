"""Blocks as tokens, bytes and dollars: what a cache of N blocks is in other units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Unit = Literal["blocks", "tokens", "gb"]
UNITS: tuple[Unit, ...] = ("blocks", "tokens", "gb")
BYTES_A_GB = 1_000_000_000
DEFAULT_BYTES_PER_TOKEN = 131_072
MOST_BYTES_PER_TOKEN = 100_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class KvShape:
    """What one token keeps: layers x vectors x width x bytes a value. Keys and values of grouped
    heads are two vectors of heads x head_dim each; a latent cache is one vector for both."""

    name: str
    layers: int
    heads: int
    head_dim: int
    vectors: int = 2
    value_bytes: int = 2

    @property
    def bytes_per_token(self) -> int:
        """Bytes of all layers together."""
        return self.layers * self.heads * self.head_dim * self.vectors * self.value_bytes

    @property
    def formula(self) -> str:
        """'32 × 8 × 128 × 2 × 2', in the order layers, heads, width, vectors, bytes."""
        parts = (self.layers, self.heads, self.head_dim, self.vectors, self.value_bytes)
        return " × ".join(map(str, parts))


SHAPES: tuple[KvShape, ...] = (
    KvShape(name="Llama 3.1 8B", layers=32, heads=8, head_dim=128),
    KvShape(name="Llama 3.1 70B", layers=80, heads=8, head_dim=128),
    KvShape(name="Llama 2 7B", layers=32, heads=32, head_dim=128),
    KvShape(name="DeepSeek-V3", layers=61, heads=1, head_dim=576, vectors=1),
)
"""Shapes of the models' published config.json, 16-bit values. DeepSeek-V3 keeps one latent of
kv_lora_rank 512 + qk_rope_head_dim 64 a layer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How sizes are said: `block_tokens` is a mean where blocks differ in length. Dollars only
    where `usd_per_gb_hour` is known."""

    block_tokens: float
    unit: Unit = "blocks"
    bytes_per_token: int = DEFAULT_BYTES_PER_TOKEN
    usd_per_gb_hour: Decimal | None = None

    def of(self, blocks: float) -> float:
        """A number of blocks in this scale's unit."""
        return blocks * self._units_a_block(self.unit)

    def blocks(self, size: Decimal, unit: Unit) -> int:
        """Whole blocks that fit into `size` of `unit`; at least one."""
        fit = size / Decimal(str(self._units_a_block(unit)))
        return max(1, math.floor(fit))

    def gb(self, blocks: int) -> float:
        """Bytes of that many whole blocks, in units of 1e9."""
        return blocks * self._units_a_block("gb")

    def usd_per_hour(self, blocks: int) -> Decimal | None:
        """What the memory costs an hour; None without a price."""
        if self.usd_per_gb_hour is None:
            return None
        each = Decimal(str(self.block_tokens)) * self.bytes_per_token / BYTES_A_GB
        return each * blocks * self.usd_per_gb_hour

    def _units_a_block(self, unit: Unit) -> float:
        if unit == "blocks":
            return 1.0
        if unit == "tokens":
            return self.block_tokens
        return self.block_tokens * self.bytes_per_token / BYTES_A_GB
