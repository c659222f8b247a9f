"""USD beside the original, at the average of daily rates over the figure's own period."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from econ.market_rates import AverageRate, average_rate
from jobs import public_data
from jobs.public_data import Figure
from ui.market_numerals import money, plain
from ui.numerals import day, md
from ui.words import t

RATES = {"JPY": "DEXJPUS", "KRW": "DEXKOUS"}
"""The daily series that says how much of a currency one USD buys."""


def rate_of(figure: Figure) -> AverageRate | None:
    """The average rate of a figure's period; None where the daily rates at hand are too few."""
    if figure.currency not in RATES or figure.start is None:
        return None
    daily = [(one.end, one.value) for one in public_data.series(RATES[figure.currency]).figures
             if one.value is not None]  # fmt: skip
    return average_rate(daily, figure.start, figure.end)


def beside(figure: Figure) -> str:
    """'= 52,000 M USD at 1,521.3 on average'; nothing for USD or without enough rates."""
    rate = rate_of(figure)
    if rate is None or figure.value is None:
        return ""
    usd = money(rate.to_usd(figure.value).quantize(Decimal(10) ** 6), "USD")
    return t("market.in_usd", usd=usd, rate=plain(rate.per_usd))


def rule(rows: Sequence[Mapping[str, Figure]]) -> str:
    """How amounts were converted, or that they were not and why."""
    figures = [row["revenue"] for row in rows if "revenue" in row]
    if any(rate_of(one) for one in figures):
        return t("market.converted")
    spots = []
    for name in RATES.values():
        found = public_data.series(name).figures
        if found and found[-1].value is not None:
            spots.append(t("market.spot", series=name, value=md(plain(found[-1].value)),
                           day=day(found[-1].end)))  # fmt: skip
    return t("market.not_converted", spots="; ".join(spots))
