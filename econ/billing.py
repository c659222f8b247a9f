"""Observed buckets to exact cost: each request at its own date, tier, mode and surface.

Rows without a price are *unpriced* with the reason, failed rows are not billed unless asked for;
both are outside every baseline alike. Nothing here rounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction

import numpy as np

from econ.bill_notes import note_moments
from econ.bill_sheet import NOT_BILLED, PRICED, UNPRICED, Bill, Ends, Rows, Sheet
from econ.cards import CardFor, Defaults, ModelRef, Payee, cards_of, payees_of
from econ.method import DEFAULT_MODEL
from econ.money import Amount, fits_int64
from econ.rate_grid import RateGrid, grid_of
from econ.scenarios import INPUT, OUTPUT, moments
from econ.usage import Usage, usage_of
from econ.workload import IntArray, Workload
from messages.errors import input_error
from price_tables.book import BUCKETS, PriceBook, Unpriced

__all__ = [
    "NOT_BILLED",
    "PRICED",
    "UNPRICED",
    "Bill",
    "BillingOptions",
    "Ends",
    "ModelRef",
    "Pricing",
    "bill",
    "bill_with",
    "value_of_removed",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class BillingOptions:
    """How to bill. `at`: see ReportParams. `override` bills every row as that one model."""

    at: datetime | None = None
    default_model: str = DEFAULT_MODEL
    default_provider: str | None = None
    default_surface: str | None = None
    default_mode: str | None = None
    model_names: Mapping[str, str] = field(default_factory=dict)
    override: ModelRef | None = None
    include_failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """Everything that decides a bill beside the workload: cards, options, and the moment of undated
    rows (UTC)."""

    cards: CardFor
    options: BillingOptions
    default_at: datetime

    def bill(self, workload: Workload) -> Bill:
        """The bill of `workload`."""
        return bill_with(workload, self.cards, self.options, self.default_at)


def bill(workload: Workload, book: PriceBook, options: BillingOptions) -> Bill:
    """The bill of `workload` at the prices of `book`."""
    return bill_with(workload, cards_of(book), options, book.as_of)


def bill_with(
    workload: Workload, cards: CardFor, options: BillingOptions, default_at: datetime
) -> Bill:
    """The bill of `workload` at the prices that `cards` finds; undated rows at `default_at` (UTC)
    unless `options.at` says another moment."""
    usage = usage_of(workload)
    named, codes = _payees(workload, options)
    payees = [_sold(payee, cards) for payee in named]
    found = [cards(payee.ref) for payee in payees]
    grids = [card if isinstance(card, Unpriced) else grid_of(card) for card in found]
    sheet = Sheet(usage, _money_type(usage, [g for g in grids if isinstance(g, RateGrid)]))
    note_moments(sheet.notes, usage, options.at, default_at)
    when = moments(usage, options.at, default_at)
    wanted = np.ones(usage.rows, dtype=np.bool_) if options.include_failed else ~usage.failed
    rows_of = _rows_of(codes, len(payees))
    for rows, payee, grid in zip(rows_of, payees, grids, strict=True):
        if isinstance(grid, Unpriced):
            sheet.refuse(rows, grid.reason)
        else:
            sheet.enter(rows, payee, grid, when, wanted)
    return sheet.bill(tuple(payees), codes, wanted)


def value_of_removed(bill_: Bill, bucket: str, tokens: int) -> Amount:
    """What `tokens` fewer tokens of `bucket` are worth: at what this bill paid for that bucket on
    average, never at list price (D05). Raises InputError where the bill has no such tokens."""
    counts = bill_.usage.tokens.get(bucket)
    held = 0 if counts is None else int(counts[bill_.priced].sum())
    if not 0 < tokens <= held:
        raise input_error("report.too_many_removed", bucket=bucket, expected=held, found=tokens)
    return bill_.usd_by_bucket[bucket].times(Fraction(tokens, held))


def _payees(workload: Workload, options: BillingOptions) -> tuple[list[Payee], IntArray]:
    if options.override is not None:
        payee = Payee(options.override, options.override.model, assumed=False)
        return [payee], np.zeros(workload.rows, dtype=np.int64)
    defaults = Defaults(
        model=options.default_model,
        provider=options.default_provider,
        surface=options.default_surface,
        mode=options.default_mode,
        model_names=options.model_names,
    )
    return payees_of(workload, defaults)


def _sold(payee: Payee, cards: CardFor) -> Payee:
    """A row that names its provider but no model: where that provider does not sell the assumed
    model, the model's maker bills it."""
    maker = ModelRef(None, None, payee.ref.model, payee.ref.mode)
    if payee.assumed and isinstance(cards(payee.ref), Unpriced):
        return Payee(maker, payee.name, assumed=True)
    return payee


def _rows_of(codes: IntArray, payees: int) -> Sequence[Rows]:
    """The row positions of each payee, ascending."""
    if payees <= 1:
        return [slice(None)] * payees
    # Few payees fit 16 bits, which numpy sorts in linear time.
    small = codes.astype(np.int16) if payees < np.iinfo(np.int16).max else codes
    order = np.argsort(small, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=payees))
    return np.split(order, ends[:-1])


def _money_type(usage: Usage, grids: Sequence[RateGrid]) -> type[np.int64] | type[object]:
    """int64, or Python integers where a row could pass 922,337 USD."""
    dearest = np.zeros(len(BUCKETS), dtype=np.int64)
    for grid in grids:
        dearest = np.maximum(dearest, grid.prices.max(axis=0, initial=0))
    largest = {bucket: int(counts.max(initial=0)) for bucket, counts in usage.tokens.items()}
    billed = [(count, int(dearest[BUCKETS.index(bucket)])) for bucket, count in largest.items()]
    prompt = (int(usage.prompt.max(initial=0)), int(dearest[INPUT]))
    output = (largest["output"], int(dearest[OUTPUT]))
    fits = fits_int64(billed) and fits_int64([prompt, output])
    return np.int64 if fits else object
