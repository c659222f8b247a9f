"""Rows of the report's main table for simulated policies: every request billed as one model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from econ.billing import Pricing
from econ.cache_rules import CacheRules, rules_of
from econ.candidates import candidate_refs, candidate_rows, without_cache
from econ.cards import ModelRef
from econ.money import Amount
from econ.policy_plans import Plan, plans_of
from econ.policy_pricing import Bench, Cost, cost_of
from econ.price_sources import merged
from econ.rate_grid import grid_of
from econ.ratios import token_hit_ratio
from econ.report import PolicyRow, ReportParams
from econ.select import take_rows
from econ.storage_cost import MTOK_HOUR_US
from econ.structure import has_structure
from econ.tokenizer import SAME, by_factor, check_factors, note, scaled_workload
from econ.usage import usage_of
from econ.workload import Workload
from price_tables.book import BUCKETS, PriceBook, RateCard, Unpriced

ROW_BUCKETS = (*BUCKETS, "storage", "pings")
MOST_ROWS_FOR_ALL = 200_000
"""Beyond this a report simulates policies only where models or policies were asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What was asked for: candidates, their policies and placements (empty = all), and the factor
    of their tokenizers."""

    refs: tuple[ModelRef, ...]
    policies: tuple[str, ...] = ()
    placements: tuple[str, ...] = ()
    factor: Decimal = SAME


def rows_of_candidates(
    workload: Workload, book: PriceBook, pricing: Pricing, params: ReportParams
) -> list[PolicyRow]:
    """Without caching and under every policy that was asked for, on every candidate."""
    refs = candidate_refs(book, params)
    check_factors(params.tokenizer_factors, book)
    rows: list[PolicyRow] = []
    for factor, own in by_factor(refs, params.tokenizer_factors, pricing).items():
        rows += _rows_at(factor, own, workload, book, pricing, params)
    return rows


def _rows_at(
    factor: Decimal,
    refs: Sequence[ModelRef],
    workload: Workload,
    book: PriceBook,
    pricing: Pricing,
    params: ReportParams,
) -> list[PolicyRow]:
    said = note(factor)
    none = candidate_rows(scaled_workload(workload, factor), list(refs), pricing)
    none = [replace(row, assumptions=(*row.assumptions, *said)) for row in none] if said else none
    if not none or too_large_to_simulate_all(workload, params):
        return none
    choice = Choice(
        refs=tuple(refs),
        policies=params.policies,
        placements=params.placements,
        factor=factor,
    )
    simulated = simulated_rows(workload, book, pricing, choice, none)
    wanted = not params.policies or "none" in params.policies
    return [*(none if wanted else ()), *simulated]


def too_large_to_simulate_all(workload: Workload, params: ReportParams) -> bool:
    """Whether the candidates are shown without their policies: nothing was asked for by name."""
    asked = bool(params.models or params.providers or params.policies)
    return not asked and not workload.observed and workload.rows > MOST_ROWS_FOR_ALL


def simulated_rows(
    workload: Workload,
    book: PriceBook,
    pricing: Pricing,
    choice: Choice,
    uncached: Sequence[PolicyRow],
) -> list[PolicyRow]:
    """A row for every plan that applies to each of the choice's models that has a price.
    `uncached`: their `none` rows, in the order of the refs. Sums over requests have none."""
    bench = bench_of(workload, pricing, choice.refs, choice.factor)
    return [] if bench is None else rows_on(bench, book, choice, uncached)


def rows_on(
    bench: Bench, book: PriceBook, choice: Choice, uncached: Sequence[PolicyRow]
) -> list[PolicyRow]:
    """`simulated_rows` on a bench that is there already, made for these refs and this factor."""
    if not bench.kind.source:
        return []
    rows = []
    for ref, none in zip(choice.refs, uncached, strict=True):
        card = bench.pricing.cards(ref)
        if isinstance(card, Unpriced) or none.usd is None:
            continue
        rules = rules_of(book, card)
        batch = card.mode == "batch"
        for plan in plans_of(rules, bench.kind, batch, choice.policies, choice.placements):
            row = policy_row(bench, plan, rules, card, none)
            rows += [] if row is None else [row]
    return rows


def bench_of(
    workload: Workload, pricing: Pricing, refs: Sequence[ModelRef], factor: Decimal = SAME
) -> Bench | None:
    """The requests that are billed; None where rows are sums over requests or lack their counts."""
    usage = usage_of(workload)
    rows = np.ones(usage.rows, np.bool_) if pricing.options.include_failed else ~usage.failed
    if usage.is_bucket.any() or not usage.counted[rows].all() or not rows.any():
        return None
    kept = workload if rows.all() else take_rows(workload, np.flatnonzero(rows))
    if has_structure(kept):
        kept = without_cache(kept)
    cards = [pricing.cards(ref) for ref in dict.fromkeys(refs)]
    grids = tuple(grid_of(card) for card in cards if not isinstance(card, Unpriced))
    return Bench(origin=kept, pricing=pricing, grids=grids, factor=factor)


def policy_row(
    bench: Bench, plan: Plan, rules: CacheRules, card: RateCard, none: PolicyRow
) -> PolicyRow | None:
    """The row of `plan` on the model of `card`, beside its row without caching; None where the
    provider sells something of it at no known price."""
    low = cost_of(bench, plan, rules, card, "low")
    high = low if plan.low == plan.high and not plan.extra else cost_of(
        bench, plan, rules, card, "high"
    )  # fmt: skip
    if low is None or high is None or none.usd is None:
        return None
    if low.total_e13 > high.total_e13:
        low, high = high, low
    usd = Amount(low_e13=low.total_e13, high_e13=high.total_e13)
    saving = Amount(
        low_e13=none.usd.low_e13 - usd.high_e13, high_e13=none.usd.high_e13 - usd.low_e13
    )
    hours = None if high.storage_token_us is None else _mtok_hours(high.storage_token_us)
    return replace(
        none,
        policy=plan.policy,
        placement=plan.placement,
        usd=usd,
        saving=saving,
        tokens_low=_shown(low.tokens),
        tokens_high=_shown(high.tokens),
        usd_by_bucket=_by_bucket(low, high),
        hit_ratio_low=min(_ratio(low), _ratio(high)),
        hit_ratio_high=max(_ratio(low), _ratio(high)),
        pings=high.pings,
        storage_mtok_hours=hours,
        assumptions=(*none.assumptions, *plan.notes),
        sources=merged([*low.sources, *high.sources]),
    )


def _mtok_hours(token_us: int) -> Decimal:
    return round(Decimal(token_us) / MTOK_HOUR_US, 6)


def _shown(tokens: object) -> dict[str, int]:
    counts: dict[str, int] = dict(tokens)  # type: ignore[call-overload]
    always = ("uncached", "output")
    return {b: counts[b] for b in ROW_BUCKETS if b in counts and (counts[b] or b in always)}


def _by_bucket(low: Cost, high: Cost) -> dict[str, Amount]:
    """Each bucket's own ends: at the two ends of the whole, in ascending order."""
    amounts = {}
    for bucket in ROW_BUCKETS:
        ends = sorted((low.e13.get(bucket, 0), high.e13.get(bucket, 0)))
        if ends[1] or bucket in ("uncached", "output"):
            amounts[bucket] = Amount(low_e13=ends[0], high_e13=ends[1])
    return amounts


def _ratio(cost: Cost) -> float:
    tokens = cost.tokens
    written = sum(count for bucket, count in tokens.items() if bucket.startswith("write_"))
    return token_hit_ratio(tokens["uncached"], tokens.get("read", 0), written) or 0.0
