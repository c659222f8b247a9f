"""Each figure of a report can be opened: its formula, its inputs, the price rows behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from econ.best_reachable import Best
from econ.bill_sheet import Bill
from econ.money import Amount, usd_text
from econ.policy_rows import FLAT_BUCKETS, flat_tokens, priced_tokens
from econ.price_sources import only
from econ.ratios import ratio_tokens
from econ.report import (
    Baselines,
    BreakEven,
    Change,
    Month,
    PriceSource,
    Provenance,
    Ratios,
    Reconciliation,
    Saving,
)
from messages.errors import Message

FORMULA = "report.formula_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of a report that have figures to open."""

    bill: Bill
    baselines: Baselines
    best: Best
    saving: Saving
    not_cacheable: Amount | None
    ratios: Ratios
    month: Month | None
    observed_cost: Amount | None
    reconciliation: Reconciliation | None
    change: Change | None
    break_even: tuple[BreakEven, ...]


def figures_of(parts: Parts) -> Mapping[str, Provenance]:
    """Figure id -> provenance, only for the figures that the report has. Inputs are plain digits;
    each input's name is an id that the catalogue words."""
    return {**_money_figures(parts), **_ratio_figures(parts), **_other_figures(parts)}


def _money_figures(parts: Parts) -> dict[str, Provenance]:
    bill, base = parts.bill, parts.baselines
    flat_sources = only(bill.sources, FLAT_BUCKETS)
    tokens = priced_tokens(bill)
    figures: dict[str, Provenance] = {}
    if base.no_cache is not None:
        figures["no_cache"] = _provenance("no_cache", flat_tokens(bill), flat_sources)
    if base.billed is not None:
        figures["billed"] = _provenance("billed", tokens, bill.sources)
        for bucket, amount in bill.usd_by_bucket.items():
            counts = {bucket: tokens[bucket]}
            sources = tuple(s for s in only(bill.sources, (bucket,)) if s.prices)
            if amount.high_e13 or tokens[bucket]:
                figures[f"bucket.{bucket}"] = _provenance("bucket", counts, sources)
    if base.best_reachable is not None and parts.best.choices is not None:
        figures["best_reachable"] = Provenance(
            formula=_formula("best_reachable"), inputs=parts.best.choices, sources=bill.sources
        )
    if parts.saving.earned is not None and base.no_cache and base.billed:
        inputs = {
            "no_cache_usd": shown_range(base.no_cache),
            "billed_usd": shown_range(base.billed),
        }
        figures["earned"] = Provenance(formula=_formula("earned"), inputs=inputs)
    if parts.not_cacheable is not None:
        sources = tuple(s for s in only(bill.sources, ("output",)) if s.prices)
        figures["not_cacheable"] = _provenance(
            "not_cacheable", {"output": tokens["output"]}, sources
        )
    return figures


def _ratio_figures(parts: Parts) -> dict[str, Provenance]:
    bill, ratios = parts.bill, parts.ratios
    counts = {b: str(n) for b, n in ratio_tokens(bill).items()}
    n = {"n": str(ratios.n)}
    figures: dict[str, Provenance] = {}
    if ratios.token_hit is not None:
        figures["token_hit"] = Provenance(formula=_formula("token_hit"), inputs={**counts, **n})
    if ratios.request_hit is not None:
        figures["request_hit"] = Provenance(formula=_formula("request_hit"), inputs=n)
    if ratios.usd_weighted_hit is not None:
        inputs = {
            "read_at_input_usd": usd_text(bill.read_at_input_e13),
            "prompt_at_input_usd": usd_text(bill.prompt_at_input_e13),
        }
        figures["usd_weighted_hit"] = Provenance(
            formula=_formula("usd_weighted_hit"),
            inputs=inputs,
            sources=only(bill.sources, ["uncached"]),
        )
    return figures


def _other_figures(parts: Parts) -> dict[str, Provenance]:
    figures: dict[str, Provenance] = {}
    if parts.month is not None:
        inputs = {"factor": str(parts.month.factor)}
        figures["month"] = Provenance(formula=_formula("month"), inputs=inputs)
    if parts.observed_cost is not None:
        inputs = {"stated_usd": shown_range(parts.observed_cost)}
        figures["observed_cost"] = Provenance(formula=_formula("observed_cost"), inputs=inputs)
    if parts.reconciliation is not None:
        stated, computed = parts.reconciliation.stated, parts.reconciliation.computed
        inputs = {"stated_usd": shown_range(stated), "computed_usd": shown_range(computed)}
        figures["reconciliation"] = Provenance(formula=_formula("reconciliation"), inputs=inputs)
    if parts.change is not None:
        inputs = {"change_usd": shown_range(parts.change.total)}
        figures["change"] = Provenance(
            formula=_formula("change"), inputs=inputs, sources=parts.change.sources
        )
    if parts.break_even:
        figures["break_even"] = Provenance(
            formula=_formula("break_even"), sources=tuple(row.source for row in parts.break_even)
        )
    return figures


def _provenance(
    name: str, tokens: Mapping[str, int], sources: tuple[PriceSource, ...]
) -> Provenance:
    inputs = {bucket: str(count) for bucket, count in tokens.items()}
    return Provenance(formula=_formula(name), inputs=inputs, sources=sources)


def _formula(name: str) -> Message:
    return Message(f"{FORMULA}{name}")


def shown_range(amount: Amount) -> str:
    """The exact amount in USD, or both ends."""
    low, high = usd_text(amount.low_e13), usd_text(amount.high_e13)
    return low if amount.exact else f"{low} … {high}"
