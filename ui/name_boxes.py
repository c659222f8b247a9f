"""Where names stand in a chart so that they cover neither each other nor a line.

All in shares of the picture, 0..1 from the left and from below, measured where the page is narrow:
what is apart there is apart everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from ui import charts

Spot = TypeVar("Spot")
Curve = Callable[[float], float]
"""The height of a line at a place; nan where it has none."""
INSIDE_PX = (230, 200)
NARROW_PX, WIDE_PX, LATIN, LINE = 6.6, 13.0, 0x2E7F, 1.25
GAP = 0.015
OUTSIDE, ON_A_NAME = 1_000, 30


class Box(NamedTuple):
    """The room of a name."""

    left: float
    foot: float
    right: float
    top: float

    def touches(self, other: Box) -> bool:
        """Whether two names share room."""
        apart = self.right < other.left or other.right < self.left
        return not (apart or self.top < other.foot or other.top < self.foot)


def box(lines: Sequence[str], x: float, foot: float, *, left: bool) -> Box:
    """The room of lines of text that begin (`left`) or end at x, over `foot`."""
    wide = max(
        sum(WIDE_PX if ord(letter) > LATIN else NARROW_PX for letter in text) for text in lines
    )
    across, high = wide / INSIDE_PX[0], len(lines) * charts.LABEL_PX * LINE / INSIDE_PX[1]
    return Box(x if left else x - across, foot, x + across if left else x, foot + high)


def post(x: float, top: float = 1.0) -> Box:
    """The room of an upright line."""
    return Box(x - 0.006, 0.0, x + 0.006, top)


def best(
    spots: Sequence[tuple[Spot, Box]], taken: Sequence[Box], curves: Sequence[Curve]
) -> tuple[Spot, Box]:
    """The first spot that covers nothing, else the one that covers least: a name worse than a
    line, the edge of the picture worst."""
    return min(spots, key=lambda spot: _covered(spot[1], taken, curves))


def _covered(room: Box, taken: Sequence[Box], curves: Sequence[Curve]) -> int:
    inside = room.left >= 0 and room.right <= 1 and room.foot >= 0 and room.top <= 1
    names = sum(room.touches(other) for other in taken)
    places = np.linspace(room.left, room.right, 9).tolist()
    lines = sum(
        any(room.foot - GAP < curve(x) < room.top + GAP for x in places) for curve in curves
    )
    return (0 if inside else OUTSIDE) + ON_A_NAME * names + lines
