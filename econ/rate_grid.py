"""A rate card as integer arrays, so that a million rows find their price row at once.

A price row is one (segment, peak or not); it is known by `2 * segment + peak`. Times are int64
microseconds since 1970 UTC. Prices are 1e-13 USD per token, NO_PRICE where there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

from econ.money import e13_per_token
from econ.workload import IntArray
from price_tables.book import BUCKETS, RateCard, Segment
from price_tables.peak import peak_prices

NO_PRICE = -1
NO_ROW = -1  # no segment covers this moment
MIN_US = np.iinfo(np.int64).min
MAX_US = np.iinfo(np.int64).max

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_us(moment: datetime) -> int:
    """Microseconds since 1970 UTC; a time without a zone is read as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def to_moment(us: int) -> datetime:
    """The UTC time of microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=us)


@dataclass(frozen=True, slots=True)
class Interval:
    """A stretch of time in which the same segments hold: their tier thresholds, ascending."""

    start_us: int
    end_us: int
    thresholds: IntArray
    segments: IntArray


@dataclass(frozen=True, slots=True)
class RateGrid:
    """One rate card. `prices[2 * segment + peak, bucket]`; `intervals` cover all time, in order;
    one without segments is a time without prices."""

    card: RateCard
    intervals: tuple[Interval, ...]
    starts_us: IntArray
    prices: IntArray

    def interval_of(self, times_us: IntArray) -> IntArray:
        """The interval of each moment."""
        if len(self.intervals) == 1:
            return np.zeros(len(times_us), dtype=np.int64)
        return np.asarray(np.searchsorted(self.starts_us, times_us, side="right") - 1)

    def segment(self, price_row: int) -> Segment:
        """The segment behind a price row."""
        return self.card.segments[price_row // 2]

    @property
    def has_peak(self) -> bool:
        """Some segment has hours of other prices."""
        return any(segment.peak is not None for segment in self.card.segments)


def grid_of(card: RateCard) -> RateGrid:
    """The arrays of `card`. Raises DataError where a price is finer than 1e-13 USD a token."""
    bounds = {MIN_US}
    for segment in card.segments:
        bounds.update({_from(segment), _to(segment)} - {MAX_US})
    starts = sorted(bounds)
    intervals = tuple(
        _interval(card.segments, start, end)
        for start, end in zip(starts, [*starts[1:], MAX_US], strict=True)
    )
    prices = np.array(
        [_price_row(segment, peak) for segment in card.segments for peak in (False, True)],
        dtype=np.int64,
    ).reshape(-1, len(BUCKETS))
    return RateGrid(card, intervals, np.array(starts, dtype=np.int64), prices)


def tier_of(interval: Interval, prompts: IntArray) -> npt.NDArray[np.intp]:
    """The tier of each whole prompt: the highest threshold that it is above; 0 = base."""
    return np.maximum(np.searchsorted(interval.thresholds, prompts, side="left") - 1, 0)


def _from(segment: Segment) -> int:
    return MIN_US if segment.valid_from is None else to_us(segment.valid_from)


def _to(segment: Segment) -> int:
    return MAX_US if segment.valid_to is None else to_us(segment.valid_to)


def _interval(segments: tuple[Segment, ...], start: int, end: int) -> Interval:
    here = [i for i, s in enumerate(segments) if _from(s) <= start < _to(s)]
    here.sort(key=lambda i: segments[i].above_tokens)
    thresholds = np.array([segments[i].above_tokens for i in here], dtype=np.int64)
    return Interval(start, end, thresholds, np.array(here, dtype=np.int64))


def _price_row(segment: Segment, peak: bool) -> list[int]:
    prices = peak_prices(segment) if peak else segment.usd_per_mtok
    return [e13_per_token(prices[b]) if b in prices else NO_PRICE for b in BUCKETS]
