"""How many bytes each request of a workload keeps, how long, and what that adds up to.

    bytes       of prompt and answer, at the least that the model can keep (`econ.kv_memory`)
    residence   how long they lie in memory after the request began; five models, each named
    GB-hours    sum over requests of bytes x residence
    peak        the most bytes that lie there at once

Residence models: `queue` until a simulated fleet has answered: its median time to the first token,
then its median time for each further one. `answer` until the answer was finished, from the file's
own times; `lifetime`
until the next request of the chain begins, at most so long; `session` until the next request of
the chain, and the last one as long as the `lifetime`; `every_lifetime` so long for every request,
where the file has no sessions: an upper end, since what is re-used is counted again. A chain is
one session and agent; what sessions share is kept once for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from econ.kv_formats import KvFormat
from econ.kv_memory import minimum
from econ.structure import times_us
from econ.turns import SESSION_CHAIN, previous_rows
from econ.workload import FloatArray, IntArray, Workload
from price_tables.hardware import WINDOWED, KvGroup, ModelSpec

Residence = Literal["lifetime", "session", "answer", "every_lifetime", "queue"]
SECOND_US = 1_000_000
HOUR_S = 3_600
GB = 1_000_000_000
LIFETIMES_S = (300, 3_600)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Requests with a length, by row: tokens kept, start in seconds, seconds kept.

    `model`: the residence model that was used; `left_out`: rows without a length or a time;
    `span_s`: from the first start to the last end.
    """

    tokens: IntArray
    output_tokens: IntArray
    start_s: FloatArray
    residence_s: FloatArray
    model: Residence
    lifetime_s: int
    left_out: int

    @property
    def span_s(self) -> float:
        """Seconds from the first request until the last bytes are gone."""
        if not len(self.start_s):
            return 0.0
        return float((self.start_s + self.residence_s).max() - self.start_s.min())


def kept(
    workload: Workload, asked: Residence, lifetime_s: int,
    queue_s: tuple[float, float] | None = None,
) -> Kept | None:  # fmt: skip
    """What a workload keeps; None where no row has both a length and a time, or rows are sums.

    Where the file has no sessions, `lifetime` and `session` become `every_lifetime`; where it
    does not say when answers were finished, `answer` becomes `lifetime`. `queue_s`: a fleet's
    seconds to the first token and of each further one; without them `queue` becomes `lifetime`.
    """
    if lifetime_s <= 0:
        raise ValueError("a lifetime must be above zero")
    known = workload.ints("input_tokens") >= 0
    timed = workload.has("arrival_utc") or workload.has("arrival_s")
    if workload.granularity != "request" or not timed or not known.any():
        return None
    start = times_us(workload)[0]
    model = _possible(workload, "lifetime" if asked == "queue" and queue_s is None else asked)
    residence = (
        _queued_us(workload, *queue_s)
        if model == "queue" and queue_s
        else _residence_us(workload, start, model, lifetime_s * SECOND_US)
    )
    good = known & (residence >= 0)
    if not good.any():
        return None
    tokens = workload.counts("input_tokens") + workload.counts("output_tokens")
    return Kept(
        tokens=tokens[good],
        output_tokens=workload.counts("output_tokens")[good],
        start_s=(start[good] - start[good].min()) / SECOND_US,
        residence_s=residence[good] / SECOND_US,
        model=model,
        lifetime_s=lifetime_s,
        left_out=int((~good).sum()),
    )


def _possible(workload: Workload, asked: Residence) -> Residence:
    if asked == "answer" and not workload.has("finished_s"):
        asked = "lifetime"
    if asked in ("lifetime", "session") and not workload.has("session_id"):
        return "every_lifetime"
    return asked


def _queued_us(workload: Workload, ttft_s: float, tpot_s: float) -> IntArray:
    seconds = ttft_s + np.maximum(workload.counts("output_tokens") - 1, 0) * tpot_s
    return np.asarray(seconds * SECOND_US).astype(np.int64)


def _residence_us(
    workload: Workload, start: IntArray, model: Residence, lifetime_us: int
) -> IntArray:
    whole = np.full(workload.rows, lifetime_us, dtype=np.int64)
    if model == "every_lifetime":
        return whole
    if model == "answer":
        seconds = workload.floats("finished_s") - workload.floats("arrival_s")
        known = np.isfinite(seconds) & (seconds >= 0)
        return np.where(known, np.nan_to_num(seconds) * SECOND_US, -1).astype(np.int64)
    previous = previous_rows(workload, SESSION_CHAIN)
    previous[workload.text("session_id").codes < 0] = -1
    later = np.flatnonzero(previous >= 0)
    gap = np.full(workload.rows, -1, dtype=np.int64)
    gap[previous[later]] = start[later] - start[previous[later]]
    if model == "session":
        return np.where(gap >= 0, gap, whole)
    return np.where(gap >= 0, np.minimum(gap, whole), whole)


def request_bytes(
    model: ModelSpec, dtype: KvFormat, tokens: IntArray, tensor_parallel: int = 1
) -> FloatArray:
    """Least bytes of each request on one rank: `kv_memory.minimum` over many lengths at once."""
    total = np.zeros(len(tokens), dtype=np.float64)
    for group in model.groups:
        total += _group_bytes(group, dtype, tokens, tensor_parallel)
    return total


def _group_bytes(
    group: KvGroup, dtype: KvFormat, tokens: IntArray, tensor_parallel: int
) -> FloatArray:
    if group.kind == "compressed":
        entry, index = group.entry_elements, group.indexer_bytes_per_entry
        entries = tokens // group.ratio_tokens if group.ratio_tokens else np.zeros_like(tokens)
        held = np.minimum(tokens, group.window_tokens) * entry + entries * (entry + index)
        return np.asarray(held * group.layers, dtype=np.float64)
    fixed = minimum(group, dtype, 0, tensor_parallel)
    each = float(minimum(group, dtype, 1, tensor_parallel) - fixed)
    seen = np.minimum(tokens, group.window_tokens) if group.kind in WINDOWED else tokens
    return np.asarray(seen * each + float(fixed), dtype=np.float64)


def gb_hours(sizes: FloatArray, residence_s: FloatArray) -> float:
    """GB (1e9 bytes) times hours, over all requests."""
    return float((sizes * residence_s).sum()) / GB / HOUR_S


def peak_bytes(sizes: FloatArray, start_s: FloatArray, residence_s: FloatArray) -> float:
    """The most bytes at once. What ends at the moment at which another begins is gone by then."""
    if not len(sizes):
        return 0.0
    moments = np.concatenate((start_s + residence_s, start_s))
    change = np.concatenate((-sizes, sizes))
    begins = np.concatenate((np.zeros(len(sizes)), np.ones(len(sizes))))
    order = np.lexsort((begins, moments))
    return float(max(np.cumsum(change[order]).max(), 0.0))
