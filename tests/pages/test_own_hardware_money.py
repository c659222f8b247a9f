"""The money sections of the Own hardware page: dollars, load, places, implied rent."""

from __future__ import annotations

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from messages.catalogue import LANGUAGES
from tests.pages.test_own_hardware_page import UNFOLDED
from tests.pages.test_pages import asked, calm, dropped, opened, plain, words

BLOCKS = "".join(
    json.dumps({"timestamp": 60_000 * n, "input_length": 1_536, "output_length": 20,
                "hash_ids": [n % 4, 100 + n % 4, 1_000 + n]}) + "\n"
    for n in range(40)
)  # fmt: skip


def chosen(at: AppTest, key: str, value: object) -> None:
    """Choose a value of the select box of this key."""
    (box,) = [box for box in at.selectbox if box.key == key]
    box.set_value(value).run()
    calm(at)


def pressed(at: AppTest, key: str, value: str) -> None:
    """Press one of the buttons side by side of this key."""
    (control,) = [c for c in at.button_group if c.key == key]
    control.set_value(value).run()
    calm(at)


def typed(at: AppTest, key: str, value: float) -> None:
    """Type a number."""
    (field,) = [field for field in at.number_input if field.key == key]
    field.set_value(value).run()
    calm(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_has_all_four_sections_in_words(language: str) -> None:
    shown = plain(words(opened("own_hardware", lang=language, **UNFOLDED)))
    assert "hardware_money." not in shown
    assert "{" not in shown
    heads = {
        "en": (
            "A cache pays up to",
            "APIs",
            "computing again",
            "premiums lie above",
            "You are here",
        ),
        "ja": ("元が取れ", "API", "再計算", "割増料金のうち", "現在地"),
    }[language]
    for head in heads:
        assert head in shown


def test_owning_is_purchase_power_and_overhead_and_the_life_can_be_changed() -> None:
    at = opened("own_hardware")
    chosen(at, "hour_row", "bought")
    first = re.search(r"= \$([\d.]+) an hour", plain(words(at)))
    typed(at, "own_life", 8.0)
    second = re.search(r"= \$([\d.]+) an hour", plain(words(at)))
    assert first is not None
    assert second is not None
    assert float(second[1]) < float(first[1])
    assert asked(at, "hour_row") == "bought"
    assert asked(at, "own_life") == "8"


def test_dearer_memory_and_the_apis_discount_move_the_knee() -> None:
    def size(at: AppTest) -> float:
        found = re.search(r"pays up to ([\d.]+).GB", plain(words(at)))
        assert found is not None, plain(words(at))[:300]
        return float(found[1])

    at = opened("own_hardware")
    dear = size(at)
    chosen(at, "rent_row", "owner_share")
    cheap = size(at)
    assert cheap > dear
    pressed(at, "hit_value", "api")
    assert size(at) > cheap
    pressed(at, "money_span", "month")
    assert "a month" in plain(words(at))


def test_a_slow_link_says_what_to_compute_again_and_what_is_not_worth_loading() -> None:
    at = opened("own_hardware", dram_gb_s="0.1", ssd_gb_s="0.1", network_gb_s="0.1", **UNFOLDED)
    shown = plain(words(at))
    assert "Compute again rather than load from: DRAM, SSD, network memory" in shown
    assert "Not worth loading from" in shown


def test_waiting_for_the_link_turns_the_choice() -> None:
    shown = plain(words(opened("own_hardware", ssd_wait_ms="60000", **UNFOLDED)))
    assert "Compute again rather than load from: SSD" in shown


def test_a_model_as_reference_makes_the_band_one_number() -> None:
    at = opened("own_hardware", **UNFOLDED)
    assert "or below by the bytes assumed" in plain(words(at))
    pressed(at, "premium_bytes", "reference")
    shown = plain(words(at))
    assert "or below by the bytes assumed" not in shown
    assert "implies" in shown
    pressed(at, "premium_bytes", "own")
    assert "at 327,680 bytes a token" in plain(words(at))


def test_a_file_without_blocks_says_what_the_dollar_curve_needs() -> None:
    at = dropped(opened("workload", more_rent="true"))
    at.switch_page("../pages/own_hardware.py").run()
    calm(at)
    shown = plain(words(at))
    assert "needs a file with block ids" in shown
    assert "premiums lie above" in shown


def test_a_trace_is_valued_by_its_own_span() -> None:
    at = dropped(opened("workload"), "trace.jsonl", BLOCKS)
    at.switch_page("../pages/own_hardware.py").run()
    calm(at)
    assert "Hours from the first to the last request: 0.65" in plain(words(at))


def test_a_device_without_prices_is_typed_in() -> None:
    at = opened("own_hardware", hw_device="mi325x")
    chosen(at, "hour_row", "typed")
    typed(at, "usd_hour", 3.0)
    assert "$3.00 an hour" in plain(words(at)) or "$6.00 an hour" in plain(words(at))
