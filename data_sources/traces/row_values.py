"""Values of one JSON row: numbers, counts and block ids, or the reason why there is none."""

from __future__ import annotations

from array import array

import numpy as np

from data_sources.traces.columns import MAX_COUNT
from data_sources.traces.faults import shown
from econ.workload import EMPTY
from messages.errors import Message


class BadValueError(ValueError):
    """A value of another type than expected; `message` is the reason for the receipt."""

    def __init__(self, key: str, expected: str, found: object) -> None:
        super().__init__(key)
        self.message = Message(
            "columnar.wrong_cell",
            {"column": key, "expected": Message(expected), "found": shown(found)},
        )


class IdCollector:
    """Block ids one row after another: numbers as they are while all fit 64 bits; from the first
    other id on, every distinct id has a number of its own ("7" is not 7)."""

    def __init__(self) -> None:
        self.codes: array[int] = array("q")
        self._known: dict[tuple[bool, int | str], int] | None = None

    def checked(self, ids: object) -> list[int | str]:
        """The list itself; BadValueError where it holds anything but numbers and text."""
        if ids is None:
            return []
        if not isinstance(ids, list) or not {type(value) for value in ids} <= {int, str}:
            raise BadValueError("hash_ids", "columnar.expected_ids", ids)
        return ids

    def extend(self, ids: list[int | str]) -> None:
        """Append the ids of one row."""
        if self._known is None:
            before = len(self.codes)
            try:
                self.codes.extend(ids)  # type: ignore[arg-type]
            except (TypeError, OverflowError):
                del self.codes[before:]
                self._switch()
        if self._known is not None:
            known = self._known
            self.codes.extend([known.setdefault((type(v) is str, v), len(known)) for v in ids])

    def _switch(self) -> None:
        known: dict[tuple[bool, int | str], int] = {}
        self.codes = array("q", [known.setdefault((False, v), len(known)) for v in self.codes])
        self._known = known


def number_of(value: object, key: str, expected: str) -> float:
    """A float, NaN where nothing is given; numbers may be written as text."""
    if value is None or value == "":
        return float("nan")
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise BadValueError(key, expected, value)
    try:
        number = float(value)
    except (ValueError, OverflowError) as error:
        raise BadValueError(key, expected, value) from error
    if not np.isfinite(number):
        raise BadValueError(key, expected, value)
    return number


def count_of(value: object, key: str) -> int:
    """A count, EMPTY where nothing is given; `3.0` and "3" are 3."""
    if type(value) is int and 0 <= value <= MAX_COUNT:
        return value
    number = number_of(value, key, "columnar.expected_count")
    if np.isnan(number):
        return EMPTY
    if number != int(number) or not 0 <= number <= MAX_COUNT:
        raise BadValueError(key, "columnar.expected_count", value)
    return int(number)
