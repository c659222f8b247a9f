"""Which models of a report were billed at a price that the reader has entered."""

from __future__ import annotations

from econ.report import CostReport, GroupRow
from econ.report_id import OWN


def models_at_own_price(report: CostReport) -> frozenset[str]:
    """Ids of models with at least one price row of the reader's own behind a figure."""
    return frozenset(
        source.model
        for figure in report.figures.values()
        for source in figure.sources
        if source.source == OWN
    )


def is_own(row: GroupRow, own: frozenset[str]) -> bool:
    """A row by model that such a price is behind."""
    return row.by == "model" and (row.key or row.priced_as) in own
