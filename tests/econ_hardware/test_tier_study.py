"""Tiers on a workload, dollars on the curve, rents beside premiums."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.curve import Curve, curve_of
from econ.dollar_curve import dollar_curve, recompute_usd_per_token
from econ.example import example_workload
from econ.implied_rent import Premium
from econ.implied_rent_rows import ON_DEMAND, OWNER, SHARE, bought, premiums, rents, verdict
from econ.offload import Link
from econ.replay import ReplayParams, replay
from econ.replay_input import blocks_of
from econ.roofline import Speeds
from econ.tier_study import Tier, mean_block_tokens, prefill_time, tier_study
from price_tables.hardware_load import load_hardware
from price_tables.load import load_book
from price_tables.tiers_load import load_tiers

HARDWARE = load_hardware()
BOOK = load_book()
LLAMA = HARDWARE.models["llama-3.1-70b"]
KV = 327_680.0
SPEEDS = Speeds(bandwidth_bytes_per_s=8e12, ops_per_s=4.5e15, ops_ratio=0.4)
BLOCKS = blocks_of(example_workload(), "engine")


def tier(name: str, bytes_per_s: float, capacity_blocks: int | None) -> Tier:
    """A place for so many whole blocks and half a block more."""
    each = mean_block_tokens(BLOCKS) * KV
    size = (
        None if capacity_blocks is None else (capacity_blocks + 0.5 * (capacity_blocks > 0)) * each
    )
    return Tier(link=Link(tier=name, bytes_per_s=bytes_per_s), capacity_bytes=size)


def test_tiers_together_hit_what_one_cache_of_their_size_hits() -> None:
    sizes = [20, 60, 0, 400]
    tiers = [tier(f"t{at}", 5e10, size) for at, size in enumerate(sizes)]
    found = tier_study(LLAMA, SPEEDS, tiers, prefix_tokens=1000, bytes_per_token=KV, blocks=BLOCKS)
    assert [row.capacity_blocks for row in found.rows] == sizes
    hits = [row.hits for row in found.rows if row.hits is not None]
    whole = replay(
        example_workload(), ReplayParams(capacities=(20, 80, 480), rules="engine")
    ).results
    assert hits[0].hit_tokens == whole[0].hit_tokens
    assert hits[0].hit_tokens + hits[1].hit_tokens == whole[1].hit_tokens
    assert hits[2].hit_tokens == 0
    assert sum(hit.hit_tokens for hit in hits) == whole[2].hit_tokens > 0


def test_a_place_outside_the_chain_is_compared_and_answers_nothing() -> None:
    tiers = [tier("hbm", 8e12, 30), tier("unified", 2.73e11, None)]
    found = tier_study(
        LLAMA, SPEEDS, tiers, prefix_tokens=32_768, bytes_per_token=KV, parameters=70e9,
        blocks=BLOCKS,
    )  # fmt: skip
    assert found.rows[1].hits is None
    assert found.rows[1].choice.choice == "load"
    assert round(found.break_even_bytes_per_s / 1e9, 2) == 3.22


def test_a_link_too_slow_saves_nothing_though_the_hit_ratio_rises() -> None:
    found = tier_study(
        LLAMA, SPEEDS, [tier("slow", 1e6, 10_000)], prefix_tokens=1000, bytes_per_token=KV,
        blocks=BLOCKS,
    )  # fmt: skip
    hits = found.rows[0].hits
    assert hits is not None
    assert hits.not_worth_loading_tokens == hits.hit_tokens > 0
    assert hits.saved_s == 0


def test_prefill_times_of_many_prompts_are_those_of_each() -> None:
    seconds = prefill_time(LLAMA, SPEEDS)
    some = np.array([0, 1024, 7, 1024], dtype=np.int64)
    times = seconds(some)
    assert times[0] == 0
    assert times[1] == times[3] == seconds(np.array([1024]))[0] > times[2]


CURVE = curve_of(BLOCKS, rules="engine", points=200)


@given(st.floats(0, 1e-3), st.floats(0, 100), st.floats(0.01, 1e4))
def test_no_size_nets_more_than_the_knee(value: float, rent: float, hours: float) -> None:
    found = dollar_curve(
        CURVE, hours=hours, block_bytes=16 * KV, usd_per_hit_token=value, usd_per_gb_hour=rent
    )
    assert found.net.max() == found.net[found.knee] >= 0
    assert (np.diff(found.saved) >= 0).all()
    assert found.saved[0] == found.rent[0] == found.gb[0] == 0
    step = found.next_gb(found.knee)
    assert step is None or step <= rent * (1 + 1e-9) + 1e-12


@given(st.floats(1e-9, 1e-5), st.floats(1e-6, 10), st.floats(1, 50))
def test_dearer_memory_never_makes_the_knee_larger(value: float, rent: float, times: float) -> None:
    def knee(usd: float) -> int:
        return dollar_curve(
            CURVE, hours=1, block_bytes=16 * KV, usd_per_hit_token=value, usd_per_gb_hour=usd
        ).knee

    assert knee(rent * times) <= knee(rent)


def test_free_memory_pays_up_to_the_last_hit_and_dear_memory_never() -> None:
    def found(rent: float) -> int:
        return dollar_curve(
            CURVE, hours=8, block_bytes=16 * KV, usd_per_hit_token=1e-6, usd_per_gb_hour=rent
        ).knee

    assert CURVE.hit_tokens[found(0) - 1] == CURVE.hit_tokens[-1]
    assert found(1e9) == 0


def test_a_curve_worked_by_hand() -> None:
    """10 M hit tokens in 2 hours at 1 USD a million are 5 USD an hour; 4 GB at 0.5 cost 2."""
    by_hand: Curve = replace(
        CURVE, capacity_blocks=np.array([1, 2]), hit_tokens=np.array([8_000_000, 10_000_000]),
        hit_blocks=np.array([1, 2]), mean_request_hit_ratio=np.array([0.0, 0.0]),
        total_tokens=20_000_000,
    )  # fmt: skip
    found = dollar_curve(
        by_hand, hours=2, block_bytes=2e9, usd_per_hit_token=1e-6, usd_per_gb_hour=0.5
    )
    assert found.saved.tolist() == [0, 4, 5]
    assert found.rent.tolist() == [0, 1, 2]
    assert found.net.tolist() == [0, 3, 3]
    assert found.knee == 1
    assert found.next_gb(1) == 0.5
    assert found.next_gb(2) is None
    assert found.hit_ratio.tolist() == [0, 0.4, 0.5]
    assert (found.at(1.9), found.at(3.9), found.at(99)) == (0, 1, 2)


@pytest.mark.parametrize("wrong", [{"hours": 0.0}, {"block_bytes": 0.0}, {"usd_per_gb_hour": -1.0}])
def test_hours_and_bytes_of_nothing_are_refused(wrong: dict[str, float]) -> None:
    given_ = {"hours": 1.0, "block_bytes": 1.0, "usd_per_hit_token": 0.0, "usd_per_gb_hour": 0.0}
    with pytest.raises(ValueError, match="must"):
        dollar_curve(CURVE, **{**given_, **wrong})


def test_a_recomputed_token_costs_its_share_of_the_hour() -> None:
    def a_second_per_thousand(tokens: np.ndarray) -> np.ndarray:
        return tokens / 1000

    usd = recompute_usd_per_token(np.array([500, 1500]), a_second_per_thousand, Decimal(36))
    assert usd == pytest.approx(36 / 3600 / 1000)
    assert recompute_usd_per_token(np.array([0]), a_second_per_thousand, Decimal(36)) == 0


def test_a_gigabyte_of_an_h200_costs_00035_to_0056_an_hour() -> None:
    found = {rent.name: rent.usd_per_gb_hour for rent in rents(HARDWARE.devices["h200-sxm"])}
    assert round(found[SHARE], 4) == Decimal("0.0035")
    assert round(found[OWNER], 3) == Decimal("0.010")
    assert round(found["neocloud"], 4) == Decimal("0.0123")
    assert round(found["rental_3y"], 4) == Decimal("0.0113")
    low, median, high = (round(found[name], 4) for name in ON_DEMAND)
    assert (low, median, high) == (Decimal("0.0177"), Decimal("0.0340"), Decimal("0.0561"))


def test_a_device_without_prices_has_no_rents_and_memory_without_price_none() -> None:
    assert rents(HARDWARE.devices["rubin-r200"]) == ()
    tiers = load_tiers()
    assert bought(tiers["gddr7"]) is None
    dram, ssd = bought(tiers["dram"]), bought(tiers["ssd"])
    assert dram is not None
    assert ssd is not None
    assert round(dram.mid, 6) == Decimal("0.000432")
    assert ssd.high < dram.low / 50


def test_the_book_holds_premiums_of_writes_and_storage() -> None:
    found = {
        (row.model, row.kind): (row.usd_per_mtok, row.lifetime_s)
        for row in premiums(
            BOOK, BOOK.as_of, models=("claude-opus-5", "gpt-6-sol", "gemini-3.1-pro-preview")
        )
    }
    assert found == {
        ("claude-opus-5", "write_5m"): (Decimal("1.25"), 300),
        ("claude-opus-5", "write_1h"): (Decimal(5), 3600),
        ("gpt-6-sol", "write_30m"): (Decimal("0.5"), 1800),
        ("gpt-6-sol", "write_12h"): (Decimal(3), 43_200),
        ("gemini-3.1-pro-preview", "storage"): (Decimal("4.5"), 3600),
    }
    assert premiums(BOOK, BOOK.as_of, providers=("deepseek", "groq")) == ()


def opus_5m() -> Premium:
    (found,) = [
        row
        for row in premiums(BOOK, BOOK.as_of, providers=("anthropic",), models=("claude-opus-5",))
        if row.kind == "write_5m"
    ]
    return found


def test_a_verdict_names_the_rents_above_and_below() -> None:
    rows = rents(HARDWARE.devices["h200-sxm"])
    said = verdict(opus_5m(), rows, Decimal(327_680))
    assert [rent.name for rent in said.below] == ["on_demand_high"]
    assert len(said.above) == len(rows) - 1
    assert said.between == ()
    band = verdict(opus_5m(), rows, Decimal(70_272), Decimal(1_310_720))
    assert {rent.name for rent in band.above} == {SHARE, OWNER, "rental_3y"}
    assert band.below == ()
    with pytest.raises(ValueError, match="rise"):
        verdict(opus_5m(), rows, Decimal(2), Decimal(1))


@given(st.integers(1, 10**8), st.integers(0, 10**8))
def test_every_rent_is_above_below_or_between_once(low: int, more: int) -> None:
    rows = rents(HARDWARE.devices["h200-sxm"])
    said = verdict(opus_5m(), rows, Decimal(low), Decimal(low + more))
    assert len(said.above) + len(said.below) + len(said.between) == len(rows)
    assert said.low_usd_per_gb_hour <= said.high_usd_per_gb_hour
    if not more:
        assert said.between == ()
