"""Replays small enough to do by hand."""

from __future__ import annotations

from decimal import Decimal

import pytest

from econ.curve import curve
from econ.replay import ReplayParams, replay, replay_to_json
from econ.replay_input import blocks_of, scopes_of
from econ.replay_names import Policy, Rules
from econ.workload import Workload
from messages.errors import InputError
from tests.econ_replay.made import made

ABCABC = made([[0], [1], [2], [0], [1], [2]])


def block_ratios(workload: Workload, policy: Policy, *capacities: int | None) -> list[float | None]:
    """Block hit ratios, one for each capacity."""
    found = replay(workload, ReplayParams(capacities=capacities, policy=policy))
    return [hits.block_hit_ratio for hits in found.results]


def test_d29_six_requests() -> None:
    assert block_ratios(ABCABC, "lru", 1, 2, 3) == [0, 0, 0.5]
    assert block_ratios(ABCABC, "lru-leaf", 1, 2, 3) == [0, 0, 0.5]
    assert block_ratios(ABCABC, "clairvoyant", 1, 2, 3) == [0, 2 / 6, 0.5]
    assert block_ratios(ABCABC, "fifo", 1, 2, 3) == [0, 0, 0.5]


def test_d29_table_and_chart_have_the_same_numbers() -> None:
    for policy in ("lru", "lru-leaf", "clairvoyant", "fifo"):
        drawn = curve(ABCABC, policy, at_blocks=(1, 2, 3)).ratios("block").tolist()
        assert drawn == pytest.approx(block_ratios(ABCABC, policy, 1, 2, 3))


def test_head_first_keeps_the_tail_and_loses_the_whole_chain() -> None:
    rows = [[0, 1, 2], [0, 1, 2]]
    assert block_ratios(made(rows), "lru", 2) == [0]
    assert block_ratios(made(rows), "lru-leaf", 2) == [2 / 6]


def test_lru_keeps_what_was_used_and_fifo_does_not() -> None:
    rows = [[0], [1], [0], [2], [0]]
    assert block_ratios(made(rows), "lru", 2) == [2 / 5]
    assert block_ratios(made(rows), "fifo", 2) == [1 / 5]


def test_clairvoyant_keeps_the_current_request_while_it_fits() -> None:
    rows = [[0], [1, 2], [0], [3, 4], [0]]
    assert block_ratios(made(rows), "clairvoyant", 1, 2, 3) == [2 / 7, 0, 2 / 7]


def test_a_row_never_hits_on_itself() -> None:
    assert block_ratios(made([[5, 5, 5]]), "lru-leaf", None) == [0]


@pytest.mark.parametrize("policy", ["lru", "lru-leaf", "fifo", "clairvoyant"])
def test_a_lifetime_ends_after_its_limit_not_at_it(policy: Policy) -> None:
    workload = made([[0], [0], [0]], times_s=[0.0, 0.3, 0.7])
    for ttl_s, hits in (("0.2", 0), ("0.3", 1), ("0.4", 2)):
        params = ReplayParams(policy=policy, ttl_s=Decimal(ttl_s))
        assert replay(workload, params).results[0].hit_blocks == hits


def test_an_expired_block_leaves_its_place_in_a_queue() -> None:
    """At capacity 2 block 0 has expired when 2 comes: 1 stays, though it is older than 2."""
    workload = made([[0], [1], [1], [2], [1]], times_s=[0, 1, 2, 3, 4])
    params = ReplayParams(policy="fifo", capacities=(2,), ttl_s=Decimal(2))
    assert replay(workload, params).results[0].hit_blocks == 2


