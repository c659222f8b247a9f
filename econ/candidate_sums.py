"""Sums over all requests that any model's prices can be put to: by stretch of time and by length.

Time is cut wherever some card's prices begin or end. Each threshold of a long-prompt tier costs one
pass over the requests, whichever card asks first; after that a model is a few additions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from econ.money import grouped_totals
from econ.rate_grid import MIN_US, Interval, RateGrid
from econ.workload import IntArray

EVERY_LENGTH = -1


@dataclass(frozen=True, slots=True)
class Sum:
    """Requests, their prompt tokens and their output tokens."""

    rows: int
    prompt: int
    output: int

    def less(self, other: Sum) -> Sum:
        """Without the requests of `other`, which are among these."""
        return Sum(self.rows - other.rows, self.prompt - other.prompt, self.output - other.output)


@dataclass(frozen=True, slots=True)
class _Running:
    """Running sums over the stretches of time, a leading zero each."""

    rows: list[int]
    prompt: list[int]
    output: list[int]

    def between(self, first: int, last: int) -> Sum:
        return Sum(
            self.rows[last] - self.rows[first],
            self.prompt[last] - self.prompt[first],
            self.output[last] - self.output[first],
        )


@dataclass(slots=True)
class CandidateSums:
    """The requests (moment in microseconds, prompt and output tokens), cut for `grids`."""

    times_us: IntArray
    prompt: IntArray
    output: IntArray
    starts_us: IntArray
    cells: IntArray
    _by_threshold: dict[int, _Running] = field(default_factory=dict)

    @classmethod
    def of(
        cls, times_us: IntArray, prompt: IntArray, output: IntArray, grids: Iterable[RateGrid]
    ) -> CandidateSums:
        """Cuts time wherever the prices of one of `grids` begin or end."""
        starts = sorted({MIN_US, *(int(s) for grid in grids for s in grid.starts_us)})
        cuts = np.array(starts, dtype=np.int64)
        cells = np.searchsorted(cuts, times_us, side="right") - 1
        return cls(times_us, prompt, output, cuts, np.asarray(cells, dtype=np.int64))

    def tiers(self, interval: Interval) -> list[tuple[int, Sum]]:
        """(segment, its requests) for each tier of `interval` that holds requests."""
        first, last = (int(np.searchsorted(self.starts_us, us)) for us in _ends(interval))
        floors = [EVERY_LENGTH, *interval.thresholds[1:].tolist()]
        above = [self._above(floor).between(first, last) for floor in floors]
        above.append(Sum(0, 0, 0))
        found = zip(interval.segments.tolist(), above[:-1], above[1:], strict=True)
        return [(s, own.less(longer)) for s, own, longer in found if own.rows > longer.rows]

    def inside(self, interval: Interval) -> Sum:
        """All requests of `interval`."""
        first, last = (int(np.searchsorted(self.starts_us, us)) for us in _ends(interval))
        return self._above(EVERY_LENGTH).between(first, last)

    def first_moment(self, interval: Interval) -> int:
        """The earliest request of `interval`, which must hold one."""
        here = (self.times_us >= interval.start_us) & (self.times_us < interval.end_us)
        return int(self.times_us[here].min())

    def _above(self, threshold: int) -> _Running:
        if threshold not in self._by_threshold:
            longer = slice(None) if threshold == EVERY_LENGTH else self.prompt > threshold
            cells, size = self.cells[longer], len(self.starts_us)
            columns = (np.ones(len(cells), np.int64), self.prompt[longer], self.output[longer])
            sums = (grouped_totals(cells, column, size) for column in columns)
            self._by_threshold[threshold] = _Running(*([0, *accumulate(s)] for s in sums))
        return self._by_threshold[threshold]


def _ends(interval: Interval) -> tuple[int, int]:
    return interval.start_us, interval.end_us
