"""What a paged cache of N blocks would hit on a workload: the replay by policy and rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import numpy as np

from econ.replay_input import US_PER_S, Blocks, blocks_of
from econ.replay_names import DEFAULT_POLICY, Policy, Rules, Scope
from econ.workload import IntArray, Workload

UNLIMITED = None
NO_LIFETIME = -1
RATIO_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayParams:
    """`capacities` in blocks, each >= 1 or None = unlimited. `ttl_s`: a block is alive up to and
    including this many seconds after its last touch; None = for ever."""

    capacities: tuple[int | None, ...] = (UNLIMITED,)
    policy: Policy = DEFAULT_POLICY
    rules: Rules = "trace"
    ttl_s: Decimal | None = None
    scope: Scope = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """What one capacity hits. Ratios 0..1, None where there is nothing to divide by;
    `mean_request_hit_ratio` is the plain mean over requests that have blocks."""

    capacity_blocks: int | None
    hit_blocks: int
    total_blocks: int
    hit_tokens: int
    total_tokens: int
    requests: int
    mean_request_hit_ratio: float | None

    @property
    def block_hit_ratio(self) -> float | None:
        """Hit blocks over all blocks."""
        return self.hit_blocks / self.total_blocks if self.total_blocks else None

    @property
    def token_hit_ratio(self) -> float | None:
        """Hit tokens over all prompt tokens."""
        return self.hit_tokens / self.total_tokens if self.total_tokens else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The results in the order asked for. `block_tokens` is None where blocks differ in length."""

    params: ReplayParams
    block_tokens: int | None
    results: tuple[Hits, ...]


def replay(workload: Workload, params: ReplayParams) -> Replay:
    """Replay the workload once for each capacity. InputError where it has no block ids, no column
    for the scope, or no times for a lifetime."""
    blocks = blocks_of(workload, params.rules, params.scope)
    hits = [
        hits_at(blocks, capacity, row_hits(blocks, capacity, params.policy, params.ttl_s))
        for capacity in params.capacities
    ]
    size = blocks.block_tokens if isinstance(blocks.block_tokens, int) else None
    return Replay(params=params, block_tokens=size, results=tuple(hits))


def row_hits(
    blocks: Blocks, capacity: int | None, policy: Policy, ttl_s: Decimal | None = None
) -> IntArray:
    """Hit blocks of each request. `capacity` >= 1, None = unlimited."""
    return row_hits_at(blocks, [capacity], policy, ttl_s)[0]


def row_hits_at(
    blocks: Blocks,
    capacities: Sequence[int | None],
    policy: Policy,
    ttl_s: Decimal | None = None,
) -> list[IntArray]:
    """Hit blocks of each request, for each capacity; what capacities share is made once."""
    from econ import replay_ahead, replay_kernels

    ttl_us = NO_LIFETIME if ttl_s is None else int((ttl_s * US_PER_S).to_integral_value(
        ROUND_HALF_EVEN
    ))  # fmt: skip
    arrival_us = np.zeros(0, dtype=np.int64) if ttl_s is None else blocks.arrival_us()
    offsets, ids, space, look = blocks.offsets, blocks.ids, blocks.id_space, blocks.look
    sizes = [max(space, 1) if capacity is None else capacity for capacity in capacities]
    if policy == "clairvoyant":
        uses = replay_ahead.next_uses(offsets, ids, space, arrival_us, ttl_us)
        return [replay_ahead.clairvoyant_hits(offsets, uses, look, size) for size in sizes]
    if policy == "fifo":
        return [
            replay_kernels.fifo_hits(offsets, ids, space, look, size, arrival_us, ttl_us)
            for size in sizes
        ]
    tail_first = policy == "lru-leaf"
    return [
        replay_kernels.lru_hits(offsets, ids, space, look, size, tail_first, arrival_us, ttl_us)
        for size in sizes
    ]


def hits_at(blocks: Blocks, capacity: int | None, row_hits: IntArray) -> Hits:
    """The sums over all requests."""
    filled = blocks.file_blocks > 0
    ratios = row_hits[filled] / blocks.file_blocks[filled]
    return Hits(
        capacity_blocks=capacity,
        hit_blocks=int(row_hits.sum()),
        total_blocks=blocks.total_blocks,
        hit_tokens=int(blocks.tokens_of(row_hits).sum()),
        total_tokens=blocks.total_tokens,
        requests=len(blocks.file_blocks),
        mean_request_hit_ratio=float(ratios.mean()) if len(ratios) else None,
    )


def rounded(ratio: float | None) -> float | None:
    """A ratio as it is printed: six digits."""
    return None if ratio is None else round(ratio, RATIO_DIGITS)


def replay_to_json(found: Replay) -> dict[str, Any]:
    """What `replay --json` prints; `capacity_blocks` is null for an unlimited cache."""
    asked = found.params
    return {
        "policy": asked.policy,
        "rules": asked.rules,
        "ttl_s": None if asked.ttl_s is None else _number(asked.ttl_s),
        "block_tokens": found.block_tokens,
        "results": [_hits_to_json(hits) for hits in found.results],
    }


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _hits_to_json(hits: Hits) -> dict[str, Any]:
    return {
        "capacity_blocks": hits.capacity_blocks,
        "hit_blocks": hits.hit_blocks,
        "total_blocks": hits.total_blocks,
        "hit_tokens": hits.hit_tokens,
        "total_tokens": hits.total_tokens,
        "requests": hits.requests,
        "block_hit_ratio": rounded(hits.block_hit_ratio),
        "token_hit_ratio": rounded(hits.token_hit_ratio),
        "mean_request_hit_ratio": rounded(hits.mean_request_hit_ratio),
    }
