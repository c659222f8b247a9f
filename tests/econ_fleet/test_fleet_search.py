"""The search for the smallest fleet: the same answer as serving them one after the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from econ.fleet import Engine, FleetResult, serve, table_for
from econ.fleet_names import ROUTINGS, Routing
from econ.fleet_plan import Target, smallest
from econ.fleet_search import Server, known_tokens, smallest_fleet, within_reach
from tests.econ_fleet.made import requests, steady

ARRIVALS = [0.08 * n for n in range(240)]
BLOCKS = [[n % 11 * 4 + at for at in range(4)] + [1_000 + n] for n in range(240)]


def _server(engine: Engine) -> Server:
    asked = requests(ARRIVALS, [90] * 240, [12] * 240, BLOCKS)
    table = table_for(asked, steady(0.004, 0.03), engine)
    return Server(requests=asked, table=table, engine=engine)


def _one_by_one(server: Server, target: Target) -> tuple[int, Routing] | None:
    found: list[FleetResult] = []
    for routing in ROUTINGS:
        best = smallest(
            target,
            lambda n, r=routing: serve(  # type: ignore[misc]
                server.requests, server.table, server.engine, replicas=n, routing=r
            ),
        )
        if best is not None:
            found.append(replace(best, routing=routing))
    if not found:
        return None
    least = min(found, key=lambda result: result.replicas)
    return least.replicas, least.routing


@pytest.mark.parametrize("ttft_s", [0.05, 0.2, 0.4, 0.6, 2.0])
@pytest.mark.parametrize("tpot_s", [0.02, 0.05, None])
def test_the_search_finds_what_serving_every_routing_finds(
    ttft_s: float, tpot_s: float | None
) -> None:
    server = _server(Engine(capacity_tokens=1_500, max_sequences=4))
    target = Target(ttft_s=ttft_s, tpot_s=tpot_s, percentile=95)
    best = smallest_fleet(server, ROUTINGS, target)
    found = None if best is None else (best.replicas, best.routing)
    assert found == _one_by_one(server, target)


def test_what_is_found_has_the_hits_that_separate_caches_lose() -> None:
    server = _server(Engine(capacity_tokens=1_500, max_sequences=4))
    best = smallest_fleet(server, ("round-robin",), Target(ttft_s=0.4, percentile=50))
    assert best is not None
    assert best.replicas > 1
    assert best == server.served(best.replicas, "round-robin")
    assert best.lost_hit_tokens > 0


def test_only_what_an_earlier_request_began_with_is_known_of_a_prompt() -> None:
    asked = requests([0.0, 1.0, 2.0], [40, 40, 64], [1, 1, 1], [[7, 8], [7, 9], [7, 9, 8]])
    assert known_tokens(asked).tolist() == [0, 16, 48]


def test_a_first_token_sooner_than_the_prompt_can_be_read_is_out_of_reach() -> None:
    server = _server(Engine(capacity_tokens=10_000))
    unread = server.requests.prompt_tokens - known_tokens(server.requests)
    least = float(np.sort(unread)[227]) * 0.004  # the 228th of 240: P95
    assert within_reach(server, Target(ttft_s=least + 1e-6))
    assert not within_reach(server, Target(ttft_s=least - 1e-6))


def test_a_token_sooner_than_one_step_is_out_of_reach() -> None:
    server = _server(Engine(capacity_tokens=10_000))
    assert within_reach(server, Target(tpot_s=0.0301))
    assert not within_reach(server, Target(tpot_s=0.0299))
