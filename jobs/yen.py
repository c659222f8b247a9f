"""Yen: the newest published rate that is kept here, with its own date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from econ.report import CostReport, Rate
from jobs import public_data
from messages.errors import KvledgerError

YEN, YEN_SERIES = "JPY", "DEXJPUS"
YEN_SOURCE = "Federal Reserve H.10, DEXJPUS"


def yen_of_facts() -> Rate | None:
    """The newest published yen rate that is kept here, with its own date; None where there is no
    series or no store to read it from."""
    try:
        figures = public_data.series(YEN_SERIES).figures
    except KvledgerError:
        return None
    known = [figure for figure in figures if figure.value is not None and figure.value > 0]
    if not known:
        return None
    newest = max(known, key=lambda figure: figure.end)
    assert newest.value is not None  # noqa: S101
    return Rate(currency=YEN, per_usd=newest.value, date=newest.end, source=YEN_SOURCE)


def with_yen(report: CostReport, rates: Sequence[Rate] = ()) -> tuple[Rate, ...]:
    """`rates` and, unless one of them or the report's own is in yen, the published yen rate. It
    changes no figure in USD and no report's id."""
    if any(rate.currency == YEN for rate in (*report.rates, *rates)):
        return tuple(rates)
    published = yen_of_facts()
    return tuple(rates) if published is None else (published, *rates)


def dated(report: CostReport) -> CostReport:
    """The report with the published yen rate among its rates, unless it has one in yen already."""
    return replace(report, rates=(*report.rates, *with_yen(report)))
