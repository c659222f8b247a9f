"""All requests billed as one model: a row for each candidate, without caching.

Requests are sorted by length once; the requests of a tier are then a stretch of that order, and a
model costs a few look-ups. Cards whose price changed within the workload, peak hours and bucketed
exports go the long way through `billing`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from econ.bill_sheet import UNPRICED
from econ.billing import Pricing
from econ.cards import ModelRef
from econ.money import Amount
from econ.policy_rows import candidate_row, flat_tokens, unpriced_row
from econ.price_sources import merged, source_of
from econ.rate_grid import NO_PRICE, Interval, RateGrid, grid_of
from econ.report import PolicyRow, PriceSource, ReportParams
from econ.scenarios import INPUT, OUTPUT, moments
from econ.usage import usage_of
from econ.workload import WRITE_COLUMNS, IntArray, Workload
from messages.errors import Message, input_error
from price_tables.book import PriceBook, RateCard, Unpriced


@dataclass(frozen=True, slots=True)
class Lengths:
    """The billable requests by ascending prompt length: running sums of their prompt and output
    tokens (a leading zero), and the span of the moments that price them."""

    prompts: IntArray
    prompt_sums: IntArray
    output_sums: IntArray
    first_us: int
    last_us: int


def candidate_refs(book: PriceBook, params: ReportParams) -> list[ModelRef]:
    """The chosen models of the chosen providers; every model of the book where nothing is chosen.
    Raises InputError for a provider that is not in the book."""
    for provider in params.providers:
        if provider not in book.tables:
            raise input_error(
                "report.unknown_provider", found=provider, expected=", ".join(sorted(book.tables))
            )
    providers = params.providers or (tuple(sorted(book.tables)) if not params.models else (None,))
    return [
        ModelRef(provider, params.surface, model, params.mode)
        for provider in providers
        for model in params.models or _models(book, provider)
    ]


def candidate_rows(workload: Workload, refs: list[ModelRef], pricing: Pricing) -> list[PolicyRow]:
    """One `none` row for each of `refs`: every request billed as that model, at its own date."""
    if workload.rows == 0:
        return []
    workload = without_cache(workload)
    plain = _lengths(workload, pricing)
    rows = []
    for ref in refs:
        card = pricing.cards(ref)
        if isinstance(card, Unpriced):
            rows.append(unpriced_row(ref, card.reason))
            continue
        short = None if plain is None else _short_way(plain, grid_of(card))
        rows.append(short or _long_way(workload, ref, card, pricing))
    return rows


def without_cache(workload: Workload) -> Workload:
    """The same requests, with nothing said of a cache."""
    cache = ("cached_read_tokens", *WRITE_COLUMNS)
    columns = {name: column for name, column in workload.columns.items() if name not in cache}
    return replace(workload, columns=columns)


def _models(book: PriceBook, provider: str | None) -> list[str]:
    return [] if provider is None else [model.id for model in book.tables[provider].models]


def _lengths(workload: Workload, pricing: Pricing) -> Lengths | None:
    """None where some row is a bucket or lacks its counts: those need the long way."""
    usage = usage_of(workload)
    rows = np.ones(usage.rows, np.bool_) if pricing.options.include_failed else ~usage.failed
    if usage.is_bucket.any() or not usage.counted[rows].all() or not rows.any():
        return None
    when = moments(usage, pricing.options.at, pricing.default_at).since_us[rows]
    order = np.argsort(usage.prompt[rows], kind="stable")
    prompts, output = usage.prompt[rows][order], usage.tokens["output"][rows][order]
    return Lengths(
        prompts,
        np.concatenate(([0], np.cumsum(prompts))),
        np.concatenate(([0], np.cumsum(output))),
        int(when.min()),
        int(when.max()),
    )


def _short_way(lengths: Lengths, grid: RateGrid) -> PolicyRow | None:
    """The row from sums alone; None where one interval of prices does not hold for all."""
    ends = grid.interval_of(np.array([lengths.first_us, lengths.last_us]))
    if grid.has_peak or ends[0] != ends[1]:
        return None
    interval = grid.intervals[int(ends[0])]
    if len(interval.segments) == 0:
        return None
    prompt_e13 = output_e13 = 0
    sources: list[PriceSource] = []
    for number, first, last in _tiers(lengths.prompts, interval):
        price_row = 2 * number
        prices = grid.prices[price_row]
        if grid.segment(price_row).refused or NO_PRICE in (prices[INPUT], prices[OUTPUT]):
            return None
        prompt_e13 += int(lengths.prompt_sums[last] - lengths.prompt_sums[first]) * int(
            prices[INPUT]
        )
        output_e13 += int(lengths.output_sums[last] - lengths.output_sums[first]) * int(
            prices[OUTPUT]
        )
        sources.append(source_of(grid, price_row, ("uncached", "output")))
    tokens = {"uncached": int(lengths.prompt_sums[-1]), "output": int(lengths.output_sums[-1])}
    usd = {"uncached": Amount.exactly(prompt_e13), "output": Amount.exactly(output_e13)}
    return candidate_row(grid.card, tokens, usd, merged(sources), grid.card.assumptions)


def _tiers(prompts: IntArray, interval: Interval) -> list[tuple[int, int, int]]:
    """(segment, first, last) of each tier that holds requests, in the order of lengths."""
    cuts = np.searchsorted(prompts, interval.thresholds[1:], side="right").tolist()
    bounds = [0, *cuts, len(prompts)]
    return [
        (segment, first, last)
        for segment, first, last in zip(
            interval.segments.tolist(), bounds[:-1], bounds[1:], strict=True
        )
        if last > first
    ]


def _long_way(workload: Workload, ref: ModelRef, card: RateCard, pricing: Pricing) -> PolicyRow:
    as_one = replace(pricing.options, override=ref)
    bill = replace(pricing, options=as_one).bill(workload)
    unpriced = np.flatnonzero(bill.status == UNPRICED)
    if len(unpriced):
        found = ModelRef(card.provider, card.surface, card.model, card.mode)
        first = bill.reasons[int(bill.reason_code[unpriced[0]])]
        return unpriced_row(
            found, Message("report.some_unpriced", {"reason": first}, len(unpriced))
        )
    usd = dict(bill.no_cache_by_bucket)
    return candidate_row(card, flat_tokens(bill), usd, bill.sources, bill.assumptions)
