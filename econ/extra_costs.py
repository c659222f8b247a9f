"""Policies that cost more than the tokens of the prompts: entries kept alive by requests that ask
nothing, and objects that are stored by the hour."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from econ.cache_rules import OBJECT_LIFETIME_S
from econ.prompt_cache import CacheTokens
from econ.structure import Structure
from econ.usage import SECOND_US
from econ.workload import IntArray

AFTER_LAST_USE_US = 3600 * SECOND_US
OBJECT_US = OBJECT_LIFETIME_S * SECOND_US


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAlive:
    """`pings` a row: requests sent to keep its prefix of `prefix_tokens` alive."""

    tokens: CacheTokens
    pings: IntArray
    prefix_tokens: IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Objects:
    """Explicit objects: `created` tokens a row (billed as input), and for each object the row that
    made it, its tokens, and how long it was kept."""

    tokens: CacheTokens
    created: IntArray
    row: IntArray
    size: IntArray
    kept_us: IntArray


def kept_alive(
    structure: Structure,
    base: CacheTokens,
    lifetime_us: int,
    min_tokens: int,
    premium: Fraction | None,
) -> KeptAlive:
    """`base` (placement shared) with entries kept alive between the uses of the same prefix, by
    ceil(gap / 0.9 lifetime) - 1 pings. `premium` = (write - read) / read price: only where that is
    cheaper than a new write, and never after the last use; None: in all gaps, and for an hour
    after. A ping reads the whole prefix."""
    uses = _Uses.of(structure, min_tokens)
    size = structure.tokens_at(structure.shared_blocks())[uses.rows]
    needed = np.where(uses.gap_us >= 0, _pings(uses.gap_us, lifetime_us), 0)
    lapsed = uses.gap_us >= lifetime_us
    if premium is None:
        keep = uses.gap_us >= 0
    else:
        again = base.short[uses.rows] * premium.numerator
        keep = lapsed & (needed * size * premium.denominator < again)
    pings = np.zeros(structure.rows, dtype=np.int64)
    pings[uses.rows] = np.where(keep, needed, 0)
    if premium is None:
        pings[uses.rows[uses.last]] += int(_pings(np.array([AFTER_LAST_USE_US]), lifetime_us)[0])
    read, short = base.read.copy(), base.short.copy()
    saved = uses.rows[keep & lapsed]
    read[saved] += short[saved]
    short[saved] = 0
    prefix = np.zeros(structure.rows, dtype=np.int64)
    prefix[uses.rows] = size
    tokens = replace(base, read=read, short=short)
    return KeptAlive(tokens=tokens, pings=pings, prefix_tokens=prefix)


def objects_of(structure: Structure, min_tokens: int, *, renewed: bool) -> Objects:
    """One object for each shared prefix, made at its first use; every use reads it. `renewed`: kept
    for one default lifetime at a time and made anew after that; else until its last use."""
    uses = _Uses.of(structure, min_tokens)
    size = structure.tokens_at(structure.shared_blocks())
    read = np.zeros(structure.rows, dtype=np.int64)
    read[uses.rows] = size[uses.rows]
    makers, kept = _windows(structure, uses) if renewed else _spans(structure, uses)
    created = np.zeros(structure.rows, dtype=np.int64)
    created[makers] = size[makers]
    zero = np.zeros(structure.rows, dtype=np.int64)
    tokens = CacheTokens(read=read, short=zero, long=zero, uncached=structure.prompt - read)
    return Objects(tokens=tokens, created=created, row=makers, size=size[makers], kept_us=kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Uses:
    """Rows with a shared prefix, by prefix and then in order. `gap_us` since the previous use of
    the same prefix, -1 for the first; `first`, `last`: masks."""

    rows: IntArray
    gap_us: IntArray
    first: np.ndarray[tuple[int], np.dtype[np.bool_]]
    last: np.ndarray[tuple[int], np.dtype[np.bool_]]

    @classmethod
    def of(cls, structure: Structure, min_tokens: int) -> _Uses:
        shared = structure.shared_blocks()
        used = (shared > 0) & (structure.tokens_at(shared) >= min_tokens)
        rows = np.flatnonzero(used)
        nodes = structure.node[structure.offsets[rows] + shared[rows] - 1]
        order = np.argsort(nodes, kind="stable")
        rows, nodes = rows[order], nodes[order]
        first = np.ones(len(rows), dtype=np.bool_)
        first[1:] = nodes[1:] != nodes[:-1]
        last = np.ones(len(rows), dtype=np.bool_)
        last[:-1] = first[1:]
        now = structure.now_us[rows]
        gap = np.full(len(rows), -1, dtype=np.int64)
        gap[1:] = np.where(first[1:], -1, now[1:] - now[:-1])
        return cls(rows=rows, gap_us=gap, first=first, last=last)


def _pings(gap_us: IntArray, lifetime_us: int) -> IntArray:
    """ceil(gap / 0.9 lifetime) - 1, never negative."""
    return np.maximum(-(-gap_us * 10 // (9 * lifetime_us)) - 1, 0)


def _spans(structure: Structure, uses: _Uses) -> tuple[IntArray, IntArray]:
    makers = uses.rows[uses.first]
    return makers, structure.now_us[uses.rows[uses.last]] - structure.now_us[makers]


def _windows(structure: Structure, uses: _Uses) -> tuple[IntArray, IntArray]:
    """A use after the object's lifetime makes a new one."""
    makers: list[int] = []
    now = structure.now_us[uses.rows].tolist()
    bounds = [*np.flatnonzero(uses.first).tolist(), len(now)]
    rows = uses.rows.tolist()
    for start, end in pairwise(bounds):
        expires = None
        for use in range(start, end):
            if expires is None or now[use] >= expires:
                makers.append(rows[use])
                expires = now[use] + OBJECT_US
    return np.array(makers, dtype=np.int64), np.full(len(makers), OBJECT_US, dtype=np.int64)
