"""Times as files write them -> microseconds since 1970, and whether a zone was known.

ISO 8601 with any number of fraction digits, with a zone or without; slashes, dots and 年月日; day
and month in either order; AM and PM; epoch seconds, milliseconds, microseconds or nanoseconds, told
apart by magnitude. A moment without a zone is not absolute: the caller decides what to do with it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from data_sources.traces.columns import Cells, floats_of, is_text, numpy_of, plain_strings, validity
from data_sources.traces.faults import BoolArray, Faults, shown
from data_sources.traces.limits import EARLIEST_US, LATEST_US
from data_sources.traces.values import zone as known_zone
from econ.workload import IntArray, TimeArray
from messages.errors import Message

NO_TIME = np.iinfo(np.int64).min
"""Microseconds of an empty time; the same bits as NaT."""

_EPOCH_FROM = 1e8
"""Seconds: 1973. Smaller numbers are counts or dates without separators, no moments."""

_EPOCH_STEPS = (
    (_EPOCH_FROM, 1e11, 1e6),  # seconds, until the year 5138
    (1e11, 1e14, 1e3),
    (1e14, 1e17, 1.0),
    (1e17, 1e19, 1e-3),
)
"""(from this magnitude, below this one, microseconds a unit)."""

_ISO = ((pa.timestamp("ns", "UTC"), True), (pa.timestamp("ns"), False))
_ISO_LOCAL = r"^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?)?$"
_ISO_ZONED = _ISO_LOCAL[:-1] + r"(Z|[+-]\d\d:?\d\d)$"

_CLOCK = (
    r"(?:[T ]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d+))?)?"
    r"\s*(?P<half>[AaPp][Mm])?)?\s*(?P<zone>Z|z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2})?$"
)
_YEAR_FIRST = r"^(?P<a>\d{4})[-/.](?P<b>\d{1,2})[-/.](?P<c>\d{1,2})" + _CLOCK
_YEAR_LAST = r"^(?P<a>\d{1,2})[-/.](?P<b>\d{1,2})[-/.](?P<c>\d{4})" + _CLOCK


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """`us`: microseconds since 1970, NO_TIME where empty. `zoned`: the cell itself named a zone.
    `notes`: what had to be decided about the spelling."""

    us: IntArray
    zoned: BoolArray
    notes: tuple[Message, ...] = ()

    @property
    def filled(self) -> BoolArray:
        """Rows that have a time."""
        return np.asarray(self.us != NO_TIME)

    def utc(self) -> TimeArray:
        """As datetime64[us]; only meaningful once zones are settled."""
        return self.us.view("datetime64[us]")


def to_moments(cells: Cells, column: str, faults: Faults) -> Moments:
    """Every spelling of a time; what is none is a fault of its row."""
    moments, bad = moments_of(cells, column)

    def reason(row: int) -> Message:
        found = _spelled(cells[row])
        expected = Message("columnar.expected_time")
        return Message(
            "columnar.wrong_cell", {"column": column, "expected": expected, "found": found}
        )

    faults.add(bad, reason)
    return moments


def _spelled(cell: Any) -> str:
    """A cell as it stands; a time that no calendar holds as its number."""
    try:
        return shown(cell.as_py())
    except (OverflowError, ValueError):
        return shown(cell.value)


def moments_of(cells: Cells, column: str) -> tuple[Moments, BoolArray]:
    """(moments, bad cells) of a column of any type. A time outside 1980 to 2100 is bad."""
    moments, bad = _as_written(cells, column)
    absurd = moments.filled & ((moments.us < EARLIEST_US) | (moments.us >= LATEST_US))
    if absurd.any():
        moments = replace(moments, us=np.where(absurd, NO_TIME, moments.us))
        bad = bad | absurd
    return moments, bad


def _as_written(cells: Cells, column: str) -> tuple[Moments, BoolArray]:
    kind = cells.type
    if pa.types.is_timestamp(kind):
        zoned = kind.tz is not None
        return _arrow_moments(cells, zoned), np.zeros(len(cells), dtype=np.bool_)
    if pa.types.is_date(kind):
        return _arrow_moments(cells.cast(pa.timestamp("us")), False), np.zeros(len(cells), bool)
    if not is_text(cells):
        return _epoch_moments(cells)
    return _text_moments(plain_strings(cells), column)


def _text_moments(text: Cells, column: str) -> tuple[Moments, BoolArray]:
    """ISO 8601 in one step where the whole column is; else the rest by its own spelling."""
    for kind, zoned in _ISO:
        try:
            return _arrow_moments(pc.cast(text, kind), zoned), np.zeros(len(text), np.bool_)
        except pa.ArrowInvalid:
            continue  # another spelling somewhere
    numbers, bad = floats_of(text)
    moments, late = _epoch_moments(pa.chunked_array([pa.array(numbers, from_pandas=True)]))
    us, zoned_rows, bad = moments.us, moments.zoned & ~np.isnan(numbers), bad | late
    for pattern, (kind, zoned) in zip((_ISO_ZONED, _ISO_LOCAL), _ISO, strict=True):
        mask = bad & _matches(text, pattern)
        try:
            iso = _arrow_moments(pc.cast(pc.if_else(pa.array(mask), text, None), kind), zoned)
        except pa.ArrowInvalid:
            continue  # looks like a date and is none: the patterns below say which row
        us, bad = np.where(mask, iso.us, us), bad & ~mask
        zoned_rows = np.where(mask, zoned, zoned_rows)
    rest = np.flatnonzero(bad & np.isnan(numbers))
    spelled, still_bad = _spelled_moments(text.take(pa.array(rest)), column)
    us[rest], bad[rest], zoned_rows[rest] = spelled.us, still_bad, spelled.zoned
    return Moments(us=us, zoned=zoned_rows, notes=spelled.notes), bad


def _matches(text: Cells, pattern: str) -> BoolArray:
    found = pc.fill_null(pc.match_substring_regex(text, pattern), False)
    return np.asarray(found.to_numpy(), dtype=np.bool_)


def _arrow_moments(times: Cells, zoned: bool) -> Moments:
    times = pc.floor_temporal(times, unit="microsecond") if times.type.unit == "ns" else times
    exact = times.cast(pa.timestamp("us", tz=times.type.tz), safe=False)
    us = pc.fill_null(exact.cast(pa.int64()), NO_TIME)
    return Moments(us=np.asarray(us.to_numpy(), np.int64), zoned=np.full(len(times), zoned))


def _epoch_moments(cells: Cells) -> tuple[Moments, BoolArray]:
    """Numbers since 1970, the unit of each by its magnitude; exact where they are integers."""
    values, bad = floats_of(cells)
    with np.errstate(invalid="ignore"):
        bad = bad | (values < _EPOCH_FROM) | (values > 4e18)
    good = ~np.isnan(values) & ~bad
    integers = pa.types.is_integer(cells.type)
    exact = numpy_of(cells.cast(pa.int64()), np.int64, 0) if integers else None
    us = np.full(len(values), NO_TIME, dtype=np.int64)
    for low, high, us_a_unit in _EPOCH_STEPS:
        with np.errstate(invalid="ignore"):
            mask = good & (values >= low) & (values < high)
        if exact is not None and us_a_unit >= 1.0:
            us[mask] = exact[mask] * int(us_a_unit)
        else:
            us[mask] = np.round(values[mask] * us_a_unit).astype(np.int64)
    return Moments(us=us, zoned=np.ones(len(values), dtype=np.bool_)), bad


def _spelled_moments(text: Cells, column: str) -> tuple[Moments, BoolArray]:
    """Cell by pattern: mixed zones, other separators, day and month in either order."""
    text = pc.replace_substring_regex(text, pattern=r"[年月]", replacement="-")
    text = pc.replace_substring(text, pattern="日", replacement=" ")
    text = pc.utf8_trim_whitespace(text)
    first = _Parts(text, _YEAR_FIRST)
    us, bad = first.moments(first.a, first.b, first.c)
    zoned = first.zoned
    notes: tuple[Message, ...] = ()
    last = _Parts(text, _YEAR_LAST)
    if last.matched.any():
        late_us, late_bad, notes = _either_order(last, column)
        us = np.where(last.matched, late_us, us)
        bad = np.where(last.matched, late_bad, bad)
        zoned = np.where(last.matched, last.zoned, zoned)
    bad = (bad | ~(first.matched | last.matched)) & validity(text)
    us = np.where(bad | ~validity(text), NO_TIME, us)
    return Moments(us=us, zoned=np.asarray(zoned, np.bool_), notes=notes), bad


def _either_order(parts: _Parts, column: str) -> tuple[IntArray, BoolArray, tuple[Message, ...]]:
    """Day/month/year or month/day/year: what fits all rows; where both do, the shorter span."""
    day_first = parts.moments(parts.c, parts.b, parts.a)
    month_first = parts.moments(parts.c, parts.a, parts.b)
    spans = []
    for us, bad in (day_first, month_first):
        good = us[parts.matched & ~bad]
        spans.append((int((bad & parts.matched).sum()), int(np.ptp(good)) if len(good) else 0))
    chosen, order = (
        (day_first, "columnar.day_first") if spans[0] <= spans[1]
        else (month_first, "columnar.month_first")
    )  # fmt: skip
    note = Message("columnar.date_order", {"column": column, "order": Message(order)})
    return chosen[0], chosen[1], (note,)


class _Parts:
    """The numbers in every cell that matches a pattern; 0 elsewhere."""

    def __init__(self, text: Cells, pattern: str) -> None:
        found = pc.extract_regex(text, pattern=pattern)
        if isinstance(found, pa.ChunkedArray):
            found = found.combine_chunks()
        self.matched: BoolArray = np.asarray(found.is_valid().to_numpy(zero_copy_only=False))
        self._found = found
        self.a, self.b, self.c = (self._int(name) for name in "abc")
        self.zoned: BoolArray = self._text("zone") != ""

    def _text(self, name: str) -> npt.NDArray[np.str_]:
        part = pc.fill_null(self._found.field(name), "")
        return np.asarray(part.to_numpy(zero_copy_only=False), dtype=np.str_)

    def _int(self, name: str) -> IntArray:
        part = pc.fill_null(self._found.field(name), "0")
        number = pc.if_else(pc.equal(part, ""), "0", part).cast(pa.int64())
        return np.asarray(number.to_numpy(zero_copy_only=False), dtype=np.int64)

    def moments(self, year: IntArray, month: IntArray, day: IntArray) -> tuple[IntArray, BoolArray]:
        """Microseconds since 1970 and which cells are no such moment."""
        hour, late = self._hour()
        minute, second = self._int("minute"), self._int("second")
        bad = late | (month < 1) | (month > 12) | (day < 1) | (year < 1970) | (year > 9000)
        bad |= (minute > 59) | (second > 60)
        months = (np.where(bad, 1970, year) - 1970) * 12 + np.where(bad, 1, month) - 1
        start = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
        until = (months + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
        bad |= day > until - start
        days = start + day - 1
        seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - self._offset_s()
        return seconds * 1_000_000 + self._fraction_us(), bad

    def _hour(self) -> tuple[IntArray, BoolArray]:
        hour, half = self._int("hour"), np.char.lower(self._text("half"))
        with_half = half != ""
        late = np.where(with_half, (hour < 1) | (hour > 12), hour > 23)
        twelve = np.where(half == "pm", hour % 12 + 12, hour % 12)
        return np.where(with_half, twelve, hour), np.asarray(late, dtype=np.bool_)

    def _fraction_us(self) -> IntArray:
        digits = pc.fill_null(self._found.field("fraction"), "")
        six = pc.utf8_slice_codeunits(pc.utf8_rpad(digits, width=6, padding="0"), 0, 6)
        return np.asarray(six.cast(pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64)

    def _offset_s(self) -> IntArray:
        zones, codes = np.unique(self._text("zone"), return_inverse=True)
        seconds = [_zone_seconds(str(zone)) for zone in zones]
        return np.asarray(seconds, dtype=np.int64)[codes.reshape(-1)]


def _zone_seconds(zone: str) -> int:
    if zone[:1] not in "+-" or not zone:
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    return (1 if zone[0] == "+" else -1) * (int(digits[:2]) * 3_600 + int(digits[2:4]) * 60)


def settle_zone(moments: Moments, zone: str) -> Moments:
    """Moments without a zone read as local time of `zone`; InputError for an unknown zone."""
    local = moments.filled & ~moments.zoned
    if not local.any():
        return moments
    known_zone(zone)
    naive = pa.array(moments.us[local], type=pa.timestamp("us"))
    placed = pc.assume_timezone(naive, zone, ambiguous="earliest", nonexistent="earliest")
    us = moments.us.copy()
    us[local] = placed.cast(pa.int64()).to_numpy()
    return Moments(us=us, zoned=moments.filled, notes=moments.notes)
