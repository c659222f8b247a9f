"""Which price rows a bill used, with their source: each figure can be traced to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal

import numpy as np

from econ.rate_grid import RateGrid
from econ.report import PriceSource
from econ.usage import BoolArray
from econ.workload import IntArray
from price_tables.book import BUCKETS
from price_tables.peak import peak_prices


def used_rows(
    grid: RateGrid, rows: Iterable[IntArray], tokens: Mapping[str, IntArray], priced: BoolArray
) -> dict[int, tuple[str, ...]]:
    """Price row -> the buckets that were billed with it. Input and output prices always count as
    used: the baseline stands on them."""
    used: dict[int, set[str]] = {}
    distinct = {id(row): row[priced] for row in rows}
    for price_rows in distinct.values():
        # price rows are small numbers: counting them is quicker than sorting a million
        for number in np.flatnonzero(np.bincount(price_rows, minlength=1)).tolist():
            used.setdefault(number, {"uncached", "output"})
        for bucket, counts in tokens.items():
            holds = price_rows[counts[priced] > 0]
            for number in np.flatnonzero(np.bincount(holds, minlength=1)).tolist():
                used[number].add(bucket)
    return {
        number: tuple(bucket for bucket in BUCKETS if bucket in buckets)
        for number, buckets in used.items()
    }


def source_of(grid: RateGrid, price_row: int, buckets: Iterable[str]) -> PriceSource:
    """The price row as a figure's source, with the prices of `buckets`."""
    segment, peak = grid.segment(price_row), price_row % 2 == 1
    prices = peak_prices(segment) if peak else segment.usd_per_mtok
    return PriceSource(
        provider=grid.card.provider,
        surface=grid.card.surface,
        model=grid.card.model,
        mode=grid.card.mode,
        tier_above_tokens=segment.above_tokens,
        peak=peak,
        valid_from=segment.valid_from,
        valid_to=segment.valid_to,
        prices={bucket: prices[bucket] for bucket in buckets if bucket in prices},
        source=segment.source,
        as_of=segment.as_of,
        status=segment.status,
        via=segment.via,
        note=segment.note,
    )


def merged(sources: Iterable[PriceSource]) -> tuple[PriceSource, ...]:
    """Each price row once, the buckets of all its uses together, in a fixed order."""
    by_row: dict[tuple[object, ...], PriceSource] = {}
    for source in sources:
        key = _row_key(source)
        known = by_row.get(key)
        by_row[key] = source if known is None else _with_prices(known, source.prices)
    return tuple(by_row[key] for key in sorted(by_row, key=str))


def only(sources: Iterable[PriceSource], buckets: Iterable[str]) -> tuple[PriceSource, ...]:
    """The same price rows with the prices of `buckets` alone."""
    kept = set(buckets)
    return tuple(
        replace(s, prices={b: price for b, price in s.prices.items() if b in kept}) for s in sources
    )


def _row_key(source: PriceSource) -> tuple[object, ...]:
    start = "" if source.valid_from is None else source.valid_from.isoformat()
    return (
        source.provider,
        source.surface,
        source.model,
        source.mode,
        start,
        f"{source.tier_above_tokens:012d}",
        source.peak,
    )


def _with_prices(source: PriceSource, more: Mapping[str, Decimal]) -> PriceSource:
    prices = {**source.prices, **more}
    return replace(source, prices={b: prices[b] for b in BUCKETS if b in prices})
