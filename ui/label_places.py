"""Where the names of lines stand in a chart, so that each is beside its own line and no other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

STEPS = tuple(at / 100 for at in range(8, 74, 3))
SIDE = 0.075
"""How far a name stands from its line, as a share of the height."""
WIDE = 0.06
"""Half of a name's width, as a share of the chart's."""
ENOUGH = 0.06
"""More room than this makes no place better than a nearer one."""
CROWDED = 0.045
"""A line that nowhere runs further than this from all others cannot be named beside it."""
SAME = 0.01
"""Two lines that are never further apart than this share one name."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line in units of the picture: x and y both 0..1, x ascending."""

    name: str
    at: npt.NDArray[np.float64]
    height: npt.NDArray[np.float64]

    def y(self, x: float) -> float:
        """Its height at x."""
        return float(np.interp(x, self.at, self.height))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name begins, left end and middle, for the lines `names`."""

    names: tuple[str, ...]
    x: float
    y: float


def places(
    lines: Sequence[Line], taken: Sequence[tuple[float, float]], ceiling: float
) -> list[Place] | None:
    """A place below `ceiling` for every line, clear of `taken`; None where lines run too close
    for that: then a legend must name them."""
    found: list[Place] = []
    groups = grouped(lines)
    for names, line in groups:
        others = [other for other_names, other in groups if other_names != names]
        if others and max(_apart(line, others, x) for x in STEPS) < CROWDED:
            return None
        full = [*taken, *((place.x, place.y) for place in found)]
        x, y = _best(line, others, full, ceiling)
        found.append(Place(names, x, y))
    return found


def grouped(lines: Sequence[Line]) -> list[tuple[tuple[str, ...], Line]]:
    """Lines that lie on one another, under the first of them."""
    groups: list[tuple[list[str], Line]] = []
    for line in lines:
        for names, first in groups:
            if max(abs(first.y(x) - line.y(x)) for x in (*STEPS, 1.0)) < SAME:
                names.append(line.name)
                break
        else:
            groups.append(([line.name], line))
    return [(tuple(names), line) for names, line in groups]


def _apart(line: Line, others: Sequence[Line], x: float) -> float:
    """How far the line runs from all others there."""
    return min((abs(line.y(x) - other.y(x)) for other in others), default=ENOUGH)


def _best(
    line: Line, others: Sequence[Line], taken: Sequence[tuple[float, float]], ceiling: float
) -> tuple[float, float]:
    def room(x: float, y: float) -> float:
        along = (x, x + WIDE, x + 2 * WIDE)
        near = [abs(other.y(a) - y) for other in (line, *others) for a in along]
        names = [max(abs(left - x) / 3, abs(middle - y)) for left, middle in taken]
        return min(*near, *names, ceiling - y, y, ENOUGH)

    def merit(place: tuple[float, float]) -> tuple[float, float]:
        x, y = place
        own = min(_apart(line, others, x + WIDE), ENOUGH)
        return round(room(x, y) + own, 2), -abs(line.y(x + WIDE) - y)

    sides = (SIDE, -SIDE, 2 * SIDE, -2 * SIDE)
    return max(((x, line.y(x + WIDE) + side) for x in STEPS for side in sides), key=merit)
