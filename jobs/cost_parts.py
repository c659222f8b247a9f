"""What one workload costs on every model under one choice, computed: the parts of the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from econ.billing import Pricing
from econ.cards import ModelRef, cards_of
from econ.levers import Lever, levers
from econ.report import BreakEven, CostReport, PolicyRow, ReportParams
from econ.report_build import billing_options
from econ.report_store import params_to_store
from econ.select import select
from econ.sensitivity import Swing, swings
from econ.structure import has_structure
from econ.tokenizer import SAME
from econ.workload import Workload
from jobs.progress import Progress
from jobs.reporting import book, report
from jobs.shelf import LastUsed, opened
from price_tables.families import load_families

KEPT_LEVERS = 16
SHORT, LONG = ("5m", "30m"), ("1h", "12h")
LIFETIMES = ("short", "long", "automatic", "mixed", "none")
PLACEMENTS = ("shared", "end", "every", "bound")
MODES = ("standard", "batch")
POLICIES_OF = {
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
class CostParts:
    """`rows`: of every model. `every`, `bound`: the headline model at its long lifetime with every
    new token written, and with only what is read again. `levers`, `swings`: of the headline."""

    requests: int
    used_models: tuple[str, ...]
    rows: tuple[PolicyRow, ...]
    break_even: tuple[BreakEven, ...]
    every: PolicyRow | None
    bound: PolicyRow | None
    levers: tuple[Lever, ...]
    swings: tuple[Swing, ...]


_levers: LastUsed[tuple[Lever, ...]] = LastUsed(KEPT_LEVERS)  # no switch of the page moves them


def compute(
    workload_id: str, params: ReportParams, choice: Costing, owner: str, progress: Progress
) -> CostParts:
    """All parts, each stage said to `progress`. NotFoundError as for the workload's report."""
    progress(0.0, "open")
    found_at = opened(workload_id, owner)
    workload = found_at.workload
    structured = has_structure(workload)
    asked = _asked(params, choice, structured)
    if workload.observed:  # names its own models: ask for everybody's
        asked = replace(asked, providers=tuple(sorted(book().tables)))
    progress(0.1, "simulate")
    found = report(workload_id, asked, owner)
    used = (*_used(found), params.default_model)
    headline = headline_of(models_of(found.rows, choice), used)
    every, bound = None, None
    progress(0.6, "levers")
    if structured and headline is not None and choice.mode == "standard":
        every, bound = _ends(workload_id, params, headline, owner)
    levered: tuple[Lever, ...] = ()
    swung: tuple[Swing, ...] = ()
    if headline is not None:
        levered, swung = _what_if(found_at.key, workload, params, headline)
    requests = found.baselines.requests or found.baselines.rows
    return CostParts(
        requests=requests,
        used_models=used,
        rows=tuple(row for row in found.rows if row.model is not None and row.usd is not None),
        break_even=found.break_even,
        every=every,
        bound=bound,
        levers=levered,
        swings=swung,
    )


def models_of(rows: Sequence[PolicyRow], choice: Costing) -> tuple[ModelCost, ...]:
    """One entry a model that has a price, each with the row of the choice; cheapest first by the
    dearer end."""
    by_model: dict[tuple[str | None, ...], list[PolicyRow]] = {}
    for row in rows:
        if row.model is not None and row.usd is not None:
            key = (row.provider, row.surface, row.model, row.mode)
            by_model.setdefault(key, []).append(row)
    found = [_chosen(same, POLICIES_OF[choice.lifetime]) for same in by_model.values()]
    models = [one for one in found if one is not None]
    return tuple(sorted(models, key=lambda one: _high(one.row)))


def headline_of(models: Sequence[ModelCost], used: Sequence[str]) -> ModelCost | None:
    """The model that the workload uses most, else the one that it is priced as."""
    for name in used:
        same = [one for one in models if one.none.model == name]
        same.sort(key=lambda one: not one.maker)
        if same:
            return same[0]
    return None


def _what_if(
    key: str, workload: Workload, params: ReportParams, headline: ModelCost
) -> tuple[tuple[Lever, ...], tuple[Swing, ...]]:
    provider, model = headline.none.provider or "", headline.none.model or ""
    options = billing_options(workload, params)
    pricing = Pricing(cards=cards_of(book()), options=options, default_at=book().as_of)
    chosen = select(workload, params.since, params.until)
    families, factors = load_families(), params.tokenizer_factors
    ref = ModelRef(provider, headline.none.surface, model, None)
    smaller = families.smaller.get((provider, model))
    name = None if smaller is None else smaller.model
    factor = factors.get(model, factors.get(provider, SAME))
    published = next((t.factor for t in families.tokenizers if model in t.models), None)
    question = (key, book().version, ref, json.dumps(params_to_store(params), sort_keys=True))

    def make() -> tuple[Lever, ...]:
        return levers(chosen, book(), pricing, ref, name, factors)

    return (
        _levers.get(question, make),
        swings(chosen, book(), pricing, headline.row, factor, published),
    )


def _used(found: CostReport) -> list[str]:
    used = [g for g in found.groups if g.by == "model" and g.no_cache is not None]
    used.sort(key=lambda group: -(group.no_cache.high_e13 if group.no_cache else 0))
    return [group.key for group in used]


def _asked(params: ReportParams, choice: Costing, structured: bool) -> ReportParams:
    at_breakpoints = choice.lifetime in ("short", "long") and structured
    return replace(
        params,
        policies=("none", *POLICIES_OF[choice.lifetime]),
        placements=(choice.placement,) if at_breakpoints else (),
        mode=None if choice.mode == "standard" else choice.mode,
        by=("model",),
    )


def _chosen(rows: Sequence[PolicyRow], wanted: Sequence[str]) -> ModelCost | None:
    none = next((row for row in rows if row.policy == "none"), None)
    if none is None:
        return None
    ranked = [row for policy in wanted for row in rows if row.policy == policy]
    table = book().tables[none.provider or ""]
    row = ranked[0] if ranked else none
    return ModelCost(row=row, none=none, maker=table.maker or table.own)


def _high(row: PolicyRow) -> int:
    return 0 if row.usd is None else row.usd.high_e13


def _ends(
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
