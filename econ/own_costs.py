"""What an hour of one's own hardware makes of a token, and when it beats an API.

Hours are reserved: idle ones cost as much as busy ones.

    busy        usd_per_hour / (tokens_per_s x 3600), in USD a million tokens
    at u        busy / u: the same hour spread over the share u of it that is busy
    break-even  u = busy / the API's blended price; above 1 the API is cheaper at any load

Re-use is applied on both sides: the API's blended input price takes the re-used share at its read
price, and the own rate is the one measured or computed with that share not computed again.
Owning: purchase / life + power x PUE x tariff + overhead.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

HOURS_A_YEAR = Decimal("8766")
"""365.25 days."""
SECONDS_A_DAY = 86_400
MTOK = 1_000_000


def busy_usd_per_mtok(usd_per_hour: Decimal, tokens_per_s: Decimal) -> Decimal:
    """USD a million tokens while busy. Both above zero."""
    if usd_per_hour <= 0 or tokens_per_s <= 0:
        raise ValueError("an hour's price and a rate must be above zero")
    return usd_per_hour * MTOK / (tokens_per_s * 3600)


def at_utilisation(busy: Decimal, utilisation_ratio: Decimal) -> Decimal:
    """USD a million tokens when only that share of the reserved hours is busy (0 < u <= 1)."""
    if not 0 < utilisation_ratio <= 1:
        raise ValueError("utilisation must lie above 0 and at most at 1")
    return busy / utilisation_ratio


def blended_usd_per_mtok(input_usd: Decimal, read_usd: Decimal, reuse_ratio: Decimal) -> Decimal:
    """An API's price of a million input tokens, `reuse_ratio` of which are read from its cache."""
    if not 0 <= reuse_ratio <= 1:
        raise ValueError("a re-use ratio lies between 0 and 1")
    return input_usd * (1 - reuse_ratio) + read_usd * reuse_ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakEvenPoint:
    """Where owning costs what the API costs. `reachable` is False above full load."""

    busy_usd_per_mtok: Decimal
    api_usd_per_mtok: Decimal
    utilisation_ratio: Decimal
    tokens_per_day: Decimal
    reachable: bool


def break_even(
    usd_per_hour: Decimal, tokens_per_s: Decimal, api_usd_per_mtok: Decimal
) -> BreakEvenPoint:
    """The utilisation, and the tokens a day, at which both cost the same."""
    if api_usd_per_mtok <= 0:
        raise ValueError("an API price must be above zero")
    busy = busy_usd_per_mtok(usd_per_hour, tokens_per_s)
    utilisation = busy / api_usd_per_mtok
    return BreakEvenPoint(
        busy_usd_per_mtok=busy,
        api_usd_per_mtok=api_usd_per_mtok,
        utilisation_ratio=utilisation,
        tokens_per_day=utilisation * tokens_per_s * SECONDS_A_DAY,
        reachable=utilisation <= 1,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Owning:
    """An hour of a device that is bought: its parts and their sum, in USD."""

    purchase: Decimal
    power: Decimal
    overhead: Decimal
    total: Decimal


def owning_usd_per_hour(
    *,
    purchase_usd: Decimal,
    life_years: Decimal,
    power_w: Decimal,
    pue: Decimal,
    usd_per_kwh: Decimal,
    overhead_usd_per_hour: Decimal = Decimal(0),
) -> Owning:
    """Straight-line over the life, every hour of the year, at full power."""
    if life_years <= 0 or pue < 1:
        raise ValueError("a life must be above zero and a PUE at least 1")
    purchase = purchase_usd / (life_years * HOURS_A_YEAR)
    power = power_w / 1000 * pue * usd_per_kwh
    return Owning(
        purchase=purchase,
        power=power,
        overhead=overhead_usd_per_hour,
        total=purchase + power + overhead_usd_per_hour,
    )
