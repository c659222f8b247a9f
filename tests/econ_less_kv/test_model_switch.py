"""Six published pairs, two of which failed; everything else is not measured."""

from __future__ import annotations

from decimal import Decimal

import pytest

from econ import model_switch as sw
from econ.roofline import Speeds
from price_tables.facts_load import load_switch
from tests.econ_less_kv.made import device, model, workload

FACTS = load_switch()
B300 = Speeds(bandwidth_bytes_per_s=8e12, ops_per_s=2.25e15)


def test_qwen_14b_to_32b_takes_278_ms_against_6975_and_keeps_976_percent() -> None:
    found = sw.switch(FACTS, "Qwen3 14B", "Qwen3 32B", 32_768)
    assert (found.map_s, found.prefill_s) == (0.278, 6.975)
    assert round(found.gain or 0, 1) == 25.1
    assert found.retention_low == 0.976
    assert (found.advice, found.scenario) == ("map", False)


def test_a_failed_pair_is_shown_with_what_it_kept_and_a_new_prefill_is_advised() -> None:
    found = sw.switch(FACTS, "Ministral 3 3B", "Ministral 3 14B", 32_768)
    assert (found.advice, found.retention_low) == ("prefill", 0.442)
    assert (found.map_s, found.gain) == (None, None)


@pytest.mark.parametrize(
    ("sender", "receiver"),
    [("Qwen3 32B", "Qwen3 14B"), ("Llama 3.1 8B", "Llama 3.1 70B"), ("", "")],
)
def test_any_other_pair_is_not_measured(sender: str, receiver: str) -> None:
    found = sw.switch(FACTS, sender, receiver, 32_768)
    assert (found.advice, found.retention_low, found.prefill_s) == ("not_measured", None, None)


def test_six_pairs_two_of_them_unnamed_two_failed() -> None:
    assert len(FACTS.pairs) == 6
    assert sum(pair.sender is None for pair in FACTS.pairs) == 2
    failed = [float(pair.retention or 0) for pair in FACTS.pairs if pair.state == "fails"]
    assert failed == [0.442, 0.416]


def test_ids_of_the_model_table_find_the_pair_too() -> None:
    assert sw.switch(FACTS, "qwen3-14b", "qwen3-32b", 32_768).advice == "map"


def test_other_lengths_are_a_scenario_or_have_no_time() -> None:
    assert sw.switch(FACTS, "qwen3-14b", "qwen3-32b", 8_192).map_s is None
    growth = sw.prefill_growth(model("qwen3-32b"), B300, 8_192, FACTS.timing.tokens)
    assert 0.18 < growth < 0.25  # attention grows with the square, so a quarter takes less
    found = sw.switch(FACTS, "qwen3-14b", "qwen3-32b", 8_192, growth=growth)
    assert found.scenario
    assert found.map_s == pytest.approx(0.278 / 4)


def test_fitting_is_earned_after_some_thousand_switches() -> None:
    found = sw.earned(FACTS.calibration, 6.697, device("h100-sxm").hourly_band())
    assert (found.device_s_low, found.device_s_high) == (22_560, 41_760)
    assert (found.switches_low, found.switches_high) == (3_369, 6_236)
    assert found.usd_low == Decimal("22560.0") / 3600 * Decimal("1.99")
    with pytest.raises(ValueError, match="save time"):
        sw.earned(FACTS.calibration, 0, None)


def test_reading_on_the_small_model_saves_about_half_of_the_large_prefill() -> None:
    found = sw.cascade(model("qwen3-14b"), model("qwen3-32b"), B300, FACTS.timing, 32_768)
    assert (found.map_s, found.large_s) == (pytest.approx(0.278), pytest.approx(6.975))
    assert 14.8 / 32.8 * 0.85 < found.small_s / found.large_s < 14.8 / 32.8  # fewer layers, too
    assert round(found.saved_share, 2) == 0.53


def test_switches_are_counted_inside_a_session_only() -> None:
    talk = workload(
        [1] * 5, [1] * 5, [0, 1, 2, 3, 4], ["a", "b", "a", "a", "b"], ["x", "y", "y", "x", "y"]
    )
    assert sw.switches_in(talk) == 2
    assert sw.switches_in(workload([1], [1], [0.0])) is None
