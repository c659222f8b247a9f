"""One look at a workload on one's own hardware: memory, latencies, the smallest fleet, its cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from econ.fleet import FleetResult, Latency, serve, table_for
from econ.fleet_input import Requests, contexts_of, requests_of
from econ.fleet_memory import ReplicaMemory, at_percentile
from econ.fleet_plan import FleetCost, Target, cost_of
from econ.fleet_pools import Handoff, Pool, PoolsResult, handoff, serve_pools
from econ.fleet_search import Server, smallest_fleet
from econ.fleet_setup import Setup, case_of, prefill_device, set_up, steps_of
from econ.fleet_steps import SourceKind, Steps
from econ.kv_memory import growing_per_token
from econ.own_runs import run_steps
from econ.speed_fit import Band
from econ.workload import Workload
from messages.errors import Message
from price_tables.hardware import DeviceSpec
from price_tables.speed_fit import SpeedFit

Tell = Callable[[float, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedView:
    """The same fleet by one kind of speed: latencies, and the error of such an estimate."""

    source_kind: SourceKind
    utilisation: float | None
    saturated: bool
    ttft: Latency
    tpot: Latency
    ttft_band: Band | None
    tpot_band: Band | None
    outside: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetStudy:
    """`contexts`: tokens at P50 and P95, None without requests. `results` by routing and replicas
    as asked; `speeds`: the first of them by each kind of speed that can be had. `said`: what is
    missing or was assumed."""

    memory: ReplicaMemory
    requests: int
    contexts: tuple[int | None, int | None]
    prompt_p50: int | None
    output_p50: int | None
    results: tuple[FleetResult, ...]
    speeds: tuple[SpeedView, ...]
    smallest: FleetResult | None
    pools: PoolsResult | None
    handoff: Handoff | None
    cost: FleetCost | None
    said: tuple[Message, ...]

    @property
    def sequences(self) -> tuple[int | None, int | None]:
        """Sequences at once of the contexts, in whole blocks."""
        p50, p95 = (None if c is None else self.memory.sequences(c) for c in self.contexts)
        return p50, p95


def study(
    workload: Workload,
    found: Setup,
    fit: SpeedFit,
    tell: Tell,
    second: DeviceSpec | None = None,
    *,
    compare: bool = True,
    measured: Steps | None = None,
) -> FleetStudy:
    """Serve the workload as asked. `second`: the device of a prefill pool. `compare`: the first
    fleet by the data sheet as well. `measured`: times that stand in place of an
    estimate. `tell` hears how far it is, 0..1, and may raise to end it. InputError where the
    speed of a device is not known."""
    asked = found.asked
    tell(0.0, "fleet")
    requests = requests_of(
        workload, asked.block_tokens, longest=asked.max_model_len, prefixes=asked.prefix_caching
    )
    contexts = contexts_of(workload)
    said = [*found.said, *requests.said]
    if not found.memory.fits:
        said.append(Message("fleet.does_not_fit", {"model": found.model.name}))
    study_ = FleetStudy(
        memory=found.memory,
        requests=requests.n,
        contexts=(at_percentile(contexts, 50), at_percentile(contexts, 95)),
        prompt_p50=at_percentile(requests.prompt_tokens, 50),
        output_p50=at_percentile(requests.output_tokens, 50),
        results=(), speeds=(), smallest=None, pools=None, handoff=None, cost=None,
        said=tuple(said),
    )  # fmt: skip
    if not requests.n or not found.memory.fits:
        return study_
    case = case_of(
        found,
        batch=_together(found, requests),
        input_tokens=study_.prompt_p50 or 1,
        output_tokens=study_.output_p50 or 1,
    )
    steps = measured or steps_of(fit, case, asked.speed)
    if asked.runs:
        steps = run_steps(steps_of(fit, case, "published"), asked.runs, case)
    table = table_for(requests, steps, found.engine)
    server = Server(requests=requests, table=table, engine=found.engine)
    results = []
    wanted = [(n, routing) for n in asked.replicas for routing in asked.routings]
    for at, (replicas, routing) in enumerate(wanted):
        tell(at / (len(wanted) + 2), "fleet")
        results.append(server.served(replicas, routing))
    tell(len(wanted) / (len(wanted) + 2), "fleet")
    best = _smallest(found, server)
    tell((len(wanted) + 1) / (len(wanted) + 2), "fleet")
    study_ = replace(
        study_,
        results=tuple(results),
        speeds=_speeds(found, requests, fit, steps, results[0]) if compare else (),
        smallest=best,
        cost=_cost(found, requests, priced(best, results)),
    )
    if turned_away := results[0].too_long:
        study_ = replace(study_, said=(*study_.said, Message("fleet.turned_away", {}, turned_away)))
    return study_ if second is None else _with_pools(study_, found, requests, fit, steps, second)


def _together(found: Setup, requests: Requests) -> int:
    """Sequences at once that memory allows on average: where the bands are asked."""
    mean = float((requests.prompt_tokens + requests.output_tokens).mean())
    return max(1, min(found.asked.max_sequences, int(found.memory.tokens // mean)))


def _smallest(found: Setup, server: Server) -> FleetResult | None:
    """Over the routings asked for, the fewest replicas; the first routing on a tie."""
    asked = found.asked
    if asked.ttft_s is None and asked.tpot_s is None:
        return None
    target = Target(ttft_s=asked.ttft_s, tpot_s=asked.tpot_s, percentile=asked.percentile)
    return smallest_fleet(server, asked.routings, target)


def priced(best: FleetResult | None, results: Sequence[FleetResult]) -> FleetResult | None:
    """The fleet whose hours are charged: the smallest that keeps the promise, else the first
    asked for that is not saturated."""
    return best or next((result for result in results if not result.saturated), None)


def _speeds(
    found: Setup, requests: Requests, fit: SpeedFit, steps: Steps, first: FleetResult
) -> tuple[SpeedView, ...]:
    """The first fleet by the speed that was asked for; before it by the data sheet, and by the fit
    where its own times were measured."""
    views = [_view(steps, first)]
    if found.device.measured is not None:
        return tuple(views)  # its limits stand in no data sheet, and nothing was fitted to them
    case = case_of(found, input_tokens=1, output_tokens=1)
    kinds: tuple[SourceKind, ...] = ("published", "datasheet")
    for kind in (
        kinds[kinds.index(steps.source_kind) + 1 :]
        if steps.source_kind in kinds
        else (kinds if found.asked.runs else kinds[1:])
    ):
        other = steps_of(fit, case, kind)
        if other.source_kind in [view.source_kind for view in views]:
            continue  # nothing was fitted: the data sheet stood in already
        table = table_for(requests, other, found.engine)
        served = serve(
            requests, table, found.engine, replicas=first.replicas, routing=first.routing
        )
        views.insert(0, _view(other, served))
    return tuple(views)


def _view(steps: Steps, result: FleetResult) -> SpeedView:
    return SpeedView(
        source_kind=steps.source_kind,
        utilisation=result.utilisation,
        saturated=result.saturated,
        ttft=result.ttft,
        tpot=result.tpot,
        ttft_band=steps.ttft_band,
        tpot_band=steps.tpot_band,
        outside=steps.outside,
    )


def _cost(found: Setup, requests: Requests, result: FleetResult | None) -> FleetCost | None:
    price = hourly_price(found)
    if result is None or price is None:
        return None
    usd, source, as_of = price
    return cost_of(
        result,
        gpus_per_replica=found.asked.tensor_parallel,
        usd_per_gpu_hour=usd,
        output_tokens=int(requests.output_tokens.sum()),
        source=source,
        as_of=as_of,
    )


def hourly_price(found: Setup) -> tuple[Decimal, str, str] | None:
    """USD an hour of one device, its source and day: typed in, else the median of public offers.
    None where nobody offers it."""
    if found.asked.usd_per_gpu_hour is not None:
        return found.asked.usd_per_gpu_hour, "typed", ""
    band = found.device.hourly_band()
    if band is None:
        return None
    if band.index is not None:
        return band.index.usd, band.index.source, band.index.as_of
    offers = [o for o in found.device.hourly if o.pricing == "on_demand"]
    nearest = min(offers, key=lambda offer: abs(offer.usd - band.median))
    return band.median, nearest.source, nearest.as_of


def _with_pools(
    so_far: FleetStudy, found: Setup, requests: Requests, fit: SpeedFit, steps: Steps,
    second: DeviceSpec,
) -> FleetStudy:  # fmt: skip
    """The prefill pool in front of the first fleet asked for, which then only decodes."""
    asked = found.asked
    device, said = prefill_device(second)
    there = set_up(
        replace(
            asked, device=device.id,
            tensor_parallel=asked.prefill_tensor_parallel or asked.tensor_parallel,
            attention_copies=1,
            device_bytes=None, bandwidth_bytes_per_s=None, ops_per_s=None, engine_blocks=None,
        ),
        found.model, device,
    )  # fmt: skip
    if not there.memory.fits:
        lack = Message("fleet.does_not_fit", {"model": f"{found.model.name}, {device.name}"})
        return replace(so_far, said=(*so_far.said, *said, lack))
    floors = steps_of(fit, case_of(there), asked.speed)
    per_token = float(growing_per_token(found.model, found.dtype))
    pools = serve_pools(
        requests,
        Pool(
            table=table_for(requests, floors, there.engine), engine=there.engine,
            replicas=asked.prefill_replicas,
        ),
        Pool(
            table=table_for(requests, steps, found.engine), engine=found.engine,
            replicas=asked.replicas[0],
        ),
        bytes_per_token=per_token,
        link_bytes_per_s=asked.link_bytes_per_s,
        latency_s=asked.link_latency_s,
        routing=asked.routings[0],
    )  # fmt: skip
    prompt = so_far.prompt_p50 or 0
    moved = handoff(
        found.model, found.dtype, prompt_tokens=prompt,
        link_bytes_per_s=asked.link_bytes_per_s, latency_s=asked.link_latency_s,
        ttft_s=pools.ttft.p50, decode_sequences=found.memory.sequences(prompt),
    )  # fmt: skip
    return replace(so_far, pools=pools, handoff=moved, said=(*so_far.said, *said))
