"""D17: which lifetime applies, by session. D39: a CSV that opens and survives audit. D40: ids."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from pathlib import Path

import pytest

from tests.shell import groups, plain_csv, report, shell, two_sessions_csv, usd

BOM = b"\xef\xbb\xbf"


@pytest.fixture
def two_sessions(tmp_path: Path) -> Path:
    return two_sessions_csv(tmp_path)


def test_d17_each_session_is_billed_by_the_lifetime_that_it_wrote(two_sessions: Path) -> None:
    """A: 1.00 + a read of 0.05. B: 0.625 twice. The penalty against a read is 0.575."""
    found = report(two_sessions)
    sessions = groups(found, "session")
    assert usd(sessions["A"]["billed_usd"]) == Decimal("1.05")
    assert usd(sessions["B"]["billed_usd"]) == Decimal("1.25")
    assert sessions["A"]["tokens"]["write_1h"] == sessions["A"]["tokens"]["read"] == 100_000
    assert sessions["B"]["tokens"]["write_5m"] == 200_000
    assert usd(found["baselines"]["no_cache_usd"]) == Decimal("2")
    assert usd(found["baselines"]["billed_usd"]) == Decimal("2.3")
    read = usd(sessions["A"]["billed_usd"]) - Decimal("1")
    assert usd(sessions["B"]["billed_usd"]) / 2 - read == Decimal("0.575")


def test_d17_a_policy_that_loses_money_shows_a_loss(two_sessions: Path) -> None:
    found = report(two_sessions)
    assert found["saving"]["earned_usd"] == "-0.3"
    assert found["saving"]["earned_ratio"] == -0.15
    by_session = {key: usd(r["no_cache_usd"]) - usd(r["billed_usd"])
                  for key, r in groups(found, "session").items()}  # fmt: skip
    assert by_session == {"A": Decimal("-0.05"), "B": Decimal("-0.25")}


NAME = "契約書レビュー"
ALIAS = "=1+1"


@pytest.fixture
def review(tmp_path: Path) -> Path:
    """One claude-opus-5 request under a dangerous name: 10,000 uncached, 90,000 read, 1,000 out."""
    row = {
        "start_utc": "2026-11-01T10:00:00Z",
        "model": ALIAS,
        "input_tokens": 100_000,
        "cached_read_tokens": 90_000,
        "output_tokens": 1_000,
    }
    return plain_csv(tmp_path / "review.csv", [row])


REVIEW = ("--name", NAME, "--map-model", f"{ALIAS}=claude-opus-5", "--rate", "JPY=150")


def exported(file: Path, out: Path, *words: str) -> tuple[bytes, list[dict[str, str]]]:
    assert shell("report", file, *words, "--out", out).status == 0
    content = out.read_bytes()
    return content, list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def test_d39_the_file_opens_in_a_spreadsheet(review: Path, tmp_path: Path) -> None:
    """A byte order mark and the Japanese name whole; no cell that would run."""
    content, rows = exported(review, tmp_path / "report.csv", *REVIEW)
    assert content.startswith(BOM)
    assert {row["workload_name"] for row in rows} == {NAME}
    cells = {cell for row in rows for cell in row.values()}
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)


def test_d39_a_name_that_would_run_is_text(review: Path, tmp_path: Path) -> None:
    _, rows = exported(review, tmp_path / "report.csv")
    (model,) = (row for row in rows if row["section"] == "group" and row["by"] == "model")
    assert model["key"] == f"'{ALIAS}"
    assert report(review)["unpriced"][0]["model"] == ALIAS


def test_d39_amounts_are_raw_numbers_in_both_currencies(review: Path, tmp_path: Path) -> None:
    """0.05 + 0.045 + 0.025 = 0.12 USD, 18.0 JPY: no separators, no currency sign."""
    _, rows = exported(review, tmp_path / "report.csv", *REVIEW)
    (billed,) = (row for row in rows if row["item"] == "billed_usd")
    assert Decimal(billed["usd"]) == Decimal("0.12")
    assert Decimal(billed["jpy"]) == Decimal("18")
    assert Decimal(billed["jpy_per_usd"]) == Decimal(150)
    buckets = {
        row["bucket"]: Decimal(row["usd"])
        for row in rows
        if row["section"] == "row_bucket" and row["policy"] == "as-billed"
    }
    assert buckets == {
        "uncached": Decimal("0.05"),
        "read": Decimal("0.045"),
        "output": Decimal("0.025"),
    }


def test_d39_every_line_says_which_report_and_prices_it_is_of(review: Path, tmp_path: Path) -> None:
    found = report(review, *REVIEW)
    _, rows = exported(review, tmp_path / "report.csv", *REVIEW)
    for column in ("report_id", "price_book_version", "workload_sha256"):
        assert {row[column] for row in rows} == {found[column]}


def test_d39_the_uncached_bucket_leaves_out_cached_tokens(review: Path, tmp_path: Path) -> None:
    _, rows = exported(review, tmp_path / "report.csv", *REVIEW)
    tokens = {
        row["bucket"]: row["tokens"]
        for row in rows
        if row["section"] == "row_bucket" and row["policy"] == "as-billed"
    }
    assert tokens == {"uncached": "10000", "read": "90000", "output": "1000"}


def test_d39_yen_without_an_entered_rate_are_at_the_published_one_with_its_date(
    review: Path, tmp_path: Path
) -> None:
    """161.67 yen a dollar on 2026-06-26: the newest day of the Federal Reserve's H.10 kept here."""
    _, rows = exported(review, tmp_path / "report.csv", "--map-model", f"{ALIAS}=claude-opus-5")
    (billed,) = (row for row in rows if row["item"] == "billed_usd")
    assert (billed["jpy_per_usd"], billed["jpy_rate_date"]) == ("161.67", "2026-06-26")
    assert Decimal(billed["jpy"]) == Decimal("0.12") * Decimal("161.67")


