"""All requests billed as one model: a row for each candidate, without caching.

Requests are summed once by stretch of time and length, and every model is then a few additions:
see `candidate_sums`. Peak hours and bucketed exports go the long way through `billing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from econ.bill_sheet import UNPRICED, no_price_then
from econ.billing import Pricing
from econ.candidate_sums import CandidateSums
from econ.cards import ModelRef
from econ.money import Amount
from econ.policy_rows import FLAT_BUCKETS, candidate_row, flat_tokens, unpriced_row
from econ.price_sources import merged, source_of
from econ.rate_grid import NO_PRICE, Interval, RateGrid, grid_of
from econ.report import PolicyRow, PriceSource, ReportParams
from econ.scenarios import INPUT, OUTPUT, moments
from econ.usage import usage_of
from econ.workload import CACHE_COLUMNS, Workload
from messages.errors import Message, input_error
from price_tables.book import PriceBook, RateCard, Unpriced


def candidate_refs(book: PriceBook, params: ReportParams) -> list[ModelRef]:
    """The chosen models of the chosen providers; every model of the book where nothing is chosen.
    Raises InputError for a provider that is not in the book."""
    known_providers(book, params.providers)
    providers = params.providers or (tuple(sorted(book.tables)) if not params.models else (None,))
    return [
        ModelRef(provider, params.surface, model, params.mode)
        for provider in providers
        for model in params.models or _models(book, provider)
    ]


def known_providers(book: PriceBook, providers: Sequence[str]) -> None:
    """Raises InputError for a provider that is not in the book."""
    for provider in providers:
        if provider not in book.tables:
            raise input_error(
                "report.unknown_provider", found=provider, expected=", ".join(sorted(book.tables))
            )


def candidate_rows(workload: Workload, refs: list[ModelRef], pricing: Pricing) -> list[PolicyRow]:
    """One `none` row for each of `refs`: every request billed as that model, at its own date."""
    if workload.rows == 0:
        return []
    workload = without_cache(workload)
    cards = [pricing.cards(ref) for ref in refs]
    grids = [card if isinstance(card, Unpriced) else grid_of(card) for card in cards]
    sums = _sums(workload, pricing, [grid for grid in grids if isinstance(grid, RateGrid)])
    rows = []
    for ref, grid in zip(refs, grids, strict=True):
        if isinstance(grid, Unpriced):
            rows.append(unpriced_row(ref, grid.reason))
            continue
        short = None if sums is None else _short_way(sums, grid)
        rows.append(short or _long_way(workload, ref, grid.card, pricing))
    return rows


def without_cache(workload: Workload) -> Workload:
    """The same requests, with nothing said of a cache."""
    kept = (name for name in workload.columns if name not in CACHE_COLUMNS)
    columns = {name: workload.columns[name] for name in kept}
    return replace(workload, columns=columns)


def _models(book: PriceBook, provider: str | None) -> list[str]:
    return [] if provider is None else [model.id for model in book.tables[provider].models]


def _sums(workload: Workload, pricing: Pricing, grids: list[RateGrid]) -> CandidateSums | None:
    """None where some row is a bucket or lacks its counts: those need the long way."""
    usage = usage_of(workload)
    rows = np.ones(usage.rows, np.bool_) if pricing.options.include_failed else ~usage.failed
    if usage.is_bucket.any() or not usage.counted[rows].all():
        return None
    when = moments(usage, pricing.options.at, pricing.default_at).since_us[rows]
    return CandidateSums.of(when, usage.prompt[rows], usage.tokens["output"][rows], grids)


def _short_way(sums: CandidateSums, grid: RateGrid) -> PolicyRow | None:
    """The row from sums alone; None where peak hours or a missing price decide row by row."""
    usd = {"uncached": 0, "output": 0}
    tokens = {"uncached": 0, "output": 0}
    sources: list[PriceSource] = []
    without: list[tuple[Message, int]] = []
    for interval in grid.intervals:
        if not len(interval.segments):
            without += _uncovered(sums, grid, interval)
            continue
        for number, own in sums.tiers(interval):
            segment, prices = grid.card.segments[number], grid.prices[2 * number]
            if segment.peak is not None:
                return None
            if segment.refused is not None:
                without.append((segment.refused, own.rows))
                continue
            if NO_PRICE in (prices[INPUT], prices[OUTPUT]):
                return None
            usd["uncached"] += own.prompt * int(prices[INPUT])
            usd["output"] += own.output * int(prices[OUTPUT])
            tokens["uncached"] += own.prompt
            tokens["output"] += own.output
            sources.append(source_of(grid, 2 * number, FLAT_BUCKETS))
    if without:
        return _some_unpriced(grid.card, without[0][0], sum(rows for _, rows in without))
    amounts = {bucket: Amount.exactly(e13) for bucket, e13 in usd.items()}
    return candidate_row(grid.card, tokens, amounts, merged(sources), grid.card.assumptions)


def _uncovered(
    sums: CandidateSums, grid: RateGrid, interval: Interval
) -> list[tuple[Message, int]]:
    rows = sums.inside(interval).rows
    return [(no_price_then(grid, sums.first_moment(interval)), rows)] if rows else []


def _some_unpriced(card: RateCard, reason: Message, rows: int) -> PolicyRow:
    found = ModelRef(card.provider, card.surface, card.model, card.mode)
    return unpriced_row(found, Message("report.some_unpriced", {"reason": reason}, rows))


def _long_way(workload: Workload, ref: ModelRef, card: RateCard, pricing: Pricing) -> PolicyRow:
    as_one = replace(pricing.options, override=ref)
    bill = replace(pricing, options=as_one).bill(workload)
    unpriced = np.flatnonzero(bill.status == UNPRICED)
    if len(unpriced):
        reason = bill.reasons[int(bill.reason_code[unpriced[0]])]
        return _some_unpriced(card, reason, len(unpriced))
    usd = dict(bill.no_cache_by_bucket)
    return candidate_row(card, flat_tokens(bill), usd, bill.sources, bill.assumptions)
