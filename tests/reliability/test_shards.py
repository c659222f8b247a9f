"""Parts that are worked out apart add up to the whole, exactly."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from econ.billing import BillingOptions, bill_with
from econ.replay import ReplayParams, replay
from econ.replay_names import POLICIES, Policy
from econ.select import take_rows
from econ.workload import Workload
from tests.econ.hand import AS_OF, table
from tests.econ_replay.made import Rows, conversations, made
from tests.reliability.test_exact_bills import CARDS, usage_rows


def pieces(workload: Workload, cuts: list[int]) -> list[Workload]:
    """The rows between the cuts."""
    ends = sorted({0, workload.rows, *(cut % (workload.rows + 1) for cut in cuts)})
    return [take_rows(workload, np.arange(a, b)) for a, b in pairwise(ends)]


@given(st.lists(usage_rows(), min_size=1, max_size=12), st.lists(st.integers(0, 99), max_size=4))
def test_shard_sum_equals_serial_result_exactly(
    rows: list[dict[str, Any]], cuts: list[int]
) -> None:
    """Whole numbers of 1e-13 USD: no order of adding can change a sum."""
    workload = table(rows)
    whole = bill_with(workload, CARDS, BillingOptions(), AS_OF)
    parts = [bill_with(part, CARDS, BillingOptions(), AS_OF) for part in pieces(workload, cuts)]
    for end in ("low_e13", "high_e13"):
        for sums in ("no_cache", "billed"):
            apart = [getattr(getattr(part, sums).amount, end) for part in parts]
            assert sum(apart) == getattr(getattr(whole, sums).amount, end)
    for bucket, counts in whole.usage.tokens.items():
        apart = [int(part.usage.tokens[bucket].sum()) for part in parts
                 if bucket in part.usage.tokens]  # fmt: skip
        assert sum(apart) == int(counts.sum())
    assert sum(int(part.priced.sum()) for part in parts) == int(whole.priced.sum())


@given(
    rows=conversations(),
    users=st.lists(st.sampled_from("abc"), min_size=24, max_size=24),
    policy=st.sampled_from(POLICIES),
    capacity=st.integers(1, 6) | st.none(),
)
def test_replays_of_each_user_alone_add_up_to_the_one_by_user(
    rows: Rows, users: list[str], policy: Policy, capacity: int | None
) -> None:
    owners = (users * (len(rows) // len(users) + 1))[: len(rows)]
    workload = made(rows, user=owners)
    asked = ReplayParams(capacities=(capacity,), policy=policy)
    (whole,) = replay(
        workload, ReplayParams(capacities=(None,), policy=policy, scope="user")
    ).results
    apart = [
        replay(take_rows(workload, np.flatnonzero([o == user for o in owners])), asked).results[0]
        for user in dict.fromkeys(owners)
    ]
    if capacity is None:
        assert sum(one.hit_blocks for one in apart) == whole.hit_blocks
        assert sum(one.hit_tokens for one in apart) == whole.hit_tokens
    assert sum(one.total_blocks for one in apart) == whole.total_blocks
    assert sum(one.hit_blocks for one in apart) <= whole.hit_blocks
