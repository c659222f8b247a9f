"""The Cache page: one size, its range, the curve, gaps, and what a salt costs."""

from __future__ import annotations

import json
import re

import pytest

from messages.catalogue import t
from tests.pages.test_pages import asked, calm, dropped, opened, plain, words

ABC = "".join(
    json.dumps({"timestamp": 1000 * n, "input_length": 1024, "output_length": 1, "hash_ids": ids})
    + "\n"
    for n, ids in enumerate([[0, 9], [1, 10], [2, 11], [0, 12], [1, 13], [2, 14]])
)
"""Three first blocks that come again after three seconds; second blocks that never do."""


def test_the_example_has_a_knee_a_curve_gaps_and_a_salt() -> None:
    at = opened("cache")
    first = at.metric[0]
    assert first.label == "The knee of your curve"
    assert re.fullmatch(r"[\d,]+ blocks", first.value)
    shown = words(at)
    assert "No cache of any size hits more than" in shown
    assert "The curve bends at" in shown
    assert "of reuses come within 5 minutes" in shown
    assert re.search(r"Keeping users apart costs \d\.\d points", shown)


def test_a_trace_is_replayed_as_a_job_and_shown() -> None:
    at = dropped(opened("workload"), "abc.jsonl", ABC)
    at.switch_page("../pages/cache.py").run()
    calm(at)
    shown = words(at)
    assert "25\u00a0%" in shown  # unlimited: 3 of 12 blocks, each 512 tokens
    assert "512 a block" in shown
    assert "What a salt would cost cannot be said" in shown
    assert "100\u00a0% of reuses" in shown


def test_choices_lie_in_the_url_and_nonsense_in_it_does_no_harm() -> None:
    at = opened("cache")
    for name, value in (("measure", "request"), ("scope", "user"), ("replay_rules", "engine")):
        (control,) = [c for c in at.button_group if c.key == name]
        control.set_value(value).run()
        calm(at)
        assert asked(at, name) == value
    assert "rules engine" in words(at)
    wild = opened("cache", measure="colour", scope="planet", replay_rules="none")
    assert wild.metric[0].label == "The knee of your curve"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_file_without_blocks_says_which_file_has_them(language: str) -> None:
    at = dropped(opened("workload", lang=language))
    at.switch_page("../pages/cache.py").run()
    calm(at)
    assert not at.metric
    assert "Mooncake" in words(at)
    assert t(language, "cache_page.no_blocks_which") in words(at)
    assert len(at.file_uploader) == 1


def test_nothing_that_comes_twice_is_said_to_be_nothing() -> None:
    rows = [
        {"timestamp": n, "input_length": 512, "output_length": 1, "hash_ids": [n]} for n in range(3)
    ]
    content = "".join(json.dumps(row) + "\n" for row in rows)
    at = dropped(opened("workload"), "new.jsonl", content)
    at.switch_page("../pages/cache.py").run()
    calm(at)
    assert at.metric[0].value == "Nothing to keep"
    assert "no block is used twice" in words(at)


def test_the_axis_changes_its_unit_and_you_are_where_you_typed() -> None:
    at = opened("cache", size_unit="gb", here="50gb", usd_gb_hour="0.01")
    shown = plain(words(at))
    assert re.search(r"You are here: 256 blocks, about .* tokens, 49\.8\s?GB, \$0\.50/h", shown)
    assert "/h" in shown
    assert {field.key for field in at.number_input} == {"kv_bytes", "usd_gb_hour", "here"}
    before = re.search(r"You are here: ([\d,]+) blocks", shown)
    (shape,) = [box for box in at.selectbox if box.key == "kv_shape"]
    assert shape.value == "Llama 3.1 8B: 131,072"
    shape.set_value("Llama 3.1 70B: 327,680").run()
    calm(at)
    assert asked(at, "kv_bytes") == "327680"
    after = re.search(r"You are here: ([\d,]+) blocks", plain(words(at)))
    assert before is not None
    assert after is not None
    assert after[1] != before[1]
    (unit,) = [control for control in at.button_group if control.key == "size_unit"]
    unit.set_value("blocks").run()
    (here,) = at.number_input
    here.set_value(100.0).run()
    calm(at)
    assert asked(at, "here") == "100blocks"
    assert "You are here: 100 blocks" in plain(words(at))
    here.set_value(None).run()
    assert "You are here:" not in plain(words(at))


@pytest.mark.parametrize("wild", ["0gb", "-3gb", "gb", "1e9gb", "nan", "5 parsecs", "9" * 40])
def test_a_place_that_is_no_size_is_left_out(wild: str) -> None:
    at = opened("cache", here=wild, size_unit="gb", kv_bytes="-1", usd_gb_hour="NaN")
    assert "You are here:" not in plain(words(at))
    assert at.metric[0].label == "The knee of your curve"


def test_a_block_trace_that_names_users_says_what_their_salt_costs() -> None:
    rows = [
        {"timestamp": 1000 * n, "input_length": 1024, "output_length": 1, "hash_ids": [0, 1 + n],
         "user": f"u{n % 2}", "team": "one"}
        for n in range(4)
    ]  # fmt: skip
    at = dropped(opened("workload"), "users.jsonl", "".join(json.dumps(r) + "\n" for r in rows))
    at.switch_page("../pages/cache.py").run()
    calm(at)
    assert "Keeping users apart costs 12.5 points: 37.5\u00a0% becomes 25.0\u00a0%" in words(at)
    (scope,) = [c for c in at.button_group if c.key == "scope"]
    assert scope.options == ["all requests", "per team", "per user"]
