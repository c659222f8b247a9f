"""Which premiums the price book holds, which rents stand beside them, and which lie above.

Rents of a GB on a device, in USD an hour (`econ.implied_rent` has the formulas):

    owner's share   ownership cost x the memory's share of the bill of materials / GB
    owner           ownership cost / GB, of a hyperscaler and of a specialised cloud
    rental          three-year rental / GB
    on demand       low, median, high of the dated offers / GB

The first says what the memory alone costs its owner; the others charge it for the whole device.
GB are those that are sold. Memory that is bought (DRAM, SSD) is spread over a life.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from econ.cache_rules import LIFETIME_S
from econ.implied_rent import HOUR_S, Premium, Rent, rent_of_bought_memory, rent_of_memory
from econ.own_costs import HOURS_A_YEAR
from econ.own_device import typed_price
from price_tables.book import STORAGE, PriceBook, Segment, Unpriced
from price_tables.hardware import DeviceSpec
from price_tables.lookup import price_at, rate_card
from price_tables.tiers import TierSpec

DEFAULT_LIFE_YEARS = Decimal(4)
INPUT, STORED = "uncached", "storage"
WRITES = {f"write_{name}": seconds for name, seconds in LIFETIME_S.items()}
SHARE, OWNER, NEOCLOUD, RENTAL = "owner_share", "owner", "neocloud", "rental_3y"
ON_DEMAND = ("on_demand_low", "on_demand_median", "on_demand_high")


def premiums(
    book: PriceBook,
    at: datetime,
    *,
    providers: Sequence[str] = (),
    models: Sequence[str] = (),
) -> tuple[Premium, ...]:
    """Every write premium above zero and every storage fee at `at`: base tier, standard mode,
    default surface, off peak. All providers and models where none is named."""
    found: list[Premium] = []
    for provider, table in book.tables.items():
        if providers and provider not in providers:
            continue
        for model in table.models:
            if models and not {model.id, *model.aliases} & set(models):
                continue
            card = rate_card(book, provider=provider, model=model.id)
            row = card if isinstance(card, Unpriced) else price_at(card, at, 1)
            if isinstance(row, Segment):
                found += _of_row(provider, model.id, row)
    return tuple(found)


def _of_row(provider: str, model: str, row: Segment) -> Iterator[Premium]:
    prices = row.usd_per_mtok
    extra = {
        kind: (prices[kind] - prices[INPUT], seconds)
        for kind, seconds in WRITES.items()
        if kind in prices and INPUT in prices
    }
    if STORAGE in prices:
        extra[STORED] = (prices[STORAGE], HOUR_S)
    for kind, (usd, lifetime_s) in extra.items():
        if usd > 0:
            yield Premium(
                provider=provider, model=model, kind=kind, usd_per_mtok=usd, lifetime_s=lifetime_s,
                source=row.source, as_of=row.as_of,
            )  # fmt: skip


def rents(device: DeviceSpec) -> tuple[Rent, ...]:
    """The named rents of a GB on `device`, lowest kind first; only those that have figures."""
    return tuple(_rents(device))


def _rents(device: DeviceSpec) -> Iterator[Rent]:
    gb, owned, made = device.label_gb, device.ownership, device.bill_of_materials

    def rent(name: str, usd: Decimal, source: str, as_of: str) -> Rent:
        each = rent_of_memory(usd, gb)
        return Rent(name=name, usd_per_gb_hour=each, source=source, as_of=as_of)

    if owned is not None and made is not None:
        source = f"{owned.source}; {made.source}"
        yield rent(SHARE, owned.hyperscaler * made.memory_ratio, source, owned.as_of)
    if owned is not None:
        yield rent(OWNER, owned.hyperscaler, owned.source, owned.as_of)
        yield rent(NEOCLOUD, owned.neocloud, owned.source, owned.as_of)
        yield rent(RENTAL, owned.rental_3y, owned.source, owned.as_of)
    band, typed = device.hourly_band(), typed_price(device)
    if typed is not None:
        yield rent("on_demand_median", typed, "", "")
    elif band is not None:
        sources = "; ".join(dict.fromkeys(offer.source for offer in device.hourly))
        for name, usd in zip(ON_DEMAND, (band.low, band.median, band.high), strict=True):
            yield rent(name, usd, sources, band.newest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bought:
    """A GB that is bought, spread over a life: without the server, power or place around it."""

    tier: str
    low: Decimal
    mid: Decimal
    high: Decimal
    source: str
    as_of: str


def bought(tier: TierSpec, life_years: Decimal = DEFAULT_LIFE_YEARS) -> Bought | None:
    """USD a GB and hour of a tier's memory; None where it has no public price."""
    price = tier.usd_per_gb
    if price is None:
        return None
    hours = life_years * HOURS_A_YEAR
    return Bought(
        tier=tier.id,
        low=rent_of_bought_memory(price.low, hours),
        mid=rent_of_bought_memory(price.mid, hours),
        high=rent_of_bought_memory(price.high, hours),
        source=price.source,
        as_of=price.as_of,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The rents that a premium lies above, those it lies below, and those in between where bytes
    per token are a band."""

    premium: Premium
    low_usd_per_gb_hour: Decimal
    high_usd_per_gb_hour: Decimal
    above: tuple[Rent, ...]
    below: tuple[Rent, ...]
    between: tuple[Rent, ...]


def verdict(
    premium: Premium,
    named: Iterable[Rent],
    low_bytes_per_token: Decimal,
    high_bytes_per_token: Decimal | None = None,
) -> Verdict:
    """Where the premium lies at that many bytes a token, or anywhere in the band of them. More
    bytes make the implied rent smaller. An equal rent counts as one that it does not exceed."""
    high = premium.usd_per_gb_hour(low_bytes_per_token)
    low = premium.usd_per_gb_hour(high_bytes_per_token or low_bytes_per_token)
    if low > high:
        raise ValueError("bytes per token must rise from low to high")
    rows = tuple(named)
    above = tuple(rent for rent in rows if rent.usd_per_gb_hour < low)
    below = tuple(rent for rent in rows if rent.usd_per_gb_hour >= high)
    return Verdict(
        premium=premium,
        low_usd_per_gb_hour=low,
        high_usd_per_gb_hour=high,
        above=above,
        below=below,
        between=tuple(rent for rent in rows if rent not in above and rent not in below),
    )
