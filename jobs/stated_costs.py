"""A file of costs as the stated side of a reconciliation."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

from data_sources.traces.cost_exports import StatedCost, read_costs
from data_sources.traces.decode import decode
from data_sources.traces.source import open_path
from econ.report_params import StatedTotal
from jobs.reading import browser_limits

__all__ = ["StatedCost", "stated_cost", "stated_totals"]


def stated_cost(path: Path, name: str) -> StatedCost:
    """What Anthropic's or OpenAI's export of costs says was charged; gzip, encodings and a zip of
    one file are undone. InputError in one sentence. The file stays the caller's."""
    limits = browser_limits()
    with TemporaryDirectory(prefix="kvledger-costs-") as folder:
        return read_costs(decode(open_path(path, name, limits), Path(folder), limits)[0])


def stated_totals(found: Iterable[StatedCost]) -> dict[str, StatedTotal]:
    """Provider -> what its exports say together; several files of one provider are added."""
    by_day: dict[str, dict[date, Decimal]] = {}
    for export in found:
        days = by_day.setdefault(export.provider, {})
        for day, usd in export.by_day.items():
            days[day] = days.get(day, Decimal(0)) + usd
    return {
        provider: StatedTotal(usd=sum(days.values(), Decimal(0)), by_day=dict(sorted(days.items())))
        for provider, days in by_day.items()
    }
