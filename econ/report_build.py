"""Builds the cost report of a workload: bill, baselines, groups, comparison, and their id."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from econ.adjusted import adjusted_rows
from econ.baselines import baselines_of, month_of, not_cacheable_of, saving_of
from econ.best_reachable import Best, best_reachable
from econ.bill_sheet import Bill
from econ.billing import BillingOptions, Pricing
from econ.billing import bill as bill_of
from econ.break_even import break_even_rows
from econ.cards import ModelRef, cards_of
from econ.change import change_between
from econ.days import days_touched, zone
from econ.figures import Parts, figures_of, shown_range
from econ.groups import default_groups, group_rows
from econ.invoices import check_invoices
from econ.method import METHOD_VERSION
from econ.money import Amount, total
from econ.policy_rows import as_billed_row, by_cost, none_row
from econ.price_sources import merged
from econ.rate_grid import to_moment
from econ.ratios import ratios_of
from econ.receipt import Receipt
from econ.reconcile import Stated, reconcile
from econ.report import (
    BreakEven,
    Change,
    CostReport,
    PolicyRow,
    PriceSource,
    ReportParams,
    WorkloadInfo,
)
from econ.report_id import report_id
from econ.select import select
from econ.simulated_rows import rows_of_candidates, too_large_to_simulate_all
from econ.unpriced import unpriced_rows
from econ.usage import requests_in
from econ.workload import EMPTY_COST, Workload, digest
from messages.errors import Message
from price_tables.book import PriceBook, Unpriced


@dataclass(frozen=True, slots=True, kw_only=True)
class Billed:
    """The rows of a period and their bill."""

    workload: Workload
    bill: Bill
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What follows from these alone and was worked out: a cache."""


def build_report(
    workload: Workload,
    receipt: Receipt,
    book: PriceBook,
    params: ReportParams,
    workload_sha256: str | None = None,
    billed: Billed | None = None,
) -> CostReport:
    """The report of `workload` at the prices of `book`. Pure: the same inputs give the same report.
    `workload_sha256` and `billed`: its digest and `bill_period`, where the caller has them already.

    Raises InputError for an unknown provider, group or zone, and for an empty period of change.
    """
    cards, tz = cards_of(book), zone(params.tz)
    pricing = Pricing(cards=cards, options=billing_options(workload, params), default_at=book.as_of)
    billed = billed or bill_period(workload, book, params)
    chosen, bill = billed.workload, billed.bill
    best = _best(billed, book, pricing)
    change = _change(workload, params, pricing)
    parts = _parts(chosen, receipt, billed, best, pricing, params, tz, change)
    rows = _rows(chosen, bill, book, pricing, params)
    sha256 = workload_sha256 or digest(workload)
    used = _sources(bill, rows, parts.break_even, parts.change)
    return CostReport(
        report_id=report_id(sha256, receipt.collapsed_cost_e13, params, used),
        method_version=METHOD_VERSION,
        price_book_version=book.version,
        price_book_as_of=book.as_of,
        workload_sha256=sha256,
        params=params,
        receipt=receipt,
        assumptions=(
            *_assumptions(receipt, bill, best, parts.change),
            *_left_out(chosen, params),
            *_compared(chosen, rows),
        ),
        workload=_info(chosen, bill),
        baselines=parts.baselines,
        best=best.ref,
        saving=parts.saving,
        not_cacheable=parts.not_cacheable,
        ratios=parts.ratios,
        groups=group_rows(chosen, bill, params.by or default_groups(chosen), tz),
        reconciliation=parts.reconciliation,
        change=parts.change,
        month=parts.month,
        rates=params.rates,
        break_even=parts.break_even,
        unpriced=unpriced_rows(bill),
        observed_cost=parts.observed_cost,
        rows=rows,
        figures=figures_of(parts),
        invoices=check_invoices(chosen, bill, params, pricing),
        adjusted=adjusted_rows(bill, bill.observed, cards, params.adjustments),
    )


def bill_period(workload: Workload, book: PriceBook, params: ReportParams) -> Billed:
    """The rows of the period of `params`, billed. Depends on `since`, `until` and on
    `billing_options` alone: other settings may share it."""
    chosen = select(workload, params.since, params.until)
    return Billed(workload=chosen, bill=bill_of(chosen, book, billing_options(workload, params)))


def billing_options(workload: Workload, params: ReportParams) -> BillingOptions:
    """How `params` bill `workload` (the whole, not a period of it). A workload that names no model
    is billed as the first chosen candidate, else the default."""
    nameless = not workload.has("model")
    provider = params.providers[0] if nameless and params.providers else params.default_provider
    return BillingOptions(
        at=params.at,
        default_model=params.models[0] if params.models else params.default_model,
        default_provider=provider,
        default_surface=(params.surface if nameless else None) or params.default_surface,
        default_mode=(params.mode if nameless else None) or params.default_mode,
        model_names=params.model_names,
        include_failed=params.include_failed,
    )


def _change(workload: Workload, params: ReportParams, pricing: Pricing) -> Change | None:
    if params.change is None:
        return None
    return change_between(workload, params.change, pricing)


