"""Why one period cost more than another: volume, mix, caching and price, adding up exactly.

With T tokens, C cost, N no-caching cost per (provider, surface, model, mode) m, and period 1 at the
prices of period 0's last moment written C1@0, N1@0:
volume = C0 (T1/T0 - 1); price = C1 - C1@0; caching = (C1@0 - N1@0) - sum_m T1m (C0m - N0m)/T0m;
mix = the rest. A model that is new in period 1 brings its own C1@0 and N1@0 per token.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from fractions import Fraction

import numpy as np

from econ.bill_sheet import Bill
from econ.billing import Pricing
from econ.cards import ModelRef
from econ.money import Amount, grouped_totals, rounded, total
from econ.price_sources import merged
from econ.report import Change, Period
from econ.select import select
from econ.usage import BoolArray
from econ.workload import Workload
from messages.errors import Message, input_error


@dataclass(frozen=True, slots=True)
class Spend:
    """One model's tokens (prompt and output), its cost and its no-caching cost in 1e-13 USD."""

    tokens: int
    cost_e13: int
    no_cache_e13: int

    def __add__(self, other: Spend) -> Spend:
        return Spend(
            self.tokens + other.tokens,
            self.cost_e13 + other.cost_e13,
            self.no_cache_e13 + other.no_cache_e13,
        )


Spends = Mapping[ModelRef, Spend]


@dataclass(frozen=True, slots=True)
class Parts:
    """The four parts of a change in 1e-13 USD, signed; their sum is the change."""

    volume_e13: int
    mix_e13: int
    caching_e13: int
    price_e13: int


def change_between(workload: Workload, periods: tuple[Period, Period], pricing: Pricing) -> Change:
    """The change of cost from the first to the second period. Costs are as billed where the file
    says it, else without caching. Raises InputError where a period holds nothing that is priced.
    """
    bills = [_bill(workload, period, pricing) for period in periods]
    part = select(workload, periods[1].since, periods[1].until)
    at_old_prices = replace(pricing.options, at=_last_moment(periods[0]))
    repriced = replace(pricing, options=at_old_prices).bill(part)
    both = bills[1].priced & repriced.priced
    before, after = _spends(bills[0], bills[0].priced), _spends(bills[1], bills[1].priced)
    # What had no price yet at the end of period 0 keeps its own: its price effect is zero.
    at_old = _merged(_spends(repriced, both), _spends(bills[1], bills[1].priced & ~both))
    parts = decompose(before, after, at_old)
    return Change(
        from_period=periods[0],
        to_period=periods[1],
        volume=Amount.exactly(parts.volume_e13),
        mix=Amount.exactly(parts.mix_e13),
        caching=Amount.exactly(parts.caching_e13),
        price=Amount.exactly(parts.price_e13),
        total=Amount.exactly(_all(after).cost_e13 - _all(before).cost_e13),
        assumptions=_assumptions(bills, int((bills[1].priced & ~both).sum())),
        sources=merged(source for bill in (*bills, repriced) for source in bill.sources),
    )


def decompose(before: Spends, after: Spends, after_at_old: Spends) -> Parts:
    """The parts for spends by model: period 0, period 1, and period 1 at period 0's last prices.

    `before` must hold tokens. Volume and caching are rounded half-up to 1e-13 USD, mix is the rest.
    """
    zero, one, one_at_old = _all(before), _all(after), _all(after_at_old)
    volume = rounded(zero.cost_e13 * (Fraction(one.tokens, zero.tokens) - 1))
    price = one.cost_e13 - one_at_old.cost_e13
    expected = sum(
        (_expected_gap(before.get(ref), spend) for ref, spend in after_at_old.items()), Fraction(0)
    )
    caching = rounded(one_at_old.cost_e13 - one_at_old.no_cache_e13 - expected)
    mix = one.cost_e13 - zero.cost_e13 - volume - price - caching
    return Parts(volume, mix, caching, price)


def _expected_gap(old: Spend | None, new: Spend) -> Fraction:
    """C - N that period 1's tokens would have had with period 0's caching."""
    like = old if old is not None and old.tokens else new
    if not like.tokens:
        return Fraction(0)
    return Fraction(new.tokens * (like.cost_e13 - like.no_cache_e13), like.tokens)


def _bill(workload: Workload, period: Period, pricing: Pricing) -> Bill:
    bill = pricing.bill(select(workload, period.since, period.until))
    if not _all(_spends(bill, bill.priced)).tokens:
        raise input_error(
            "report.period_is_empty", since=period.since.isoformat(), until=period.until.isoformat()
        )
    return bill


def _spends(bill: Bill, rows: BoolArray) -> dict[ModelRef, Spend]:
    size = len(bill.payees)
    codes = bill.payee_code[rows]
    tokens = (bill.usage.prompt + bill.usage.tokens["output"])[rows]
    sums = (
        grouped_totals(codes, tokens, size),
        grouped_totals(codes, bill.billed.low[rows], size),
        grouped_totals(codes, bill.no_cache.low[rows], size),
    )
    result: dict[ModelRef, Spend] = {}
    for number in np.flatnonzero(np.bincount(codes, minlength=size)).tolist():
        ref = bill.payees[number].ref
        spend = Spend(sums[0][number], sums[1][number], sums[2][number])
        result[ref] = result.get(ref, Spend(0, 0, 0)) + spend
    return result


def _merged(one: Spends, other: Spends) -> dict[ModelRef, Spend]:
    result = dict(one)
    for ref, spend in other.items():
        result[ref] = result.get(ref, Spend(0, 0, 0)) + spend
    return result


def _all(spends: Spends) -> Spend:
    return sum(spends.values(), Spend(0, 0, 0))


def _last_moment(period: Period) -> datetime:
    return datetime.combine(period.until, time.max, UTC)


def _assumptions(bills: list[Bill], new_rows: int) -> tuple[Message, ...]:
    notes = []
    if new_rows:
        notes.append(Message("report.change_new_models", n=new_rows))
    if any(total(b.billed.low) != total(b.billed.high) for b in bills):
        notes.append(Message("report.change_low_ends"))
    return tuple(notes)
