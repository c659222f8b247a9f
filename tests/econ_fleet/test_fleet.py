"""Load, percentiles, promises and costs of a fleet: worked values and what is refused."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from econ.fleet import Engine, latency, serve, table_for
from econ.fleet_input import requests_of
from econ.fleet_plan import Target, cost_of, smallest
from econ.fleet_steps import tabulated
from econ.workload import Workload
from tests.econ_fleet.made import BLOCK, steady, workload

ONE_BY_ONE = Engine(capacity_tokens=1_000, max_sequences=1, budget_tokens=1_000)


def test_d34_a_second_of_service_every_08_seconds_is_saturated() -> None:
    made = workload([0.8 * n for n in range(50)], [100] * 50, [1] * 50)
    asked = requests_of(made, BLOCK)
    found = serve(asked, table_for(asked, steady(0.01), ONE_BY_ONE), ONE_BY_ONE)
    assert found.utilisation == pytest.approx(1.25)
    assert found.saturated
    assert (found.ttft.p50, found.ttft.p95, found.ttft.p99, found.ttft.max) == (None,) * 4
    assert found.ttft.n == 50


def test_d34_fifty_requests_have_a_maximum_and_no_p99() -> None:
    made = workload([2.0 * n for n in range(50)], [100] * 50, [1] * 50)
    asked = requests_of(made, BLOCK)
    found = serve(asked, table_for(asked, steady(0.01), ONE_BY_ONE), ONE_BY_ONE)
    assert found.utilisation == pytest.approx(0.5)
    assert not found.saturated
    assert found.ttft.p99 is None
    assert found.ttft.max == pytest.approx(1.0)
    assert found.ttft.at(99) == found.ttft.max
    assert found.ttft.n == 50


def test_a_hundred_requests_have_a_p99_by_nearest_rank() -> None:
    found = latency(np.arange(1.0, 101.0), saturated=False)
    assert (found.p50, found.p95, found.p99, found.max) == (50.0, 95.0, 99.0, 100.0)
    assert latency(np.arange(1.0, 100.0), saturated=False).p99 is None


def test_tpot_is_the_time_behind_the_first_token_by_the_tokens_behind_it() -> None:
    made = workload([0.0], [100], [11])
    asked = requests_of(made, BLOCK)
    engine = Engine(capacity_tokens=1_000)
    found = serve(asked, table_for(asked, steady(0.01, 0.02), engine), engine)
    assert found.ttft.p50 == pytest.approx(1.0)
    assert found.tpot.p50 == pytest.approx(0.02)
    assert found.span_s == pytest.approx(1.2)
    assert found.utilisation is None


def test_answers_of_one_token_have_no_tpot() -> None:
    made = workload([0.0, 1.0], [16, 16], [1, 1])
    asked = requests_of(made, BLOCK)
    engine = Engine(capacity_tokens=1_000)
    found = serve(asked, table_for(asked, steady(), engine), engine)
    assert (found.tpot.n, found.tpot.p50) == (0, None)


def test_a_prompt_that_comes_again_is_read_once_and_its_last_token_always() -> None:
    made = workload([0.0, 10.0], [160, 160], [1, 1], [list(range(10)), list(range(10))])
    asked = requests_of(made, BLOCK)
    engine = Engine(capacity_tokens=1_000)
    found = serve(asked, table_for(asked, steady(), engine), engine)
    assert found.hit_tokens == 9 * BLOCK
    assert found.token_hit_ratio == pytest.approx(144 / 320)


def test_two_caches_lose_what_one_would_have_found() -> None:
    rows = [[0, 1, 2, 3]] * 4
    made = workload([10.0 * n for n in range(4)], [65] * 4, [1] * 4, rows)
    asked = requests_of(made, BLOCK)
    engine = Engine(capacity_tokens=1_000)
    table = table_for(asked, steady(), engine)
    turns = serve(asked, table, engine, replicas=2)
    affine = serve(asked, table, engine, replicas=2, routing="prefix-affine")
    assert (turns.hit_tokens, turns.lost_hit_tokens) == (2 * 64, 64)
    assert (affine.hit_tokens, affine.lost_hit_tokens) == (3 * 64, 0)


def test_a_request_that_no_replica_has_room_for_is_turned_away_and_counted() -> None:
    made = workload([0.0, 1.0], [5_000, 16], [1, 1])
    asked = requests_of(made, BLOCK)
    engine = Engine(capacity_tokens=1_000)
    found = serve(asked, table_for(asked, steady(), engine), engine)
    assert (found.too_long, found.ttft.n) == (1, 1)


def test_the_smallest_fleet_is_found_and_one_less_does_not_keep_the_promise() -> None:
    made = workload([0.1 * n for n in range(300)], [160] * 300, [10] * 300)
    asked = requests_of(made, BLOCK)
    engine = Engine(capacity_tokens=2_000, max_sequences=4)
    table = table_for(asked, steady(0.003, 0.03), engine)

    def served(replicas: int) -> object:
        return serve(asked, table, engine, replicas=replicas, routing="least-loaded")

    target = Target(ttft_s=0.6, tpot_s=0.2, percentile=95)
    best = smallest(target, served)  # type: ignore[arg-type]
    assert best is not None
    assert best.replicas > 1
    assert target.kept_by(best)
    assert not target.kept_by(served(best.replicas - 1))  # type: ignore[arg-type]


def test_a_promise_that_no_fleet_keeps_has_no_smallest_fleet() -> None:
    made = workload([0.0, 1.0], [1_000, 1_000], [2, 2])
    asked = requests_of(made, BLOCK)
    engine = Engine(capacity_tokens=4_000)
    table = table_for(asked, steady(0.001), engine)
    found = smallest(Target(ttft_s=0.5), lambda n: serve(asked, table, engine, replicas=n))
    assert found is None


def test_reserved_hours_are_split_by_work_and_add_up_to_the_whole() -> None:
    made = workload([0.0, 3_599.0], [160, 160], [11, 11], [list(range(10))] * 2)
    asked = requests_of(made, BLOCK)
    engine = Engine(capacity_tokens=1_000)
    found = serve(asked, table_for(asked, steady(0.001, 0.01), engine), engine, replicas=1)
    cost = cost_of(
        found, gpus_per_replica=2, usd_per_gpu_hour=Decimal(3), output_tokens=22,
        source="made", as_of="2026-11-29",
    )  # fmt: skip
    hours = float(cost.reserved_gpu_hours)
    assert hours == pytest.approx(2 * found.span_s / 3600)
    assert float(cost.usd) == pytest.approx(3 * hours)
    assert cost.uncached_input is not None
    assert cost.output is not None
    parts = (
        cost.uncached_input * (320 - 144)
        + (cost.cached_input or 0) * 144
        + cost.output * 22
    ) / 1_000_000  # fmt: skip
    assert float(parts) == pytest.approx(float(cost.usd))
    assert cost.cached_input == 0  # prefill in proportion to new tokens: what is in front is free


def test_a_table_reads_what_it_was_made_of() -> None:
    table = tabulated(steady(0.5, 0.25), longest_tokens=1_000, max_sequences=8)
    assert table.prompt_s(np.array([0, 10, 999])).tolist() == pytest.approx([0.0, 5.0, 499.5])
    assert table.step_s(3, 77.0) == 0.25


def test_a_file_without_times_or_structure_says_what_is_missing() -> None:
    timeless = Workload(
        name="t", format="made", rows=1, columns={"input_tokens": np.array([5], dtype=np.int64)}
    )
    found = requests_of(timeless, BLOCK)
    assert found.n == 0
    assert [m.id for m in found.said] == ["fleet.no_arrivals"]
    plain = requests_of(workload([0.0], [5], [1]), BLOCK)
    assert [m.id for m in plain.said] == ["fleet.no_structure"]
    bucket = Workload(
        name="b", format="made", rows=1, granularity="bucket",
        columns={"input_tokens": np.array([5], dtype=np.int64)},
    )  # fmt: skip
    assert [m.id for m in requests_of(bucket, BLOCK).said] == ["fleet.buckets"]


def test_requests_longer_than_the_engine_accepts_are_left_out() -> None:
    found = requests_of(workload([0.0, 1.0], [50, 500], [1, 1]), BLOCK, longest=100)
    assert found.n == 1
    assert [m.id for m in found.said] == ["fleet.too_long", "fleet.no_structure"]
