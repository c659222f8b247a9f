"""One currency beside the original: the average of FRED's daily rates over a figure's period."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from jobs import public_data
from jobs.public_figures import Figure, Origin

UNITS_PER_USD: Mapping[str, str] = {"JPY": "DEXJPUS", "KRW": "DEXKOUS"}
TRADING_SHARE = Decimal("0.6")
"""Five of seven days are quoted, less holidays; below this share of all days the average is of a
part of the period and says so."""

Coverage = Literal["whole", "part"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodRate:
    """Units of `currency` for one US dollar, averaged over `days` daily quotes from `first` to
    `last`. `coverage` 'part': quotes do not cover the period that was asked for."""

    currency: str
    series: str
    units_per_usd: Decimal
    days: int
    first: date
    last: date
    coverage: Coverage
    origin: Origin


def period_rate(currency: str, start: date, end: date) -> PeriodRate | None:
    """The average over a period; None where no quote of the period is known. Days without a quote
    (weekends, holidays) are left out, as the Federal Reserve's own averages do."""
    series = UNITS_PER_USD.get(currency)
    if series is None:
        return None
    quotes = [
        (figure.end, figure.value, figure.origin)
        for figure in public_data.series(series).figures
        if start <= figure.end <= end and figure.value is not None
    ]
    if not quotes:
        return None
    whole = len(quotes) >= TRADING_SHARE * ((end - start).days + 1)
    return PeriodRate(
        currency=currency,
        series=series,
        units_per_usd=sum((value for _, value, _ in quotes), Decimal(0)) / len(quotes),
        days=len(quotes),
        first=quotes[0][0],
        last=quotes[-1][0],
        coverage="whole" if whole else "part",
        origin="snapshot" if any(origin == "snapshot" for _, _, origin in quotes) else "fetched",
    )


def in_usd(figure: Figure) -> tuple[Decimal, PeriodRate | None] | None:
    """A figure in US dollars with the rate that was used (None: it is in dollars already). None
    where it is missing, no money, or no rate of its period is known."""
    if figure.value is None or not figure.currency:
        return None
    if figure.currency == "USD":
        return figure.value, None
    rate = period_rate(figure.currency, figure.start or figure.end, figure.end)
    return None if rate is None else (figure.value / rate.units_per_usd, rate)
