"""Rotary positions on one pair of elements: why a stored key suits every later query.

    turned(x, p) = x turned by p times the angle         (RoFormer, arXiv 2104.09864)

The product of a query turned by m and a key turned by n depends on m - n alone, so the key can be
turned once, when it is computed, and kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

Pair = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """A query at one position meets a key at another: their product."""

    query_position: int
    key_position: int
    product: float


def turned(pair: Pair, position: int, angle: float) -> Pair:
    """The pair after `position` turns of `angle` radians."""
    c, s = cos(position * angle), sin(position * angle)
    return pair[0] * c - pair[1] * s, pair[0] * s + pair[1] * c


def meeting(
    query: Pair, key: Pair, query_position: int, key_position: int, angle: float
) -> Meeting:
    """The product of both, each turned by its position."""
    q, k = turned(query, query_position, angle), turned(key, key_position, angle)
    return Meeting(
        query_position=query_position,
        key_position=key_position,
        product=q[0] * k[0] + q[1] * k[1],
    )
