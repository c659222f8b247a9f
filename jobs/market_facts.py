"""Dated facts behind the market's pages: HBM, power, read prices, claims of an article alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime

from econ import market_dates
from econ.market_multipliers import ReadPrice, read_prices
from jobs import public_data
from price_tables.articles import Figure
from price_tables.articles_load import load_articles
from price_tables.facts_load import load_hbm, load_power, load_watch
from price_tables.hbm import HbmFacts
from price_tables.load import load_book
from price_tables.power import PowerFacts
from price_tables.watch import WatchFacts


def hbm() -> HbmFacts:
    """Makers' shares, generations and prices of a GB."""
    return load_hbm()


def power() -> PowerFacts:
    """Power scenarios, each of one source."""
    return load_power()


def reads() -> tuple[ReadPrice, ...]:
    """What makers ask for a cache read, row by row of the price book."""
    return read_prices(load_book())


def book_day() -> str:
    """The price book's own date."""
    return load_book().version


def watched() -> WatchFacts:
    """Dated events of the numbers that are watched."""
    return load_watch()


def next_results(company: str) -> date | None:
    """When a company's next quarterly results are to be looked for, by the distance of its last
    ones from their quarter; None where no day of publication is known."""
    dated = [one for one in public_data.filings(company, "revenue") if one.vintage is not None]
    if not dated or dated[-1].vintage is None:
        return None
    return market_dates.next_results(dated[-1].end, dated[-1].vintage, today())


def claims(ids: Sequence[str]) -> list[Figure]:
    """Figures that an article prints, by id, in the order of the file; unknown ids are left out."""
    return [figure for figure in load_articles().figures if figure.id in ids]


def today() -> date:
    """The UTC day."""
    return datetime.now(tz=UTC).date()
