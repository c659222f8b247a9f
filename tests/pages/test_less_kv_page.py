"""The Less KV page: bytes of this workload, levers, quality, switches, dollars, joules."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from messages.catalogue import t
from tests.pages.test_market_page import tables
from tests.pages.test_pages import asked, calm, dropped, opened, plain, words

UNTIMED = "input_tokens,output_tokens,model\n1000,10,claude-opus-5\n2000,20,claude-opus-5\n"


SECTIONS = ("scenarios", "heads", "quality", "hbm", "energy", "hybrid", "switch", "rebound")
EVERY = {f"open_{name}": "true" for name in SECTIONS}
B300 = {"hw_device": "b300-sxm", "hw_tp": "1", "hw_weights": "checkpoint"}


def titles(at: AppTest) -> str:
    """What the folded sections say."""
    return plain("\n".join(box.label for box in at.expander))


def test_the_example_shows_bytes_levers_switches_dollars_and_joules() -> None:
    at = opened("less_kv", **B300, **EVERY)
    assert at.metric[0].label.startswith("KV at the fullest moment")
    shown = plain(words(at))
    assert "the least of all" in shown
    assert "74.1" in tables(at)
    assert "25.1 times" in titles(at)
    assert "6.24" in titles(at)
    assert "sum 101" in shown
    assert "DeepSeek 67B" in shown
    assert "10.0 J" in shown


@pytest.mark.parametrize("name", SECTIONS)
def test_the_address_of_a_section_opens_it_alone(name: str) -> None:
    at = opened("less_kv", **{f"open_{name}": "true"})
    assert [box.proto.expanded for box in at.expander].count(True) == 1
    assert len(at.markdown) > len(opened("less_kv").markdown)


def test_what_another_page_was_asked_is_asked_here_too() -> None:
    at = opened("own_hardware", hw_device="b300-sxm", hw_kv="q8_0", hw_tp="4")
    at.switch_page("../pages/less_kv.py").run()
    calm(at)
    assert "4 × B300" in plain(words(at))
    assert "q8_0" in plain(at.metric[0].label)
    at.selectbox(key="hw_device").set_value("h100-sxm").run()
    at.switch_page("../pages/own_hardware.py").run()
    assert at.selectbox(key="hw_device").value == "h100-sxm"


def test_an_address_of_before_still_says_the_same() -> None:
    at = opened("less_kv", less_kv_device="b300-sxm", less_kv_keys="q8_0", less_kv_values="q4_0")
    assert "× B300" in plain(words(at))
    assert "keys q8_0, values q4_0" in plain(at.metric[0].label)
    assert asked(at, "hw_kv") == "q8_0/q4_0"


def test_keys_and_values_are_chosen_apart_and_lie_in_the_url() -> None:
    at = opened("less_kv")
    before = at.metric[0].value
    (keys,) = [box for box in at.selectbox if box.key == "less_kv_keys_widget"]
    keys.set_value("q8_0").run()
    calm(at)
    assert asked(at, "hw_kv") == "q8_0/fp8"
    assert "keys q8_0, values FP8" in plain(at.metric[0].label)
    assert at.metric[0].value != before


def test_a_failed_pair_and_an_unmeasured_one_are_said_to_be_so() -> None:
    failed = opened("less_kv", less_kv_from="Ministral 3 3B", less_kv_to="Ministral 3 14B",
                    open_switch="true")  # fmt: skip
    assert "failed" in words(failed)
    assert "44.2" in plain(words(failed))
    unknown = opened("less_kv", less_kv_from="Qwen3 32B", less_kv_to="Qwen3 14B",
                     open_switch="true")  # fmt: skip
    assert "not measured" in words(unknown)


def test_memory_without_a_price_is_not_charged_at_anothers() -> None:
    at = opened("less_kv", hw_device="rtx-pro-6000-server")
    assert "No public price of a GB of GDDR7" in titles(at)


def test_nonsense_in_the_url_does_no_harm() -> None:
    at = opened("less_kv", hw_model="none", hw_kv="blue", less_kv_lifetime="-3")
    assert at.metric[0].label.startswith("KV at the fullest moment")


@pytest.mark.parametrize("device", ["apple-m4-pro", "rubin-cpx-revised", "tpu-v5e"])
def test_devices_with_unknown_limits_still_have_a_page(device: str) -> None:
    at = opened("less_kv", hw_device=device)
    assert "Joules a token cannot be said" in titles(at)


@pytest.mark.parametrize("model", ["deepseek-v4-pro", "kimi-k3", "step-3.7-flash", "gpt3-175b"])
def test_models_of_other_kinds_have_a_page(model: str) -> None:
    at = opened("less_kv", hw_model=model)
    assert at.metric


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_file_without_lengths_says_so(language: str) -> None:
    at = dropped(opened("workload", lang=language), "usage.csv", UNTIMED)
    at.switch_page("../pages/less_kv.py").run()
    calm(at)
    assert t(language, "less_kv.no_lengths") in [box.value for box in at.info]


def test_the_page_is_japanese_where_that_is_asked_for() -> None:
    at = opened("less_kv", lang="ja", **EVERY)
    shown = words(at) + titles(at)
    assert "精度保持率" in shown
    assert "ジェボンズの逆説" in shown
    assert "未計測" in shown or "失敗" in shown


def test_another_number_of_heads_changes_bytes_sequences_devices_and_dollars() -> None:
    at = opened("less_kv", open_heads="true")
    (slider,) = [one for one in at.select_slider if one.key == "less_kv_heads"]
    assert slider.value == 8
    assert slider.options[0] == "1"
    assert slider.options[-1] == "64"
    slider.set_value(1).run()
    calm(at)
    assert asked(at, "less_kv_heads") == "1"
    shown = plain(words(at))
    assert "With 1 KV head it would be" in shown
    figures = {plain(one.label): one.value for one in at.metric}
    assert plain(figures["Bytes a token"]).startswith("20.48")


def test_a_model_without_heads_has_no_slider() -> None:
    shown = plain(words(opened("less_kv", hw_model="deepseek-v3")))
    assert "keeps no heads" in shown


def test_residence_comes_from_the_fleets_queue_where_one_was_made_and_says_so() -> None:
    before = opened("less_kv")
    assert "until the fleet of Own hardware has answered" not in plain(words(before))
    opened("own_hardware")
    after = opened("less_kv")
    assert "until the fleet of Own hardware has answered" in plain(words(after))
    assert after.metric[0].value != before.metric[0].value
    chosen = opened("less_kv", less_kv_residence="lifetime")
    assert chosen.metric[0].value == before.metric[0].value
