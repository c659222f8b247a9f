"""Which price rows a row of usage can have been billed at, and what that makes it cost.

A single request has one price row. A bucket of requests that crosses a price change or a peak
boundary has several; so has a request on a day whose holidays are not known yet. All are computed;
the cheapest and the dearest are kept, each for billed, no caching and the saving between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from econ.money import MoneyArray
from econ.peaks import possible
from econ.rate_grid import NO_PRICE, NO_ROW, RateGrid, tier_of, to_us
from econ.usage import BoolArray, Usage
from econ.workload import IntArray
from price_tables.book import BUCKETS

INPUT, OUTPUT = BUCKETS.index("uncached"), BUCKETS.index("output")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """When the rows of one card were used: see Usage. Prices follow `since_us`, peaks the clock."""

    since_us: IntArray
    until_us: IntArray
    clock_us: IntArray
    clock_until_us: IntArray

    def take(self, rows: slice | IntArray) -> Moments:
        """Those of `rows` (positions)."""
        return Moments(
            since_us=self.since_us[rows],
            until_us=self.until_us[rows],
            clock_us=self.clock_us[rows],
            clock_until_us=self.clock_until_us[rows],
        )


def moments(usage: Usage, at: datetime | None, default_at: datetime) -> Moments:
    """The moments that decide: `at` for all rows where given, else each row's own, `default_at`
    for rows without. Peak hours always follow the row's own clock where it has one."""
    moment = to_us(at or default_at)
    own = usage.dated
    priced_own = own if at is None else np.zeros_like(own)
    return Moments(
        since_us=np.where(priced_own, usage.since_us, moment),
        until_us=np.where(priced_own, usage.until_us, moment + 1),
        clock_us=np.where(own, usage.clock_us, moment),
        clock_until_us=np.where(own, usage.clock_until_us, moment + 1),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """1e-13 USD a row, and the price row behind each end (NO_ROW where there is none)."""

    low: MoneyArray
    high: MoneyArray
    low_row: IntArray
    high_row: IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What the rows of one card cost. `bucket_lacking`: index of the first bucket that holds tokens
    and has no price, -1 where all have one; `uncovered`: no segment at some moment of the row;
    `refused_row`: a price row that does not serve this prompt, NO_ROW where there is none."""

    billed: Range
    no_cache: Range
    saving: Range
    bucket_lacking: IntArray
    uncovered: BoolArray
    refused_row: IntArray

    @property
    def ranged(self) -> bool:
        """Some row may have more than one price row."""
        return self.billed.high is not self.billed.low


@dataclass(frozen=True, slots=True)
class _Scenario:
    """For the rows of `mask` (all rows if None) the price row is `price_row`."""

    mask: BoolArray | None
    price_row: IntArray


def costs_of(
    grid: RateGrid, usage: Usage, when: Moments, money: type[np.int64] | type[object]
) -> Costs:
    """The cost of each row of `usage` on `grid`. `money` is the dtype that holds one row."""
    result = _Collector(grid, usage, np.dtype(money))
    for scenario in _scenarios(grid, usage, when):
        result.add(scenario)
    return result.costs()


def _scenarios(grid: RateGrid, usage: Usage, when: Moments) -> Iterator[_Scenario]:
    first = grid.interval_of(when.since_us)
    last = grid.interval_of(when.until_us - 1)
    for step in range(int((last - first).max(initial=0)) + 1):
        here = first + step
        inside = None if step == 0 else here <= last
        yield from _in_interval(grid, usage, when, np.minimum(here, last), inside)


def _in_interval(
    grid: RateGrid, usage: Usage, when: Moments, interval: IntArray, inside: BoolArray | None
) -> Iterator[_Scenario]:
    segment = _segments(grid, usage, interval)
    if not grid.has_peak:
        yield _Scenario(inside, np.where(segment == NO_ROW, NO_ROW, 2 * segment))
        return
    off, peak = _hours(grid, when, interval, segment)
    for mask, extra in ((off, 0), (peak, 1)):
        chosen = mask if inside is None else mask & inside
        yield _Scenario(chosen, np.where(segment == NO_ROW, NO_ROW, 2 * segment + extra))


def _segments(grid: RateGrid, usage: Usage, interval: IntArray) -> IntArray:
    """The segment of each row inside its interval, by whole prompt or by the bucket's own flag."""
    result = np.full(usage.rows, NO_ROW, dtype=np.int64)
    for number in np.flatnonzero(np.bincount(interval, minlength=len(grid.intervals))).tolist():
        here = grid.intervals[number]
        if len(here.segments) == 0:
            continue
        mask = interval == number
        tier = tier_of(here, usage.prompt[mask])
        bucket = usage.is_bucket[mask]
        if bucket.any():
            flagged = (usage.long_context[mask] == 1) & (len(here.segments) > 1)
            tier = np.where(bucket, flagged.astype(np.intp), tier)
        result[mask] = here.segments[tier]
    return result


def _hours(
    grid: RateGrid, when: Moments, interval: IntArray, segment: IntArray
) -> tuple[BoolArray, BoolArray]:
    """Which rows may be off peak and which on peak, inside their interval."""
    off, peak = np.ones(len(segment), dtype=np.bool_), np.zeros(len(segment), dtype=np.bool_)
    for number, known in enumerate(grid.card.segments):
        mask = segment == number
        if known.peak is None or not mask.any():
            continue
        ends = np.array([part.end_us for part in grid.intervals])[interval[mask]]
        starts = np.array([part.start_us for part in grid.intervals])[interval[mask]]
        since, until = when.clock_us[mask], when.clock_until_us[mask]
        # A bucket is cut to the interval; re-priced rows keep their own hours, which lie elsewhere.
        cut = (until - since > 1) & (until > starts) & (since < ends)
        since = np.where(cut, np.maximum(since, starts), since)
        until = np.where(cut, np.minimum(until, ends), until)
        hours = possible(known.peak, since, until)
        off[mask], peak[mask] = hours.off, hours.peak
    return off, peak


class _Collector:
    """Keeps the cheapest and the dearest of the scenarios seen so far."""

    def __init__(self, grid: RateGrid, usage: Usage, money: np.dtype[np.generic]) -> None:
        self.grid, self.usage, self.money = grid, usage, money
        self.lacking = np.full(usage.rows, -1, dtype=np.int64)
        self.uncovered = np.zeros(usage.rows, dtype=np.bool_)
        self.refused = np.full(usage.rows, NO_ROW, dtype=np.int64)
        self.refusing = np.array([s.refused is not None for s in grid.card.segments] + [False])
        self.seen: BoolArray | None = None
        self.ranges: dict[str, Range] = {}

    def add(self, scenario: _Scenario) -> None:
        mask, row = scenario.mask, scenario.price_row
        if mask is not None and not mask.any():
            return
        self._note_gaps(mask, row)
        billed, no_cache = self._prices(row)
        for name, values in (
            ("billed", billed),
            ("no_cache", no_cache),
            ("saving", no_cache - billed),
        ):
            self.ranges[name] = self._merged(name, values, row, mask)
        now = np.ones(self.usage.rows, dtype=np.bool_) if mask is None else mask
        self.seen = now if self.seen is None else self.seen | now

    def costs(self) -> Costs:
        return Costs(
            billed=self.ranges["billed"],
            no_cache=self.ranges["no_cache"],
            saving=self.ranges["saving"],
            bucket_lacking=self.lacking,
            uncovered=self.uncovered,
            refused_row=self.refused,
        )

    def _note_gaps(self, mask: BoolArray | None, row: IntArray) -> None:
        uncovered = row == NO_ROW
        refused = self.refusing[row // 2] & ~uncovered
        if mask is not None:
            uncovered, refused = uncovered & mask, refused & mask
        self.uncovered |= uncovered
        self.refused = np.where(refused & (self.refused == NO_ROW), row, self.refused)
        for number, bucket in enumerate(BUCKETS):
            # The input price is needed for the whole prompt: no caching is always computed.
            counts = self.usage.prompt if number == INPUT else self.usage.tokens.get(bucket)
            if counts is None or not (self.grid.prices[:, number] == NO_PRICE).any():
                continue
            lacks = (self.grid.prices[row, number] == NO_PRICE) & (counts > 0) & ~uncovered
            lacks &= self.lacking < 0
            self.lacking[lacks if mask is None else lacks & mask] = number

    def _prices(self, row: IntArray) -> tuple[MoneyArray, MoneyArray]:
        """Billed and no caching per row at these price rows; what has no price counts 0 here and
        is sorted out by the gaps."""
        prices = np.maximum(self.grid.prices, 0).astype(self.money)
        tokens = self.usage.tokens
        output = tokens["output"] * prices[row, OUTPUT]
        no_cache = output + self.usage.prompt * prices[row, INPUT]
        if len(tokens) == 2:  # nothing is known of the cache
            return no_cache, no_cache
        billed = output
        for number, bucket in enumerate(BUCKETS):
            if bucket in tokens and number != OUTPUT:
                billed = billed + tokens[bucket] * prices[row, number]
        return billed, no_cache

    def _merged(
        self, name: str, values: MoneyArray, row: IntArray, mask: BoolArray | None
    ) -> Range:
        old = self.ranges.get(name)
        if old is None or self.seen is None:
            return Range(low=values, high=values, low_row=row, high_row=row)
        new = np.ones(len(row), dtype=np.bool_) if mask is None else mask
        lower = new & (~self.seen | (values < old.low).astype(np.bool_))
        higher = new & (~self.seen | (values > old.high).astype(np.bool_))
        return Range(
            low=np.where(lower, values, old.low),
            high=np.where(higher, values, old.high),
            low_row=np.where(lower, row, old.low_row),
            high_row=np.where(higher, row, old.high_row),
        )
