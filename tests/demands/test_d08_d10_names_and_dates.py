"""D08: model ids, exact before decorated. D10: each request at the rate of its own day."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tests.shell import groups, plain_csv, report, shell, usd

READS = {
    "claude-opus-5": "0.05",
    "claude-opus-5-5": "0.02",
    "claude-opus-5[1m]": "0.05",
    "anthropic.claude-opus-5": "0.055",  # the bare Bedrock id is in-region
    "global.anthropic.claude-opus-5": "0.05",
    "claude-haiku-4-5-20251001": "0.01",
    "claude-opus-55": None,
    "claude-opus-5-7": None,
}


@pytest.fixture
def reads(tmp_path: Path) -> Path:
    """100,000 cache-read tokens on each of D08's names."""
    rows = [
        {
            "start_utc": "2026-11-01T10:00:00Z",
            "model": name,
            "input_tokens": 100_000,
            "cached_read_tokens": 100_000,
            "output_tokens": 0,
        }
        for name in READS
    ]
    return plain_csv(tmp_path / "names.csv", rows)


def test_d08_each_name_has_the_price_of_its_own_model_or_none(reads: Path) -> None:
    found = report(reads)
    billed = {name: row["billed_usd"] for name, row in groups(found, "model").items()}
    assert billed == READS
    assert {row["model"] for row in found["unpriced"]} == {"claude-opus-55", "claude-opus-5-7"}
    assert all(row["rows"] == 1 and row["reason"] for row in found["unpriced"])


def test_d08_unpriced_rows_are_outside_every_sum(reads: Path) -> None:
    """0.05 + 0.02 + 0.05 + 0.055 + 0.05 + 0.01 USD, and six requests of the eight."""
    found = report(reads)
    assert usd(found["baselines"]["billed_usd"]) == Decimal("0.235")
    assert found["workload"]["requests"] == 8
    said = shell("report", reads)
    assert "Unpriced: claude-opus-55, 1 row" in said.out


@pytest.mark.parametrize(
    ("name", "provider", "surface", "matched_by"),
    [
        ("claude-opus-5", "anthropic", "global", "exact"),
        ("claude-opus-5[1m]", "anthropic", "global", "decoration"),
        ("anthropic.claude-opus-5", "bedrock", "in-region", None),
        ("global.anthropic.claude-opus-5", "bedrock", "global", None),
        ("claude-haiku-4-5-20251001", "anthropic", "global", None),
    ],
)
def test_d08_the_matched_row_is_shown(
    name: str, provider: str, surface: str, matched_by: str | None
) -> None:
    (row,) = shell("prices", "show", name, "--json").json["matches"]
    assert (row["provider"], row["surface"]) == (provider, surface)
    assert row["source"].startswith("https://")
    if matched_by is not None:
        assert row["matched_by"] == matched_by


@pytest.mark.parametrize("name", ["claude-opus-55", "claude-opus-5-7", "claude-opus"])
def test_d08_a_longer_or_shorter_name_is_no_match(name: str) -> None:
    said = shell("prices", "show", name, "--json")
    assert said.status == 0
    assert said.json["matches"] == []
    assert name in said.json["unpriced_reason"]


@pytest.fixture
def midnight(tmp_path: Path) -> Path:
    """gpt-5.6-sol, 100,000 uncached tokens one second before its price change and at it."""
    rows = [
        {
            "start_utc": moment,
            "model": "gpt-5.6-sol",
            "input_tokens": 100_000,
            "cached_read_tokens": 0,
            "output_tokens": 0,
        }
        for moment in ("2026-08-20T23:59:59Z", "2026-08-21T00:00:00Z")
    ]
    return plain_csv(tmp_path / "midnight.csv", rows)


def test_d10_a_request_is_billed_at_the_price_of_its_own_second(midnight: Path) -> None:
    days = groups(report(midnight), "day")
    assert days["2026-08-20"]["billed_usd"] == "0.5"
    assert days["2026-08-21"]["billed_usd"] == "0.4"


def test_d10_the_day_of_the_table_is_not_the_day_of_the_price(midnight: Path) -> None:
    """In Tokyo both requests are of the same morning; their prices stay those of their seconds."""
    found = report(midnight, "--tz", "Asia/Tokyo")
    assert set(groups(found, "day")) == {"2026-08-21"}
    assert usd(found["baselines"]["billed_usd"]) == Decimal("0.9")


@pytest.mark.parametrize(("at", "billed"), [("2026-08-01", "1"), ("2026-09-01", "0.8")])
def test_d10_another_price_date_is_an_explicit_what_if(
    midnight: Path, at: str, billed: str
) -> None:
    what_if, own = report(midnight, "--at", at), report(midnight)
    assert what_if["baselines"]["billed_usd"] == billed
    assert any(at in words for words in what_if["assumptions"])
    assert not any(at in words for words in own["assumptions"])
    assert what_if["report_id"] != own["report_id"]


@pytest.mark.parametrize(
    ("at", "uncached"), [("2026-08-20T23:59:59Z", "5"), ("2026-08-21T00:00:00Z", "4")]
)
def test_d10_the_price_table_changes_at_the_same_second(at: str, uncached: str) -> None:
    matches = shell("prices", "show", "gpt-5.6-sol", "--at", at, "--json").json["matches"]
    base = next(row for row in matches if row["tier"] == "base")
    assert base["usd_per_mtok"]["uncached"] == uncached


def test_d10_the_report_states_its_price_book(midnight: Path) -> None:
    found = report(midnight)
    assert found["price_book_version"]
    assert found["price_book_version"] in shell("report", midnight).out


@pytest.mark.parametrize(("flags", "usd"), [(["--tz", "UTC"], "1"), (["--tz", "Etc/UTC"], "1")])
def test_d10_times_of_a_mapped_table_are_dates_once_their_zone_is_said(
    tmp_path: Path, flags: list[str], usd: str
) -> None:
    table = tmp_path / "aug.csv"
    rows = "2026-08-20 12:00,gpt-5.6-sol,100000,0\n2026-08-20 13:00,gpt-5.6-sol,100000,0\n"
    table.write_text(f"when,m,p,c\n{rows}", encoding="utf-8")
    named = ["when=start_utc", "m=model", "p=input_tokens", "c=output_tokens"]
    maps = [word for pair in named for word in ("--map", pair)]
    said = report(table, *maps, *flags)
    assert said["baselines"]["no_cache_usd"] == usd
    assert said["workload"]["first_utc"] == "2026-08-20T12:00:00Z"
