"""What an hour of a device can be had for: dated offers and published costs of owners."""

from __future__ import annotations

from decimal import Decimal

from econ.own_costs import Owning, owning_usd_per_hour
from econ.own_device import typed_price
from price_tables.hardware import DeviceSpec

LIFE_YEARS, PUE, USD_PER_KWH, OVERHEAD = (
    Decimal(4), Decimal("1.3"), Decimal("0.10"), Decimal("0.20"),
)  # fmt: skip
"""Assumptions that the reader changes: years, power use effectiveness, tariff, USD an hour."""
TYPED_USD, PURCHASE_USD, POWER_W = Decimal(2), Decimal(30_000), 700
"""Where nothing is stated: an hour, a device, its power. The reader types their own."""


def offers(device: DeviceSpec) -> dict[str, tuple[Decimal, str, str]]:
    """USD an hour of one device by name, with source and day; empty where nobody states one."""
    found: dict[str, tuple[Decimal, str, str]] = {}
    band, owned = device.hourly_band(), device.ownership
    usd = typed_price(device)
    if usd is not None:
        found["on_demand_median"] = (usd, "", "")
    elif band is not None:
        source = "; ".join(dict.fromkeys(offer.source for offer in device.hourly))
        for name, each in (("median", band.median), ("low", band.low), ("high", band.high)):
            found[f"on_demand_{name}"] = (each, source, band.newest)
    if owned is not None:
        for name in ("rental_3y", "hyperscaler", "neocloud"):
            key = "owner" if name == "hyperscaler" else name
            found[key] = (getattr(owned, name), owned.source, owned.as_of)
    return found


def first_offer(device: DeviceSpec) -> tuple[Decimal, str, str]:
    """What is taken before anything is chosen: the first offer, else what owning costs where a
    purchase price is stated, else a number to type over."""
    known = next(iter(offers(device).values()), None)
    if known is not None:
        return known
    price = device.purchase_usd
    if price is not None:
        return owned(device).total, device.source, device.as_of
    return TYPED_USD, "", ""


def owned(device: DeviceSpec) -> Owning:
    """An hour of a device that is bought, by the assumptions above."""
    return owning_usd_per_hour(
        purchase_usd=purchase_usd(device),
        life_years=LIFE_YEARS,
        power_w=power_kw(device) * 1000,
        pue=PUE,
        usd_per_kwh=USD_PER_KWH,
        overhead_usd_per_hour=OVERHEAD,
    )


def purchase_usd(device: DeviceSpec) -> Decimal:
    """The middle of the stated purchase price."""
    return PURCHASE_USD if device.purchase_usd is None else device.purchase_usd.mid


def power_kw(device: DeviceSpec) -> Decimal:
    """All-in power where it is published, else the device's own limit."""
    owner = device.ownership
    return Decimal(device.tdp_w or POWER_W) / 1000 if owner is None else owner.all_in_kw
