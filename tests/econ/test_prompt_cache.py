"""The fast simulation against the slow oracle, and against figures of public traces."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_sources.traces.base import ReadOptions
from econ import prompt_cache_oracle as oracle
from econ.cache_kernel import LONG, SHORT, Points
from econ.prompt_cache import CacheTokens, Sim, simulate
from econ.structure import Structure, structure_of
from econ.workload import Prefix, Text, Workload
from jobs.reading import read_paths

GAPS = st.sampled_from([0.0, 1.0, 100.0, 299.0, 300.0, 301.0, 1800.0, 3600.0, 4000.0])
SIZES = {0: 100, 1: 300, 2: 700, 3: 40}


@st.composite
def traces(draw: st.DrawFn) -> list[oracle.OracleRequest]:
    """A few requests with nested prefixes, answers that take time, and their own breakpoints."""
    now, requests = 0.0, []
    for _ in range(draw(st.integers(1, 12))):
        now += draw(GAPS)
        ids = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
        places = sorted(draw(st.sets(st.integers(1, len(ids)), max_size=3)))
        hours = draw(st.integers(0, len(places)))
        requests.append(
            oracle.OracleRequest(
                arrival_s=now,
                response_s=draw(st.sampled_from([0.0, 0.0, 2.0, 150.0])),
                blocks=tuple((i, SIZES[i]) for i in ids),
                breakpoints=tuple(
                    (place, oracle.ONE_HOUR_S if n < hours else oracle.FIVE_MINUTES_S)
                    for n, place in enumerate(places)
                ),
                min_cacheable_tokens=draw(st.just(350)),
            )
        )
    return requests


def structure(requests: list[oracle.OracleRequest]) -> Structure:
    """The same requests as a workload of message blocks, and that as the simulation reads it."""
    offsets = list(accumulate((len(r.blocks) for r in requests), initial=0))
    sizes = [tokens for r in requests for _, tokens in r.blocks]
    workload = Workload(
        name="random",
        format="test",
        rows=len(requests),
        columns={
            "input_tokens": np.array(
                [sum(t for _, t in r.blocks) + r.tail_tokens for r in requests]
            ),
            "arrival_s": np.array([r.arrival_s for r in requests]),
            "response_s": np.array([r.response_s for r in requests]),
        },
        prefix=Prefix(
            offsets=np.array(offsets),
            block_ids=np.array([i for r in requests for i, _ in r.blocks]),
            block_tokens=np.array(sizes),
            message_blocks=True,
        ),
    )
    rows = len(requests)
    found = structure_of(workload, np.ones(rows, np.bool_), np.zeros(rows, np.int64))
    assert found is not None
    return found


def own_points(requests: list[oracle.OracleRequest]) -> Points:
    lengths = [len(r.breakpoints) for r in requests]
    flat = [point for r in requests for point in r.breakpoints]
    return Points(
        offsets=np.array(list(accumulate(lengths, initial=0)), dtype=np.int64),
        after=np.array([after for after, _ in flat], dtype=np.int64),
        slot=np.array([LONG if s == 3600 else SHORT for _, s in flat], dtype=np.int64),
    )


def as_tuples(tokens: CacheTokens) -> list[tuple[int, int, int, int]]:
    columns = (tokens.read, tokens.short, tokens.long, tokens.uncached)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def expected(results: list[oracle.OracleResult]) -> list[tuple[int, int, int, int]]:
    return [(r.read, r.write_5m, r.write_1h, r.uncached) for r in results]


@given(traces(), st.sampled_from([None, 2, 20]))
def test_each_rows_own_breakpoints_give_what_the_oracle_gives(
    requests: list[oracle.OracleRequest], lookback: int | None
) -> None:
    sim = Sim(placement="own", lifetime="5m", long_lifetime="1h", min_tokens=350, lookback=lookback)
    fast = simulate(structure(requests), sim, own_points(requests))
    slow = oracle.simulate(requests, lookback_positions=lookback)
    assert as_tuples(fast) == expected(slow)


@given(traces())
def test_a_breakpoint_at_the_end_gives_what_the_oracle_gives(
    requests: list[oracle.OracleRequest],
) -> None:
    fast = simulate(structure(requests), Sim(placement="end", lifetime="5m", min_tokens=350))
    slow = oracle.simulate(oracle.whole_prompt(requests, 300), lookback_positions=None)
    assert as_tuples(fast) == expected(slow)


@given(traces(), st.lists(st.integers(0, 400), min_size=12, max_size=12))
def test_what_no_id_covers_is_written_by_a_breakpoint_at_the_end_alone(
    requests: list[oracle.OracleRequest], tails: list[int]
) -> None:
    tailed = [replace(r, tail_tokens=n) for r, n in zip(requests, tails, strict=False)]
    fast = simulate(structure(tailed), Sim(placement="end", lifetime="5m", min_tokens=350))
    slow = oracle.simulate(oracle.whole_prompt(tailed, 300), lookback_positions=None)
    assert as_tuples(fast) == expected(slow)
    block = simulate(structure(tailed), Sim(placement="end-block", lifetime="5m"))
    assert (block.uncached >= [r.tail_tokens for r in tailed]).all()


@given(traces())
def test_a_breakpoint_after_what_is_shared_gives_what_the_oracle_gives(
    requests: list[oracle.OracleRequest],
) -> None:
    sim = Sim(placement="shared", lifetime="5m", min_tokens=350, lookback=20)
    slow = oracle.simulate(oracle.shared_prefix(requests, 300))
    assert as_tuples(simulate(structure(requests), sim)) == expected(slow)


@given(traces())
def test_a_breakpoint_everywhere_gives_what_the_oracle_gives(
    requests: list[oracle.OracleRequest],
) -> None:
    everywhere = [
        oracle.OracleRequest(
            arrival_s=r.arrival_s,
            response_s=r.response_s,
            blocks=r.blocks,
            breakpoints=tuple((n + 1, 300) for n in range(len(r.blocks))),
            min_cacheable_tokens=350,
        )
        for r in requests
    ]
    sim = Sim(placement="every", lifetime="5m", min_tokens=350)
    slow = oracle.simulate(everywhere, lookback_positions=None)
    assert as_tuples(simulate(structure(requests), sim)) == expected(slow)


@given(traces())
def test_no_placement_is_cheaper_than_the_bound(requests: list[oracle.OracleRequest]) -> None:
    found = structure(requests)
    bound = simulate(found, Sim(placement="bound", lifetime="5m", uses_to_pay=2))
    for placement in ("shared", "end", "every", "end-block"):
        other = simulate(found, Sim(placement=placement, lifetime="5m"))
        assert _opus_5(bound) <= _opus_5(other), placement


@given(traces())
def test_the_compiled_function_gives_what_plain_python_gives(
    requests: list[oracle.OracleRequest],
) -> None:
    pytest.importorskip("numba")
    with pytest.MonkeyPatch.context() as patch:
        sim = Sim(placement="end", lifetime="5m", min_tokens=350, lookback=20)
        slow = simulate(structure(requests), sim)
        patch.setattr("econ.cache_kernel.COMPILE_FROM_ENTRIES", 0)
        assert as_tuples(simulate(structure(requests), sim)) == as_tuples(slow)


def test_a_prefix_named_at_two_lengths_is_shared_as_far_as_the_shorter_one() -> None:
    workload = Workload(
        name="two lengths",
        format="test",
        rows=3,
        columns={
            "input_tokens": np.array([1_500, 2_500, 2_500]),
            "shared_prefix_tokens": np.array([1_000, 2_000, 2_000]),
            "prefix_id": Text.of(["a", "a", "b"]),
            "arrival_s": np.array([0.0, 1.0, 2.0]),
        },
    )
    found = structure_of(workload, np.ones(3, np.bool_), np.zeros(3, np.int64))
    assert found is not None
    tokens = simulate(found, Sim(placement="shared", lifetime="5m"))
    assert tokens.read.tolist() == [0, 1_000, 0]
    assert tokens.short.tolist() == [1_000, 1_000, 2_000]
    assert tokens.uncached.tolist() == [500, 500, 500]


MOONCAKE_USD = {
    "bound": ("660.18", "689.98"),
    "shared": ("682.64", "699.84"),
    "every": ("763.95", "1037.05"),
    "end-block": ("776.53", "1053.79"),
    "end": ("1003.10", "1540.36"),
}


@pytest.mark.parametrize("placement", MOONCAKE_USD)
def test_mooncake_on_opus_5_costs_what_was_worked_out(reference_data: Path, placement: str) -> None:
    path = reference_data / "traces/serving_prefix/mooncake/conversation_trace.jsonl"
    workload = read_paths([path], ReadOptions(), lambda *_: None).workload
    everything = np.ones(workload.rows, np.bool_), np.zeros(workload.rows, np.int64)
    found = structure_of(workload, *everything)
    assert found is not None
    output = 25 * int(workload.counts("output_tokens").sum())
    for lifetime, write, uses, usd in zip(
        ("5m", "1h"), ("6.25", "10"), (2, 3), MOONCAKE_USD[placement], strict=True
    ):
        sim = Sim(placement=placement, lifetime=lifetime, min_tokens=512, uses_to_pay=uses)
        cost = _opus_5(simulate(found, sim), Decimal(write)) + output
        assert round(cost / 1_000_000, 2) == Decimal(usd)


def test_ids_are_shared_across_models_where_all_is_priced_as_one(reference_data: Path) -> None:
    path = reference_data / "traces/serving_prefix/kv_cache_tester/trace_0256.json"
    workload = read_paths([path], ReadOptions(), lambda *_: None).workload
    output = 25 * int(workload.counts("output_tokens").sum())
    rows = np.ones(workload.rows, np.bool_)
    costs = []
    for scope in (np.zeros(workload.rows, np.int64), workload.text("model").codes.astype(np.int64)):
        found = structure_of(workload, rows, scope)
        assert found is not None
        every = simulate(found, Sim(placement="every", lifetime="5m", min_tokens=512))
        costs.append(round((_opus_5(every) + output) / 1_000_000, 2))
    assert costs == [Decimal("47.67"), Decimal("47.70")]


def _opus_5(tokens: CacheTokens, write: Decimal = Decimal("6.25")) -> Decimal:
    """1e-6 USD without output."""
    read, short = int(tokens.read.sum()), int(tokens.short.sum())
    return 5 * int(tokens.uncached.sum()) + Decimal("0.5") * read + write * short
