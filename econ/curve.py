"""The hit ratio at every size of the cache.

For least-recently-used caches one pass answers all capacities exactly; other policies are replayed
at capacities that are spread evenly over a logarithmic scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from econ.replay import Hits, hits_at, rounded, row_hits_at
from econ.replay_input import Blocks, blocks_of
from econ.replay_names import DEFAULT_POLICY, Policy, Rules
from econ.workload import FloatArray, IntArray, Workload

Measure = Literal["token", "block", "request"]
MEASURES: tuple[Measure, ...] = ("token", "block", "request")
MAX_POINTS = 2_000
REPLAYED_POINTS = 48
KNEE_SHARE = 0.95
ONE_PASS: tuple[Policy, ...] = ("lru", "lru-leaf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Knee:
    """Where the curve bends: the capacity whose share of the unlimited hits exceeds its share of
    the footprint by most. From there on a block more brings less than the average block of the
    footprint does. `low_blocks` to `high_blocks` are the capacities whose excess is at least 95 %
    of the greatest one."""

    capacity_blocks: int
    low_blocks: int
    high_blocks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Hits by capacity, capacities ascending, the last one the footprint: what an unlimited cache
    hits. Every point is exact. `exact_from_blocks`: below it the one pass is not asked, replays
    answer; 1 where every point is a replay."""

    policy: Policy
    rules: Rules
    footprint_blocks: int
    exact_from_blocks: int
    total_blocks: int
    total_tokens: int
    requests: int
    capacity_blocks: IntArray
    hit_blocks: IntArray
    hit_tokens: IntArray
    mean_request_hit_ratio: FloatArray

    def ratios(self, measure: Measure) -> FloatArray:
        """The hit ratio 0..1 at each capacity; all 0 where there is nothing to divide by."""
        if measure == "request":
            return self.mean_request_hit_ratio
        hits, total = {
            "token": (self.hit_tokens, self.total_tokens),
            "block": (self.hit_blocks, self.total_blocks),
        }[measure]
        return hits / max(total, 1)

    def knee(self, measure: Measure = "token") -> Knee | None:
        """See `Knee`; None where nothing hits."""
        return knee_of(self.capacity_blocks, self.ratios(measure))


def knee_of(capacity_blocks: IntArray, ratios: FloatArray) -> Knee | None:
    """The knee of a curve that ends at its footprint; None where it stays at 0."""
    if not len(ratios) or ratios[-1] <= 0:
        return None
    excess = ratios / ratios[-1] - capacity_blocks / capacity_blocks[-1]
    best = int(excess.argmax())
    near = np.flatnonzero(excess >= KNEE_SHARE * excess[best])
    low, high = (near[0], near[-1]) if excess[best] > 0 else (best, best)
    return Knee(
        capacity_blocks=int(capacity_blocks[best]),
        low_blocks=int(capacity_blocks[low]),
        high_blocks=int(capacity_blocks[high]),
    )


def curve(
    workload: Workload,
    policy: Policy = DEFAULT_POLICY,
    rules: Rules = "trace",
    at_blocks: Sequence[int] = (),
) -> Curve:
    """The curve of a workload; InputError where it has no block ids. See `curve_of`."""
    return curve_of(blocks_of(workload, rules), policy, rules, at_blocks)


