"""Who bills the rows of the workload that a browser session looks at."""

from __future__ import annotations

from econ import invoices
from econ.billing import Pricing
from econ.cards import cards_of
from econ.report import ReportParams
from econ.report_build import billing_options
from jobs.reporting import billed, book, fitted
from jobs.shelf import opened


def providers_of(workload_id: str, params: ReportParams, owner: str) -> tuple[str, ...]:
    """Who sends a bill for the rows of the period."""
    found = opened(workload_id, owner)
    asked, prices = fitted(found.workload, params), book()
    options = billing_options(found.workload, asked)
    pricing = Pricing(cards=cards_of(prices), options=options, default_at=prices.as_of)
    return invoices.billed_by(billed(found, asked).bill, pricing)
