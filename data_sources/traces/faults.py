"""Rows that cannot be used: found in whole columns at once, told one by one with their line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from econ.receipt import LISTED_REJECTIONS, Rejection
from econ.workload import IntArray
from messages.errors import Message

BoolArray: TypeAlias = npt.NDArray[np.bool_]
Lines = Callable[[IntArray], IntArray]
"""Row positions in a table -> 1-based physical line (or record) numbers in the file."""

SHOWN_CHARACTERS = 60


def shown(value: object) -> str:
    """`value` as it stands in a sentence: one line, at most 60 characters."""
    text = " ".join(str(value).split())
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


@dataclass(slots=True)
class Rejects:
    """Rejected rows of one file: all are counted by reason, the first hundred are listed."""

    file: str
    listed: list[tuple[int, Message]] = field(default_factory=list)
    by_reason: Counter[str] = field(default_factory=Counter)

    def add(self, line: int, reason: Message) -> None:
        """One more rejected row."""
        self.by_reason[reason.id] += 1
        if len(self.listed) < LISTED_REJECTIONS:
            self.listed.append((line, reason))

    @property
    def total(self) -> int:
        """How many rows were rejected."""
        return sum(self.by_reason.values())

    def rejections(self) -> Iterable[Rejection]:
        """The listed ones in line order."""
        for line, reason in sorted(self.listed, key=lambda entry: entry[0]):
            yield Rejection(file=self.file, line=line, reason=reason)


class Faults:
    """Collects, column by column, which rows of a table are faulty. A row's first fault counts."""

    def __init__(self, rows: int) -> None:
        self._first = np.full(rows, -1, dtype=np.int32)
        self._reasons: list[Callable[[int], Message]] = []

    def add(self, mask: BoolArray, reason: Callable[[int], Message]) -> None:
        """Rows under `mask` are faulty; `reason(row)` words one of them, always with one id."""
        if mask.any():
            self._first[mask & (self._first < 0)] = len(self._reasons)
            self._reasons.append(reason)

    @property
    def mask(self) -> BoolArray:
        """Which rows are faulty."""
        return self._first >= 0

    def tell(self, rejects: Rejects, lines: Lines) -> None:
        """Move every faulty row into `rejects`, worded and with its line number."""
        if not self._reasons:
            return
        rows = np.flatnonzero(self._first >= 0)
        listed = rows[:LISTED_REJECTIONS]
        for row, line in zip(listed.tolist(), lines(listed).tolist(), strict=True):
            rejects.add(line, self._reasons[self._first[row]](row))
        rest = rows[LISTED_REJECTIONS:]
        codes, counts = np.unique(self._first[rest], return_counts=True)
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
            row = int(rest[self._first[rest] == code][0])
            rejects.by_reason[self._reasons[code](row).id] += count
