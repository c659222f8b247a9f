"""An invoice that was typed in, against the workload that a browser session looks at."""

from __future__ import annotations

from decimal import Decimal

from econ import invoices
from econ.billing import Pricing
from econ.cards import cards_of
from econ.report import Reconciliation, ReportParams
from econ.report_build import Billed, bill_period, billing_options
from jobs.reporting import book, fitted
from jobs.shelf import opened


def providers_of(workload_id: str, params: ReportParams, owner: str) -> tuple[str, ...]:
    """Who sends a bill for the rows of the period."""
    billed, _, pricing = _billed(workload_id, params, owner)
    return invoices.billed_by(billed.bill, pricing)


def reconcile_invoice(
    workload_id: str, params: ReportParams, owner: str, provider: str, usd: Decimal
) -> Reconciliation | None:
    """The invoice total of `provider` against its part of the bill; None where it bills nothing."""
    billed, asked, pricing = _billed(workload_id, params, owner)
    return invoices.reconcile_invoice(billed.workload, billed.bill, asked, pricing, provider, usd)


def _billed(
    workload_id: str, params: ReportParams, owner: str
) -> tuple[Billed, ReportParams, Pricing]:
    workload = opened(workload_id, owner).workload
    asked, prices = fitted(workload, params), book()
    options = billing_options(workload, asked)
    pricing = Pricing(cards=cards_of(prices), options=options, default_at=prices.as_of)
    return bill_period(workload, prices, asked), asked, pricing
