"""What each row of a file says of its own caching: breakpoints, or a lifetime by name."""

from __future__ import annotations

import numpy as np

from econ.cache_kernel import LONG, SHORT, Points
from econ.structure import structure_of
from econ.workload import Workload

TTL_NAMES = {300: "5m", 3600: "1h"}
SLOTS = {"5m": SHORT, "30m": SHORT, "1h": LONG, "12h": LONG}
NOT_CACHED = -1


def own_lifetimes(workload: Workload) -> frozenset[str] | None:
    """The lifetimes that the rows' own settings name; None where the file has none."""
    if workload.prefix is not None and workload.prefix.bp_ttl_s is not None:
        seconds = np.unique(workload.prefix.bp_ttl_s).tolist()
        return frozenset(TTL_NAMES.get(s, f"{s}s") for s in seconds)
    if not workload.has("ttl") or not workload.has("shared_prefix_tokens"):
        return None
    ttl = workload.text("ttl")
    used = {ttl.values[code] for code in np.unique(ttl.codes).tolist() if code >= 0}
    return frozenset(used - {"none"})


def own_points(workload: Workload) -> Points | None:
    """Each row's own breakpoints: the file's, or one after the shared prefix with the row's ttl."""
    prefix = workload.prefix
    if prefix is not None:
        if prefix.bp_offsets is None or prefix.bp_blocks is None or prefix.bp_ttl_s is None:
            return None
        slot = np.where(prefix.bp_ttl_s > min(TTL_NAMES), LONG, SHORT).astype(np.int64)
        return Points(offsets=prefix.bp_offsets, after=prefix.bp_blocks, slot=slot)
    rows = np.ones(workload.rows, dtype=np.bool_)
    structure = structure_of(workload, rows, np.zeros(workload.rows, dtype=np.int64))
    if structure is None:
        return None
    ttl = workload.text("ttl")
    lifetimes = np.array(
        [SLOTS.get(value, NOT_CACHED) for value in (*ttl.values, "none")], dtype=np.int64
    )
    slot = lifetimes[ttl.codes]
    return Points.one(np.where(slot < 0, 0, structure.shared_blocks()), np.maximum(slot, 0))
