"""What stands in a cell: token counts, times and names, or the reason why it does not."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from data_sources.traces.limits import EARLIEST_US, LATEST_US, MAX_TOKENS_A_ROW
from data_sources.traces.tally import rejected
from messages.errors import input_error

_DIGITS = re.compile(r"\s*(\d{1,20})(?:\.0+)?\s*", re.ASCII)
_ISO = re.compile(
    r"\s*(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,12}))?"
    r"\s*(Z|UTC|[+-]\d\d:?\d\d)?\s*",
    re.ASCII | re.IGNORECASE,
)
_EPOCH_UNITS = ((1e17, 1_000), (1e14, 1), (1e11, 0.001), (1e8, 0.000_001))
"""(at least, units a microsecond): ns, us, ms and s since 1970, told apart by magnitude."""


def tokens(values: Mapping[str, Any], key: str) -> int | None:
    """A token count, None where the key is missing or null. Whole floats and digit strings count.

    RowRejectedError for anything else: negative, fractional, absurd or not a number.
    """
    value = values.get(key)
    if value is None:
        return None
    if isinstance(value, str) and (match := _DIGITS.fullmatch(value)):
        value = int(match[1])
    elif isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise rejected("not_a_count", field=key, found=str(value)[:40])
    if value > MAX_TOKENS_A_ROW:
        raise rejected("count_too_large", field=key, limit=MAX_TOKENS_A_ROW)
    return value


def text(values: Mapping[str, Any], *keys: str) -> str | None:
    """The first of `keys` that holds a non-empty text or a whole number, as text."""
    for key in keys:
        value = values.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)[:40]
        if isinstance(value, str) and value.strip():
            return value.strip()
    return None


def mapping(values: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    """The object at `path`, an empty one where there is none."""
    inner: Any = values
    for key in path:
        inner = inner.get(key) if isinstance(inner, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def zone(name: str | None) -> ZoneInfo | None:
    """The zone of times that carry none. InputError for a name that is no zone."""
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise input_error("traces.unknown_zone", found=name) from error


def utc_us(value: object, assumed_zone: ZoneInfo | None = None) -> int | None:
    """Microseconds since 1970 in UTC from ISO 8601 text or an epoch number in s, ms, us or ns.

    None where there is no time, or one without a zone and none is assumed. Fractions finer than
    a microsecond are cut.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return _from_epoch(value)
    if isinstance(value, str):
        if match := _ISO.fullmatch(value):
            return _from_iso(match, assumed_zone)
        if _DIGITS.fullmatch(value):
            return _from_epoch(float(value))
    return None


def _from_epoch(number: float) -> int | None:
    try:
        finite = math.isfinite(number)
    except OverflowError:
        return None
    if not finite:
        return None
    for at_least, units in _EPOCH_UNITS:
        if number >= at_least:
            return _in_range(_scaled(number, units))
    return None


def _scaled(number: float, units_per_us: float) -> int:
    if units_per_us >= 1:
        return int(number) // int(units_per_us)
    per_unit = round(1 / units_per_us)
    if isinstance(number, int):
        return number * per_unit
    return round(number * per_unit)


def _from_iso(match: re.Match[str], assumed_zone: ZoneInfo | None) -> int | None:
    day, clock, fraction, offset = match.groups()
    micros = (fraction or "0")[:6].ljust(6, "0")
    try:
        local = datetime.fromisoformat(f"{day}T{clock}")
        if offset:
            mark = "+00:00" if offset.upper() in ("Z", "UTC") else offset
            moment = datetime.fromisoformat(f"{local.isoformat()}{mark}")
        elif assumed_zone is not None:
            moment = local.replace(tzinfo=assumed_zone)
        else:
            return None
        seconds = int((moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None
    return _in_range(seconds * 1_000_000 + int(micros))


def _in_range(micros: int) -> int | None:
    return micros if EARLIEST_US <= micros < LATEST_US else None
