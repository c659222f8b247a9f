"""Where a request leaves what its conversation had sent before."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from econ.cache_kernel import COMPILE_FROM_ENTRIES
from econ.structure import Structure
from econ.workload import IntArray

NO_ROW = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Forks:
    """Of each row: `parent`, the earlier row of its conversation that starts like it for longest
    (the latest of several; the one before it where none does; NO_ROW for the first), and `common`
    leading blocks of the two."""

    parent: IntArray
    common: IntArray


def forks_of(structure: Structure, chain: IntArray) -> Forks:
    """`chain` numbers conversations from 0; -1 = none. Nodes must not be isolated by model."""
    parent = np.full(structure.rows, NO_ROW, dtype=np.int64)
    common = np.zeros(structure.rows, dtype=np.int64)
    order = np.argsort(chain, kind="stable").astype(np.int64)
    order = order[chain[order] >= 0]
    last = np.full(int(structure.node.max(initial=0)) + 1, NO_ROW, dtype=np.int64)
    columns = (structure.offsets, structure.node, chain, order, last, parent, common)
    if len(structure.node) >= COMPILE_FROM_ENTRIES or "numba" in sys.modules:
        _compiled()(*columns)
        return Forks(parent=parent, common=common)
    lists = [column.tolist() for column in columns]
    follow: Callable[..., None] = _follow
    follow(*lists)
    return Forks(parent=np.array(lists[-2], np.int64), common=np.array(lists[-1], np.int64))


@cache
def _compiled() -> Callable[..., None]:
    from numba import njit

    compiled: Callable[..., None] = njit(cache=True)(_follow)
    return compiled


def _follow(
    offsets: Any, node: Any, chain: Any, order: Any, last: Any, parent: Any, common: Any
) -> None:
    """Rows conversation by conversation; `last` is the last row that had a node."""
    before = -1
    for row in order:
        if before >= 0 and chain[before] == chain[row]:
            parent[row] = before
        shared = True
        for entry in range(offsets[row], offsets[row + 1]):
            known = last[node[entry]]
            if shared and known >= 0 and chain[known] == chain[row]:
                parent[row] = known
                common[row] = entry - offsets[row] + 1
            else:
                shared = False
            last[node[entry]] = row
        before = row
