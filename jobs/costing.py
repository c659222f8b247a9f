"""What a workload would cost on every provider and model: made as a job, then kept."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from decimal import Decimal
from typing import Any

from data_sources.store.computed import computed, keep_computed
from data_sources.store.engine import current_store
from econ.cache_kernel import compile_ahead
from econ.hit_curve import HitCurve, hit_curves
from econ.levers import Lever
from econ.method import METHOD_VERSION
from econ.report import BreakEven, PolicyRow, ReportParams
from econ.report_store import (
    params_from_store,
    params_to_store,
    parts_from_store,
    parts_to_store,
)
from econ.sensitivity import Swing
from econ.structure import has_structure
from jobs import tasks
from jobs.cost_parts import (
    LIFETIMES,
    MODES,
    PLACEMENTS,
    Costing,
    CostParts,
    ModelCost,
    compute,
    headline_of,
    models_of,
)
from jobs.lifespan import current_runner
from jobs.progress import Progress
from jobs.reporting import book
from jobs.shelf import LastUsed, Opened, example, opened
from messages.errors import DataError
from price_tables.families import Smaller, Tokenizer, load_families

__all__ = [
    "LIFETIMES",
    "MODES",
    "PLACEMENTS",
    "ApiCosts",
    "Costing",
    "ModelCost",
    "api_costs",
    "factor_names",
    "factors_of",
    "makers_models",
    "smaller_of",
    "start_costs",
    "tokenizers",
    "warm_costs",
]

KIND = "api_costs"
COMPILE = "compile"
DECORATION = re.compile(r"(-\d{8})?(-v\d+)?(:\d+)?$")
KEPT_COSTS = 32
tasks.register(KIND, "jobs.costing:costs_task")
tasks.register(COMPILE, "jobs.costing:compile_task")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCosts:
    """`models` cheapest first by their dearer end. `structured`: the file says who shares a prefix,
    so that a placement can be chosen. `every`, `bound`: the headline model at its long lifetime
    with every new token written, and with only what is read again. `curves`: its cost by hit
    ratio. `levers`, `swings`: what else moves its cost, and how far assumptions do."""

    requests: int
    headline: ModelCost | None
    models: tuple[ModelCost, ...]
    structured: bool
    every: PolicyRow | None
    bound: PolicyRow | None
    break_even: tuple[BreakEven, ...]
    curves: tuple[HitCurve, ...]
    levers: tuple[Lever, ...]
    swings: tuple[Swing, ...]


_costs: LastUsed[ApiCosts] = LastUsed(KEPT_COSTS)


class _NotThere(Exception):
    """Nothing has been kept yet."""


def api_costs(
    workload_id: str, params: ReportParams, choice: Costing, owner: str
) -> ApiCosts | None:
    """The costs if they have been made before, else None: then `start_costs` makes them.
    NotFoundError if `owner` sees no such workload."""
    found = opened(workload_id, owner)
    name = _name(params, choice)

    def read() -> ApiCosts:
        parts = _kept(found, name)
        if parts is None:
            raise _NotThere
        return _assembled(parts, choice, has_structure(found.workload))

    try:
        return _costs.get((found.key, name), read)
    except _NotThere:
        return None


def start_costs(workload_id: str, params: ReportParams, choice: Costing, owner: str) -> str:
    """Start computing the costs; returns the job's id. InputError: too many unfinished jobs."""
    asked = {
        "workload": workload_id,
        "owner": owner,
        "params": params_to_store(params),
        "choice": asdict(choice),
    }
    return current_runner().submit(KIND, asked, owner)


def costs_task(params: dict[str, Any], progress: Progress) -> str:
    """The job: compute, keep the result beside the workload, and answer with its name."""
    asked, choice = params_from_store(params["params"]), Costing(**params["choice"])
    name = _name(asked, choice)
    found = opened(params["workload"], params["owner"])
    if _kept(found, name) is None:
        parts = compute(found.id, asked, choice, params["owner"], progress)
        values = tuple(getattr(parts, field.name) for field in fields(CostParts))
        text = json.dumps(parts_to_store(values))
        keep_computed(current_store(), _place(found), name, text)
    return name


def compile_task(_params: dict[str, Any], progress: Progress) -> str:
    """The job: what large traces are simulated with is compiled before somebody waits for it."""
    progress(0.0, "simulate")
    compile_ahead()
    return ""


def warm_costs() -> None:
    """Have the example's costs made, where nobody has seen them yet, and kernels compiled."""
    current_runner().submit(COMPILE, {}, "")
    choice = Costing(lifetime=LIFETIMES[0], placement=PLACEMENTS[0], mode=MODES[0])
    if api_costs(example().id, ReportParams(), choice, "") is None:
        start_costs(example().id, ReportParams(), choice, "")


def smaller_of(model: ModelCost) -> Smaller | None:
    """The next smaller model that the same maker sells, where one is named."""
    return load_families().smaller.get((model.none.provider or "", model.none.model or ""))


def tokenizers() -> tuple[Tokenizer, ...]:
    """Published factors between tokenizers; none of them is applied without being asked for."""
    return load_families().tokenizers


def makers_models() -> list[str]:
    """The models that can be charted: those that their maker sells."""
    makers = (table for table in book().tables.values() if table.maker)
    return sorted({model.id for table in makers for model in table.models})


def factor_names() -> tuple[str, ...]:
    """What factors can be given for on the page: published families, and makers."""
    makers = [name for name, table in book().tables.items() if table.maker]
    return (*(family.name for family in tokenizers()), *makers)


def factors_of(chosen: Mapping[str, Decimal]) -> dict[str, Decimal]:
    """Factors by family or maker as factors by model id, resellers' ids of the same models
    included; a family counts before its maker."""
    found: dict[str, Decimal] = {}
    families = {family.name: family for family in tokenizers()}
    for name in sorted(chosen, key=lambda name: name in families):
        family = families.get(name)
        if family is None:
            models = {model.id for model in book().tables[name].models}
        else:
            name, models = family.provider, set(family.models)
        for table in book().tables.values():
            for model in table.models:
                if _bare(model.id, name) in models:
                    found[model.id] = chosen[family.name if family else name]
    return found


def _bare(model: str, maker: str) -> str:
    """'claude-opus-4-6' of the reseller's 'anthropic.claude-opus-4-6-v1'."""
    return DECORATION.sub("", model.removeprefix(f"{maker}."))


def _assembled(parts: CostParts, choice: Costing, structured: bool) -> ApiCosts:
    models = models_of(parts.rows, choice)
    headline = headline_of(models, parts.used_models)
    return ApiCosts(
        requests=parts.requests,
        headline=headline,
        models=models,
        structured=structured,
        every=parts.every,
        bound=parts.bound,
        break_even=parts.break_even,
        curves=() if headline is None else hit_curves(headline.none, parts.break_even),
        levers=parts.levers,
        swings=parts.swings,
    )


def _kept(found: Opened, name: str) -> CostParts | None:
    text = computed(current_store(), _place(found), name)
    if text is None:
        return None
    names = [field.name for field in fields(CostParts)]
    try:
        return CostParts(**dict(zip(names, parts_from_store(json.loads(text)), strict=True)))
    except (ValueError, DataError):  # half a file is nothing: it is made again
        return None


def _place(found: Opened) -> str:
    """Beside the workload's files; the example has none, its digest stands for them."""
    return found.id if found.is_example else found.key


def _name(params: ReportParams, choice: Costing) -> str:
    asked = [book().version, params_to_store(params), asdict(choice)]
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    return f"{KIND}-{METHOD_VERSION}-{digest[:24]}.json"
