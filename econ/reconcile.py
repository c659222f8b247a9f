"""What the file or the invoice states against what was computed, and where the difference is from.

Each part is found by computing again, in a fixed order. A way of counting (one lifetime for all
writes, no long-prompt tier) is taken as explanation only where it brings the two amounts closer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np

from econ.bill_sheet import NOT_BILLED, UNPRICED, Bill
from econ.billing import Pricing
from econ.cards import CardFor, ModelRef
from econ.fit import fit_prices
from econ.money import Amount, MoneyArray, e13_from_usd, rounded, total
from econ.report import Adjustment, FittedPrice, Reconciliation
from econ.usage import BoolArray
from econ.workload import EMPTY_COST, Workload
from price_tables.book import RateCard, Unpriced

SHORTER = {
    "cache_write_1h_tokens": "cache_write_5m_tokens",
    "cache_write_12h_tokens": "cache_write_30m_tokens",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What to reconcile with: the rows' own costs (`collapsed_e13`: of merged duplicates, None
    where those state none), or the total of an invoice instead."""

    collapsed_e13: int | None = None
    invoice_usd: Decimal | None = None


def reconcile(
    workload: Workload,
    bill: Bill,
    stated: Stated,
    adjustments: Mapping[str, Adjustment],
    pricing: Pricing,
) -> Reconciliation | None:
    """The reconciliation of `bill`; None where neither the rows nor an invoice state a cost. Only
    rows that state a cost are compared, all rows with an invoice."""
    costs = workload.ints("observed_cost_e13")
    says = costs != EMPTY_COST
    if stated.invoice_usd is not None:
        ledger = _Ledger(e13_from_usd(stated.invoice_usd), bill, np.ones_like(says))
    elif says.any() or stated.collapsed_e13 is not None:
        ledger = _from_rows(np.where(says, costs, 0), says, stated, bill)
    else:
        return None
    ledger.try_counting("lifetime_split", one_lifetime(workload), pricing)
    base_tier = replace(pricing, cards=base_tier_cards(pricing.cards))
    ledger.try_counting("tier", ledger.workload or workload, base_tier)
    ledger.adjust(adjustments, pricing.cards)
    fitted = () if stated.invoice_usd is not None else ledger.fit(costs)
    return ledger.closed(fitted)


def one_lifetime(workload: Workload) -> Workload:
    """The same workload with every write at the shorter lifetime of its provider."""
    columns = dict(workload.columns)
    for longer, shorter in SHORTER.items():
        if workload.has(longer):
            columns[shorter] = workload.counts(longer) + workload.counts(shorter)
            del columns[longer]
    return replace(workload, columns=columns)


def base_tier_cards(cards: CardFor) -> CardFor:
    """The same cards without their long-prompt tiers."""

    def find(ref: ModelRef) -> RateCard | Unpriced:
        card = cards(ref)
        if isinstance(card, Unpriced):
            return card
        base = tuple(s for s in card.segments if s.above_tokens == 0)
        return replace(card, segments=base)

    return find


def _from_rows(known: MoneyArray, says: BoolArray, stated: Stated, bill: Bill) -> _Ledger:
    collapsed = stated.collapsed_e13 or 0
    ledger = _Ledger(total(known) + collapsed, bill, says)
    ledger.add("duplicates", collapsed)
    ledger.add("unpriced", total(known[bill.status == UNPRICED]))
    ledger.add("not_billed", total(known[bill.status == NOT_BILLED]))
    return ledger


class _Ledger:
    """The parts found so far; `rest` is what they leave unexplained, at the low end of the bill."""

    def __init__(self, stated_e13: int, bill: Bill, rows: BoolArray) -> None:
        self.stated, self.first, self.bill, self.rows = stated_e13, bill, bill, rows
        self.workload: Workload | None = None
        self.parts: dict[str, int] = {}
        self.rest = stated_e13 - self._computed(bill).low_e13

    def add(self, name: str, part_e13: int) -> None:
        """A part of the difference; zero parts are not listed."""
        if part_e13:
            self.parts[name] = self.parts.get(name, 0) + part_e13
            self.rest -= part_e13

    def try_counting(self, name: str, workload: Workload, pricing: Pricing) -> None:
        """Bill again this way; keep it if every row keeps its status and the rest shrinks."""
        if not self.rest:
            return
        other = pricing.bill(workload)
        if bool((other.status != self.bill.status).any()):
            return
        part = self._computed(other).low_e13 - self._computed(self.bill).low_e13
        if abs(self.rest - part) < abs(self.rest):
            self.add(name, part)
            self.bill, self.workload = other, workload

    def adjust(self, adjustments: Mapping[str, Adjustment], cards: CardFor) -> None:
        """Discount and tax as set, on what was computed for each provider."""
        for number, payee in enumerate(self.bill.payees):
            card = cards(payee.ref)
            known = None if isinstance(card, Unpriced) else adjustments.get(card.provider)
            if known is None:
                continue
            rows = self.rows & (self.bill.payee_code == number)
            computed = total(self.bill.billed.low[rows])
            discount = rounded(-computed * Fraction(known.discount_ratio))
            self.add("discount", discount)
            self.add("tax", rounded((computed + discount) * Fraction(known.tax_ratio)))

    def fit(self, costs: MoneyArray) -> tuple[FittedPrice, ...]:
        """Models whose stated costs follow from constant prices: their gap is the price part."""
        fitted = []
        for number, payee in enumerate(self.bill.payees):
            rows = self.rows & self.bill.priced & (self.bill.payee_code == number)
            gap = total(costs[rows]) - total(self.bill.billed.low[rows])
            if not self.rest or not gap:
                continue
            tokens = {b: c[rows] for b, c in self.bill.usage.tokens.items()}
            prices = fit_prices(tokens, costs[rows])
            if prices is not None:
                self.add("price", gap)
                fitted.append(FittedPrice(model=payee.name, usd_per_mtok=prices))
        return tuple(fitted)

    def closed(self, fitted: tuple[FittedPrice, ...]) -> Reconciliation:
        """The finished reconciliation. Where the bill is a range, so are the rest and the sums."""
        computed = self._computed(self.first)
        width = computed.high_e13 - computed.low_e13
        parts = {name: Amount.exactly(part) for name, part in self.parts.items()}
        if self.rest or width:
            parts["unexplained"] = Amount(low_e13=self.rest - width, high_e13=self.rest)
        return Reconciliation(
            stated=Amount.exactly(self.stated),
            computed=computed,
            difference=Amount(
                low_e13=self.stated - computed.high_e13, high_e13=self.stated - computed.low_e13
            ),
            parts=parts,
            fitted=fitted,
        )

    def _computed(self, bill: Bill) -> Amount:
        return Amount(
            low_e13=total(bill.billed.low[self.rows]), high_e13=total(bill.billed.high[self.rows])
        )
