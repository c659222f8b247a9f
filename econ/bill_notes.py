"""What a bill assumed: each assumption is said once, with the number of rows it touched."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import numpy as np

from econ.cards import Payee
from econ.peaks import in_doubt
from econ.rate_grid import RateGrid, to_moment
from econ.scenarios import Moments
from econ.usage import BoolArray, Usage
from econ.workload import IntArray
from messages.errors import Message, Value


class Notes:
    """Collects assumptions in the order in which they are first met."""

    def __init__(self) -> None:
        self._counted: dict[Message, int] = {}
        self._plain: dict[Message, None] = {}

    def say(self, message: Message) -> None:
        """An assumption without a count."""
        self._plain.setdefault(message)

    def count(self, message_id: str, rows: int, **values: Value) -> None:
        """`rows` more rows to which the assumption applies; 0 says nothing."""
        if rows:
            key = Message(message_id, values)
            self._counted[key] = self._counted.get(key, 0) + rows

    def messages(self) -> tuple[Message, ...]:
        """All of them: the counted ones first."""
        counted = [Message(m.id, m.values, n) for m, n in self._counted.items()]
        return (*counted, *self._plain)


def at_text(moment: datetime) -> str:
    """A UTC moment for a sentence: 2026-11-29 00:00 UTC."""
    return moment.strftime("%Y-%m-%d %H:%M UTC")


def note_payee(notes: Notes, payee: Payee, grid: RateGrid, rows: int) -> None:
    """What the names of these rows made the look-up assume."""
    if payee.assumed:
        notes.count("report.assume_model", rows, model=grid.card.model)
    for message in grid.card.assumptions:
        notes.say(message)


def note_moments(notes: Notes, usage: Usage, at: datetime | None, default_at: datetime) -> None:
    """Which rows are priced at another date than their own."""
    undated = int((~usage.dated & ~usage.failed).sum())
    if at is not None and bool(usage.dated.any()):
        notes.say(Message("report.repriced_at", {"at": at_text(at)}))
        return
    notes.count("report.assume_at", undated, at=at_text(at or default_at))


def note_ranges(
    notes: Notes, grid: RateGrid, usage: Usage, when: Moments, counts: Iterable[BoolArray]
) -> None:
    """Why some rows of one card are a range or a lower bound; `counts`: ranged and priced rows."""
    ranged, priced = counts
    doubtful = _doubtful(grid, when) & priced
    notes.count("report.holidays_unknown", int((ranged & doubtful).sum()))
    notes.count("report.bucket_crosses", int((ranged & ~doubtful).sum()))
    notes.count("report.base_tier_assumed", int((_tier_unknown(grid, usage, when) & priced).sum()))
    if grid.has_peak:
        undated = int((~usage.dated & priced).sum())
        notes.count("report.peak_by_at", undated, at=_clock_text(when, ~usage.dated & priced))


def note_cache(notes: Notes, usage: Usage, priced: BoolArray) -> None:
    """Rows of an observed workload that say nothing of the cache."""
    if usage.observed:
        notes.count("report.row_without_cache", int((priced & ~usage.says_cache).sum()))


def _doubtful(grid: RateGrid, when: Moments) -> BoolArray:
    result = np.zeros(len(when.clock_us), dtype=np.bool_)
    for schedule in {s.peak.name: s.peak for s in grid.card.segments if s.peak}.values():
        result |= in_doubt(schedule, when.clock_us, when.clock_until_us)
    return result


def _tier_unknown(grid: RateGrid, usage: Usage, when: Moments) -> BoolArray:
    """Buckets without a long-prompt flag that could hold a prompt of a dearer tier."""
    result = usage.is_bucket & (usage.long_context < 0)
    if not result.any():
        return result
    above: IntArray = np.array(
        [part.thresholds[1] if len(part.thresholds) > 1 else -1 for part in grid.intervals]
    )
    threshold = above[grid.interval_of(when.since_us)]
    return np.asarray(result & (threshold >= 0) & (usage.prompt > threshold))


def _clock_text(when: Moments, rows: BoolArray) -> str:
    chosen = when.clock_us[rows]
    return at_text(to_moment(int(chosen[0]))) if len(chosen) else ""
