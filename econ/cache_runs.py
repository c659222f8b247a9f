"""Gaps between the uses of the same prefix, all at once: where these alone decide.

Where every boundary is written, a prefix is alive exactly if it was used less than a lifetime ago.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from econ.structure import Structure
from econ.workload import IntArray

BoolArray = npt.NDArray[np.bool_]


def gaps_hit(structure: Structure, lifetime_us: int) -> BoolArray:
    """Which entries find their prefix stored: used less than a lifetime ago, in a run of such uses
    one of which had begun to be answered."""
    order, new = _runs(structure, lifetime_us)
    known = ~new
    if bool((structure.begun_us > structure.now_us).any()):
        known &= _begun(structure, order, new)
    result = np.zeros(len(order), dtype=np.bool_)
    result[order] = known
    return result


def paid_runs(
    structure: Structure, lifetime_us: int, uses_to_pay: int | None
) -> tuple[BoolArray, BoolArray]:
    """(written, read): the first use and all later ones of each run of at least `uses_to_pay` uses
    closer than the lifetime. None: no run is long enough."""
    order, new = _runs(structure, lifetime_us)
    write, read = np.zeros(len(order), np.bool_), np.zeros(len(order), np.bool_)
    if uses_to_pay is None or not len(order):
        return write, read
    run = np.cumsum(new) - 1
    pays = np.bincount(run)[run] >= uses_to_pay
    write[order], read[order] = new & pays, ~new & pays
    return write, read


def _runs(structure: Structure, lifetime_us: int) -> tuple[IntArray, BoolArray]:
    """Entries by prefix, then in order of the rows; which of them begin a run."""
    if "by_node" not in structure.memo:
        order = np.argsort(structure.node, kind="stable")
        nodes = structure.node[order]
        times = structure.now_us[structure.row_of[order]]
        other = np.ones(len(order), dtype=np.bool_)
        other[1:] = nodes[1:] != nodes[:-1]
        gap = np.zeros(len(order), dtype=np.int64)
        gap[1:] = times[1:] - times[:-1]
        structure.memo["by_node"] = (order, other, gap)
    order, other, gap = structure.memo["by_node"]
    return order, other | (gap >= lifetime_us)


def _begun(structure: Structure, order: IntArray, new: BoolArray) -> BoolArray:
    """Whether an earlier use of the same run had begun to be answered when this one arrived."""
    rows = structure.row_of[order]
    moments = np.concatenate((structure.now_us, structure.begun_us))
    rank = np.unique(moments, return_inverse=True)[1].reshape(-1).astype(np.int64)
    arrived, begun = rank[rows], rank[structure.rows + rows]
    # Later runs get lower numbers, so that one running minimum never looks back over a run's start.
    lowered = begun - (np.cumsum(new) - 1) * (len(moments) + 1)
    least = np.minimum.accumulate(lowered)
    before = np.full(len(order), np.iinfo(np.int64).max)
    before[1:] = least[:-1]
    run = np.cumsum(new) - 1
    return np.asarray(~new & (before <= arrived - run * (len(moments) + 1)))
