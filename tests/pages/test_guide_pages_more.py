"""Misconceptions and Five questions: measured where a profile measured it, filled in by the URL."""

from __future__ import annotations

import pytest

from jobs import profiling
from messages.catalogue import LANGUAGES, t
from tests.pages.test_guide_page import everything
from tests.pages.test_pages import calm, opened, words
from tests.ui.engine_sample import WHOLE


@pytest.mark.usefixtures("reference_profiles")
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_misconception_is_answered_by_a_computation_where_nothing_was_measured(
    language: str,
) -> None:
    at = opened("misconceptions", lang=language)
    shown = everything(at)
    for name in ("memory", "constant", "heads", "paged", "all", "lossless"):
        assert t(language, f"misconceptions.{name}.said") in shown
    assert shown.count(t(language, "misconceptions.computed")) == 4
    assert shown.count(t(language, "misconceptions.computed_always")) == 2
    assert t(language, "misconceptions.paged.equal") in shown


def test_a_profile_answers_what_it_has_measured() -> None:
    profiling.keep(WHOLE, "measured", "somebody")
    at = opened("misconceptions")
    shown = words(at)
    assert "Measured:" in shown
    assert t("en", "misconceptions.computed") not in shown
    calm(at)


def test_five_questions_read_and_write_the_scenario_of_own_hardware() -> None:
    asked = {"hw_model": "deepseek-v3", "hw_device": "b200-sxm", "hw_tp": "8", "hw_kv": "bf16"}
    at = opened("five_questions", **asked)
    calm(at)
    assert "68.63\u00a0KiB a token" in words(at)
    box = next(box for box in at.selectbox if box.key == "hw_kv")
    box.set_value("q8_0").run()
    calm(at)
    assert at.query_params["hw_kv"] in ("q8_0", ["q8_0"])
    assert "q8_0" in words(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_five_questions_open_in_both_languages(language: str) -> None:
    at = opened("five_questions", lang=language)
    for name in ("stored", "each", "where", "when", "limits"):
        assert t(language, f"five_questions.{name}.heading") in words(at)


def test_a_model_without_known_weights_is_said() -> None:
    at = opened("five_questions", hw_model="kimi-k3")
    calm(at)