def curve_of(
    blocks: Blocks,
    policy: Policy = DEFAULT_POLICY,
    rules: Rules = "trace",
    at_blocks: Sequence[int] = (),
    points: int | None = None,
) -> Curve:
    """The capacities of `at_blocks` (each >= 1), or at most `points` over the whole curve: 2,000
    where one pass answers them, 48 where each is a replay, unless fewer are asked for."""
    footprint, longest = blocks.footprint, max(1, blocks.longest)
    one_pass = policy in ONE_PASS
    first = min(longest, max(footprint, 1))
    asked = np.unique(np.asarray(at_blocks, dtype=np.int64))[:MAX_POINTS]
    if not len(asked):
        most = MAX_POINTS if one_pass else REPLAYED_POINTS
        asked = spread(first, max(footprint, 1), min(most, points or most))
    below = asked[asked < first] if one_pass else asked
    found = [np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)]
    if len(below):
        found = _replayed(blocks, below, policy)
    if len(below) < len(asked):
        exact = _passed(blocks, policy, np.minimum(asked[len(below) :], max(footprint, 1)))
        found = [np.concatenate(pair) for pair in zip(found, exact, strict=True)]
    return Curve(
        policy=policy,
        rules=rules,
        footprint_blocks=footprint,
        exact_from_blocks=first if one_pass else 1,
        total_blocks=blocks.total_blocks,
        total_tokens=blocks.total_tokens,
        requests=len(blocks.file_blocks),
        capacity_blocks=asked,
        hit_blocks=found[0].astype(np.int64),
        hit_tokens=found[1].astype(np.int64),
        mean_request_hit_ratio=found[2].astype(np.float64),
    )


def spread(first: int, last: int, most: int) -> IntArray:
    """At most `most` whole capacities from `first` to `last`, both included: all of them where
    they fit, else evenly on a logarithmic scale."""
    if last - first < most:
        return np.arange(first, last + 1, dtype=np.int64)
    found = np.unique(np.rint(np.geomspace(first, last, most)).astype(np.int64))
    found[0], found[-1] = first, last
    return found


def _passed(blocks: Blocks, policy: Policy, asked: IntArray) -> list[npt.NDArray[Any]]:
    from econ.replay_stack import needed_capacity

    uniform = isinstance(blocks.block_tokens, int)
    added = needed_capacity(
        blocks.offsets,
        blocks.ids,
        blocks.id_space,
        blocks.look,
        policy == "lru-leaf",
        blocks.file_blocks,
        blocks.block_tokens if isinstance(blocks.block_tokens, int) else 0,
        np.zeros(0, dtype=np.int64) if uniform else np.asarray(blocks.block_tokens),
        blocks.input_tokens,
        asked,
    )
    filled = max(int((blocks.file_blocks > 0).sum()), 1)
    sums = [np.cumsum(part) for part in added]
    return [sums[0], sums[1], sums[2] / filled]


def _replayed(blocks: Blocks, asked: IntArray, policy: Policy) -> list[npt.NDArray[Any]]:
    capacities = asked.tolist()
    hits = [
        hits_at(blocks, capacity, rows)
        for capacity, rows in zip(capacities, row_hits_at(blocks, capacities, policy), strict=True)
    ]
    return [
        np.asarray([hit.hit_blocks for hit in hits], dtype=np.int64),
        np.asarray([hit.hit_tokens for hit in hits], dtype=np.int64),
        np.asarray([_mean(hit) for hit in hits], dtype=np.float64),
    ]


def _mean(hit: Hits) -> float:
    return hit.mean_request_hit_ratio or 0.0


def curve_to_json(found: Curve, knee: Knee | None) -> dict[str, Any]:
    """What `curve --json` prints; `knee_blocks` is null where nothing hits."""
    columns = ("capacity_blocks", "hit_blocks", "hit_tokens", "mean_request_hit_ratio")
    points = zip(
        found.capacity_blocks.tolist(),
        found.hit_blocks.tolist(),
        found.hit_tokens.tolist(),
        [rounded(ratio) for ratio in found.mean_request_hit_ratio.tolist()],
        strict=True,
    )
    return {
        "policy": found.policy,
        "rules": found.rules,
        "footprint_blocks": found.footprint_blocks,
        "exact_from_blocks": found.exact_from_blocks,
        "knee_blocks": None if knee is None else knee.capacity_blocks,
        "total_blocks": found.total_blocks,
        "total_tokens": found.total_tokens,
        "columns": list(columns),
        "points": [list(point) for point in points],
    }
