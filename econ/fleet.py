"""What a fleet of one's own makes of a workload: how long requests wait, and what it re-uses.

N replicas are N engines with N caches. Each serves in the order of arrival, in steps, as an engine
with continuous batching and chunked prefill does:

* a step holds one token of every sequence in decode and prompt tokens up to the budget; it takes
  the decode time of the batch plus the prefill time of the chunk, one after the other; a chunk
  alone is never quicker than one read of the weights;
* a request enters when its prompt and its whole answer have room, so nothing is ever pre-empted;
  its prefix is looked up once, then. Idle blocks stay (the last ones of a prompt are the oldest)
  and go as room is needed; what a running request holds never goes;
* decode steps between which nothing changes are taken in runs of at most 32 at the middle length;
* answers are not kept for later prompts: a file does not say how they would be found again.

Routing: `round-robin` in turn; `least-loaded` to the fewest open requests; `prefix-affine` to
where the known beginning of the prompt went last, if that is at least half of it, unless some
replica is ahead of another by more than 32 requests and by half; else least-loaded.

TTFT = first token - arrival. TPOT = (last token - first token) / (output tokens - 1).
Utilisation = work offered / time: (prefill of what does not hit + each answer's share of full
decode steps) / (replicas x the time in which the requests came). Above 1 the queue grows without
bound and there is no latency to speak of, whatever the percentiles of a file that ends would say.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from econ.fleet_input import Requests
from econ.fleet_names import Routing
from econ.fleet_steps import StepModel, StepTable, tabulated
from econ.usage import BoolArray
from econ.workload import FloatArray, IntArray

DEFAULT_BUDGET_TOKENS = 8192
DEFAULT_SEQUENCES = 256
LEAST_FOR_P99 = 100
_CODES: Mapping[Routing, int] = {"round-robin": 0, "least-loaded": 1, "prefix-affine": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One replica: KV room in tokens, sequences at once, tokens a step (`max_num_seqs`,
    `max_num_batched_tokens` of vLLM)."""

    capacity_tokens: int
    max_sequences: int = DEFAULT_SEQUENCES
    budget_tokens: int = DEFAULT_BUDGET_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Seconds over `n` requests, by nearest rank. p99 is None below 100 requests; all are None
    where the fleet is saturated or nothing was served."""

    p50: float | None
    p95: float | None
    p99: float | None
    max: float | None
    n: int

    def at(self, percentile: int) -> float | None:
        """p50, p95 or p99; the maximum where there are too few requests for the 99th."""
        if percentile == 99 and self.n < LEAST_FOR_P99:
            return self.max
        return {50: self.p50, 95: self.p95, 99: self.p99}[percentile]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The arrays behind a result: seconds of first and last token (nan: not served), hit tokens
    and replica of each request; busy seconds of all replicas."""

    first_s: FloatArray
    finish_s: FloatArray
    hit_tokens: IntArray
    replica: IntArray
    prefill_busy_s: float
    decode_busy_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetResult:
    """`lost_hit_tokens`: what one engine as large and as fast as all of them would have hit beside.
    `too_long`: requests that no empty replica has room for. `span_s`: from the first arrival to
    the last token."""

    replicas: int
    routing: Routing
    hit_tokens: int
    total_tokens: int
    lost_hit_tokens: int
    utilisation: float | None
    saturated: bool
    too_long: int
    ttft: Latency
    tpot: Latency
    span_s: float
    prefill_busy_s: float
    decode_busy_s: float
    uncached_work_s: float
    cached_work_s: float

    @property
    def token_hit_ratio(self) -> float | None:
        """Hit tokens over the prompt tokens of what was served."""
        return self.hit_tokens / self.total_tokens if self.total_tokens else None


def table_for(asked: Requests, steps: StepModel, engine: Engine) -> StepTable:
    """The times that a run needs."""
    return tabulated(steps, longest_tokens=asked.longest_tokens, max_sequences=engine.max_sequences)


def serve(
    asked: Requests, table: StepTable, engine: Engine, *, replicas: int = 1,
    routing: Routing = "round-robin",
) -> FleetResult:  # fmt: skip
    """Serve the workload on `replicas` replicas (at least 1)."""
    made = run(asked, table, engine, replicas=replicas, routing=routing)
    lost = 0
    if replicas > 1 and len(asked.ids):
        lost = int(run(asked, table.faster(replicas), _larger(engine, replicas)).hit_tokens.sum())
        lost = max(lost - int(made.hit_tokens.sum()), 0)
    return result_of(asked, table, engine, made, replicas=replicas, routing=routing, lost=lost)


