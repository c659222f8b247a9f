"""A workload as rows for a FinOps tool: one a charge period, model and kind of token.

The names follow FOCUS, the FinOps Open Cost and Usage Specification (https://focus.finops.org).
Uncached rows leave out cached tokens: each token stands in one row. Every part is billed by itself
and costs add up to the bill exactly, because a row's cost depends on that row alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

import numpy as np

from econ.bill_sheet import UNPRICED, Bill
from econ.billing import BillingOptions
from econ.billing import bill as bill_of
from econ.cards import CardFor, Payee, cards_of
from econ.days import NO_DAY, day_numbers, day_of
from econ.money import Amount
from econ.policy_rows import priced_tokens
from econ.report_finance import FocusRow
from econ.report_params import ReportParams
from econ.select import select, take_rows
from econ.workload import IntArray, Workload
from price_tables.book import PriceBook, Unpriced

MOST_DAYS = 62
"""Workloads that touch more days have one charge period a month."""


def focus_rows(
    workload: Workload, book: PriceBook, options: BillingOptions, params: ReportParams
) -> list[FocusRow]:
    """The rows of the period of `params`; failed requests that are not billed are left out."""
    chosen = select(workload, params.since, params.until)
    whole = bill_of(chosen, book, options)
    days = day_numbers(whole.usage.since_us, None)
    by_month = len(np.unique(days)) > MOST_DAYS
    cards = cards_of(book)
    found: list[FocusRow] = []
    for (start, end), positions in _periods(days, by_month):
        codes = whole.payee_code[positions]
        for code in np.unique(codes).tolist():
            part = take_rows(chosen, positions[codes == code])
            bill = bill_of(part, book, options)
            billed = whole.observed
            found += _rows_of(bill, whole.payees[code], cards, (start, end), billed=billed)
    return found


Span = tuple[datetime | None, datetime | None]


def _periods(days: IntArray, by_month: bool) -> Iterator[tuple[Span, IntArray]]:
    """Charge periods in their order with the rows that begin in them; undated rows come first."""
    spans = {int(day): _span(int(day), by_month) for day in np.unique(days).tolist()}
    for span in dict.fromkeys(spans.values()):
        inside = [day for day, own in spans.items() if own == span]
        yield span, np.flatnonzero(np.isin(days, inside))


def _span(day: int, by_month: bool) -> Span:
    if day == NO_DAY:
        return None, None
    first, last = day_of(day), day_of(day) + timedelta(days=1)
    if by_month:
        first = first.replace(day=1)
        last = (first + timedelta(days=31)).replace(day=1)
    return _midnight(first), _midnight(last)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _rows_of(
    bill: Bill, payee: Payee, cards: CardFor, span: Span, *, billed: bool
) -> Iterator[FocusRow]:
    card = cards(payee.ref)
    provider, surface, mode = payee.ref.provider, payee.ref.surface, payee.ref.mode
    if not isinstance(card, Unpriced):
        provider, surface, mode = card.provider, card.surface, card.mode
    unpriced = bill.status == UNPRICED
    for bucket, tokens in priced_tokens(bill).items():
        cost = bill.usd_by_bucket.get(bucket, Amount.exactly(0)) if billed else None
        lacking = int(bill.usage.tokens[bucket][unpriced].sum())
        for count, usd in ((int(tokens), cost), (lacking, None)):
            if count:
                yield FocusRow(
                    start=span[0],
                    end=span[1],
                    provider=provider or "",
                    surface=surface or "",
                    mode=mode or "",
                    model=payee.name,
                    bucket=bucket,
                    tokens=count,
                    cost=usd,
                )
