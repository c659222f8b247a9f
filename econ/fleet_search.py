"""The smallest fleet over several routings, without serving what cannot keep the promise.

No fleet is quicker than a replica that is always free and has found all of a prompt that an earlier
request began with: where not even that keeps the promise, none does, however many replicas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from econ.fleet import Engine, FleetResult, latency, result_of, run, serve
from econ.fleet_input import Requests
from econ.fleet_names import MOST_REPLICAS, ROUTINGS, Routing
from econ.fleet_plan import Target, smallest
from econ.fleet_steps import StepTable
from econ.workload import FloatArray, IntArray


@dataclass(slots=True, kw_only=True)
class Server:
    """Serves one workload on fleets of one engine; what was served is remembered."""

    requests: Requests
    table: StepTable
    engine: Engine
    _whole: dict[tuple[int, Routing], FleetResult] = field(default_factory=dict)
    _tried: dict[tuple[int, Routing], FleetResult] = field(default_factory=dict)

    def served(self, replicas: int, routing: Routing) -> FleetResult:
        """The fleet with all figures. One replica is the same by every routing."""
        return self._known(self._whole, replicas, routing, serve)

    def tried(self, replicas: int, routing: Routing) -> FleetResult:
        """The fleet without the hits that separate caches lose, in half the time."""
        if (replicas, routing) in self._whole:
            return self._whole[replicas, routing]
        return self._known(self._tried, replicas, routing, _bare)

    def _known(
        self, known: dict[tuple[int, Routing], FleetResult], replicas: int, routing: Routing,
        make: Callable[..., FleetResult],
    ) -> FleetResult:  # fmt: skip
        if replicas == 1:
            whole = (*self._whole.items(), *known.items())
            alike = next((result for (n, _), result in whole if n == 1), None)
            if alike is not None:
                return replace(alike, routing=routing)
        key = (replicas, routing)
        if key not in known:
            known[key] = make(
                self.requests, self.table, self.engine, replicas=replicas, routing=routing
            )
        return known[key]


def _bare(
    asked: Requests, table: StepTable, engine: Engine, *, replicas: int, routing: Routing
) -> FleetResult:
    made = run(asked, table, engine, replicas=replicas, routing=routing)
    return result_of(asked, table, engine, made, replicas=replicas, routing=routing)


def smallest_fleet(
    server: Server, routings: Sequence[Routing], target: Target
) -> FleetResult | None:
    """Over the routings, the fewest replicas that keep the target; the first routing on a tie.
    None where none does."""
    if not target.kept_by(server.tried(1, routings[0])) and not within_reach(server, target):
        return None
    best: FleetResult | None = None
    # What finds most of the prompts again needs the fewest replicas: the others are measured by it.
    for routing in sorted(routings, key=ROUTINGS.index, reverse=True):
        most = MOST_REPLICAS
        if best is not None:
            most = best.replicas - (routings.index(routing) > routings.index(best.routing))
            if most < 1 or not target.kept_by(server.tried(most, routing)):
                continue
        best = smallest(target, lambda n, r=routing: server.tried(n, r), most) or best  # type: ignore[misc]
    return None if best is None else server.served(best.replicas, best.routing)


def within_reach(server: Server, target: Target) -> bool:
    """Whether the promise could be kept if no request ever waited and every prompt's known
    beginning were found."""
    requests, table = server.requests, server.table
    level = target.percentile
    if target.ttft_s is not None and (np.diff(table.prefill_s) >= 0).all():
        least = table.prompt_s(requests.prompt_tokens) - table.prompt_s(known_tokens(requests))
        found = latency(least + table.request_s, saturated=False).at(level)
        if found is not None and found > target.ttft_s:
            return False
    longer = requests.output_tokens > 1
    if target.tpot_s is not None and longer.any():
        step = _least_steps(table, requests.prompt_tokens[longer])
        found = latency(step, saturated=False).at(level)
        if found is not None and found > target.tpot_s:
            return False
    return True


def _least_steps(table: StepTable, contexts: IntArray) -> FloatArray:
    """The quickest step of any batch at that context or a longer one."""
    least = table.decode_s[1:].min(axis=0)
    least = np.minimum.accumulate(least[::-1])[::-1]
    return np.asarray(np.interp(contexts, table.contexts, least))


def known_tokens(requests: Requests) -> IntArray:
    """Of each prompt the tokens of its leading blocks that some earlier request held."""
    rows = requests.n
    if not len(requests.ids):
        return np.zeros(rows, dtype=np.int64)
    lengths = np.diff(requests.offsets)
    row_of = np.repeat(np.arange(rows), lengths)
    first = np.full(len(requests.id_tokens), rows, dtype=np.int64)
    np.minimum.at(first, requests.ids, row_of)
    place = np.arange(len(requests.ids)) - np.repeat(requests.offsets[:-1], lengths)
    new = (first[requests.ids] >= row_of) | (place >= requests.look[row_of])
    leads = lengths.copy()
    np.minimum.at(leads, row_of[new], place[new])
    held = np.concatenate(([0], np.cumsum(requests.id_tokens[requests.ids], dtype=np.int64)))
    start = requests.offsets[:-1]
    return np.asarray(np.minimum(held[start + leads] - held[start], requests.prompt_tokens))
