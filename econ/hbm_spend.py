"""From GB-hours to dollars of HBM, and to whom they go.

    USD a GB-hour   price of a GB / (life in years x 8,766 h)
    spend           GB-hours x that; KV and weights apart
    by maker        spend x published share; shares that add to 101 stay so, and so does the sum

The price is an estimate of contract prices and comes as low, mid and high.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from econ.own_costs import HOURS_A_YEAR
from price_tables.hbm import GbPrice, Share

GB = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class UsdBand:
    """A low, a middle and a high amount in USD."""

    low: Decimal
    mid: Decimal
    high: Decimal

    def times(self, factor: float | Decimal) -> UsdBand:
        """The band, `factor` times."""
        by = factor if isinstance(factor, Decimal) else Decimal(repr(factor))
        return UsdBand(low=self.low * by, mid=self.mid * by, high=self.high * by)

    def plus(self, other: UsdBand) -> UsdBand:
        """The sum of two bands that are low, or high, together."""
        return UsdBand(
            low=self.low + other.low, mid=self.mid + other.mid, high=self.high + other.high
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HbmSpend:
    """HBM dollars of one workload.

    kv, weights: GB-hours over the device's life; peak: buying the GB of the fullest moment.
    by_maker: kv and weights together x share, which adds to `share_total` per cent of them.
    """

    kv_gb_hours: float
    weights_gb_hours: float
    kv: UsdBand
    weights: UsdBand
    peak: UsdBand
    by_maker: Mapping[str, UsdBand]
    share_total: Decimal


def hour_price(price: GbPrice, life_years: Decimal) -> UsdBand:
    """USD for a GB and an hour: the purchase spread evenly over the life."""
    if life_years <= 0:
        raise ValueError("a life must be above zero")
    hours = life_years * HOURS_A_YEAR
    return UsdBand(low=price.low / hours, mid=price.mid / hours, high=price.high / hours)


def hbm_spend(
    price: GbPrice,
    share: Share,
    *,
    life_years: Decimal,
    kv_gb_hours: float,
    weights_bytes: int,
    hours: float,
    peak_bytes: float,
) -> HbmSpend:
    """The dollars of `kv_gb_hours`, of weights that lie there for `hours`, and of the peak."""
    each = hour_price(price, life_years)
    weights_gb_hours = weights_bytes / GB * hours
    kv, weights = each.times(kv_gb_hours), each.times(weights_gb_hours)
    both = kv.plus(weights)
    bought = UsdBand(low=price.low, mid=price.mid, high=price.high)
    return HbmSpend(
        kv_gb_hours=kv_gb_hours,
        weights_gb_hours=weights_gb_hours,
        kv=kv,
        weights=weights,
        peak=bought.times(peak_bytes / GB),
        by_maker={m: both.times(percent / 100) for m, percent in share.by_maker().items()},
        share_total=share.total,
    )
