"""What a cache read costs as a share of ordinary input, provider by provider, over time.

read multiplier = read price / input price of the same row (standard mode, base tier)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from econ.csv_safe import csv_bytes
from price_tables.book import Period, PriceBook

COLUMNS = ("provider", "model", "since", "until", "read_multiplier", "status", "source", "as_of")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPrice:
    """One dated row of a model. `since` None: valid before anything that was collected."""

    provider: str
    provider_name: str
    model: str
    since: date | None
    until: date | None
    multiplier: Decimal
    status: str
    source: str
    as_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """From `since` on, the lowest multiplier that a provider lists, and of which model."""

    provider: str
    provider_name: str
    since: date
    row: ReadPrice


def read_prices(book: PriceBook) -> tuple[ReadPrice, ...]:
    """Every row of a maker's own list that has both prices; other surfaces repeat them."""
    return tuple(
        ReadPrice(
            provider=table.provider,
            provider_name=table.display_name,
            model=model.id,
            since=None if period.valid_from is None else period.valid_from.date(),
            until=_until(period, model.retires_on),
            multiplier=found,
            status=period.status,
            source=period.source,
            as_of=period.as_of,
        )
        for table in book.tables.values()
        if table.maker
        for model in table.models
        for period in model.periods
        if (found := _multiplier(period)) is not None
    )


def _multiplier(period: Period) -> Decimal | None:
    read, base = period.usd_per_mtok.get("read"), period.usd_per_mtok.get("uncached")
    return None if read is None or not base else read / base


def _until(period: Period, retires_on: date | None) -> date | None:
    ends = [end for end in (period.valid_to and period.valid_to.date(), retires_on) if end]
    return min(ends, default=None)


def valid_on(rows: Iterable[ReadPrice], day: date) -> list[ReadPrice]:
    """The dated rows that hold on a day. Undated ones are left out: nobody says since when."""
    return [
        row
        for row in rows
        if row.since and row.since <= day and (row.until is None or day < row.until)
    ]


def steps(rows: Sequence[ReadPrice], until: date) -> tuple[Step, ...]:
    """For each provider its lowest multiplier, at every day up to `until` on which it moved."""
    found: list[Step] = []
    for provider in dict.fromkeys(row.provider for row in rows):
        own = [row for row in rows if row.provider == provider]
        days = {day for row in own for day in (row.since, row.until) if day and day <= until}
        last: Decimal | None = None
        for day in sorted(days):
            lowest = min(valid_on(own, day), key=lambda row: row.multiplier, default=None)
            if lowest is not None and lowest.multiplier != last:
                last = lowest.multiplier
                found.append(
                    Step(provider=provider, provider_name=lowest.provider_name, since=day,
                         row=lowest)
                )  # fmt: skip
    return tuple(found)


def next_day(rows: Sequence[ReadPrice], after: date) -> date | None:
    """The next day on which one of the rows begins or ends."""
    days = [day for row in rows for day in (row.since, row.until) if day and day > after]
    return min(days, default=None)


def read_csv(rows: Iterable[ReadPrice]) -> bytes:
    """Every row as CSV; the multiplier with all its digits, an unknown day empty."""
    return csv_bytes(
        COLUMNS,
        [
            {
                "provider": row.provider,
                "model": row.model,
                "since": "" if row.since is None else row.since.isoformat(),
                "until": "" if row.until is None else row.until.isoformat(),
                "read_multiplier": row.multiplier,
                "status": row.status,
                "source": row.source,
                "as_of": row.as_of,
            }
            for row in rows
        ],
    )
