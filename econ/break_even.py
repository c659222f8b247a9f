"""When writing to a provider's cache pays: simple arithmetic on three prices.

With write factor w, read factor r and n uses within the lifetime (one write, n - 1 reads) caching
pays when n > (w - r) / (1 - r). With every unread token written it pays above the token hit ratio
h with h r + (1 - h) w = 1, which is (w - 1) / (w - r).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np

from econ.price_sources import source_of
from econ.rate_grid import RateGrid, grid_of, to_us
from econ.report import BreakEven, PriceSource
from econ.usage import WRITE_BUCKETS
from price_tables.book import RateCard

IMPLICIT = "implicit"


def break_even_rows(cards: Iterable[RateCard], at: datetime) -> tuple[BreakEven, ...]:
    """One row for each lifetime that each card sells at `at`, at the base tier off peak. Cards
    without a read price then have none."""
    rows: list[BreakEven] = []
    seen: set[tuple[str, str, str, str]] = set()
    for card in cards:
        key = (card.provider, card.surface, card.model, card.mode)
        if key not in seen:
            seen.add(key)
            rows += _of_card(grid_of(card), to_us(at))
    return tuple(rows)


def uses_to_pay(write_factor: Fraction, read_factor: Fraction) -> int | None:
    """The smallest n > (w - r) / (1 - r), at least 2: one use alone reads nothing. None: never."""
    if read_factor >= 1:
        return None
    return max(2, (write_factor - read_factor) // (1 - read_factor) + 1)


def hit_ratio_to_pay(write_factor: Fraction, read_factor: Fraction) -> float | None:
    """The token hit ratio above which caching pays if all other tokens are written. None: never."""
    if read_factor >= 1:
        return None
    if write_factor <= 1:
        return 0.0
    return float((write_factor - 1) / (write_factor - read_factor))


def _of_card(grid: RateGrid, at_us: int) -> list[BreakEven]:
    interval = grid.intervals[int(grid.interval_of(np.array([at_us], dtype=np.int64))[0])]
    if len(interval.segments) == 0:
        return []
    price_row = 2 * int(interval.segments[0])
    prices = grid.segment(price_row).usd_per_mtok
    plain, read = prices.get("uncached"), prices.get("read")
    if not plain or read is None:
        return []
    writes = {b: prices[b] for b in WRITE_BUCKETS if b in prices}
    if all(price == plain for price in writes.values()):
        writes = {IMPLICIT: plain}  # writing costs nothing extra: no lifetime is sold
    source = source_of(grid, price_row, ("uncached", "read", *writes))
    read_factor = Fraction(read) / Fraction(plain)
    return [
        _row(source, bucket, Fraction(price) / Fraction(plain), read_factor)
        for bucket, price in writes.items()
    ]


def _row(source: PriceSource, bucket: str, write: Fraction, read: Fraction) -> BreakEven:
    return BreakEven(
        provider=source.provider,
        surface=source.surface,
        model=source.model,
        policy=bucket.removeprefix("write_"),
        write_factor=_decimal(write),
        read_factor=_decimal(read),
        token_hit_ratio=hit_ratio_to_pay(write, read),
        uses=uses_to_pay(write, read),
        source=source,
    )


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
