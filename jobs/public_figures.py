"""One public figure as pages and the shell show it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from data_sources.public import edinet, estat, sec
from data_sources.public.snapshot import BundledFigure
from econ.filing_quarters import Quarter, span_of
from econ.observation import Observation

Origin = Literal["fetched", "snapshot"]
DAY_MONTH = ((0, 6, "day"), (7, 31, "month"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One public figure as it is shown.

    `span` is 'day', 'month', 'quarter', 'half', 'year' or 'instant'. `first` is what was published
    first, None where not known. `derived` is '' or how it was computed. `status` is 'fetched' or
    the standing of the snapshot's reference ('copy', 'filing', 'release', 'press', 'article').
    `link` leads to the document or the place where it was read, '' for none.
    """

    source: str
    series: str
    entity: str
    span: str
    start: date | None
    end: date
    value: Decimal | None
    marker: str
    first: Decimal | None
    unit: str
    currency: str
    vintage: date | None
    derived: str
    document: str
    link: str
    origin: Origin
    status: str
    note: str

    @property
    def restated(self) -> bool:
        """The first publication gave another value."""
        return self.first is not None and self.value is not None and self.first != self.value


def of_quarter(quarter: Quarter, company_id: str, metric: str) -> Figure:
    """A quarter out of filings; its link leads to the newest filing that it needs."""
    newest = max(quarter.inputs, key=lambda one: one.vintage or date.min)
    return Figure(
        source=sec.SOURCE,
        series=metric,
        entity=company_id,
        span="quarter",
        start=quarter.start,
        end=quarter.end,
        value=quarter.value,
        marker="",
        first=quarter.first,
        unit=newest.unit,
        currency=newest.currency,
        vintage=quarter.vintage,
        derived=quarter.derived,
        document=newest.document,
        link=link_of(newest),
        origin="fetched",
        status="fetched",
        note=", ".join(quarter.concepts),
    )


def of_observation(
    one: Observation, bundled: BundledFigure | None, first: Decimal | None
) -> Figure:
    """A published figure; `bundled` where it is of the snapshot."""
    return Figure(
        source=one.source,
        series=one.series,
        entity=one.entity,
        span=bundled.span if bundled else _span_of(one),
        start=one.start,
        end=one.end,
        value=one.value,
        marker=one.marker,
        first=first,
        unit=one.unit,
        currency=one.currency,
        vintage=one.vintage,
        derived=bundled.derived if bundled else "",
        document=one.document,
        link=one.url if bundled else link_of(one),
        origin="snapshot" if bundled else "fetched",
        status=bundled.reference.status if bundled else "fetched",
        note=bundled.note if bundled else "",
    )


def link_of(one: Observation) -> str:
    """Where a person reads what was fetched."""
    if one.source == sec.SOURCE and one.document:
        return sec.filing_url(one.entity, one.document)
    if one.source == edinet.SOURCE and one.document:
        return edinet.document_url(one.document)
    if one.source == estat.SOURCE and one.document:
        return estat.table_url(one.document)
    if one.source == "fred":
        return f"https://fred.stlouisfed.org/series/{one.series}"
    return one.url


def _span_of(one: Observation) -> str:
    if one.start is None:
        return "instant"
    days = (one.end - one.start).days
    short = next((name for low, high, name in DAY_MONTH if low <= days <= high), None)
    return short or span_of(one.start, one.end)


def to_json(figure: Figure) -> dict[str, Any]:
    """A figure as `observations list --json` prints it: days and exact numbers as text."""

    def text(value: Any) -> Any:
        return value if value is None or isinstance(value, str) else str(value)

    return {name: text(getattr(figure, name)) for name in Figure.__slots__}