def test_d39_another_currency_stands_there_once_a_rate_is_entered(
    review: Path, tmp_path: Path
) -> None:
    words = ("--map-model", f"{ALIAS}=claude-opus-5")
    _, rows = exported(review, tmp_path / "report.csv", *words)
    assert "eur" not in rows[0]
    _, rows = exported(review, tmp_path / "again.csv", *words, "--rate", "EUR=0.5")
    (billed,) = (row for row in rows if row["item"] == "billed_usd")
    assert Decimal(billed["eur"]) == Decimal("0.06")


def test_d39_focus_rows_are_three_and_sum_to_twelve_cents(review: Path, tmp_path: Path) -> None:
    content, rows = exported(review, tmp_path / "focus.csv", *REVIEW, "--focus")
    assert content.startswith(BOM)
    assert [(r["x_CacheAction"], r["x_TokenDirection"]) for r in rows] == [
        ("None", "Input"), ("Read", "Input"), ("None", "Output")
    ]  # fmt: skip
    assert sum(Decimal(r["BilledCost"]) for r in rows) == Decimal("0.12")
    assert [r["ConsumedQuantity"] for r in rows] == ["10000", "90000", "1000"]


def test_d40_the_page_to_send_is_the_same_report(review: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    found = report(review, *REVIEW, "--html", page)
    text = page.read_text(encoding="utf-8")
    assert found["report_id"] in text
    assert NAME in text


def test_d40_equal_inputs_have_an_equal_id_in_another_folder_and_under_another_name(
    two_sessions: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "elsewhere" / "other.csv"
    copy.parent.mkdir()
    copy.write_bytes(two_sessions.read_bytes())
    first, second = report(two_sessions), report(copy)
    assert first["report_id"] == second["report_id"]
    assert first["workload"]["name"] != second["workload"]["name"]
    assert first["baselines"] == second["baselines"]


def test_d40_a_setting_changed_back_gives_the_same_id_again(two_sessions: Path) -> None:
    settings = ("--at", "2026-11-02", "--by", "session", "--rate", "JPY=150")
    changed = ("--at", "2026-11-03", "--by", "session", "--rate", "JPY=150")
    first = report(two_sessions, *settings)["report_id"]
    assert report(two_sessions, *changed)["report_id"] != first
    assert report(two_sessions, *settings)["report_id"] == first


@pytest.mark.parametrize(
    "words",
    [
        ("--at", "2026-11-02"),
        ("--since", "2026-11-01"),
        ("--until", "2026-11-01"),
        ("--by", "session"),
        ("--tz", "Asia/Tokyo"),
        ("--rate", "JPY=150"),
        ("--month-factor", "2"),
        ("--invoice-usd", "3"),
        ("--invoice", "anthropic=3"),
        ("--include-failed",),
        ("--model", "claude-opus-5"),
        ("--provider", "anthropic"),
        ("--mode", "batch"),
        ("--surface", "us"),
        ("--map-model", "a=b"),
    ],
    ids=lambda words: words[0],
)
def test_d40_every_setting_is_in_the_id(two_sessions: Path, words: tuple[str, ...]) -> None:
    assert report(two_sessions, *words)["report_id"] != report(two_sessions)["report_id"]


def test_d40_a_download_leaves_the_report_as_it_was(two_sessions: Path, tmp_path: Path) -> None:
    alone = report(two_sessions)
    downloaded = report(two_sessions, "--out", tmp_path / "report.csv")
    assert downloaded == alone
    _, rows = exported(two_sessions, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "report.csv").read_bytes()
    assert {row["report_id"] for row in rows} == {alone["report_id"]}
