"""What every replay obeys, whatever the workload; D29."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.curve import curve_of, spread
from econ.prefix_stats import prefix_hits
from econ.replay import hits_at, row_hits
from econ.replay_names import POLICIES, RULES, Policy, Rules
from econ.replay_oracle import oracle_hits
from econ.workload import Workload
from tests.econ_replay.made import conversations, input_of, rows_of, workloads

TREES = workloads(conversations())
EVERY = workloads() | TREES
RULE = st.sampled_from(RULES)


@pytest.mark.parametrize("policy", POLICIES)
@given(workload=EVERY, rules=RULE, capacity=st.integers(1, 12))
def test_fast_equals_oracle(
    policy: Policy, workload: Workload, rules: Rules, capacity: int
) -> None:
    blocks = input_of(workload, rules)
    slow = oracle_hits(rows_of(blocks), blocks.look.tolist(), capacity, policy)
    assert row_hits(blocks, capacity, policy).tolist() == slow


@pytest.mark.parametrize("policy", POLICIES)
@given(workload=EVERY, rules=RULE, capacity=st.integers(1, 12), ttl_s=st.integers(0, 9))
def test_fast_equals_oracle_with_a_lifetime(
    policy: Policy, workload: Workload, rules: Rules, capacity: int, ttl_s: int
) -> None:
    blocks = input_of(workload, rules)
    times = blocks.arrival_us().tolist()
    rows, look = rows_of(blocks), blocks.look.tolist()
    slow = oracle_hits(rows, look, capacity, policy, times, ttl_s * 1_000_000)
    assert row_hits(blocks, capacity, policy, Decimal(ttl_s)).tolist() == slow


@given(workload=EVERY, rules=RULE, policy=st.sampled_from(["lru", "lru-leaf"]))
def test_least_recently_used_never_falls_as_the_cache_grows(
    workload: Workload, rules: Rules, policy: Policy
) -> None:
    blocks = input_of(workload, rules)
    hits = [row_hits(blocks, capacity, policy) for capacity in range(1, blocks.footprint + 2)]
    assert all((more >= less).all() for less, more in pairwise(hits))


@given(workload=TREES, rules=RULE)
def test_clairvoyant_never_falls_while_every_request_fits(workload: Workload, rules: Rules) -> None:
    blocks = input_of(workload, rules)
    sizes = range(max(1, blocks.longest), blocks.footprint + 2)
    hits = [int(row_hits(blocks, size, "clairvoyant").sum()) for size in sizes]
    assert hits == sorted(hits)


@given(workload=TREES, rules=RULE, capacity=st.integers(1, 20))
def test_clairvoyant_is_never_below_least_recently_used(
    workload: Workload, rules: Rules, capacity: int
) -> None:
    """Where an id stands for its whole chain, as in all traces that publish hashes of chains."""
    blocks = input_of(workload, rules)
    best = int(row_hits(blocks, capacity, "clairvoyant").sum())
    assert best >= int(row_hits(blocks, capacity, "lru").sum())
    assert best >= int(row_hits(blocks, capacity, "lru-leaf").sum())


@given(workload=EVERY, rules=RULE, policy=st.sampled_from(POLICIES))
def test_a_cache_of_the_footprint_hits_what_an_unlimited_one_hits(
    workload: Workload, rules: Rules, policy: Policy
) -> None:
    blocks = input_of(workload, rules)
    full = row_hits(blocks, max(1, blocks.footprint), policy)
    assert (full == row_hits(blocks, None, policy)).all()
    ideal = prefix_hits(workload)
    assert ideal is not None
    if rules == "trace":
        assert (full == ideal.hit_blocks).all()
        assert (blocks.tokens_of(full) == ideal.hit_tokens).all()


@given(workload=EVERY, rules=RULE, policy=st.sampled_from(POLICIES), capacity=st.integers(1, 12))
def test_the_hits_of_all_requests_add_up(
    workload: Workload, rules: Rules, policy: Policy, capacity: int
) -> None:
    blocks = input_of(workload, rules)
    rows = row_hits(blocks, capacity, policy)
    found = hits_at(blocks, capacity, rows)
    assert found.hit_blocks == sum(rows.tolist())
    assert found.hit_tokens == sum(blocks.tokens_of(rows).tolist())
    assert (rows <= blocks.look).all()
    assert (blocks.tokens_of(rows) <= blocks.input_tokens).all()
    if rules == "engine":
        assert (blocks.tokens_of(rows) < np.maximum(blocks.input_tokens, 1)).all()


@given(workload=EVERY, rules=RULE, policy=st.sampled_from(["lru", "lru-leaf"]))
def test_one_pass_equals_a_replay_at_every_capacity(
    workload: Workload, rules: Rules, policy: Policy
) -> None:
    blocks = input_of(workload, rules)
    sizes = list(range(1, blocks.footprint + 3))
    passed = curve_of(blocks, policy, rules, at_blocks=sizes)
    replayed = [hits_at(blocks, size, row_hits(blocks, size, policy)) for size in sizes]
    assert passed.capacity_blocks.tolist() == sizes
    assert passed.hit_blocks.tolist() == [hits.hit_blocks for hits in replayed]
    assert passed.hit_tokens.tolist() == [hits.hit_tokens for hits in replayed]
    means = [hits.mean_request_hit_ratio or 0.0 for hits in replayed]
    assert passed.mean_request_hit_ratio.tolist() == pytest.approx(means)


@given(first=st.integers(1, 50), more=st.integers(0, 10_000), most=st.integers(2, 200))
def test_capacities_of_a_curve_are_few_and_reach_both_ends(
    first: int, more: int, most: int
) -> None:
    found = spread(first, first + more, most).tolist()
    assert found == sorted(set(found))
    assert (found[0], found[-1]) == (first, first + more)
    assert len(found) <= most


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None
from decimal import Decimal
from econ.curve import curve
from econ.replay import ReplayParams, replay
from econ.replay_input import blocks_of
from econ.replay_names import POLICIES
from econ.reuse import reuse
from tests.econ_replay.made import made
far = 2**40
workload = made([[0, far, 2 * far], [0, 3 * far], [0, far], [0, far, 2 * far]] * 40)
for policy in POLICIES:
    params = ReplayParams(policy=policy, capacities=(1, 2, 3, None), ttl_s=Decimal(2))
    print([hits.hit_blocks for hits in replay(workload, params).results])
    print(curve(workload, policy).hit_tokens.tolist())
print(reuse(blocks_of(workload)))
"""


def test_without_the_compiler_the_same_numbers_come_out() -> None:
    said = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for code in (WITHOUT_NUMBA, WITHOUT_NUMBA.replace('sys.modules["numba"] = None', ""))
    ]
    assert said[0].stdout == said[1].stdout
    assert len(said[0].stdout.splitlines()) == 9
    assert said[0].stderr == ""


def test_looking_at_a_replay_does_not_import_the_compiler() -> None:
    code = "import sys, econ.replay, econ.curve, econ.reuse; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