@pytest.mark.parametrize(
    ("rules", "input_tokens", "hit_blocks", "hit_tokens"),
    [
        ("trace", 10, 3, 10),  # the partial last block is a block
        ("engine", 10, 2, 8),  # whole blocks only
        ("trace", 12, 3, 12),  # a fully known prompt hits in full
        ("engine", 12, 2, 8),  # one token must be computed, so the last block is not read
        ("engine", 13, 3, 12),
    ],
)
def test_the_two_rule_sets(
    rules: Rules, input_tokens: int, hit_blocks: int, hit_tokens: int
) -> None:
    blocks = -(-input_tokens // 4)
    row = list(range(blocks))
    workload = made([row, row], block_tokens=4, input_tokens=[input_tokens] * 2)
    hits = replay(workload, ReplayParams(rules=rules)).results[0]
    assert (hits.hit_blocks, hits.hit_tokens) == (hit_blocks, hit_tokens)
    assert (hits.total_blocks, hits.total_tokens) == (2 * blocks, 2 * input_tokens)
    assert hits.mean_request_hit_ratio == hit_blocks / blocks / 2


def test_engine_rules_compute_a_token_of_unequal_blocks_too() -> None:
    workload = made([[0, 1], [0, 1]], block_tokens=[100, 7, 100, 7])
    assert replay(workload, ReplayParams(rules="trace")).results[0].hit_tokens == 107
    assert replay(workload, ReplayParams(rules="engine")).results[0].hit_tokens == 100


def test_partial_blocks_take_no_place_in_an_engine() -> None:
    workload = made([[0], [1, 2], [0]], block_tokens=4, input_tokens=[5, 6, 5])
    params = ReplayParams(rules="engine", capacities=(2,), policy="lru")
    assert replay(workload, params).results[0].hit_blocks == 1


def test_a_salt_parts_what_teams_would_share() -> None:
    workload = made([[0], [0], [0], [0]], team=["a", "b", "a", None], user=["u", "v", "u", "u"])
    shared = replay(workload, ReplayParams(scope="file")).results[0].hit_blocks
    salted = replay(workload, ReplayParams(scope="team")).results[0].hit_blocks
    by_user = replay(workload, ReplayParams(scope="user")).results[0].hit_blocks
    assert (shared, salted, by_user) == (3, 1, 2)
    assert scopes_of(workload) == ("file", "team", "user")


def test_a_team_of_two_models_has_two_caches() -> None:
    workload = made([[0], [0], [0]], team=["a", "a", "a"], model=["x", "y", "x"])
    assert replay(workload, ReplayParams(scope="team")).results[0].hit_blocks == 1
    assert scopes_of(workload) == ("file", "model", "team")


def test_ids_may_be_any_number() -> None:
    far = [-(2**63), 2**63 - 1, 0]
    assert block_ratios(made([far, far]), "lru-leaf", 2, 3) == [2 / 6, 3 / 6]


def test_many_far_ids_are_numbered_in_order() -> None:
    """More than the table's first size, so that it has to grow."""
    row = [at * 2**40 for at in range(40_000)]
    blocks = blocks_of(made([row, row[::-1]]))
    assert blocks.id_space == 40_000
    assert blocks.ids.tolist() == [*range(40_000), *reversed(range(40_000))]


def test_what_cannot_be_replayed_is_refused_with_the_reason() -> None:
    bare = Workload(name="bare", format="made", rows=0, columns={})
    with pytest.raises(InputError, match="no_blocks"):
        replay(bare, ReplayParams())
    with pytest.raises(InputError, match="no_scope"):
        replay(ABCABC, ReplayParams(scope="team"))
    timeless = made([[0]], times_s=[float("nan")])
    with pytest.raises(InputError, match="no_times"):
        replay(timeless, ReplayParams(ttl_s=Decimal(5)))


def test_json_has_its_keys_and_six_digits() -> None:
    params = ReplayParams(capacities=(2, None), policy="clairvoyant", ttl_s=Decimal(300))
    found = replay_to_json(replay(ABCABC, params))
    assert {key: found[key] for key in ("policy", "rules", "ttl_s", "block_tokens")} == {
        "policy": "clairvoyant",
        "rules": "trace",
        "ttl_s": 300,
        "block_tokens": 1,
    }
    assert found["results"][0] == {
        "capacity_blocks": 2,
        "hit_blocks": 2,
        "total_blocks": 6,
        "hit_tokens": 2,
        "total_tokens": 6,
        "requests": 6,
        "block_hit_ratio": 0.333333,
        "token_hit_ratio": 0.333333,
        "mean_request_hit_ratio": 0.333333,
    }
    assert found["results"][1]["capacity_blocks"] is None
