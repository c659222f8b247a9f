"""Prefill on some devices, decode on others, and the hand-off between them.

A prompt's KV is moved once, after its prefill and before its decode: bytes = tokens x what a token
adds to the cache, seconds = latency + bytes / bandwidth. Serial: nothing of it is hidden behind
compute, and it counts in the time to the first token. An engine that sends layer by layer hides
part of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from econ.fleet import Engine, Latency, Run, latency, run, utilisation
from econ.fleet_input import Requests
from econ.fleet_names import Routing
from econ.fleet_steps import StepTable
from econ.kv_formats import KvFormat
from econ.kv_memory import growing_per_token
from econ.workload import FloatArray, IntArray
from price_tables.hardware import ModelSpec

DEFAULT_LINK_BYTES_PER_S = 50e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """One prompt's hand-off. `share_of_ttft` 0..1 and `max_in_decode` (hand-offs of this length
    that the decode side has room for at once) are None where they are not known."""

    bytes: int
    transfer_s: float
    share_of_ttft: float | None
    max_in_decode: int | None


def handoff(
    model: ModelSpec,
    dtype: KvFormat,
    *,
    prompt_tokens: int,
    link_bytes_per_s: float,
    latency_s: float = 0.0,
    ttft_s: float | None = None,
    decode_sequences: int | None = None,
) -> Handoff:
    """The hand-off of a prompt. `ttft_s`: the time to the first token that it is a part of."""
    moved = ceil(growing_per_token(model, dtype) * prompt_tokens)
    transfer = latency_s + moved / link_bytes_per_s
    return Handoff(
        bytes=moved,
        transfer_s=transfer,
        share_of_ttft=transfer / ttft_s if ttft_s else None,
        max_in_decode=decode_sequences,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Replicas of one kind: how fast, how large, how many."""

    table: StepTable
    engine: Engine
    replicas: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolsResult:
    """Both pools together. Saturated: one of them is offered more than it can do; then there are
    no latencies. `too_long`: requests that fit into no replica of one of them."""

    hit_tokens: int
    total_tokens: int
    prefill_utilisation: float | None
    decode_utilisation: float | None
    saturated: bool
    too_long: int
    ttft: Latency
    tpot: Latency
    transfer_p50_s: float
    prefill_busy_s: float
    decode_busy_s: float
    span_s: float


def serve_pools(
    asked: Requests, prefill: Pool, decode: Pool, *, bytes_per_token: float,
    link_bytes_per_s: float, latency_s: float = 0.0, routing: Routing = "least-loaded",
) -> PoolsResult:  # fmt: skip
    """Every prompt is read in the first pool, moved, and answered in the second. Prefixes are kept
    and found in the prefill pool."""
    one = replace(asked, output_tokens=np.ones_like(asked.output_tokens))
    made = run(one, prefill.table, prefill.engine, replicas=prefill.replicas, routing=routing)
    extra_s = prefill.table.request_s
    moved_s = latency_s + asked.prompt_tokens * bytes_per_token / link_bytes_per_s
    here = made.first_s + moved_s + extra_s
    later, order = _second(asked, here)
    answered = run(
        later, decode.table, decode.engine, replicas=decode.replicas, routing="least-loaded",
        computed=True,
    )  # fmt: skip
    finish = np.full(asked.n, np.nan)
    finish[order] = answered.finish_s
    done = ~np.isnan(here)
    single = done & (asked.output_tokens == 1)
    finish[single] = here[single]
    loads = _loads(one, made, prefill), _decode_load(later, decode)
    saturated = any(load is not None and load > 1 for load in loads)
    several = ~np.isnan(finish) & (asked.output_tokens > 1)
    tpot = (finish - here)[several] / (asked.output_tokens[several] - 1)
    served = ~np.isnan(finish)
    return PoolsResult(
        hit_tokens=int(made.hit_tokens.sum()),
        total_tokens=int(asked.prompt_tokens[done].sum()),
        prefill_utilisation=loads[0],
        decode_utilisation=loads[1],
        saturated=saturated,
        too_long=int((~served).sum()),
        ttft=latency((here - asked.arrival_s)[served], saturated),
        tpot=latency(tpot, saturated),
        transfer_p50_s=float(np.median(moved_s)) if asked.n else 0.0,
        prefill_busy_s=made.prefill_busy_s,
        decode_busy_s=answered.decode_busy_s,
        span_s=float(np.nanmax(finish) - asked.arrival_s[0]) if served.any() else 0.0,
    )


def _second(asked: Requests, here: FloatArray) -> tuple[Requests, IntArray]:
    """What the decode pool is handed, by the moment at which it is there: prompts with their KV,
    and the answers less the token that prefill gave. Nothing of it is shared."""
    order = np.flatnonzero(~np.isnan(here) & (asked.output_tokens > 1))
    order = order[np.argsort(here[order], kind="stable")]
    none = np.zeros(len(order), dtype=np.int64)
    whole = asked.prompt_tokens[order] + asked.output_tokens[order]
    return replace(
        asked,
        arrival_s=here[order],
        prompt_tokens=asked.prompt_tokens[order],
        output_tokens=asked.output_tokens[order],
        offsets=np.zeros(len(order) + 1, dtype=np.int64),
        ids=asked.ids[:0],
        id_tokens=asked.id_tokens[:0],
        look=none,
        private_tokens=-(-whole // asked.block_tokens) * asked.block_tokens,
    ), order


def _loads(one: Requests, made: Run, pool: Pool) -> float | None:
    served = made.replica >= 0
    whole = pool.table.prompt_s(one.prompt_tokens[served])
    work = float((whole - pool.table.prompt_s(made.hit_tokens[served])).sum())
    return utilisation(one, served, work, pool.table, pool.engine, pool.replicas)


def _decode_load(later: Requests, pool: Pool) -> float | None:
    return utilisation(
        later, np.ones(later.n, dtype=np.bool_), 0.0, pool.table, pool.engine, pool.replicas
    )
