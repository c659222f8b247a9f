"""Simulated tokens summed once by stretch of time and prompt length, for every model's prices.

Models with the same cache rules share a simulation; after it a model is a few additions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from econ.money import grouped_totals, total
from econ.price_sources import source_of
from econ.rate_grid import MIN_US, NO_PRICE, RateGrid
from econ.report import PriceSource
from econ.usage import BoolArray
from econ.workload import IntArray
from price_tables.book import BUCKETS

EVERY_LENGTH = -1
Columns = Mapping[str, IntArray]
PRICED_AS = {"ping_read": "read", "ping_output": "output", "created": "uncached"}
"""Columns beside the buckets, and the bucket whose price they have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """Tokens and 1e-13 USD by column, and the price rows behind them."""

    tokens: Mapping[str, int]
    e13: Mapping[str, int]
    sources: tuple[PriceSource, ...]


@dataclass(slots=True)
class Frame:
    """The moments (microseconds) and whole prompts that decide the price of each row."""

    times_us: IntArray
    prompt: IntArray
    starts_us: IntArray
    cells: IntArray
    _masks: dict[int, BoolArray | None] = field(default_factory=dict)

    @classmethod
    def of(cls, times_us: IntArray, prompt: IntArray, grids: Iterable[RateGrid]) -> Frame:
        """Time is cut wherever the prices of one of `grids` begin or end."""
        starts = np.array(
            sorted({MIN_US, *(int(s) for grid in grids for s in grid.starts_us)}), dtype=np.int64
        )
        cells = np.asarray(np.searchsorted(starts, times_us, side="right") - 1, dtype=np.int64)
        first, last = int(cells.min(initial=0)), int(cells.max(initial=0))
        # Only the stretches that hold requests are kept: most traces lie in one.
        return cls(times_us, prompt, starts[first : last + 1], cells - first)

    def longer(self, threshold: int) -> BoolArray | None:
        """Which prompts are longer than `threshold`; None = all are."""
        if threshold not in self._masks:
            mask = None if threshold == EVERY_LENGTH else self.prompt > threshold
            self._masks[threshold] = None if mask is None or mask.all() else mask
        return self._masks[threshold]

    def stretch(self, start_us: int, end_us: int) -> tuple[int, int]:
        """The cells [first, last) of the stretch of time."""
        first, last = np.searchsorted(self.starts_us, (start_us, end_us)).tolist()
        return int(first), int(last)


@dataclass(slots=True)
class Sums:
    """Columns of tokens, a value a row of `frame`."""

    frame: Frame
    columns: Columns
    _running: dict[int, dict[str, list[int]]] = field(default_factory=dict)

    def priced(self, grid: RateGrid) -> Priced | None:
        """Every column at the prices of `grid`; None where single rows must be looked at: peak
        hours, no price at some moment, or none of a bucket that holds tokens."""
        tokens = dict.fromkeys(self.columns, 0)
        e13 = dict.fromkeys(self.columns, 0)
        sources: list[PriceSource] = []
        rows = 0
        for interval in grid.intervals:
            first, last = self.frame.stretch(interval.start_us, interval.end_us)
            if first >= last or not len(interval.segments):
                continue
            floors = [EVERY_LENGTH, *interval.thresholds[1:].tolist()]
            above = [self._between(floor, first, last) for floor in floors]
            above.append(dict.fromkeys((*self.columns, ""), 0))
            for number, own, longer in zip(
                interval.segments.tolist(), above[:-1], above[1:], strict=True
            ):
                if own[""] == longer[""]:
                    continue
                rows += own[""] - longer[""]
                if not self._add(grid, number, own, longer, tokens, e13, sources):
                    return None
        if rows != len(self.frame.prompt):
            return None
        return Priced(tokens=tokens, e13=e13, sources=tuple(sources))

    def _add(
        self,
        grid: RateGrid,
        number: int,
        own: Mapping[str, int],
        longer: Mapping[str, int],
        tokens: dict[str, int],
        e13: dict[str, int],
        sources: list[PriceSource],
    ) -> bool:
        segment, prices = grid.card.segments[number], grid.prices[2 * number]
        if segment.peak is not None or segment.refused is not None:
            return False
        used = {"uncached", "output"}
        for name in self.columns:
            count = own[name] - longer[name]
            if not count:
                continue
            bucket = PRICED_AS.get(name, name)
            price = int(prices[BUCKETS.index(bucket)])
            if price == NO_PRICE:
                return False
            used.add(bucket)
            tokens[name] += count
            e13[name] += count * price
        sources.append(source_of(grid, 2 * number, [b for b in BUCKETS if b in used]))
        return True

    def _between(self, threshold: int, first: int, last: int) -> dict[str, int]:
        """Sums of the columns, and the rows under ''."""
        if threshold not in self._running:
            self._running[threshold] = self._summed(threshold)
        return {name: sums[last] - sums[first] for name, sums in self._running[threshold].items()}

    def _summed(self, threshold: int) -> dict[str, list[int]]:
        mask, size = self.frame.longer(threshold), len(self.frame.starts_us)
        cells = self.frame.cells if mask is None else self.frame.cells[mask]
        columns = {n: c if mask is None else c[mask] for n, c in self.columns.items()}
        if size == 1:
            sums = {name: [total(column)] for name, column in columns.items()}
            rows = [len(cells)]
        else:
            sums = {n: grouped_totals(cells, column, size) for n, column in columns.items()}
            rows = np.bincount(cells, minlength=size).tolist()
        return {name: [0, *accumulate(s)] for name, s in {**sums, "": rows}.items()}
