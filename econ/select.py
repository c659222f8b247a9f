"""A smaller workload: the rows of a period, with their part of the prefix structure."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import numpy.typing as npt

from econ.workload import IntArray, Prefix, Text, Workload


def select(workload: Workload, since: date | None, until: date | None) -> Workload:
    """The rows whose UTC day lies in [since, until], both ends included; None = open. A bucket
    belongs to the day on which it starts; rows without a date are left out of any period."""
    if since is None and until is None:
        return workload
    times = workload.times("arrival_utc")
    keep = ~np.isnat(times)
    if since is not None:
        keep &= times >= np.datetime64(since, "us")
    if until is not None:
        keep &= times < np.datetime64(until, "D") + np.timedelta64(1, "D")
    return take_rows(workload, np.flatnonzero(keep))


def take_rows(workload: Workload, rows: npt.NDArray[np.intp]) -> Workload:
    """The rows at these ascending positions. Statistics of the whole file are left behind."""
    columns = {
        name: column.take(rows) if isinstance(column, Text) else column[rows]
        for name, column in workload.columns.items()
    }
    prefix = None if workload.prefix is None else _take_prefix(workload.prefix, rows)
    return replace(workload, rows=len(rows), columns=columns, prefix=prefix, format_stats={})


def _take_prefix(prefix: Prefix, rows: npt.NDArray[np.intp]) -> Prefix:
    offsets, picked = _gather(prefix.offsets, rows)
    tokens = prefix.block_tokens
    result = replace(
        prefix,
        offsets=offsets,
        block_ids=prefix.block_ids[picked],
        block_tokens=tokens if isinstance(tokens, int) else tokens[picked],
    )
    if prefix.bp_offsets is None:
        return result
    bp_offsets, bp_picked = _gather(prefix.bp_offsets, rows)
    return replace(
        result,
        bp_offsets=bp_offsets,
        bp_blocks=None if prefix.bp_blocks is None else prefix.bp_blocks[bp_picked],
        bp_ttl_s=None if prefix.bp_ttl_s is None else prefix.bp_ttl_s[bp_picked],
    )


def _gather(offsets: IntArray, rows: npt.NDArray[np.intp]) -> tuple[IntArray, IntArray]:
    """New offsets for `rows`, and the positions of their entries in the flat arrays."""
    lengths = np.diff(offsets)[rows]
    fresh = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    shift = np.repeat(offsets[:-1][rows] - fresh[:-1], lengths)
    return fresh, np.arange(int(fresh[-1]), dtype=np.int64) + shift
