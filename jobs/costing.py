"""What a workload would cost on every provider and model under one choice of policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from econ.hit_curve import HitCurve, hit_curves
from econ.report import CostReport, PolicyRow, ReportParams
from econ.structure import has_structure
from jobs.reporting import book, report
from jobs.shelf import opened

SHORT, LONG = ("5m", "30m"), ("1h", "12h")
LIFETIMES = ("short", "long", "automatic", "mixed", "none")
PLACEMENTS = ("shared", "end", "every", "bound")
MODES = ("standard", "batch")
_POLICIES = {
    "short": (*SHORT, "implicit"),
    "long": (*LONG, *SHORT, "implicit"),
    "automatic": ("automatic", "implicit"),
    "mixed": ("mixed", "implicit"),
    "none": (),
}
"""In order of preference: who does not sell the first is shown with the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costing:
    """What the page is switched to: names of LIFETIMES, PLACEMENTS and MODES."""

    lifetime: str
    placement: str
    mode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCost:
    """One model: the row of the choice, and the same requests without caching. `maker`: the
    provider makes the model."""

    row: PolicyRow
    none: PolicyRow
    maker: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCosts:
    """`models` dearest first. `structured`: the file says who shares a prefix, so that a placement
    can be chosen. `every`, `bound`: the headline model at its long lifetime with every new token
    written, and with only what is read again. `curves`: its cost by hit ratio."""

    report: CostReport
    headline: ModelCost | None
    models: tuple[ModelCost, ...]
    structured: bool
    every: PolicyRow | None
    bound: PolicyRow | None
    curves: tuple[HitCurve, ...]


def api_costs(workload_id: str, params: ReportParams, choice: Costing, owner: str) -> ApiCosts:
    """The costs of the workload under `choice`. NotFoundError as for its report."""
    workload = opened(workload_id, owner).workload
    structured = has_structure(workload)
    asked = _asked(params, choice, structured)
    if workload.observed:  # names its own models: ask for everybody's
        asked = replace(asked, providers=tuple(sorted(book().tables)))
    found = report(workload_id, asked, owner)
    models = _models(found.rows, _POLICIES[choice.lifetime])
    headline = _headline(models, found, params)
    every, bound = None, None
    if structured and headline is not None and choice.mode == "standard":
        every, bound = _levers(workload_id, params, headline, owner)
    curves = () if headline is None else hit_curves(headline.none, found.break_even)
    return ApiCosts(
        report=found,
        headline=headline,
        models=models,
        structured=structured,
        every=every,
        bound=bound,
        curves=curves,
    )


def _asked(params: ReportParams, choice: Costing, structured: bool) -> ReportParams:
    at_breakpoints = choice.lifetime in ("short", "long") and structured
    return replace(
        params,
        policies=("none", *_POLICIES[choice.lifetime]),
        placements=(choice.placement,) if at_breakpoints else (),
        mode=None if choice.mode == "standard" else choice.mode,
        by=("model",),
    )


def _models(rows: Sequence[PolicyRow], wanted: Sequence[str]) -> tuple[ModelCost, ...]:
    by_model: dict[tuple[str | None, ...], list[PolicyRow]] = {}
    for row in rows:
        if row.model is not None and row.usd is not None:
            key = (row.provider, row.surface, row.model, row.mode)
            by_model.setdefault(key, []).append(row)
    found = [_chosen(same, wanted) for same in by_model.values()]
    models = [one for one in found if one is not None]
    return tuple(sorted(models, key=lambda one: -_high(one.row)))


def _chosen(rows: Sequence[PolicyRow], wanted: Sequence[str]) -> ModelCost | None:
    none = next((row for row in rows if row.policy == "none"), None)
    if none is None:
        return None
    ranked = [row for policy in wanted for row in rows if row.policy == policy]
    maker = book().tables[none.provider or ""].maker
    return ModelCost(row=ranked[0] if ranked else none, none=none, maker=maker)


def _high(row: PolicyRow) -> int:
    return 0 if row.usd is None else row.usd.high_e13


def _headline(
    models: Sequence[ModelCost], found: CostReport, params: ReportParams
) -> ModelCost | None:
    """The model that the workload uses most, else the one that it is priced as."""
    used = sorted(
        (group for group in found.groups if group.by == "model" and group.no_cache is not None),
        key=lambda group: -(group.no_cache.high_e13 if group.no_cache else 0),
    )
    names = [*(group.key for group in used), params.default_model]
    for name in names:
        same = [one for one in models if one.none.model == name]
        same.sort(key=lambda one: not one.maker)
        if same:
            return same[0]
    return None


def _levers(
    workload_id: str, params: ReportParams, headline: ModelCost, owner: str
) -> tuple[PolicyRow | None, PolicyRow | None]:
    asked = replace(
        params,
        models=(headline.none.model or "",),
        providers=(headline.none.provider or "",),
        default_model=params.default_model,
        policies=LONG,
        placements=("every", "bound"),
        by=("model",),
    )
    rows = {row.placement: row for row in report(workload_id, asked, owner).rows if row.model}
    return rows.get("every"), rows.get("bound")
