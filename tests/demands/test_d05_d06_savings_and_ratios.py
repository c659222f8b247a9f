"""D05: say against which baseline a saving is claimed. D06: one hit ratio, defined on screen."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from data_sources.traces.base import ReadOptions, no_progress
from econ.billing import BillingOptions, bill, value_of_removed
from jobs import flows
from tests.shell import plain_csv, report, shell, usd


@pytest.fixture
def d05(tmp_path: Path) -> Path:
    """1,000,000 input tokens on claude-opus-5: 100,000 uncached, 850,000 read, 50,000 written."""
    row = {
        "start_utc": "2026-11-01T10:00:00Z",
        "model": "claude-opus-5",
        "input_tokens": 100_000,
        "cached_read_tokens": 85_000,
        "cache_write_5m_tokens": 5_000,
        "output_tokens": 0,
    }
    return plain_csv(tmp_path / "d05.csv", [row] * 10)


def test_d05_the_baselines_stand_side_by_side(d05: Path) -> None:
    """No caching 5.00, billed 1.2375, already earned 3.7625 (75.3 %)."""
    found = report(d05)
    assert usd(found["baselines"]["no_cache_usd"]) == Decimal("5")
    assert usd(found["baselines"]["billed_usd"]) == Decimal("1.2375")
    assert usd(found["saving"]["earned_usd"]) == Decimal("3.7625")
    assert found["saving"]["earned_ratio"] == 0.7525


def test_d05_the_third_baseline_is_what_is_still_reachable(d05: Path) -> None:
    """Ten requests at once: nothing expired, so no other lifetime would have been cheaper."""
    found = report(d05)
    assert usd(found["baselines"]["best_reachable_usd"]) == Decimal("1.2375")
    assert "best_reachable_usd" not in found["baselines"]["reasons"]
    assert usd(found["saving"]["reachable_usd"]) == 0
    assert found["best"]["policy"] == "as-billed"


def test_d05_removed_reads_are_worth_what_reads_cost(d05: Path) -> None:
    """A proposal that removes 100,000 of the reads is worth 0.05 USD, not 0.50."""
    workload = flows.read_paths([d05], ReadOptions(), no_progress).workload
    sheet = bill(workload, flows.book(), BillingOptions(at=datetime(2026, 11, 1, tzinfo=UTC)))
    assert value_of_removed(sheet, "read", 100_000).usd == Decimal("0.05")


def test_d06_writes_are_in_the_denominator(tmp_path: Path) -> None:
    """Uncached 6, read 19,242, write 19,442: 49.7 %, not 100.0 % and not 320,700 %."""
    row = {
        "start_utc": "2026-11-01T10:00:00Z",
        "model": "claude-opus-5",
        "input_tokens": 6 + 19_242 + 19_442,
        "cached_read_tokens": 19_242,
        "cache_write_5m_tokens": 19_442,
        "output_tokens": 1,
    }
    file = plain_csv(tmp_path / "d06.csv", [row])
    ratios = report(file)["ratios"]
    assert ratios == {
        "token_hit": 0.497338,
        "request_hit": 1.0,
        "usd_weighted_hit": 0.497338,
        "n": 1,
    }
    shown = shell("report", file).out
    assert "token hit ratio = reads / (uncached + reads + writes): 49.7%, n = 1" in shown


def test_d06_request_and_dollar_ratios_have_names_of_their_own(tmp_path: Path) -> None:
    """One of two requests read 900 of 1,000; the other is on a model of a fifth of the price."""
    rows = [
        {"model": "claude-opus-5", "cached_read_tokens": 900},
        {"model": "claude-haiku-4-5", "cached_read_tokens": 0},
    ]
    common = {"start_utc": "2026-11-01T10:00:00Z", "input_tokens": 1000, "output_tokens": 1}
    file = plain_csv(tmp_path / "two.csv", [{**common, **row} for row in rows])
    assert report(file)["ratios"] == {
        "token_hit": 0.45,
        "request_hit": 0.5,
        "usd_weighted_hit": 0.75,  # 900 x 5 / (1,000 x 5 + 1,000 x 1)
        "n": 2,
    }


def test_d06_without_cache_columns_there_is_no_ratio(tmp_path: Path) -> None:
    """No data is null: not 0 %, not NaN."""
    row = {"start_s": 0, "model": "claude-opus-5", "input_tokens": 10, "output_tokens": 1}
    ratios = report(plain_csv(tmp_path / "plain.csv", [row]))["ratios"]
    assert ratios == {"token_hit": None, "request_hit": None, "usd_weighted_hit": None, "n": 0}
