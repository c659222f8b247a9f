"""Best reachable: one policy for each (provider, model) of the workload, the one with the lowest
high end. With prefix structure by simulation; observed tokens without structure by what would have
been written again and what would have expired under each lifetime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from econ.bill_sheet import Bill
from econ.billing import Pricing
from econ.cache_rules import LIFETIME_S, CacheRules, at_breakpoints, rules_of
from econ.candidates import without_cache
from econ.money import Amount, total
from econ.policy_plans import LEVER_PLACEMENTS, Plan, plans_of
from econ.policy_pricing import Bench, cost_of
from econ.rate_grid import grid_of
from econ.report import BestRef
from econ.select import take_rows
from econ.structure import has_structure
from econ.turns import NO_ROW, OBSERVED_CHAIN, gaps_us, previous_rows, written_tokens
from econ.usage import SECOND_US
from econ.workload import WRITE_COLUMNS, IntArray, Workload
from messages.errors import Message
from price_tables.book import PriceBook, RateCard, Unpriced

NONE, AS_BILLED, OWN = "none", "as-billed", "own"


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """`amount` None with `reason`. `reachable` = the present - the best, None where no present is
    known. `choices`: model -> policy and placement in words of the table. `ref` where one model is
    used. `gap`: simulated present - billed, where both are known."""

    amount: Amount | None
    reason: Message | None = None
    reachable: Amount | None = None
    ref: BestRef | None = None
    choices: Mapping[str, str] | None = None
    gap: Amount | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """Of one payee: the best, what is paid now, the simulated present."""

    ref: BestRef
    best: Amount
    present: Amount | None
    gap: Amount | None = None


def best_reachable(workload: Workload, bill: Bill, book: PriceBook, pricing: Pricing) -> Best:
    """The best reachable amount over the priced rows of `bill`, the bill of `workload`."""
    if not bill.priced.any():
        return Best(amount=None)
    if bool(bill.usage.is_bucket.any()):
        return Best(amount=None, reason=Message("report.best_needs_requests"))
    if not bill.observed and not has_structure(workload) and not workload.has("session_id"):
        return Best(amount=None, reason=Message("report.best_needs_structure"))
    chosen = []
    for number in np.flatnonzero(np.bincount(bill.payee_code[bill.priced], minlength=1)).tolist():
        rows = np.flatnonzero(bill.priced & (bill.payee_code == number))
        card = pricing.cards(bill.payees[number].ref)
        if not isinstance(card, Unpriced):
            part = workload if len(rows) == workload.rows else take_rows(workload, rows)
            chosen.append(_chosen(part, bill, rows, card, book, pricing))
    return _together(chosen)


def _together(chosen: Sequence[_Chosen]) -> Best:
    zero = Amount.exactly(0)
    presents = [one.present for one in chosen if one.present is not None]
    gaps = [one.gap for one in chosen if one.gap is not None]
    reachable = None
    if len(presents) == len(chosen):
        reachable = sum(
            (_difference(p, one.best) for p, one in zip(presents, chosen, strict=True)), zero
        )
    return Best(
        amount=sum((one.best for one in chosen), zero),
        reachable=reachable,
        ref=chosen[0].ref if len(chosen) == 1 else None,
        choices={_named(one.ref): _policy(one.ref) for one in chosen},
        gap=sum(gaps, zero) if len(gaps) == len(chosen) else None,
    )


def _difference(present: Amount, best: Amount) -> Amount:
    return Amount(low_e13=present.low_e13 - best.high_e13, high_e13=present.high_e13 - best.low_e13)


def _named(ref: BestRef) -> str:
    return f"{ref.provider} {ref.model}"


def _policy(ref: BestRef) -> str:
    return ref.policy if ref.placement is None else f"{ref.policy}, {ref.placement}"


def _chosen(
    part: Workload,
    bill: Bill,
    rows: IntArray,
    card: RateCard,
    book: PriceBook,
    pricing: Pricing,
) -> _Chosen:
    none = _amount(bill.no_cache.low, bill.no_cache.high, rows)
    billed = _amount(bill.billed.low, bill.billed.high, rows) if bill.observed else None
    rules = rules_of(book, card)
    bench = Bench(
        origin=without_cache(part) if has_structure(part) else part,
        pricing=pricing,
        grids=(grid_of(card),),
    )
    if billed is None or bench.kind.own is not None:
        return _simulated(bench, rules, card, none, billed)
    return _from_observed(part, rules, card, pricing, none, billed)


def _amount(low: IntArray, high: IntArray, rows: IntArray) -> Amount:
    first = total(low[rows])
    return Amount(low_e13=first, high_e13=first if low is high else total(high[rows]))


def _simulated(
    bench: Bench, rules: CacheRules, card: RateCard, none: Amount, billed: Amount | None
) -> _Chosen:
    found: list[tuple[Amount, str, str | None]] = [(none, NONE, None)]
    present = None
    for plan in plans_of(rules, bench.kind, card.mode == "batch"):
        if plan.low.placement in LEVER_PLACEMENTS:  # and the range that starts at one of them
            continue
        amount = _cost(bench, plan, rules, card)
        if plan.policy == OWN:
            present = amount
        if amount is not None:
            found.append((amount, plan.policy, plan.placement))
    best, policy, placement = min(found, key=lambda f: (f[0].high_e13, f[0].low_e13))
    gap = None
    if billed is not None and present is not None:
        gap = _difference(present, billed)
    return _Chosen(
        ref=_ref(card, policy, placement),
        best=best,
        present=None if billed is None else present or billed,
        gap=gap,
    )


def _cost(bench: Bench, plan: Plan, rules: CacheRules, card: RateCard) -> Amount | None:
    low = cost_of(bench, plan, rules, card, "low")
    high = low
    if plan.low != plan.high or plan.extra:
        high = cost_of(bench, plan, rules, card, "high")
    if low is None or high is None:
        return None
    ends = sorted((low.total_e13, high.total_e13))
    return Amount(low_e13=ends[0], high_e13=ends[1])


def _ref(card: RateCard, policy: str, placement: str | None) -> BestRef:
    return BestRef(
        provider=card.provider,
        surface=card.surface,
        model=card.model,
        policy=policy,
        placement=placement,
    )


def _from_observed(
    part: Workload,
    rules: CacheRules,
    card: RateCard,
    pricing: Pricing,
    none: Amount,
    billed: Amount,
) -> _Chosen:
    """low = the cheapest of every lifetime, as billed and no caching; high = the cheaper of the
    last two, which need no guess."""
    known = [(billed, AS_BILLED), (none, NONE)]
    best, policy = min(known, key=lambda k: (k[0].high_e13, k[0].low_e13))
    low = min(amount.low_e13 for amount, _ in known)
    for lifetime in rules.lifetimes:
        bill = replace(pricing, cards=lambda _: at_breakpoints(card)).bill(
            under_lifetime(part, lifetime)
        )
        if bill.priced.all():
            low = min(low, bill.billed.amount.low_e13)
    found = Amount(low_e13=low, high_e13=max(best.high_e13, low))
    return _Chosen(ref=_ref(card, policy, None), best=found, present=billed)


def under_lifetime(workload: Workload, lifetime: str) -> Workload:
    """The observed tokens as they would be if every write had `lifetime`: what was written again
    although a chain's previous request held it, and would still have lived, is read; what was read
    and would have expired is written."""
    read, written = workload.counts("cached_read_tokens"), written_tokens(workload)
    previous = previous_rows(workload, OBSERVED_CHAIN)
    gap = gaps_us(workload, previous)
    follows = previous != NO_ROW
    held = np.where(follows, (read + written)[previous], 0)
    again = np.clip(np.minimum(held, read + written) - read, 0, written)
    lapsed = follows & (gap >= _in_force_us(workload, previous))
    limit = LIFETIME_S[lifetime] * SECOND_US
    saved = np.where(lapsed & (gap < limit), again, 0)
    expired = np.where(follows & (gap >= limit), read, 0)
    columns = {name: c for name, c in workload.columns.items() if name not in WRITE_COLUMNS}
    columns["cached_read_tokens"] = read - expired + saved
    columns[f"cache_write_{lifetime}_tokens"] = written - saved + expired
    return replace(workload, columns=columns)


def _in_force_us(workload: Workload, previous: IntArray) -> IntArray:
    """The lifetime of the chain's last write before each row; of the shortest kind where none was
    seen. Chains are followed in order of the rows, so a row's predecessor is already known."""
    own = np.zeros(workload.rows, dtype=np.int64)
    for column in WRITE_COLUMNS:
        name = column.removeprefix("cache_write_").removesuffix("_tokens")
        wrote = workload.counts(column) > 0
        own = np.where(wrote, np.maximum(own, LIFETIME_S[name] * SECOND_US), own)
    used = [int(t) for t in np.unique(own).tolist() if t]
    shortest = min(used, default=LIFETIME_S["5m"] * SECOND_US)
    if len(used) <= 1:
        return np.full(workload.rows, shortest, dtype=np.int64)
    carried, before = own.tolist(), previous.tolist()
    result = [shortest] * workload.rows
    for row, prior in enumerate(before):
        if prior != NO_ROW:
            result[row] = carried[prior] or shortest
            carried[row] = carried[row] or carried[prior]
    return np.array(result, dtype=np.int64)
