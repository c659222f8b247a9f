"""The rows that are looked at for missed tokens: one part a payee, with its rules and prices.

Left out, and counted: rows without a price, and rows whose provider sells no cache reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from econ.bill_sheet import Bill
from econ.billing import Pricing
from econ.cache_rules import CacheRules, at_breakpoints, rules_of
from econ.cards import Payee
from econ.money import MoneyArray
from econ.rate_grid import NO_PRICE, grid_of
from econ.scenarios import costs_of, moments
from econ.select import take_rows
from econ.usage import Usage, take
from econ.workload import IntArray, Workload
from price_tables.book import BUCKETS, PriceBook, Unpriced

READ = BUCKETS.index("read")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The rows of one payee, at `rows` of the kept workload. `prices`: 1e-13 USD a token and row
    by bucket, NO_PRICE where there is none. `batch`: hits are not promised."""

    rows: IntArray
    payee: Payee
    rules: CacheRules
    prices: Mapping[str, MoneyArray]
    batch: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The rows that are looked at. `origin`: their positions in the workload they came from, which
    has `rows_all` rows. `payee_code` numbers `parts`."""

    workload: Workload
    usage: Usage
    origin: IntArray
    rows_all: int
    parts: tuple[Part, ...]
    payee_code: IntArray


def kept_rows(workload: Workload, bill: Bill, book: PriceBook, pricing: Pricing) -> Kept:
    """The rows of `bill` that have a price for what they used and for reading it."""
    when = moments(bill.usage, pricing.options.at, pricing.default_at)
    found: list[tuple[IntArray, Payee, CacheRules, Mapping[str, MoneyArray], bool]] = []
    for number, payee in enumerate(bill.payees):
        rows = np.flatnonzero(bill.priced & (bill.payee_code == number))
        card = pricing.cards(payee.ref)
        if isinstance(card, Unpriced) or not len(rows):
            continue
        rules, batch = rules_of(book, card), card.mode == "batch"
        if not (rules.lifetimes or rules.implicit) or (batch and rules.batch is False):
            continue
        grid = grid_of(card if bill.observed else at_breakpoints(card))
        costs = costs_of(grid, take(bill.usage, rows), when.take(rows), np.int64)
        price_row = costs.billed.low_row
        priced = grid.prices[price_row, READ] != NO_PRICE
        rows, price_row = rows[priced], price_row[priced]
        prices = {name: grid.prices[price_row, at] for at, name in enumerate(BUCKETS)}
        found.append((rows, payee, rules, prices, batch))
    chosen = np.sort(np.concatenate([np.zeros(0, np.int64), *(one[0] for one in found)]))
    chosen = chosen.astype(np.int64)
    codes = np.zeros(len(chosen), dtype=np.int64)
    parts = []
    for number, (rows, payee, rules, columns, batch) in enumerate(found):
        here = np.searchsorted(chosen, rows).astype(np.int64)
        codes[here] = number
        parts.append(Part(rows=here, payee=payee, rules=rules, prices=columns, batch=batch))
    whole = len(chosen) == workload.rows
    return Kept(
        workload=workload if whole else take_rows(workload, chosen),
        usage=bill.usage if whole else take(bill.usage, chosen),
        origin=chosen,
        rows_all=workload.rows,
        parts=tuple(parts),
        payee_code=codes,
    )


def conversations(workload: Workload, names: tuple[str, ...], *more: IntArray) -> IntArray:
    """A number for each combination of the text columns `names` and the codes `more`; -1 where the
    row names no session."""
    if not workload.has("session_id"):
        return np.full(workload.rows, -1, dtype=np.int64)
    key = workload.text("session_id").codes.astype(np.int64)
    known = key >= 0
    named = [workload.text(name).codes for name in names if workload.has(name)]
    columns = [codes.astype(np.int64) + 1 for codes in named]
    for column in (*columns, *more):
        size = int(column.max(initial=0)) + 1
        if size > 1:
            key = np.unique(key * size + column, return_inverse=True)[1].reshape(-1)
    return np.where(known, key, -1).astype(np.int64)


def workspaces(workload: Workload, rules: CacheRules) -> IntArray:
    """What isolates a provider's cache besides the model: the workspace, where it does."""
    if rules.by_workspace and workload.has("workspace"):
        return workload.text("workspace").codes.astype(np.int64) + 1
    return np.zeros(workload.rows, dtype=np.int64)
