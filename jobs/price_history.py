"""What prices were, are and will be: the dated rows of a model, changes that were called off, and
what a cache read costs as a share of input, provider by provider."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

from econ.market_multipliers import Step, read_prices, steps
from jobs import own_prices
from price_tables.load import load_book
from price_tables.match import table_of

__all__ = ["HistoryRow", "Step", "WithdrawnRow", "history_rows", "multiplier_steps", "withdrawn"]

MOST_ROWS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """One dated row of a model's list (standard mode, base tier), USD per million tokens.
    `read_multiplier`: the read price as a share of the input price, None where one is missing."""

    provider: str
    model: str
    valid_from: datetime | None
    valid_to: datetime | None
    input_usd_per_mtok: Decimal
    read_usd_per_mtok: Decimal | None
    output_usd_per_mtok: Decimal
    read_multiplier: Decimal | None
    status: str
    source: str
    as_of: str
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawnRow:
    """A change that was announced for a day and called off: it never applied."""

    provider: str
    model: str
    announced_for: datetime
    input_usd_per_mtok: Decimal | None
    output_usd_per_mtok: Decimal | None
    note: str | None
    source: str
    as_of: str


def history_rows(provider: str | None = None, text: str = "") -> list[HistoryRow]:
    """Every dated row of the models that are asked for and sold by their own list, in order of
    models and time; at most `MOST_ROWS`."""
    book = own_prices.book()
    chosen = [table_of(book, provider)] if provider else list(book.tables.values())
    rows: list[HistoryRow] = []
    for table in chosen:
        for model in table.models if table is not None else ():
            names = (model.id, *model.aliases)
            if not any(text.strip().casefold() in name.casefold() for name in names):
                continue
            for period in model.periods:
                prices = period.usd_per_mtok
                base, read = prices["uncached"], prices.get("read")
                rows.append(
                    HistoryRow(
                        provider=model.provider,
                        model=model.id,
                        valid_from=period.valid_from,
                        valid_to=period.valid_to,
                        input_usd_per_mtok=base,
                        read_usd_per_mtok=read,
                        output_usd_per_mtok=prices["output"],
                        read_multiplier=None if read is None else read / base,
                        status=period.status,
                        source=period.source,
                        as_of=period.as_of,
                        note=period.note,
                    )
                )
    return rows[:MOST_ROWS]


def withdrawn(provider: str | None = None) -> list[WithdrawnRow]:
    """Changes that were announced and called off, newest first."""
    found = [
        WithdrawnRow(
            provider=table.provider,
            model=model.id,
            announced_for=entry.announced_for,
            input_usd_per_mtok=entry.usd_per_mtok.get("uncached"),
            output_usd_per_mtok=entry.usd_per_mtok.get("output"),
            note=entry.note,
            source=entry.source,
            as_of=entry.as_of,
        )
        for table in own_prices.book().tables.values()
        if provider in (None, table.provider)
        for model in table.models
        if model.inherited_from is None
        for entry in model.withdrawn
    ]
    return sorted(found, key=lambda row: row.announced_for, reverse=True)


def multiplier_steps(until: date | None = None) -> tuple[Step, ...]:
    """Each maker's lowest read multiplier on every day up to `until` (default today, UTC) on which
    it moved. Own prices are not in it: it is the market's list."""
    return steps(read_prices(load_book()), until or datetime.now(tz=UTC).date())
