"""Published figures of a real trace, exact to six digits; other tools' results beside ours."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from data_sources.traces.base import ReadOptions
from econ.cache_study import study, study_from_json, study_to_json
from econ.curve import curve
from econ.replay import Hits, ReplayParams, replay, row_hits_at
from econ.replay_input import blocks_of
from econ.replay_names import Policy, Rules
from econ.replay_published import compared
from econ.reuse import reuse
from econ.workload import Workload
from jobs.reading import read_paths

TRACE = Path("serving_prefix", "mooncake", "conversation_trace.jsonl")


@pytest.fixture(scope="module")
def workload(reference_data: Path) -> Workload:
    """Mooncake's conversation trace, 12,031 requests."""
    path = reference_data / "traces" / TRACE
    return read_paths([path], ReadOptions(), lambda fraction, stage: None).workload


@pytest.fixture(scope="module")
def published(reference_data: Path) -> dict[str, Any]:
    """The reference curves of that trace."""
    index = yaml.safe_load((reference_data / "traces" / "INDEX.yaml").read_text("utf-8"))
    found: dict[str, Any] = index["reference_curves"]
    return found


def hits(workload: Workload, policy: Policy, *capacities: int | None, rules: Rules = "trace",
         ttl_s: int | None = None) -> tuple[Hits, ...]:  # fmt: skip
    """The results of one replay."""
    lifetime = None if ttl_s is None else Decimal(ttl_s)
    params = ReplayParams(capacities=capacities, policy=policy, rules=rules, ttl_s=lifetime)
    return replay(workload, params).results


def blocks_hit(results: tuple[Hits, ...]) -> list[float]:
    """Block hit ratios with six digits."""
    return [round(found.block_hit_ratio or 0.0, 6) for found in results]


@pytest.mark.parametrize(
    ("policy", "name"),
    [("lru", "plain_lru_block_hit_ratio"), ("fifo", "plain_fifo_block_hit_ratio")],
)
def test_plain_curves(
    workload: Workload, published: dict[str, Any], policy: Policy, name: str
) -> None:
    known = published[name]["by_capacity_blocks"]
    sizes = [None if size == "unlimited" else size for size in known]
    assert blocks_hit(hits(workload, policy, *sizes)) == list(known.values())


def test_one_pass_gives_the_plain_curve(workload: Workload, published: dict[str, Any]) -> None:
    known = published["plain_lru_block_hit_ratio"]["by_capacity_blocks"]
    sizes = [size for size in known if size != "unlimited"]
    found = curve(workload, "lru", at_blocks=sizes)
    assert found.exact_from_blocks == 247
    assert found.footprint_blocks == 182_790
    assert found.ratios("block").round(6).tolist() == [known[size] for size in sizes]


@pytest.mark.parametrize("policy", ["lru", "lru-leaf", "fifo", "clairvoyant"])
def test_lifetimes_of_an_unlimited_cache(
    workload: Workload, published: dict[str, Any], policy: Policy
) -> None:
    for ttl_s, ratio in published["ttl_block_hit_ratio"]["by_ttl_s"].items():
        assert blocks_hit(hits(workload, policy, None, ttl_s=ttl_s)) == [ratio]


def test_hit_tokens_of_lifetimes(workload: Workload, published: dict[str, Any]) -> None:
    known = published["list_price_check_usd"]
    for ttl_s, name in ((300, "ttl_300_s_write_5m"), (3600, "ttl_3600_s_write_1h")):
        (found,) = hits(workload, "lru", None, ttl_s=ttl_s)
        assert found.hit_tokens == known[name]["hit_tokens"]


def test_reuse(workload: Workload, published: dict[str, Any]) -> None:
    known = published["reuse"]
    found = reuse(blocks_of(workload))
    assert found.reused_share is not None
    share = known["share_of_unique_blocks_seen_in_2_or_more_rows"]
    assert round(found.reused_share, 6) == share
    assert found.median_first_reuse_s == known["median_seconds_to_first_reuse"]
    assert found.requests_of_most_used == known["rows_of_the_most_used_block"]


