"""The bill as it is filled in, card by card, and the finished bill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from econ.bill_notes import Notes, note_cache, note_payee, note_ranges
from econ.cards import Payee
from econ.money import Amount, MoneyArray, total
from econ.price_sources import merged, source_of, used_rows
from econ.rate_grid import RateGrid, to_moment
from econ.report import PriceSource
from econ.scenarios import INPUT, Costs, Moments, Range, costs_of
from econ.usage import BoolArray, Usage, take
from econ.workload import IntArray
from messages.errors import Message
from price_tables.book import BUCKETS, Unpriced
from price_tables.lookup import price_at

PRICED, UNPRICED, NOT_BILLED = 0, 1, 2
Rows = slice | IntArray
ENDS = ("billed", "no_cache", "saving")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """1e-13 USD a row: the low and the high end; the same array twice where nothing is a range."""

    low: MoneyArray
    high: MoneyArray

    @property
    def amount(self) -> Amount:
        """The exact total."""
        low = total(self.low)
        return Amount(low_e13=low, high_e13=low if self.high is self.low else total(self.high))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What each row costs; 0 where `status` is not PRICED, and those rows are listed instead.

    `billed`, `no_cache` and `saving` (no caching - billed, signed); `billed` and `saving` mean
    something only if `observed`. `payee_code[i]` is the row's entry in `payees`, `reason_code[i]`
    in `reasons` (-1 = priced). Buckets: USD of the billed tokens by bucket, and of no caching
    ('uncached', 'output'). `read_at_input_e13` and `prompt_at_input_e13`: reads and all prompt
    tokens at the input price, of the rows that say what the cache did.
    """

    status: npt.NDArray[np.int8]
    usage: Usage
    billed: Ends
    no_cache: Ends
    saving: Ends
    payees: tuple[Payee, ...]
    payee_code: IntArray
    reasons: tuple[Message, ...]
    reason_code: IntArray
    usd_by_bucket: Mapping[str, Amount]
    no_cache_by_bucket: Mapping[str, Amount]
    read_at_input_e13: int
    prompt_at_input_e13: int
    sources: tuple[PriceSource, ...]
    assumptions: tuple[Message, ...]

    @property
    def observed(self) -> bool:
        """The file says what was read from or written to a provider's cache."""
        return self.usage.observed

    @property
    def priced(self) -> BoolArray:
        """The rows that the baselines are made of."""
        return np.asarray(self.status == PRICED)


