"""What is really paid beside the list price: each provider's discount, and the tax after it.

net = list * (1 - discount_ratio) * (1 + tax_ratio), columns of their own: no baseline and no saving
ever contains them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from econ.bill_sheet import Bill
from econ.cards import CardFor
from econ.money import Amount, rounded, total
from econ.report_finance import AdjustedRow
from econ.report_params import Adjustment
from price_tables.book import Unpriced


def adjusted_rows(
    bill: Bill, observed: bool, cards: CardFor, adjustments: Mapping[str, Adjustment]
) -> tuple[AdjustedRow, ...]:
    """A row for each provider of the bill that has a discount or a tax; empty without any."""
    ends = bill.billed if observed else bill.no_cache
    sums: dict[str, list[int]] = {}
    for number, payee in enumerate(bill.payees):
        card = cards(payee.ref)
        if isinstance(card, Unpriced) or card.provider not in adjustments:
            continue
        rows = np.asarray(bill.payee_code == number)
        low, high = sums.setdefault(card.provider, [0, 0])
        sums[card.provider] = [low + total(ends.low[rows]), high + total(ends.high[rows])]
    return tuple(
        _row(provider, observed, low, high, adjustments[provider])
        for provider, (low, high) in sums.items()
    )


def _row(provider: str, observed: bool, low: int, high: int, said: Adjustment) -> AdjustedRow:
    off = [rounded(-end * Fraction(said.discount_ratio)) for end in (low, high)]
    left = [low + off[0], high + off[1]]
    tax = [rounded(end * Fraction(said.tax_ratio)) for end in left]
    return AdjustedRow(
        provider=provider,
        observed=observed,
        discount_ratio=said.discount_ratio,
        tax_ratio=said.tax_ratio,
        list_price=Amount(low_e13=low, high_e13=high),
        discount=Amount(low_e13=min(off), high_e13=max(off)),
        tax=Amount(low_e13=tax[0], high_e13=tax[1]),
        net=Amount(low_e13=left[0] + tax[0], high_e13=left[1] + tax[1]),
    )
