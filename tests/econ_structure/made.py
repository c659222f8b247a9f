"""Small workloads and prices that several tests here share."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from econ.prompt_cache_oracle import OracleResult
from econ.workload import Column, Prefix, Text, Workload

# USD per million tokens on 2026-11-18: input, read, 5 m write, 1 h write, output.
# https://platform.claude.com/docs/en/about-claude/pricing
USD_PER_MTOK = {
    "claude-opus-5": ("5", "0.50", "6.25", "10", "25"),
    "claude-opus-5-5": ("4", "0.20", "5", "8", "20"),
    "claude-sonnet-5": ("2", "0.20", "2.50", "4", "10"),
    "claude-haiku-4-5": ("1", "0.10", "1.25", "2", "5"),
}
MILLION = Decimal(1_000_000)


def prices(model: str) -> tuple[Decimal, ...]:
    return tuple(Decimal(text) for text in USD_PER_MTOK[model])


def bill_usd(
    results: list[OracleResult], output_tokens: int = 0, model: str = "claude-opus-5"
) -> Decimal:
    """What these buckets cost, by hand."""
    per_input, per_read, per_5m, per_1h, per_output = prices(model)
    total = per_output * output_tokens
    for result in results:
        total += per_input * result.uncached + per_read * result.read
        total += per_5m * result.write_5m + per_1h * result.write_1h
    return total / MILLION


def table(rows: int, prefix: Prefix | None = None, granularity: str = "request", **columns: Any):
    """A workload from plain lists; None in a text list is empty."""
    made: dict[str, Column] = {}
    for name, values in columns.items():
        if any(isinstance(value, str) for value in values):
            if name.endswith("_utc"):
                made[name] = np.array(values, dtype="datetime64[us]")
            else:
                made[name] = Text.of(values)
        else:
            kind = np.float64 if name.endswith("_s") else np.int64
            made[name] = np.array(values, dtype=kind)
    return Workload(
        name="made", format="made", rows=rows, columns=made, prefix=prefix, granularity=granularity
    )


def blocks(rows: list[list[int]], block_tokens: int | list[int] = 512) -> Prefix:
    """A prefix structure from one list of ids a row."""
    offsets = np.cumsum([0, *(len(row) for row in rows)]).astype(np.int64)
    ids = np.array([block_id for row in rows for block_id in row], dtype=np.int64)
    sizes = block_tokens if isinstance(block_tokens, int) else np.array(block_tokens, np.int64)
    return Prefix(offsets=offsets, block_ids=ids, block_tokens=sizes)


def mooncake_rows(reference_data: Path) -> list[dict[str, Any]]:
    """The rows of Mooncake's conversation trace (FAST'25)."""
    path = reference_data / "traces" / "serving_prefix" / "mooncake" / "conversation_trace.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
