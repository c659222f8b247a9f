"""The shell's `misses`: exact sums, words in both languages, CSV, and what it refuses."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tests.shell import plain_csv, shell, two_sessions_csv


@pytest.fixture
def two_sessions(tmp_path: Path) -> Path:
    return two_sessions_csv(tmp_path)


def test_one_session_expires_once_and_the_other_never(two_sessions: Path) -> None:
    said = shell("misses", two_sessions, "--json")
    assert said.status == 0, said.err
    data = said.json
    by = {one["reason"]: one for one in data["reasons"]}
    assert (by["expired"]["requests"], by["expired"]["tokens"]) == (1, 100_000)
    assert by["expired"]["penalty_usd"] == "0.575"
    assert data["dearest"] == ["expired"]
    total = sum(Decimal(one["penalty_usd"]) for one in data["reasons"])
    assert total == Decimal(data["penalty_usd"]) == Decimal("2.1")
    assert data["missed_tokens"] == data["prompt_tokens"] - data["read_tokens"] == 300_000
    groups = {one["key"]: one for one in data["groups"] if one["by"] == "session"}
    assert [one["reason"] for one in groups["A"]["reasons"]] == ["new"]
    assert data["late_s"] == {"median": 900.0, "max": 900.0}


@pytest.mark.parametrize(("language", "word"), [("en", "Expired"), ("ja", "有効期間切れ")])
def test_the_text_is_in_the_readers_language(two_sessions: Path, language: str, word: str) -> None:
    said = shell("misses", two_sessions, "--lang", language)
    assert said.status == 0, said.err
    assert word in said.out
    assert "0.575" in said.out


def test_a_trace_is_simulated_under_the_lifetime_and_placement_that_are_asked(
    tmp_path: Path,
) -> None:
    """20,000 shared tokens, 500 fresh ones, at 0, 200 and 900 s."""
    rows = [
        {"start_s": at, "shared_prefix_tokens": 20_000, "fresh_tokens": 500, "output_tokens": 500}
        for at in (0, 200, 900)
    ]
    trace = plain_csv(tmp_path / "trace.csv", rows)
    found = {}
    for lifetime in ("5m", "1h", "unlimited"):
        said = shell("misses", trace, "--lifetime", lifetime, "--placement", "shared", "--json")
        assert said.status == 0, said.err
        assert (said.json["source"], said.json["lifetime"]) == ("simulated", lifetime)
        assert said.json["placement"] == "shared"
        found[lifetime] = {one["reason"]: one["tokens"] for one in said.json["reasons"]}
    assert found["5m"] == {"new": 21_500, "expired": 20_000}
    assert found["1h"] == found["unlimited"] == {"new": 21_500}


def test_the_csv_is_written_and_never_over_an_input(two_sessions: Path, tmp_path: Path) -> None:
    out = tmp_path / "misses.csv"
    assert shell("misses", two_sessions, "--out", out).status == 0
    assert "expired" in out.read_text(encoding="utf-8-sig")
    assert shell("misses", two_sessions, "--out", two_sessions).status == 2


def test_a_file_that_says_too_little_is_refused_in_one_sentence(tmp_path: Path) -> None:
    rows = [{"start_s": 0, "input_tokens": 10, "output_tokens": 1, "model": "claude-opus-5"}]
    said = shell("misses", plain_csv(tmp_path / "bare.csv", rows), "--json")
    assert said.status == 1
    assert "block ids" in said.sentence


def test_a_lifetime_that_nobody_sells_is_wrong_usage(two_sessions: Path) -> None:
    assert shell("misses", two_sessions, "--lifetime", "7m").status == 2


def test_a_lifetime_is_not_asked_of_a_file_that_has_its_own(two_sessions: Path) -> None:
    said = shell("misses", two_sessions, "--lifetime", "1h")
    assert said.status == 2
    assert "--lifetime" in said.sentence


def test_one_request_without_a_price_is_counted_in_words_that_fit_one(tmp_path: Path) -> None:
    common = {"start_utc": "2026-11-01T10:00:00Z", "input_tokens": 9_000, "output_tokens": 1}
    rows = [
        {**common, "model": "claude-opus-5", "cached_read_tokens": 0},
        {**common, "model": "no-such-model", "cached_read_tokens": 0},
    ]
    said = shell("misses", plain_csv(tmp_path / "one.csv", rows))
    assert said.status == 0, said.err
    assert "Requests left out: 1, with no price" in said.out
