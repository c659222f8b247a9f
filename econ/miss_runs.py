"""Why prompt tokens were not read from a cache: the reasons, and a request cut into runs of them.

A request's missed tokens lie behind what it read. Each reason reaches up to some token; asked in
ORDER, the first that reaches past a token has it. So every missed token has exactly one reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from econ.workload import IntArray

REASONS = (
    "below_minimum", "not_yet_readable", "new", "switched", "prefix_changed", "look_back",
    "expired", "evicted", "no_breakpoint", "unexplained",
)  # fmt: skip
"""As they are shown; all but `no_breakpoint` are those of the ledger's semantics, in their order.
`no_breakpoint` is what else can be known: sent before, and stored by nobody."""

ORDER = (
    "below_minimum", "evicted", "open", "not_yet_readable", "look_back", "expired",
    "no_breakpoint", "switched", "prefix_changed", "unknown", "new",
)  # fmt: skip
"""As they follow each other in a prompt. `open` (there, by what was seen, and not read) and
`unknown` (nothing says) are both unexplained."""
UNEXPLAINED = ("open", "unknown")

CHANGEABLE = frozenset({
    "not_yet_readable", "switched", "prefix_changed", "look_back", "expired", "no_breakpoint",
})  # fmt: skip
"""Reasons that whoever sends the requests can do something about."""

FACTS = ("", "sessions", "prompts", "promise", "not_said")
"""What a row lacks where it is unexplained: who belongs to whom, what prompts hold, a lifetime
that the provider promises, what the cache did at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Of each row: `reach[name]` prompt tokens up to which a reason of ORDER holds (absent = 0).
    `late_us`: how long after its end an expired entry was asked for. `fork`: prompt tokens before
    the first that differs, -1 where nothing forked. `fact`: what is lacking, an index of FACTS."""

    reach: Mapping[str, IntArray]
    late_us: IntArray
    fork: IntArray
    fact: IntArray


@dataclass(slots=True, kw_only=True)
class Draft:
    """Bounds of all rows, filled in part by part."""

    rows: int
    reach: dict[str, IntArray] = field(default_factory=dict)
    late_us: IntArray = field(init=False)
    fork: IntArray = field(init=False)
    fact: IntArray = field(init=False)

    def __post_init__(self) -> None:
        self.late_us = np.zeros(self.rows, dtype=np.int64)
        self.fork = np.full(self.rows, -1, dtype=np.int64)
        self.fact = np.zeros(self.rows, dtype=np.int64)

    def put(self, name: str, rows: IntArray, values: IntArray) -> None:
        """The reach of one reason in the rows at these positions."""
        if name not in self.reach:
            self.reach[name] = np.zeros(self.rows, dtype=np.int64)
        self.reach[name][rows] = values

    def done(self) -> Bounds:
        """What has been filled in."""
        return Bounds(reach=self.reach, late_us=self.late_us, fork=self.fork, fact=self.fact)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One reason in every row: prompt tokens `start[i]:end[i]`, none where they are equal."""

    reason: str
    start: IntArray
    end: IntArray

    @property
    def tokens(self) -> IntArray:
        """How many there are."""
        return self.end - self.start


def runs_of(bounds: Bounds, read: IntArray, prompt: IntArray) -> list[Run]:
    """The runs of every row, in ORDER; together they are `prompt - read` tokens."""
    found = []
    start = np.minimum(read, prompt)
    for name in ORDER:
        end = prompt
        if name != ORDER[-1]:
            if name not in bounds.reach:
                continue
            end = np.maximum(start, np.minimum(bounds.reach[name], prompt))
        reason = "unexplained" if name in UNEXPLAINED else name
        found.append(Run(reason=reason, start=start, end=end))
        start = end
    return found
