"""What explicit cache objects cost to keep: tokens times time, at that time's storage price."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from econ.extra_costs import Objects
from econ.money import E13_PER_USD, rounded, total
from econ.rate_grid import MAX_US, MIN_US, to_us
from econ.usage import SECOND_US
from econ.workload import IntArray
from price_tables.book import STORAGE, RateCard

MTOK_HOUR_US = 1_000_000 * 3600 * SECOND_US
MILLISECOND_US = 1_000


def storage_e13(objects: Objects, times_us: IntArray, card: RateCard) -> int | None:
    """1e-13 USD, by the fraction of an hour; an object that crosses a price change is billed in two
    parts. None where some of the time has no storage price."""
    start = times_us[objects.row] if len(objects.row) else np.zeros(0, dtype=np.int64)
    end = start + objects.kept_us
    cost, covered = Fraction(0), 0
    for segment in card.segments:
        if segment.above_tokens:
            continue
        since = MIN_US if segment.valid_from is None else to_us(segment.valid_from)
        until = MAX_US if segment.valid_to is None else to_us(segment.valid_to)
        inside = np.maximum(np.minimum(end, until) - np.maximum(start, since), 0)
        held = _token_us(objects.size, inside)
        if not held:
            continue
        price = segment.usd_per_mtok.get(STORAGE)
        if price is None:
            return None
        covered += held
        cost += Fraction(held) * Fraction(price) * E13_PER_USD / MTOK_HOUR_US
    return rounded(cost) if covered == stored_token_us(objects) else None


def stored_token_us(objects: Objects) -> int:
    """Tokens times microseconds kept, exact."""
    return _token_us(objects.size, objects.kept_us)


def _token_us(size: IntArray, time_us: IntArray) -> int:
    """The exact sum of products, in two parts so that none passes an int64."""
    whole, rest = np.divmod(time_us, MILLISECOND_US)
    return total(size * whole) * MILLISECOND_US + total(size * rest)
