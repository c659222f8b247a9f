"""Replays and curves: at once for the shell, as a job for the browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from econ.curve import curve_of, curve_to_json
from econ.replay import ReplayParams, replay, replay_to_json
from econ.replay_input import blocks_of
from econ.replay_names import DEFAULT_POLICY, Policy, Rules, Scope
from econ.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveParams:
    """Which curve. `at_blocks`: these capacities only, each >= 1; empty = the whole curve."""

    policy: Policy = DEFAULT_POLICY
    rules: Rules = "trace"
    scope: Scope = "file"
    at_blocks: tuple[int, ...] = ()


def replay_json(workload: Workload, params: ReplayParams) -> Mapping[str, Any]:
    """What `replay --json` prints. InputError where the workload cannot be replayed."""
    return replay_to_json(replay(workload, params))


def curve_json(workload: Workload, params: CurveParams) -> Mapping[str, Any]:
    """What `curve --json` prints; the knee is that of the whole curve by token."""
    blocks = blocks_of(workload, params.rules, params.scope)
    whole = curve_of(blocks, params.policy, params.rules)
    asked = whole
    if params.at_blocks:
        asked = curve_of(blocks, params.policy, params.rules, params.at_blocks)
    return curve_to_json(asked, whole.knee("token"))
