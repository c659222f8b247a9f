"""What an address asks for and no control can take is said once on the page, never dropped."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from messages.catalogue import LANGUAGES
from tests.pages.test_pages import calm, opened, plain, words

CASES = (
    ("own_hardware", {"hw_tp": "abc", "hw_model": "zzz", "hw_kv": "nan"}),
    ("workload", {"since": "9999-99-99", "until": "abc"}),
    ("less_kv", {"hw_tp": "9999"}),
    ("chain", {"hw_tp": "-1"}),
    ("model_size", {"hw_tp": "1e999", "kv_dtype": "zzz"}),
    ("model_size", {"kv_fraction": "0.001"}),
    ("guide", {"section": "zzz"}),
    ("prices", {"provider": "zzz", "at": "9999-99-99"}),
)
NEW_NAMES = {"kv_dtype": "hw_kv"}
SAID = {"en": "The address asked for {}", "ja": "アドレスの {}"}


def refused(at: AppTest) -> list[str]:
    """The muted paragraphs above the title."""
    starts = [said.split("{")[0].strip() for said in SAID.values()]
    return [str(m.value) for m in at.markdown
            if any(start in str(m.value) for start in starts)]  # fmt: skip


def asking(page: str, language: str, query: dict[str, str]) -> AppTest:
    """The page, opened with these values in its address."""
    at = opened(lang=language)
    for name, value in query.items():
        at.query_params[name] = value
    at.switch_page(f"../pages/{page}.py").run()
    calm(at)
    return at


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("page", "query"), CASES)
def test_a_value_that_no_control_takes_is_named(
    page: str, query: dict[str, str], language: str
) -> None:
    (said,) = refused(asking(page, language, query))
    shown = plain(said)
    for name, value in query.items():
        asked = SAID[language].format(f"{NEW_NAMES.get(name, name)}={value}")
        assert shown.count(asked) == 1, shown
    assert "refused." not in shown


def test_the_sentence_names_what_was_expected_and_what_is_shown() -> None:
    (said,) = refused(asking("own_hardware", "en", {"hw_tp": "abc"}))
    assert "hw_tp=abc, which is not a number from 1 to 64; the page shows 2." in plain(said)


def test_the_sentence_stays_through_a_rerun_and_goes_with_a_value_that_is_taken() -> None:
    at = asking("own_hardware", "en", {"hw_tp": "abc"})
    assert len(refused(at.run())) == 1
    at.query_params["hw_tp"] = "4"
    assert refused(at.run()) == []


def test_an_address_that_can_be_taken_says_nothing() -> None:
    at = asking("own_hardware", "en", {"hw_tp": "4", "hw_kv": "bf16"})
    assert refused(at) == []
    assert "abc" not in words(at)