def run(
    asked: Requests, table: StepTable, engine: Engine, *, replicas: int = 1,
    routing: Routing = "round-robin", computed: bool = False,
) -> Run:  # fmt: skip
    """The bare simulation. `computed`: prompts come with their KV and are not read again."""
    from econ.fleet_kernel import simulate

    first, finish = np.full(asked.n, np.nan), np.full(asked.n, np.nan)
    hits, at = np.zeros(asked.n, dtype=np.int64), np.full(asked.n, -1, dtype=np.int64)
    spent = simulate(
        asked.arrival_s, asked.prompt_tokens, asked.output_tokens, asked.offsets, asked.ids,
        asked.id_tokens, asked.look, asked.private_tokens, asked.block_tokens, replicas,
        _CODES[routing], engine.capacity_tokens, engine.max_sequences, engine.budget_tokens,
        computed, table.contexts, table.decode_s, table.spacing, table.prefill_s,
        first, finish, hits, at,
    )  # fmt: skip
    return Run(
        first_s=first,
        finish_s=finish,
        hit_tokens=hits,
        replica=at,
        prefill_busy_s=float(spent[:, 1].sum()),
        decode_busy_s=float(spent[:, 2].sum()),
    )


def result_of(
    asked: Requests, table: StepTable, engine: Engine, made: Run, *, replicas: int,
    routing: Routing, lost: int = 0,
) -> FleetResult:  # fmt: skip
    """What a run says, with its load beside it."""
    served = made.replica >= 0
    prompt, hits = asked.prompt_tokens[served], made.hit_tokens[served]
    uncached_s = float(table.prompt_s(prompt - hits).sum())
    prefill_s = float((table.prompt_s(prompt) - table.prompt_s(hits)).sum())
    offered = utilisation(asked, served, prefill_s, table, engine, replicas)
    saturated = offered is not None and offered > 1
    output = asked.output_tokens
    ttft = (made.first_s - asked.arrival_s)[served] + table.request_s
    longer = served & (output > 1)
    tpot = ((made.finish_s - made.first_s)[longer]) / (output[longer] - 1)
    end = float(np.nanmax(made.finish_s)) if served.any() else 0.0
    return FleetResult(
        replicas=replicas,
        routing=routing,
        hit_tokens=int(hits.sum()),
        total_tokens=int(prompt.sum()),
        lost_hit_tokens=lost,
        utilisation=offered,
        saturated=saturated,
        too_long=int((~served).sum()),
        ttft=latency(ttft, saturated),
        tpot=latency(tpot, saturated),
        span_s=max(end - float(asked.arrival_s[0]), 0.0) if asked.n else 0.0,
        prefill_busy_s=made.prefill_busy_s,
        decode_busy_s=made.decode_busy_s,
        uncached_work_s=uncached_s,
        cached_work_s=max(prefill_s - uncached_s, 0.0),
    )


def utilisation(
    asked: Requests, served: BoolArray, prefill_s: float,
    table: StepTable, engine: Engine, replicas: int,
) -> float | None:  # fmt: skip
    """Offered work over the time in which it came; n requests span n - 1 gaps. None where all
    came at one moment, or fewer than two came."""
    n = int(served.sum())
    if n < 2:
        return None
    came = asked.arrival_s[served]
    gaps_s = float(came[-1] - came[0])
    if gaps_s <= 0:
        return None
    context = asked.prompt_tokens[served] + asked.output_tokens[served]
    together = max(1, min(engine.max_sequences, int(engine.capacity_tokens // context.mean())))
    middle = asked.prompt_tokens[served] + asked.output_tokens[served] / 2
    step_s = table.step_s(together, float(middle.mean()))
    answers = int((asked.output_tokens[served] - 1).sum())
    work_s = prefill_s + answers * step_s / together
    return work_s / n * (n - 1) / gaps_s / replicas


def latency(seconds: FloatArray, saturated: bool) -> Latency:
    """Percentiles by nearest rank: the k-th value with k = ceil(p n)."""
    n = len(seconds)
    if saturated or not n:
        return Latency(p50=None, p95=None, p99=None, max=None, n=n)
    ordered = np.sort(seconds)
    at = {p: float(ordered[math.ceil(p * n / 100) - 1]) for p in (50, 95, 99)}
    return Latency(
        p50=at[50],
        p95=at[95],
        p99=at[99] if n >= LEAST_FOR_P99 else None,
        max=float(ordered[-1]),
        n=n,
    )


def _larger(engine: Engine, times: int) -> Engine:
    """As large as `times` engines. Sequences stay as many as the table has steps for."""
    return replace(
        engine,
        capacity_tokens=engine.capacity_tokens * times,
        budget_tokens=engine.budget_tokens * times,
    )
