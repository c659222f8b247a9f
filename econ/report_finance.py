"""What finance adds to a report: stated costs explained, discount and tax, rows of charges.

Plain data, part of `econ.report.CostReport`. Money is at list price unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from econ.money import Amount
from econ.report_params import StatedTotal


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedPrice:
    """A constant price in USD per million tokens that reproduces the stated costs of a model."""

    model: str
    usd_per_mtok: Mapping[str, Decimal]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciliation:
    """What the file (or an invoice) states against what was computed; difference = stated -
    computed = the sum of `parts`, in their order. `parts` keys: duplicates, unpriced, not_billed,
    other_days, days_not_stated, lifetime_split, tier, discount, tax, price, unexplained."""

    stated: Amount
    computed: Amount
    difference: Amount
    parts: Mapping[str, Amount]
    fitted: tuple[FittedPrice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceCheck:
    """One provider's stated total against its part of the bill. `found` is None where it bills no
    row of the period."""

    provider: str
    stated: StatedTotal
    found: Reconciliation | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedRow:
    """One provider's list price (as billed where observed, else without caching), the discount
    (negative), the tax on what is left, and the sum of the three. The ratios are those set."""

    provider: str
    observed: bool
    discount_ratio: Decimal
    tax_ratio: Decimal
    list_price: Amount
    discount: Amount
    tax: Amount
    net: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusRow:
    """Tokens of one kind on one model in one charge period [start, end), UTC; None = undated.

    `cost` None = unknown: no price, or a file that does not say what was cached. `bucket` is the
    price table's name of the kind of token. `provider` '' where nobody is known to bill it.
    """

    start: datetime | None
    end: datetime | None
    provider: str
    surface: str
    mode: str
    model: str
    bucket: str
    tokens: int
    cost: Amount | None
