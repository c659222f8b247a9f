"""What each provider says it charged, against that provider's part of the bill."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np

from econ.bill_sheet import Bill
from econ.billing import Pricing
from econ.days import DAY_US, NO_DAY, day_numbers, day_of
from econ.money import Amount, e13_from_usd
from econ.reconcile import Stated, reconcile
from econ.report import InvoiceCheck, Reconciliation, ReportParams, StatedTotal
from econ.select import take_rows
from econ.usage import Usage
from econ.workload import IntArray, Workload
from price_tables.book import Unpriced


def billed_by(bill: Bill, pricing: Pricing) -> tuple[str, ...]:
    """Who sends a bill for these rows, in the order of their rows' first names; rows that nobody is
    known to bill belong to none."""
    cards = [pricing.cards(payee.ref) for payee in bill.payees]
    return tuple(dict.fromkeys(card.provider for card in cards if not isinstance(card, Unpriced)))


def check_invoices(
    workload: Workload, bill: Bill, params: ReportParams, pricing: Pricing
) -> tuple[InvoiceCheck, ...]:
    """Every total of `params.invoices` against the rows of its provider."""
    return tuple(
        InvoiceCheck(
            provider=provider,
            stated=stated,
            found=_checked(workload, bill, params, pricing, (provider, stated)),
        )
        for provider, stated in params.invoices.items()
    )


def _checked(
    workload: Workload,
    bill: Bill,
    params: ReportParams,
    pricing: Pricing,
    said: tuple[str, StatedTotal],
) -> Reconciliation | None:
    """Where costs and rows both say their days, the days that only one of them has are parts of
    their own, and the other causes are looked for on the days that both have."""
    provider, stated = said
    rows = _rows_of(bill, pricing, provider)
    if not len(rows):
        return None
    days = _days(bill.usage, rows) if stated.by_day else None
    if days is None:
        return _reconciled(workload, rows, stated.usd, params, pricing)
    both = {day_of(int(day)) for day in np.unique(days)} & stated.by_day.keys()
    inside = np.array([day_of(int(day)) in both for day in days])
    outside = Amount.exactly(e13_from_usd(_usd_of(stated, both)))
    lacking = pricing.bill(take_rows(workload, rows[~inside])).billed.amount
    if not inside.any():
        return _joined(None, lacking, outside)
    known = stated.usd - outside.low_usd
    return _joined(_reconciled(workload, rows[inside], known, params, pricing), lacking, outside)


def _usd_of(stated: StatedTotal, both: set[date]) -> Decimal:
    """What is stated for days on which the workload has no row of the provider."""
    return sum((usd for day, usd in stated.by_day.items() if day not in both), Decimal(0))


def _rows_of(bill: Bill, pricing: Pricing, provider: str) -> IntArray:
    cards = [pricing.cards(payee.ref) for payee in bill.payees]
    numbers = [
        number
        for number, card in enumerate(cards)
        if not isinstance(card, Unpriced) and card.provider == provider
    ]
    return np.flatnonzero(np.isin(bill.payee_code, numbers))


def _days(usage: Usage, rows: IntArray) -> IntArray | None:
    """The UTC day of each row; None where one has no day, or is the sum of several."""
    first = day_numbers(usage.since_us[rows], None)
    if bool((first == NO_DAY).any()):
        return None
    stretched = usage.is_bucket[rows]
    last = np.where(stretched, (usage.until_us[rows] - 1) // DAY_US, first)
    return None if bool((last > first).any()) else first


def _reconciled(
    workload: Workload, rows: IntArray, usd: Decimal, params: ReportParams, pricing: Pricing
) -> Reconciliation | None:
    part = take_rows(workload, rows)
    stated = Stated(invoice_usd=usd)
    return reconcile(part, pricing.bill(part), stated, params.adjustments, pricing)


def _joined(found: Reconciliation | None, lacking: Amount, outside: Amount) -> Reconciliation:
    """`found` of the days in common, with what only one side has: computed `lacking` from the
    export, stated `outside` of the workload's days."""
    parts = {"other_days": outside, "days_not_stated": lacking.negated()}
    first = {name: part for name, part in parts.items() if part.low_e13 or part.high_e13}
    if found is None:
        return Reconciliation(
            stated=outside,
            computed=lacking,
            difference=outside + lacking.negated(),
            parts=first,
        )
    return replace(
        found,
        stated=found.stated + outside,
        computed=found.computed + lacking,
        difference=found.difference + outside + lacking.negated(),
        parts={**first, **found.parts},
    )
