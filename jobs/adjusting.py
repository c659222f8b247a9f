"""Discount and tax beside the list price of one workload, as the own prices in force say."""

from __future__ import annotations

from econ.adjusted import AdjustedRow, adjusted_rows
from econ.cards import cards_of
from econ.report import ReportParams
from jobs import reporting
from jobs.shelf import opened

__all__ = ["AdjustedRow", "adjusted"]


def adjusted(workload_id: str, params: ReportParams, owner: str) -> tuple[AdjustedRow, ...]:
    """One row a provider of the workload with a discount or a tax; empty where none is set."""
    found = opened(workload_id, owner)
    asked = reporting.fitted(found.workload, params)
    if not asked.adjustments:
        return ()
    bill = reporting.billed(found, asked)
    return adjusted_rows(
        bill.bill, bill.workload.observed, cards_of(reporting.book()), asked.adjustments
    )
