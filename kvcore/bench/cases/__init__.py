"""The cases of the benchmark, in the order in which they run, each with its share of the time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kvcore.bench.cases.cuda_only import attention, graphs
from kvcore.bench.cases.decode import block_gather, block_size, decode, decode_no_cache
from kvcore.bench.cases.first_token import first_token
from kvcore.bench.cases.formats import format_error
from kvcore.bench.cases.identity import collision_odds, hash_cost
from kvcore.bench.cases.memory import allocation
from kvcore.bench.cases.offload import offload
from kvcore.bench.cases.serving import reply, salt, throughput
from kvcore.bench.context import Bench
from kvcore.bench.limits import measured_limits
from kvcore.profile import CaseResult


@dataclass(frozen=True, slots=True)
class Case:
    """A name for ``--only``, a row that stands for it where it gave none, its rows, its weight."""

    name: str
    row: str
    run: Callable[[Bench], Iterator[CaseResult]]
    weight: float


CASES: tuple[Case, ...] = (
    Case("limits", "limit_bytes", measured_limits, 3),
    Case("hash", "hash", hash_cost, 2),
    Case("collision", "collision", collision_odds, 1),
    Case("decode", "decode", decode, 10),
    Case("gather", "block_gather", block_gather, 3),
    Case("block-size", "block_size", block_size, 5),
    Case("offload", "offload", offload, 4),
    Case("attention", "attention", attention, 10),
    Case("graphs", "decode_graphs", graphs, 3),
    Case("ttft", "ttft_cold", first_token, 20),
    Case("salt", "salt", salt, 6),
    Case("allocation", "block_waste", allocation, 4),
    Case("no-cache", "decode_no_cache", decode_no_cache, 8),
    Case("formats", "kv_error_kl", format_error, 6),
    Case("reply", "reply", reply, 14),
    Case("throughput", "throughput", throughput, 16),
)
"""Cheap ones first: what they leave of their time goes to the long ones behind them."""
