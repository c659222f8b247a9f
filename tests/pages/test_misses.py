"""Reasons for misses on Workload and in What to change, in both languages."""

from __future__ import annotations

import pytest

from messages.catalogue import t
from tests.pages.test_pages import calm, dropped, opened, plain, words

D17 = (
    "session_id,start_utc,model,input_tokens,output_tokens,"
    "cached_read_tokens,cache_write_5m_tokens,cache_write_1h_tokens\n"
    "A,2026-11-01T10:00:00Z,claude-opus-5,100000,0,,,100000\n"
    "A,2026-11-01T10:20:00Z,claude-opus-5,100000,0,100000,,\n"
    "B,2026-11-01T10:00:00Z,claude-opus-5,100000,0,,100000,\n"
    "B,2026-11-01T10:20:00Z,claude-opus-5,100000,0,,100000,\n"
)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_one_expiry_is_named_with_its_dollars(language: str) -> None:
    at = dropped(opened("workload", lang=language), "sessions.csv", D17)
    calm(at)
    said = plain(words(at))
    assert "$0.58" in said  # 0.575, half up
    shown = {cell for table in at.dataframe for cell in table.value.to_numpy().ravel().tolist()}
    assert 0.575 in shown
    assert ("Expired" in shown) is (language == "en")
    assert ("有効期間切れ" in shown) is (language == "ja")


def test_a_file_that_says_too_little_gets_one_sentence() -> None:
    bare = "start_s,input_tokens,output_tokens,model\n0,10,1,claude-opus-5\n"
    at = dropped(opened("workload"), "bare.csv", bare)
    calm(at)
    assert "no miss can be explained" in plain(words(at))


def test_what_to_change_has_the_dearest_reasons_once_they_are_known() -> None:
    calm(opened("workload"))  # makes them
    at = opened("overview")
    calm(at)
    assert "conversations changed what they had already sent" in plain(words(at))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_file_without_any_price_gets_a_calm_sentence_and_no_button(language: str) -> None:
    bare = "start_utc,model,input_tokens,output_tokens,cached_read_tokens\n" + (
        "2026-11-01T10:00:00Z,no-such-model,1000,10,500\n"
    )
    at = dropped(opened("workload", lang=language), "unpriced.csv", bare)
    calm(at)
    said = plain(words(at))
    assert t(language, "misses.nothing_priced") in said
    assert not [one for one in at.button if (one.key or "").startswith("study_again")]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_was_read_has_its_name_and_no_id(language: str) -> None:
    at = dropped(opened("workload", lang=language), "sessions.csv", D17)
    assert t(language, "traces.format.kvledger_csv") in plain(words(at))
    assert "kvledger_csv" not in plain(words(at))
