"""Load or recompute, own or rent: worked figures and laws."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.implied_rent import Premium, rent_of_memory
from econ.kv_formats import kv_format
from econ.kv_memory import reserved_per_token
from econ.offload import Link, break_even_bytes_per_s, choose, split_by_tier, tier_hits
from econ.own_costs import (
    at_utilisation,
    blended_usd_per_mtok,
    break_even,
    busy_usd_per_mtok,
    owning_usd_per_hour,
)
from econ.roofline import Speeds, prefill
from price_tables.hardware_load import load_hardware

HARDWARE = load_hardware()
LLAMA = HARDWARE.models["llama-3.1-70b"]
AT_40 = Speeds(bandwidth_bytes_per_s=8e12, ops_per_s=4.5e15, ops_ratio=0.4)


def recompute(tokens: int) -> float:
    return prefill(LLAMA, AT_40, prompt_tokens=tokens, parameters=70e9).prefill_s


def test_a_fast_link_is_worth_loading_over_and_a_slow_one_is_not() -> None:
    kv = 32_768 * float(reserved_per_token(LLAMA, kv_format("bf16")))
    again = recompute(32_768)
    fast = choose(Link(tier="dram", bytes_per_s=55e9), kv_bytes=kv, recompute_s=again)
    slow = choose(Link(tier="ssd", bytes_per_s=2.5e9), kv_bytes=kv, recompute_s=again)
    assert (round(fast.transfer_s, 3), fast.choice) == (0.195, "load")
    assert (round(slow.transfer_s, 2), slow.choice) == (4.29, "recompute")
    assert slow.seconds == pytest.approx(again)
    limit = break_even_bytes_per_s(kv, again)
    assert limit is not None
    assert round(limit / 1e9, 2) == 3.22
    linear = prefill(LLAMA, AT_40, prompt_tokens=32_768, parameters=70e9).linear_s
    assert round(kv / linear / 1e9, 2) == 4.21  # what leaving attention out would claim


def test_waiting_for_a_link_is_counted_apart() -> None:
    link = Link(tier="network", bytes_per_s=1e9, latency_s=0.5, wait_s=0.25)
    assert link.transfer_s(1e9) == 1.75
    assert link.transfer_s(0) == 0


def test_each_tier_adds_what_the_faster_ones_did_not_have() -> None:
    small, large = np.array([0, 16, 32]), np.array([16, 16, 64])
    (a, b), (c, d) = split_by_tier([small, large])
    assert (a.tolist(), b.tolist()) == ([0, 0, 0], [0, 16, 32])
    assert (c.tolist(), d.tolist()) == ([0, 16, 32], [16, 0, 32])
    assert split_by_tier([]) == []


@given(
    st.lists(st.tuples(st.integers(0, 50_000), st.integers(0, 50_000)), min_size=1, max_size=20),
    st.floats(1e6, 1e12),
    st.floats(0, 1),
)
def test_loading_never_costs_more_than_computing_again(
    runs: list[tuple[int, int]], bytes_per_s: float, latency_s: float
) -> None:
    first, hits = (np.array(column, dtype=np.int64) for column in zip(*runs, strict=True))

    def seconds(tokens: np.ndarray) -> np.ndarray:
        return np.array([recompute(int(n)) for n in tokens])

    found = tier_hits(
        Link(tier="x", bytes_per_s=bytes_per_s, latency_s=latency_s),
        first_token=first, hit_tokens=hits, bytes_per_token=327_680, prefill_s=seconds,
    )  # fmt: skip
    assert found.loaded_tokens + found.not_worth_loading_tokens == found.hit_tokens
    assert found.hit_tokens == hits.sum()
    assert found.saved_s >= 0


def test_own_hours_are_spread_over_the_busy_ones() -> None:
    api = Decimal("0.50")
    plain = break_even(Decimal(2), Decimal(2500), api)
    assert round(plain.utilisation_ratio, 3) == Decimal("0.444")
    assert plain.tokens_per_day == plain.utilisation_ratio * 2500 * 86_400
    busy = busy_usd_per_mtok(Decimal(2), Decimal(2500))
    assert round(at_utilisation(busy, Decimal("0.1")), 2) == Decimal("2.22")
    blended = blended_usd_per_mtok(api, api / 10, Decimal("0.8"))
    assert blended == Decimal("0.14")
    reused = break_even(Decimal(2), Decimal(12_500), blended)
    assert round(reused.busy_usd_per_mtok, 4) == Decimal("0.0444")
    assert round(reused.utilisation_ratio, 3) == Decimal("0.317")


def test_an_api_that_is_cheaper_at_full_load_has_no_break_even() -> None:
    point = break_even(Decimal(10), Decimal(1000), Decimal("0.1"))
    assert not point.reachable
    assert point.utilisation_ratio > 1


def test_owning_adds_purchase_power_and_overhead() -> None:
    hour = owning_usd_per_hour(
        purchase_usd=Decimal(33_800), life_years=Decimal(4), power_w=Decimal(1730), pue=Decimal(1),
        usd_per_kwh=Decimal("0.10"), overhead_usd_per_hour=Decimal("0.2"),
    )  # fmt: skip
    assert hour.total == hour.purchase + hour.power + hour.overhead
    assert round(hour.power * 8760) == 1515  # a published example: one H100, all in, for a year
    assert round(hour.purchase, 4) == Decimal("0.9640")


def test_a_premium_is_a_line_over_bytes_per_token() -> None:
    five_minutes = Premium(
        provider="anthropic", model="claude-opus-5", kind="write_5m", usd_per_mtok=Decimal("1.25"),
        lifetime_s=300, source="test", as_of="2026-11-29",
    )  # fmt: skip
    at_320_kib = five_minutes.usd_per_gb_hour(Decimal(327_680))
    assert round(at_320_kib, 5) == Decimal("0.04578")
    assert five_minutes.usd_per_gb_hour(Decimal(655_360)) * 2 == at_320_kib
    assert round(five_minutes.bytes_at(at_320_kib)) == 327_680


def test_the_highest_rent_of_a_gigabyte_on_an_h200() -> None:
    band = HARDWARE.devices["h200-sxm"].hourly_band()
    assert band is not None
    assert round(rent_of_memory(band.high, Decimal(141)), 3) == Decimal("0.056")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: busy_usd_per_mtok(Decimal(0), Decimal(1)),
        lambda: at_utilisation(Decimal(1), Decimal(0)),
        lambda: at_utilisation(Decimal(1), Decimal("1.1")),
        lambda: blended_usd_per_mtok(Decimal(1), Decimal(1), Decimal(2)),
        lambda: break_even(Decimal(1), Decimal(1), Decimal(0)),
        lambda: owning_usd_per_hour(
            purchase_usd=Decimal(1), life_years=Decimal(0), power_w=Decimal(1), pue=Decimal(1),
            usd_per_kwh=Decimal(1),
        ),
        lambda: Premium(
            provider="p", model="m", kind="storage", usd_per_mtok=Decimal(1), lifetime_s=1,
            source="test", as_of="2026-11-29",
        ).usd_per_gb_hour(Decimal(0)),
    ],
)  # fmt: skip
def test_nothing_and_more_than_all_are_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"must|lies"):
        wrong()
