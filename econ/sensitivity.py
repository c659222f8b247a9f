"""How far one model's cost moves when one assumption at a time moves between its ends.

Everything else stays as in the row that is looked at. Costs in 1e-13 USD.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from econ.billing import Pricing
from econ.cache_rules import CacheRules, rules_of
from econ.cards import ModelRef
from econ.policy_plans import Plan, plans_of
from econ.policy_pricing import Bench, cost_of
from econ.prompt_cache import NO_LIMIT
from econ.report import PolicyRow
from econ.simulated_rows import bench_of
from econ.tokenizer import SAME
from econ.workload import Workload
from price_tables.book import PriceBook, RateCard, Unpriced

PLACEMENTS = ("shared", "end-block", "end")
"""Those that a client can follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swing:
    """One assumption: the costs at its two ends, the cheaper first, each with the name of its end.
    Both None where the file or the provider leaves nothing to assume, `reason` then says why."""

    name: str
    low_e13: int | None = None
    high_e13: int | None = None
    low_end: str = ""
    high_end: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """The row that is looked at, and what it is priced with."""

    bench: Bench
    plan: Plan
    rules: CacheRules
    card: RateCard

    def cost(self, plan: Plan, end: str = "high", bench: Bench | None = None) -> int | None:
        found = cost_of(bench or self.bench, plan, self.rules, self.card, end)
        return None if found is None else found.total_e13


def swings(
    workload: Workload,
    book: PriceBook,
    pricing: Pricing,
    row: PolicyRow,
    factor: Decimal,
    published: Decimal | None,
) -> tuple[Swing, ...]:
    """The assumptions behind `row`, a simulated row of one model whose tokens count `factor`
    times. `published`: the factor that the maker states for the model, where it does. None at all
    for a row without a policy."""
    ref = ModelRef(row.provider, row.surface, row.model or "", row.mode)
    card = pricing.cards(ref)
    bench = bench_of(workload, pricing, (ref,), factor)
    if bench is None or isinstance(card, Unpriced) or row.usd is None:
        return ()
    plan = _plan(bench, rules_of(book, card), card, row)
    if plan is None:
        return ()
    case = _Case(bench=bench, plan=plan, rules=rules_of(book, card), card=card)
    return (
        _lifetime(case),
        _response(case),
        _routing(case, row),
        _placement(case),
        _tokenizer(case, published),
    )


def _plan(bench: Bench, rules: CacheRules, card: RateCard, row: PolicyRow) -> Plan | None:
    placements = (row.placement,) if row.placement and row.policy != "automatic" else ()
    plans = plans_of(rules, bench.kind, card.mode == "batch", (row.policy,), placements)
    same = (p for p in plans if (p.policy, p.placement) == (row.policy, row.placement))
    return next(same, None)


def _swing(name: str, ends: Mapping[str, int | None]) -> Swing:
    known = sorted((e13, end) for end, e13 in ends.items() if e13 is not None)
    if len(known) < 2:
        return Swing(name=name, reason="no_price")
    (low, low_end), (high, high_end) = known[0], known[-1]
    return Swing(name=name, low_e13=low, high_e13=high, low_end=low_end, high_end=high_end)


def _lifetime(case: _Case) -> Swing:
    plan = case.plan
    if plan.short is None:
        return Swing(name="lifetime", reason="not_sold")
    exact = replace(plan.high, lifetime=plan.short, long_lifetime=plan.long)
    longer = replace(exact, lifetime=NO_LIMIT, long_lifetime=plan.long and NO_LIMIT)
    sims = {"exact": exact, "longer": longer}
    ends = {end: case.cost(replace(plan, low=sim, high=sim)) for end, sim in sims.items()}
    return _swing("lifetime", ends)


def _response(case: _Case) -> Swing:
    if not case.bench.kind.answers_timed:
        return Swing(name="response", reason="not_in_file")
    columns = {n: c for n, c in case.bench.origin.columns.items() if n != "response_s"}
    origin = replace(case.bench.origin, columns=columns)
    at_once = replace(case.bench, origin=origin, memo={})
    ends = {"as_given": case.cost(case.plan), "at_once": case.cost(case.plan, bench=at_once)}
    return _swing("response", ends)


def _routing(case: _Case, row: PolicyRow) -> Swing:
    if case.plan.low == case.plan.high or row.usd is None:
        return Swing(name="routing", reason="promised")
    if case.plan.policy != "implicit" and case.card.mode != "batch":
        return Swing(name="routing", reason="promised")
    return _swing("routing", {"all_hits": row.usd.low_e13, "no_hits": row.usd.high_e13})


def _placement(case: _Case) -> Swing:
    plan = case.plan
    if plan.short is None or plan.long is not None:
        return Swing(name="placement", reason="none_to_choose")
    names = [plan.short]
    batch = case.card.mode == "batch"
    others = plans_of(case.rules, case.bench.kind, batch, names, PLACEMENTS)
    if len(others) < 2:
        return Swing(name="placement", reason="none_to_choose")
    return _swing("placement", {other.placement or "": case.cost(other) for other in others})


def _tokenizer(case: _Case, published: Decimal | None) -> Swing:
    if published is None:
        return Swing(name="tokenizer", reason="not_published")
    benches = {f: replace(case.bench, factor=f, memo={}) for f in (SAME, published)}
    ends = {f"{f}": case.cost(case.plan, bench=bench) for f, bench in benches.items()}
    return _swing("tokenizer", ends)
