"""One provider's invoice against that provider's part of the bill."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from econ.bill_sheet import Bill
from econ.billing import Pricing
from econ.reconcile import Stated, reconcile
from econ.report import Reconciliation, ReportParams
from econ.select import take_rows
from econ.workload import Workload
from price_tables.book import Unpriced


def billed_by(bill: Bill, pricing: Pricing) -> tuple[str, ...]:
    """Who sends a bill for these rows, in the order of their rows' first names; rows that nobody is
    known to bill belong to none."""
    cards = [pricing.cards(payee.ref) for payee in bill.payees]
    return tuple(dict.fromkeys(card.provider for card in cards if not isinstance(card, Unpriced)))


def reconcile_invoice(
    workload: Workload,
    bill: Bill,
    params: ReportParams,
    pricing: Pricing,
    provider: str,
    invoice_usd: Decimal,
) -> Reconciliation | None:
    """`invoice_usd` of `provider` against the rows that it bills; None where it bills none."""
    cards = [pricing.cards(payee.ref) for payee in bill.payees]
    numbers = [
        number
        for number, card in enumerate(cards)
        if not isinstance(card, Unpriced) and card.provider == provider
    ]
    rows = np.flatnonzero(np.isin(bill.payee_code, numbers))
    if not len(rows):
        return None
    part = take_rows(workload, rows)
    stated = Stated(invoice_usd=invoice_usd)
    return reconcile(part, pricing.bill(part), stated, params.adjustments, pricing)
