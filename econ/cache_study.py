"""Everything that one look at a workload's cache needs, and the same as plain JSON and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from econ.curve import MEASURES, ONE_PASS, Curve, Measure, curve_of, spread
from econ.replay_input import Blocks, blocks_of, scopes_of
from econ.replay_names import DEFAULT_POLICY, POLICIES, Policy, Rules, Scope
from econ.replay_published import is_known, ours_beside
from econ.reuse import Reuse, reuse
from econ.workload import IntArray, Workload

LAYOUT = 2
PASSED_POINTS, REPLAYED_POINTS, FEW_POINTS = 240, 40, 12
MANY_ENTRIES = 20_000_000
"""From here on a replay takes a fifth of a second and more: fewer capacities are replayed."""

Tell = Callable[[float, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What caches of one scope hit: without a limit, and at the knee of the curve of all. Ratios
    0..1 by token, block and request."""

    scope: Scope
    footprint_blocks: int
    unlimited: Mapping[Measure, float]
    at_knee: Mapping[Measure, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStudy:
    """`curves` by policy, `reuse` of the chosen scope, `shared` for every scope that the workload
    has columns for. `block_tokens` is the mean where blocks differ in length (`equal_blocks` is
    then False). `beside`: our ratios beside `econ.replay_published`, empty for another trace."""

    rules: Rules
    scope: Scope
    block_tokens: float
    equal_blocks: bool
    curves: Mapping[Policy, Curve]
    reuse: Reuse
    shared: tuple[Shared, ...]
    beside: tuple[float, ...] = ()

    @property
    def main(self) -> Curve:
        """The curve of the policy that engines follow."""
        return self.curves[DEFAULT_POLICY]


def study(workload: Workload, rules: Rules, scope: Scope, tell: Tell) -> CacheStudy:
    """All curves of a workload; InputError where it has no block ids. `tell` hears how far it is,
    0..1, and may raise to end it. Every capacity of a replayed curve is one of the others too."""
    blocks = blocks_of(workload, rules, scope)
    few, many = _capacities(blocks)
    curves = {}
    for at, policy in enumerate(POLICIES):
        tell(at / (len(POLICIES) + 1), "replay")
        asked = many if policy in ONE_PASS else few
        curves[policy] = curve_of(blocks, policy, rules, asked.tolist())
    tell(len(POLICIES) / (len(POLICIES) + 1), "replay")
    size = blocks.block_tokens
    return CacheStudy(
        rules=rules,
        scope=scope,
        block_tokens=float(size) if isinstance(size, int) else float(np.mean(size)),
        equal_blocks=isinstance(size, int),
        curves=curves,
        reuse=reuse(blocks),
        shared=_shared(workload, rules),
        beside=_beside(blocks, curves[DEFAULT_POLICY]),
    )


def _beside(blocks: Blocks, main: Curve) -> tuple[float, ...]:
    return ours_beside(blocks) if main.rules == "trace" and is_known(main) else ()


def _capacities(blocks: Blocks) -> tuple[IntArray, IntArray]:
    """Capacities to replay at, and all of those and more for one pass."""
    footprint = max(blocks.footprint, 1)
    first = min(max(blocks.longest, 1), footprint)
    replays = FEW_POINTS if len(blocks.ids) > MANY_ENTRIES else REPLAYED_POINTS
    few = spread(first, footprint, replays)
    return few, np.union1d(few, spread(first, footprint, PASSED_POINTS))


def _shared(workload: Workload, rules: Rules) -> tuple[Shared, ...]:
    found = []
    knee_blocks = 1
    for scope in scopes_of(workload):
        blocks = blocks_of(workload, rules, scope)
        whole = curve_of(blocks, DEFAULT_POLICY, rules, points=PASSED_POINTS)
        if scope == "file" and (knee := whole.knee("token")) is not None:
            knee_blocks = knee.capacity_blocks
        at_knee = curve_of(blocks, DEFAULT_POLICY, rules, at_blocks=(knee_blocks,))
        found.append(
            Shared(
                scope=scope,
                footprint_blocks=whole.footprint_blocks,
                unlimited={m: float(whole.ratios(m)[-1]) for m in MEASURES},
                at_knee={m: float(at_knee.ratios(m)[-1]) for m in MEASURES},
            )
        )
    return tuple(found)


def study_to_json(found: CacheStudy) -> dict[str, Any]:
    """Plain JSON; `study_from_json` gives the same study back."""
    return {
        "layout": LAYOUT,
        "rules": found.rules,
        "scope": found.scope,
        "block_tokens": found.block_tokens,
        "equal_blocks": found.equal_blocks,
        "curves": {policy: _curve_to_json(curve) for policy, curve in found.curves.items()},
        "reuse": {name: getattr(found.reuse, name) for name in Reuse.__slots__},
        "shared": [{name: getattr(row, name) for name in Shared.__slots__} for row in found.shared],
        "beside": list(found.beside),
    }


def study_from_json(data: Any) -> CacheStudy | None:
    """The study; None where it was written by another version."""
    if not isinstance(data, Mapping) or data.get("layout") != LAYOUT:
        return None
    uses = data["reuse"]["uses"]
    return CacheStudy(
        rules=data["rules"],
        scope=data["scope"],
        block_tokens=data["block_tokens"],
        equal_blocks=data["equal_blocks"],
        curves={policy: _curve_from_json(curve) for policy, curve in data["curves"].items()},
        reuse=Reuse(
            **{
                **data["reuse"],
                "edges_s": tuple(data["reuse"]["edges_s"]),
                "uses": None if uses is None else tuple(uses),
            }
        ),
        shared=tuple(Shared(**row) for row in data["shared"]),
        beside=tuple(data["beside"]),
    )


_ARRAYS = {
    "capacity_blocks": np.int64,
    "hit_blocks": np.int64,
    "hit_tokens": np.int64,
    "mean_request_hit_ratio": np.float64,
}


def _curve_to_json(curve: Curve) -> dict[str, Any]:
    values = {name: getattr(curve, name) for name in Curve.__slots__}
    return {n: v.tolist() if n in _ARRAYS else v for n, v in values.items()}


def _curve_from_json(data: Mapping[str, Any]) -> Curve:
    values: dict[str, Any] = dict(data)
    for name, kind in _ARRAYS.items():
        values[name] = np.asarray(values[name], dtype=kind)
    return Curve(**values)
