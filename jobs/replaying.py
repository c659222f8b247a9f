"""Replays and curves: at once for the shell, as a job for the browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from econ.cache_study import CacheStudy, study, study_from_json, study_to_json
from econ.curve import Curve, curve_of, curve_to_json
from econ.method import METHOD_VERSION
from econ.replay import ReplayParams, replay, replay_to_json
from econ.replay_input import blocks_of, scopes_of
from econ.replay_names import DEFAULT_POLICY, RULES, SCOPES, Policy, Rules, Scope
from econ.workload import Workload
from jobs import tasks
from jobs.lifespan import current_runner
from jobs.made_before import keep_made, made_before
from jobs.progress import Progress
from jobs.shelf import LastUsed, Opened, opened

KIND = "cache_study"
KEPT_STUDIES = 16
KEPT_POINTS = 256
tasks.register(KIND, "jobs.replaying:study_task")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyParams:
    """Which look at a workload's cache."""

    rules: Rules = "trace"
    scope: Scope = "file"


_studies: LastUsed[CacheStudy] = LastUsed(KEPT_STUDIES)
_points: LastUsed[Curve] = LastUsed(KEPT_POINTS)


class _NotThere(Exception):
    """No study has been kept yet."""


def cache_scopes(workload_id: str, owner: str) -> tuple[Scope, ...]:
    """The scopes that a workload can be replayed in; none where it has no block ids. NotFoundError
    if `owner` sees no such workload."""
    workload = opened(workload_id, owner).workload
    if workload.prefix is None or not len(workload.prefix.block_ids):
        return ()
    return scopes_of(workload)


def cache_study(workload_id: str, asked: StudyParams, owner: str) -> CacheStudy | None:
    """The study if it has been made before, else None: then `start_study` makes it."""
    found = opened(workload_id, owner)

    def read() -> CacheStudy:
        known = _kept(found, asked)
        if known is None:
            raise _NotThere
        return known

    try:
        return _studies.get((found.key, METHOD_VERSION, asked), read)
    except _NotThere:
        return None


def cache_at(workload_id: str, asked: StudyParams, blocks: int, owner: str) -> Curve:
    """The default policy at one capacity >= 1: a curve of one point, exact, not read off a chart.
    InputError where the workload cannot be replayed."""
    found = opened(workload_id, owner)

    def make() -> Curve:
        made = blocks_of(found.workload, asked.rules, asked.scope)
        return curve_of(made, DEFAULT_POLICY, asked.rules, at_blocks=(blocks,))

    return _points.get((found.key, METHOD_VERSION, asked, blocks), make)


def start_study(workload_id: str, asked: StudyParams, owner: str) -> str:
    """Start making a study; returns the job's id. InputError: too many unfinished jobs."""
    params = {
        "workload": workload_id,
        "owner": owner,
        "rules": asked.rules,
        "scope": asked.scope,
    }
    return current_runner().submit(KIND, params, owner)


def study_task(params: dict[str, Any], progress: Progress) -> str:
    """The job: replay, keep the result beside the workload, and answer with its name."""
    asked = StudyParams(
        rules=RULES[RULES.index(params["rules"])], scope=SCOPES[SCOPES.index(params["scope"])]
    )
    progress(0.0, "open")
    found = opened(params["workload"], params["owner"])
    if _kept(found, asked) is None:
        made = study(found.workload, asked.rules, asked.scope, progress)
        keep_made(found, _name(asked), study_to_json(made))
    return _name(asked)


def _kept(found: Opened, asked: StudyParams) -> CacheStudy | None:
    return made_before(found, _name(asked), study_from_json)


def _name(asked: StudyParams) -> str:
    return f"{KIND}-{METHOD_VERSION}-{asked.rules}-{asked.scope}.json"
