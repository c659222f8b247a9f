"""The compiled queue gives what the slow definition gives, and caches as the replay does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econ import fleet_oracle
from econ.fleet import Engine, Run, run, serve, table_for
from econ.fleet_input import Requests, requests_of
from econ.fleet_names import ROUTINGS, Routing
from econ.fleet_steps import Steps, StepTable
from econ.replay import row_hits
from econ.replay_input import blocks_of
from econ.workload import Workload
from tests.econ_fleet.made import BLOCK, steady, workload

GROWING = Steps(
    source_kind="datasheet",
    prefill=lambda prompt, cached: (prompt - cached) / 512 + (prompt**2 - cached**2) / 2**20,
    decode=lambda batch, context: 1 / 64 + batch / 1024 + batch * context / 2**20,
)


@st.composite
def traces(draw: st.DrawFn) -> Workload:
    """Up to a dozen requests whose prompts start with runs of a few shared chains."""
    n = draw(st.integers(1, 12))
    gaps = draw(st.lists(st.sampled_from([0.0, 0.0, 0.25, 1.0, 5.0]), min_size=n, max_size=n))
    blocks, prompts = [], []
    for row in range(n):
        chain, shared = draw(st.integers(0, 2)), draw(st.integers(0, 4))
        own = draw(st.integers(0, 2))
        blocks.append(
            [10 * chain + depth for depth in range(shared)]
            + [1000 + 10 * row + depth for depth in range(own)]
        )
        prompts.append(len(blocks[-1]) * BLOCK + draw(st.integers(1, 20)))
    outputs = draw(st.lists(st.integers(1, 90), min_size=n, max_size=n))
    return workload(np.cumsum(gaps).tolist(), prompts, outputs, blocks)


def both(
    asked: Requests, table: StepTable, engine: Engine, replicas: int, routing: Routing
) -> tuple[Run, list[fleet_oracle.Served]]:
    """The same fleet twice."""
    slow = fleet_oracle.simulate(
        asked, table, replicas=replicas, routing=routing,
        capacity_tokens=engine.capacity_tokens, max_sequences=engine.max_sequences,
        budget_tokens=engine.budget_tokens,
    )  # fmt: skip
    return run(asked, table, engine, replicas=replicas, routing=routing), slow


@given(
    traces(),
    st.integers(1, 3),
    st.sampled_from(ROUTINGS),
    st.integers(4, 40),
    st.integers(1, 5),
    st.sampled_from([7, 32, 512]),
)
@settings(max_examples=150, deadline=None)
def test_the_compiled_queue_is_the_slow_queue(
    made: Workload, replicas: int, routing: Routing, room: int, most: int, budget: int
) -> None:
    asked = requests_of(made, BLOCK)
    engine = Engine(
        capacity_tokens=room * BLOCK, max_sequences=most, budget_tokens=max(budget, most + 1)
    )
    table = table_for(asked, GROWING, engine)
    fast, slow = both(asked, table, engine, replicas, routing)
    assert fast.replica.tolist() == [row.replica for row in slow]
    assert fast.hit_tokens.tolist() == [row.hit_tokens for row in slow]
    assert fast.first_s == pytest.approx([row.first_s for row in slow], nan_ok=True)
    assert fast.finish_s == pytest.approx([row.finish_s for row in slow], nan_ok=True)


@given(traces(), st.integers(9, 40))
@settings(max_examples=80, deadline=None)
def test_without_overlap_the_cache_hits_what_the_replay_hits(made: Workload, room: int) -> None:
    """Requests one after another, answers of one token in a block that is there already."""
    spread = workload(
        [1e6 * row for row in range(made.rows)],
        made.counts("input_tokens").tolist(),
        [1] * made.rows,
        [
            made.prefix.block_ids[a:b].tolist()
            for a, b in zip(made.prefix.offsets, made.prefix.offsets[1:], strict=False)
        ]
        if made.prefix is not None
        else None,
    )
    asked = requests_of(spread, BLOCK)
    asked = Requests(**{**{f: getattr(asked, f) for f in Requests.__slots__},
                        "private_tokens": np.zeros(asked.n, dtype=np.int64)})  # fmt: skip
    engine = Engine(capacity_tokens=room * BLOCK)
    found = run(asked, table_for(asked, steady(), engine), engine)
    blocks = blocks_of(spread, "engine") if len(asked.ids) else None
    expected = (
        np.zeros(asked.n) if blocks is None
        else blocks.tokens_of(row_hits(blocks, room, "lru-leaf"))
    )  # fmt: skip
    assert found.hit_tokens.tolist() == expected.tolist()


@given(traces(), st.integers(2, 4), st.sampled_from(ROUTINGS))
@settings(max_examples=50, deadline=None)
def test_every_request_is_served_once_and_in_order(
    made: Workload, replicas: int, routing: Routing
) -> None:
    asked = requests_of(made, BLOCK)
    engine = Engine(capacity_tokens=10_000)
    found = run(asked, table_for(asked, GROWING, engine), engine,
                replicas=replicas, routing=routing)  # fmt: skip
    assert (found.first_s > asked.arrival_s).all()
    assert ((found.finish_s > found.first_s) == (asked.output_tokens > 1)).all()
    assert (found.hit_tokens < asked.prompt_tokens).all()
    for r in range(replicas):
        mine = found.first_s[found.replica == r]
        assert (np.diff(mine) >= 0).all()


def test_more_replicas_wait_no_longer_where_nothing_is_shared() -> None:
    made = workload([0.1 * n for n in range(200)], [160] * 200, [20] * 200)
    asked = requests_of(made, BLOCK)
    engine = Engine(capacity_tokens=2_000)
    table = table_for(asked, steady(0.001, 0.01), engine)
    waits = [
        serve(asked, table, engine, replicas=n, routing="least-loaded").ttft.p95 or 0.0
        for n in (2, 4, 8)
    ]
    assert waits == sorted(waits, reverse=True)
