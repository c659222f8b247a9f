"""Dollars of HBM by maker, joules a token, and the rebound that is an identity."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.energy import energy_ratio, joules_per_token, rebounds, token_energy, usd_per_mtok
from econ.hbm_spend import hbm_spend, hour_price
from price_tables.facts_load import load_hbm, load_power

HBM = load_hbm()


def test_shares_stay_as_published_and_add_to_101() -> None:
    share = HBM.newest_share()
    assert {m: int(p) for m, p in share.by_maker().items()} == {
        "sk_hynix": 50,
        "samsung": 33,
        "micron": 18,
    }
    assert share.total == 101


def test_the_makers_dollars_add_to_101_percent_of_the_spend() -> None:
    price = HBM.price_of("HBM3E")
    assert price is not None
    spend = hbm_spend(
        price,
        HBM.newest_share(),
        life_years=Decimal(4),
        kv_gb_hours=1_000.0,
        weights_bytes=70_000_000_000,
        hours=24.0,
        peak_bytes=50e9,
    )
    assert spend.weights_gb_hours == 1_680
    both = spend.kv.plus(spend.weights)
    total = sum(band.mid for band in spend.by_maker.values())
    assert float(total / both.mid) == pytest.approx(1.01)
    assert spend.peak.mid == 50 * Decimal("10.5")
    assert spend.kv.low < spend.kv.mid < spend.kv.high


def test_a_gb_of_hbm3e_for_an_hour_of_four_years() -> None:
    price = HBM.price_of("HBM3E")
    assert price is not None
    each = hour_price(price, Decimal(4))
    assert round(each.mid, 7) == Decimal("0.0002995")
    with pytest.raises(ValueError, match="life"):
        hour_price(price, Decimal(0))


def test_a_b300_at_8k_with_one_sequence_spends_ten_joules_a_token() -> None:
    assert round(joules_per_token(1_100, 0.00909, 1), 1) == 10.0
    four = joules_per_token(1_100, 0.0302, 4)
    assert four < joules_per_token(1_100, 0.01412, 1)


def test_all_in_power_is_told_apart_and_may_be_missing() -> None:
    found = token_energy(device_w=1100, all_in_w=2170, devices=2, step_s=0.01, batch=4)
    assert found.device_j == pytest.approx(5.5)
    assert found.all_in_j == pytest.approx(10.85)
    alone = token_energy(device_w=1100, all_in_w=None, devices=1, step_s=0.01, batch=1)
    assert alone.all_in_j is None
    with pytest.raises(ValueError, match="above zero"):
        joules_per_token(1100, 0, 1)


def test_electricity_of_a_million_tokens() -> None:
    assert usd_per_mtok(3.6, Decimal("0.1")) == Decimal("0.1")
    assert usd_per_mtok(3.6, Decimal("0.1"), Decimal("1.5")) == Decimal("0.15")


def test_energy_falls_below_elasticity_one_stays_at_one_and_rises_above() -> None:
    half, one, more = rebounds(6.24)
    assert half.energy_ratio == pytest.approx(6.24**-0.5)
    assert one.energy_ratio == pytest.approx(1)
    assert more.energy_ratio == pytest.approx(6.24**0.5)
    assert energy_ratio(6.24, 6.24) == 1


@given(gain=st.floats(1, 100), elasticity=st.floats(0, 3))
def test_the_elasticity_form_is_the_identity_with_an_assumed_demand(
    gain: float, elasticity: float
) -> None:
    (found,) = rebounds(gain, [elasticity])
    assert found.energy_ratio == pytest.approx(energy_ratio(found.demand, gain))


def test_the_two_power_paths_stay_two_and_the_gap_is_no_difference_of_them() -> None:
    power = load_power()
    shipments, demand = power.scenarios
    assert round(shipments.multiple, 3) == 4.404
    assert round(shipments.growth_a_year, 3) == 0.204
    assert {shipments.source, demand.source} == {shipments.source, demand.source}
    assert shipments.source != demand.source
    left = shipments.points[-1].gw - shipments.points[0].gw - power.supply.firm_gw
    assert left == 67
    assert left < power.supply.claimed_gap_gw