def _best(billed: Billed, book: PriceBook, pricing: Pricing) -> Best:
    """Depends on the bill alone, so it is kept beside it."""
    if "best" not in billed.memo:
        billed.memo["best"] = best_reachable(billed.workload, billed.bill, book, pricing)
    found: Best = billed.memo["best"]
    return found


def _parts(
    workload: Workload,
    receipt: Receipt,
    billed: Billed,
    best: Best,
    pricing: Pricing,
    params: ReportParams,
    tz: ZoneInfo | None,
    change: Change | None,
) -> Parts:
    bill = billed.bill
    baselines = baselines_of(bill, best)
    stated = Stated(collapsed_e13=receipt.collapsed_cost_e13, invoice_usd=params.invoice_usd)
    return Parts(
        bill=bill,
        baselines=baselines,
        best=best,
        saving=saving_of(bill, baselines, best.reachable),
        not_cacheable=not_cacheable_of(bill),
        ratios=ratios_of(bill),
        month=month_of(bill, baselines, best.reachable, tz, params.month_factor),
        observed_cost=_observed_cost(workload),
        reconciliation=reconcile(workload, bill, stated, params.adjustments, pricing),
        change=change,
        break_even=_break_even(bill, params, pricing),
    )


def _rows(
    workload: Workload, bill: Bill, book: PriceBook, pricing: Pricing, params: ReportParams
) -> tuple[PolicyRow, ...]:
    """As billed and without caching on the models as used, and the candidates with their policies.
    Nothing chosen means every model, except for an observed workload: that has its own answer
    already."""
    rows = [as_billed_row(bill)] if bill.observed else []
    if bill.observed or workload.has("model"):
        rows.append(none_row(bill))
    if params.models or params.providers or not bill.observed:
        rows += rows_of_candidates(workload, book, pricing, params)
    return tuple(sorted(rows, key=by_cost))


def _break_even(bill: Bill, params: ReportParams, pricing: Pricing) -> tuple[BreakEven, ...]:
    refs: Iterable[ModelRef] = (payee.ref for payee in bill.payees)
    if params.models:
        refs = [
            ModelRef(provider, params.surface, model, params.mode)
            for provider in params.providers or (None,)
            for model in params.models
        ]
    found = [pricing.cards(ref) for ref in refs]
    cards = [card for card in found if not isinstance(card, Unpriced)]
    return break_even_rows(cards, _last_moment(bill, pricing))


def _last_moment(bill: Bill, pricing: Pricing) -> datetime:
    dated = bill.usage.dated
    if pricing.options.at is not None or not dated.any():
        return pricing.options.at or pricing.default_at
    return to_moment(int(bill.usage.since_us[dated].max()))


def _sources(
    bill: Bill, rows: Iterable[PolicyRow], breaks: Iterable[BreakEven], change: Change | None
) -> tuple[PriceSource, ...]:
    used = [*bill.sources, *(source for row in rows for source in row.sources)]
    used += [row.source for row in breaks]
    return merged([*used, *(change.sources if change else ())])


def _assumptions(
    receipt: Receipt, bill: Bill, best: Best, change: Change | None
) -> tuple[Message, ...]:
    said = [*receipt.assumptions, *bill.assumptions, *(change.assumptions if change else ())]
    if best.gap is not None:
        said.append(Message("policies.simulator_gap", {"usd": shown_range(best.gap)}))
    return tuple(dict.fromkeys(said))


def _left_out(workload: Workload, params: ReportParams) -> tuple[Message, ...]:
    if not too_large_to_simulate_all(workload, params):
        return ()
    return (Message("policies.large_workload", {}, workload.rows),)


def _compared(workload: Workload, rows: Iterable[PolicyRow]) -> tuple[Message, ...]:
    """Where several models are compared, the counts are those of one tokenizer."""
    models = {row.model for row in rows if row.model is not None}
    if len(models) < 2 and not (models and workload.has("model")):
        return ()
    return (Message("policies.tokenizer_default"),)


def _observed_cost(workload: Workload) -> Amount | None:
    costs = workload.ints("observed_cost_e13")
    says = costs != EMPTY_COST
    return Amount.exactly(total(costs[says])) if says.any() else None


def _info(workload: Workload, bill: Bill) -> WorkloadInfo:
    usage = bill.usage
    dated = usage.dated
    last = np.where(usage.is_bucket, usage.until_us, usage.since_us)[dated]
    return WorkloadInfo(
        name=workload.name,
        format=workload.format,
        requests=requests_in(usage, np.ones(usage.rows, dtype=np.bool_)),
        rows=workload.rows,
        first_utc=to_moment(int(usage.since_us[dated].min())) if dated.any() else None,
        last_utc=to_moment(int(last.max())) if dated.any() else None,
        days_utc=days_touched(usage, None),
        granularity=workload.granularity,
        observed=bill.observed,
        input_tokens=int(usage.prompt.sum()),
        output_tokens=int(usage.tokens["output"].sum()),
    )
