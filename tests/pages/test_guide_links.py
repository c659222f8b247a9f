"""A link to a section of the guide shows the numbers that it was sent with."""

from __future__ import annotations

import pytest

from messages.catalogue import LANGUAGES, t
from tests.pages.test_guide_page import everything
from tests.pages.test_pages import calm, opened


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("chapter", "said", "shown"),
    [
        ("why", {"g_four": "6"}, "6"),
        ("size", {"g_layers_n": "80", "g_formula": "131072"}, "40\u00a0GiB"),
        ("heads", {"g_gqa": "1"}, "MQA"),
        ("server", {"g_reserve": "32768"}, "32,768"),
        ("reuse", {"g_salt_b": "team-a", "g_gap": "90"}, ">4,096<"),
        ("room", {"g_kind": "int2", "g_outlier": "12"}, "12.00"),
        ("beyond", {"g_beta": "0.5", "g_share": "100"}, "6.24"),
    ],
)
def test_a_link_sets_the_controls_of_its_section(
    chapter: str, said: dict[str, str], shown: str, language: str
) -> None:
    at = opened("guide", chapter=chapter, lang=language, **said)
    calm(at)
    assert shown in everything(at)
    widgets = [*at.slider, *at.select_slider, *at.selectbox, *at.text_input]
    held = {box.key: str(box.value) for box in widgets}
    assert {name: held[name].removesuffix(".0") for name in said} == said


def test_a_moved_control_stands_in_the_url_and_leaves_it_at_its_default() -> None:
    at = opened("guide", chapter="reuse")
    box = next(box for box in at.slider if box.key == "g_gap")
    box.set_value(30).run()
    assert at.query_params["g_gap"] in ("30", ["30"])
    next(box for box in at.slider if box.key == "g_gap").set_value(4).run()
    assert "g_gap" not in at.query_params
    calm(at)


@pytest.mark.parametrize("nonsense", ["", "abc", "NaN", "1e99", "-3", "7.5", "91"])
def test_what_the_control_cannot_say_leaves_the_url(nonsense: str) -> None:
    at = opened("guide", chapter="reuse", g_gap=nonsense, g_chain=nonsense)
    calm(at)
    assert next(box for box in at.slider if box.key == "g_gap").value == 4
    assert next(box for box in at.select_slider if box.key == "g_chain").value == 8
    assert "g_gap" not in at.query_params
    assert "g_chain" not in at.query_params


def test_a_text_of_the_url_is_cut_to_what_the_field_takes() -> None:
    at = opened("guide", chapter="reuse", g_salt_a="<b>" + "x" * 99)
    calm(at)
    box = next(box for box in at.text_input if box.key == "g_salt_a")
    assert box.value == "<b>" + "x" * 37
    assert "<b>" not in "".join(str(part.proto.body) for part in at.get("html"))


def test_another_language_keeps_the_numbers() -> None:
    at = opened("guide", chapter="reuse", g_gap="30")
    switch = next(box for box in at.get("button_group") if box.key == "language")
    switch.set_value("ja").run()
    calm(at)
    assert next(box for box in at.slider if box.key == "g_gap").value == 30
    assert t("ja", "guide.prefix.heading") in everything(at)
