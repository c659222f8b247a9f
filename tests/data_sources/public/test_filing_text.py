"""Words in filings, by the rule that stands in the module."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_sources.public.filing_text import count_words, normal, text_of_file
from messages.errors import DataError
from tests.data_sources.public.bodies import zipped


def counts(text: str) -> dict[str, int]:
    return {one.keyword: one.count for one in count_words(normal(text)) if one.count}


def test_full_width_letters_count() -> None:
    assert counts("ＧＰＵとGPUとＬＬＭ") == {"GPU": 2, "LLM・大規模言語モデル": 1}


def test_both_spellings_side_by_side_count_twice() -> None:
    assert counts("大規模言語モデル（LLM）") == {"LLM・大規模言語モデル": 2}


def test_letters_inside_a_longer_word_do_not_count() -> None:
    assert counts("HELLMANN, LLMs, vLLM, GPUs") == {}
    assert counts("LLMを、GPU2基") == {"LLM・大規模言語モデル": 1, "GPU": 1}


def test_the_longest_spelling_counts_once() -> None:
    assert counts("データセンターとデータセンタとデータ・センター") == {"データセンター": 3}


def test_each_match_opens_its_sentence() -> None:
    (found,) = [one for one in count_words("前です。推論基盤を作る。後です。") if one.count]
    assert (found.keyword, found.matches[0].sentence) == ("推論", "推論基盤を作る。")


def test_tags_inside_a_word_do_not_part_it_and_hidden_text_does_not_count() -> None:
    page = (
        "<html><head><title>GPU</title></head><body><style>GPU{}</style><script>GPU</script>"
        "<p>生成<b>A</b>I</p><p>G</p><p>PU</p>&#65319;&#65328;&#65333;</body></html>"
    )
    assert counts(text_of_file(page.encode(), "a.htm")) == {"生成AI": 1, "GPU": 1}


def test_a_filing_is_its_public_pages_without_the_auditors() -> None:
    content = zipped(
        {
            "XBRL/PublicDoc/0101010_honbun_ixbrl.htm": "<p>推論</p>".encode(),
            "XBRL/PublicDoc/0102010_honbun_ixbrl.htm": "<p>推論</p>".encode(),
            "XBRL/PublicDoc/manifest.xml": "推論".encode(),
            "XBRL/AuditDoc/jpaud_ixbrl.htm": "<p>推論</p>".encode(),
        }
    )
    assert counts(text_of_file(content, "S100TEST")) == {"推論": 2}


def test_a_text_file_in_shift_jis_is_read() -> None:
    assert counts(text_of_file("推論とデータセンター".encode("cp932"), "a.txt")) == {
        "推論": 1,
        "データセンター": 1,
    }


def test_a_damaged_zip_is_refused_by_name() -> None:
    with pytest.raises(DataError):
        text_of_file(b"PK\x03\x04rubbish", "a.zip")


def test_own_words_are_taken_as_they_are_written() -> None:
    (found,) = count_words("C++とC", {"x": ("C++", " ")})
    assert found.count == 1
    assert count_words("abc", {"x": ()})[0].count == 0


@given(text=st.text(alphabet="GPU推論 。LM生成AI<>", max_size=200))
def test_every_match_is_in_its_sentence(text: str) -> None:
    for found in count_words(normal(text)):
        for match in found.matches:
            assert "".join(match.spelling.split()) in "".join(match.sentence.split())