def test_leaves_first(workload: Workload) -> None:
    found = hits(workload, "lru-leaf", 1_000, 10_000, 30_000)
    assert blocks_hit(found) == [0.044530, 0.211598, 0.325747]


def test_clairvoyant(workload: Workload) -> None:
    found = hits(workload, "clairvoyant", 1_000, 2_000, 5_859, 10_000)
    assert blocks_hit(found) == [0.179220, 0.249390, 0.351581, 0.366412]


def test_both_rule_sets_without_a_limit(workload: Workload) -> None:
    known: dict[Rules, tuple[float, float, float]] = {
        "trace": (0.366412, 0.373624, 0.384258),
        "engine": (0.366003, 0.373380, 0.382089),
    }
    for rules, ratios in known.items():
        (found,) = hits(workload, "lru-leaf", None, rules=rules)
        three = (found.block_hit_ratio, found.token_hit_ratio, found.mean_request_hit_ratio)
        assert tuple(round(ratio or 0.0, 6) for ratio in three) == ratios


def test_shares_of_the_unlimited_hits_beside_the_published_ones(workload: Workload) -> None:
    """Fig. 9 of Mooncake (FAST '25): 3 million tokens reach 41 %, 50 million close to 100 %. Ours:
    37.0 % and 99.2 % of the same trace at blocks of 512 tokens; the paper does not name its policy
    for this figure, and the gap of 4 points is shown beside it, not explained away."""
    small, large, full = hits(workload, "lru", 3_000_000 // 512, 50_000_000 // 512, None)
    assert round(100 * small.hit_blocks / full.hit_blocks, 1) == 37.0
    assert round(100 * large.hit_blocks / full.hit_blocks, 1) == 99.2
    assert 41 - 100 * small.hit_blocks / full.hit_blocks < 4.1


def test_another_tool_agrees_without_a_limit(workload: Workload, published: dict[str, Any]) -> None:
    aiperf = published["aiperf_0.13.0_analyze_trace"]
    (found,) = hits(workload, "lru-leaf", None)
    assert round(found.mean_request_hit_ratio or 0.0, 6) == aiperf["cache_hit_rate"]


def test_another_simulator_gives_the_same_hits(
    workload: Workload, published: dict[str, Any]
) -> None:
    """kvcache-simulator counts the last half of the requests: its leaf-first policy and its queue
    hit the very same tokens at all four sizes. Its optimum may leave the current request out of
    the cache, ours never does while it fits: 0.4 % fewer hits at the smallest size, then equal."""
    known = published["kvcache_simulator_0.1.3"]["hit_tokens_by_gib"].values()
    blocks, half = blocks_of(workload), workload.rows // 2
    sizes = [row["blocks"] for row in known]

    def last_half(policy: Policy) -> list[int]:
        found = row_hits_at(blocks, sizes, policy)
        return [int(blocks.tokens_of(rows)[half:].sum()) for rows in found]

    assert last_half("lru-leaf") == [row["lru"] for row in known]
    assert last_half("fifo") == [row["fifo"] for row in known]
    best = last_half("clairvoyant")
    assert best[1:] == [row["optimal"] for row in known][1:]
    assert best[0] == 26_115_444  # theirs: 26,215,927


def test_published_figures_stand_beside_ours_for_this_trace_alone(workload: Workload) -> None:
    found = study(workload, "trace", "file", lambda fraction, stage: None)
    (small, large), others = compared(found.beside)
    assert (float(small.theirs.ratio), round(small.ours, 3)) == (0.41, 0.370)
    assert round(small.gap, 2) == -0.04
    assert (large.theirs.about, round(large.ours, 3)) == (True, 0.992)
    differing = {(row.theirs.tool, row.theirs.policy) for row in others if row.gap}
    assert differing == {
        ("libCacheSim 0.3.5", "fifo"),
        ("kvcache-simulator 0.1.3", "clairvoyant"),
        ("LLMTrafficLens 0.13.4", "lru"),
    }
    assert max(abs(row.gap) for row in others) < 0.008
    assert study_from_json(study_to_json(found)) is not None
    engine = study(workload, "engine", "file", lambda fraction, stage: None)
    assert engine.beside == ()