class Sheet:
    """Filled in card by card; `bill` closes it. `money` is the dtype that holds one row."""

    def __init__(self, usage: Usage, money: type[np.int64] | type[object]) -> None:
        self.usage, self.money, self.notes = usage, money, Notes()
        self.reasons: dict[Message, int] = {}
        self.reason_code = np.full(usage.rows, -1, dtype=np.int64)
        self.low = {name: np.zeros(usage.rows, dtype=money) for name in ENDS}
        self.high: dict[str, MoneyArray] = {}
        self.usd: dict[str, list[int]] = {}
        self.no_cache_usd: dict[str, list[int]] = {}
        self.read_at_input = self.prompt_at_input = 0
        self.sources: list[PriceSource] = []
        bad = ~usage.counted
        self._mark(np.flatnonzero(bad), Message("report.no_token_counts"))
        self._mark(np.flatnonzero(~usage.consistent & ~bad), Message("report.parts_exceed_total"))

    def refuse(self, rows: Rows, reason: Message) -> None:
        """No price for any of `rows`."""
        self._mark(np.arange(self.usage.rows)[rows], reason)

    def enter(
        self, rows: Rows, payee: Payee, grid: RateGrid, when: Moments, wanted: BoolArray
    ) -> None:
        """Bill `rows` by the card in `grid`; only those of the mask `wanted` enter the sums."""
        part = take(self.usage, rows)
        here = when if part is self.usage else when.take(rows)
        costs = costs_of(grid, part, here, self.money)
        self._mark_gaps(rows, grid, here, costs)
        priced = (self.reason_code[rows] < 0) & wanted[rows]
        self._put(rows, costs, priced)
        self._sum(grid, part, costs, priced)
        note_payee(self.notes, payee, grid, int(priced.sum()))
        ranged = costs.billed.low != costs.billed.high if costs.ranged else np.zeros_like(priced)
        note_ranges(self.notes, grid, part, here, (np.asarray(ranged & priced), priced))

    def bill(self, payees: tuple[Payee, ...], codes: IntArray, wanted: BoolArray) -> Bill:
        """The finished bill; rows outside `wanted` are not billed, whatever else they lack."""
        status = np.where(self.reason_code >= 0, UNPRICED, PRICED).astype(np.int8)
        status[~wanted] = NOT_BILLED
        self.notes.count("report.failed_not_billed", int((~wanted).sum()))
        note_cache(self.notes, self.usage, status == PRICED)
        return Bill(
            status=status,
            usage=self.usage,
            payees=payees,
            payee_code=codes,
            reasons=tuple(self.reasons),
            reason_code=np.where(wanted, self.reason_code, -1),
            usd_by_bucket=_amounts(self.usd),
            no_cache_by_bucket=_amounts(self.no_cache_usd),
            read_at_input_e13=self.read_at_input,
            prompt_at_input_e13=self.prompt_at_input,
            sources=merged(self.sources),
            assumptions=self.notes.messages(),
            **{n: Ends(low=self.low[n], high=self.high.get(n, self.low[n])) for n in ENDS},
        )

    def _mark(self, rows: IntArray, reason: Message) -> None:
        """The first reason stays."""
        rows = rows[self.reason_code[rows] < 0]
        if len(rows):
            self.reason_code[rows] = self.reasons.setdefault(reason, len(self.reasons))

    def _mark_gaps(self, rows: Rows, grid: RateGrid, when: Moments, costs: Costs) -> None:
        lacking, refused = costs.bucket_lacking, costs.refused_row
        if not (costs.uncovered.any() or (refused >= 0).any() or (lacking >= 0).any()):
            return
        index = np.arange(self.usage.rows)[rows]
        intervals = grid.interval_of(when.since_us)
        for number in np.unique(intervals[costs.uncovered]).tolist():
            here = costs.uncovered & (intervals == number)
            self._mark(index[here], no_price_then(grid, int(when.since_us[here][0])))
        rows_refusing = np.unique(refused[refused >= 0]).tolist()
        for number, reason in ((n, r) for n in rows_refusing if (r := grid.segment(n).refused)):
            self._mark(index[refused == number], reason)
        for number in np.unique(lacking[lacking >= 0]).tolist():
            names = {"model": grid.card.model, "provider": grid.card.provider}
            lacks = Message("report.no_bucket_price", {**names, "bucket": BUCKETS[number]})
            self._mark(index[lacking == number], lacks)

    def _put(self, rows: Rows, costs: Costs, priced: BoolArray) -> None:
        for name in ENDS:
            ends: Range = getattr(costs, name)
            if ends.high is not ends.low and name not in self.high:
                self.high[name] = self.low[name].copy()
            self.low[name][rows] = ends.low if priced.all() else np.where(priced, ends.low, 0)
            if name in self.high:
                self.high[name][rows] = np.where(priced, ends.high, 0)

    def _sum(self, grid: RateGrid, part: Usage, costs: Costs, priced: BoolArray) -> None:
        prices = np.maximum(grid.prices, 0).astype(self.money)
        flat = {"uncached": part.prompt, "output": part.tokens["output"]}
        for sums, tokens, ends in (
            (self.usd, part.tokens, costs.billed),
            (self.no_cache_usd, flat, costs.no_cache),
        ):
            for bucket, counts in tokens.items():
                column = prices[:, BUCKETS.index(bucket)]
                low = _product(counts, column, ends.low_row, priced)
                high = low
                if ends.high_row is not ends.low_row:
                    high = _product(counts, column, ends.high_row, priced)
                entry = sums.setdefault(bucket, [0, 0])
                entry[0], entry[1] = entry[0] + min(low, high), entry[1] + max(low, high)
        row = costs.no_cache.low_row
        known = priced & part.says_cache
        self.prompt_at_input += _product(part.prompt, prices[:, INPUT], row, known)
        if "read" in part.tokens:
            self.read_at_input += _product(part.tokens["read"], prices[:, INPUT], row, known)
        rows = [getattr(costs, name) for name in ("billed", "no_cache")]
        used = used_rows(
            grid, [r for ends in rows for r in (ends.low_row, ends.high_row)], part.tokens, priced
        )
        self.sources += [source_of(grid, number, buckets) for number, buckets in used.items()]


def no_price_then(grid: RateGrid, at_us: int) -> Message:
    """The look-up's own words for a moment that no price covers. A bucket may only run into one."""
    found = price_at(grid.card, to_moment(at_us), 1)
    if isinstance(found, Unpriced):
        return found.reason
    return Message("report.bucket_outlives_price", {"model": grid.card.model})


def _product(counts: IntArray, prices: MoneyArray, row: IntArray, priced: BoolArray) -> int:
    return total(np.where(priced, counts, 0) * prices[row])


def _amounts(sums: Mapping[str, list[int]]) -> dict[str, Amount]:
    return {
        bucket: Amount(low_e13=sums[bucket][0], high_e13=sums[bucket][1])
        for bucket in BUCKETS
        if bucket in sums
    }
