"""Counting words in filings: the rule, double counting, other senses, a person's own words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from econ.word_counts import KEYWORDS, MOST_WORDS, WordCount, count_words, normal, own_words

LLM = "LLM・大規模言語モデル"


def found(text: str) -> dict[str, WordCount]:
    return {one.keyword: one for one in count_words(normal(text))}


def test_an_abbreviation_in_brackets_counts_twice_and_merged_once() -> None:
    one = found("大規模言語モデル（ＬＬＭ）を作る。LLMは速い。")[LLM]
    assert (one.count, one.merged) == (3, 2)
    assert [match.bracketed for match in one.matches] == [False, True, False]


def test_the_long_form_in_brackets_is_merged_too() -> None:
    one = found("LLM（大規模言語モデル）")[LLM]
    assert (one.count, one.merged) == (2, 1)


def test_brackets_that_hold_more_are_not_merged() -> None:
    one = found("大規模言語モデル（LLMなど）")[LLM]
    assert (one.count, one.merged) == (2, 2)


def test_another_sense_is_counted_and_named() -> None:
    one = found("推論統計と推論基盤、統計的推論。")["推論"]
    assert (one.count, one.other_senses) == (3, 2)
    assert [match.other_sense for match in one.matches] == [True, False, True]


def test_own_words_have_spellings_and_a_limit() -> None:
    assert own_words("ＮＰＵ, 電力/消費電力、") == {
        "NPU": ("NPU",),
        "電力・消費電力": ("電力", "消費電力"),
    }
    assert len(own_words(",".join(f"w{n}" for n in range(99)))) == MOST_WORDS
    assert own_words(" , / ") == {}
    (power,) = count_words("電力と消費電力", own_words("電力/消費電力"))
    assert power.count == 2


@given(st.text(alphabet="推論統計的LM大規模言語モデル()（）GPU 。", max_size=120))
def test_merged_and_other_senses_never_exceed_the_count(text: str) -> None:
    for one in count_words(normal(text), KEYWORDS):
        assert 0 <= one.merged <= one.count
        assert 0 <= one.other_senses <= one.count
        assert all(match.spelling in normal(text) for match in one.matches)
