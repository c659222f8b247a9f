"""D12: batch discount times cache rates. D13: where a model is bought changes its price."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tests.shell import groups, plain_csv, report, shell, usd

MILLION = 1_000_000
OPUS_BATCH = {"start_utc": "2026-11-01T10:00:00Z", "model": "claude-opus-5", "mode": "batch"}


def batch(tmp_path: Path, *rows: dict[str, object]) -> dict[str, object]:
    common = {**OPUS_BATCH, "output_tokens": 0}
    return report(plain_csv(tmp_path / "batch.csv", [{**common, **row} for row in rows]))


def billed(found: dict[str, object]) -> tuple[Decimal, Decimal]:
    baselines = found["baselines"]
    assert isinstance(baselines, dict)
    return usd(baselines["billed_usd"]), usd(baselines["no_cache_usd"])


def test_d12_a_million_batch_reads_cost_a_quarter_dollar(tmp_path: Path) -> None:
    row = {"n_requests": 10, "input_tokens": MILLION, "cached_read_tokens": MILLION}
    assert billed(batch(tmp_path, row)) == (Decimal("0.25"), Decimal("2.5"))


def test_d12_a_million_batch_writes_cost_3_125(tmp_path: Path) -> None:
    row = {"n_requests": 10, "input_tokens": MILLION, "cache_write_5m_tokens": MILLION}
    assert billed(batch(tmp_path, row)) == (Decimal("3.125"), Decimal("2.5"))


def test_d12_both_ends_of_a_batch_of_a_hundred_requests(tmp_path: Path) -> None:
    """100 x 10,000 shared tokens: all hits 0.03125 + 0.2475, no hits 3.125, no caching 2.50."""
    write = {"input_tokens": 10_000, "cached_read_tokens": 0, "cache_write_5m_tokens": 10_000}
    read = {"input_tokens": 10_000, "cached_read_tokens": 10_000, "cache_write_5m_tokens": 0}
    assert billed(batch(tmp_path, write, *[read] * 99)) == (Decimal("0.27875"), Decimal("2.5"))
    assert billed(batch(tmp_path, *[write] * 100)) == (Decimal("3.125"), Decimal("2.5"))


def test_d12_a_batch_that_only_writes_shows_a_loss(tmp_path: Path) -> None:
    row = {"n_requests": 10, "input_tokens": MILLION, "cache_write_5m_tokens": MILLION}
    found = batch(tmp_path, row)
    saving = found["saving"]
    assert isinstance(saving, dict)
    assert (saving["earned_usd"], saving["earned_ratio"]) == ("-0.625", -0.25)


def test_d12_a_batch_without_cache_columns_is_a_range_with_both_ends(tmp_path: Path) -> None:
    """Hits in a batch are best effort: never one figure, and no hit has paid every write."""
    row = {**OPUS_BATCH, "shared_prefix_tokens": 10_000, "fresh_tokens": 0, "output_tokens": 0}
    words = ("--model", "claude-opus-5", "--mode", "batch", "--policy", "5m")
    found = report(plain_csv(tmp_path / "batch.csv", [row] * 100), *words, "--placement", "shared")
    (simulated,) = (row for row in found["rows"] if row["policy"] == "5m")
    assert simulated["usd"] == {"value": None, "low": "0.27875", "high": "3.125"}
    assert any("best effort" in words for words in simulated["assumptions"])
    assert usd(found["baselines"]["no_cache_usd"]) == Decimal("2.5")


def sonnet(**place: str) -> list[dict[str, object]]:
    """A million tokens each of input, 5-minute write, read and output, over ten requests."""
    common: dict[str, object] = {
        "start_utc": "2026-11-01T10:00:00Z",
        "model": "claude-sonnet-4-6",
        "n_requests": 10,
        "output_tokens": 0,
        **place,
    }
    return [
        {**common, "input_tokens": MILLION},
        {**common, "input_tokens": MILLION, "cache_write_5m_tokens": MILLION},
        {**common, "input_tokens": MILLION, "cached_read_tokens": MILLION},
        {**common, "input_tokens": 1, "output_tokens": MILLION},
    ]


ONE_TOKEN = Decimal("0.000003")  # a row needs a prompt: the row of the output has one token


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ({"provider": "bedrock", "surface": "global"}, Decimal("22.05") + ONE_TOKEN),
        ({"provider": "bedrock", "surface": "in-region"}, Decimal("24.255") + ONE_TOKEN * 11 / 10),
        ({"provider": "bedrock", "surface": "geo"}, Decimal("24.255") + ONE_TOKEN * 11 / 10),
        ({"model": "global.anthropic.claude-sonnet-4-6"}, Decimal("22.05") + ONE_TOKEN),
        ({"model": "anthropic.claude-sonnet-4-6"}, Decimal("24.255") + ONE_TOKEN * 11 / 10),
        ({}, Decimal("22.05") + ONE_TOKEN),
    ],
    ids=["global", "in-region", "geo", "global id", "bare id", "direct"],
)
def test_d13_in_region_costs_a_tenth_more_than_global(
    tmp_path: Path, place: dict[str, str], expected: Decimal
) -> None:
    """Global 3.00 + 3.75 + 0.30 + 15.00 = 22.05; in-region 3.30 + 4.125 + 0.33 + 16.50 = 24.255."""
    found = report(plain_csv(tmp_path / "sonnet.csv", sonnet(**place)))
    assert usd(found["baselines"]["billed_usd"]) == expected


def test_d13_both_surfaces_in_one_file_stay_apart(tmp_path: Path) -> None:
    rows = [*sonnet(provider="bedrock", surface="global", team="a"),
            *sonnet(provider="bedrock", surface="in-region", team="b")]  # fmt: skip
    teams = groups(report(plain_csv(tmp_path / "both.csv", rows)), "team")
    assert usd(teams["b"]["billed_usd"]) == usd(teams["a"]["billed_usd"]) * Decimal("1.1")


def test_d13_an_unknown_surface_is_unpriced_not_direct(tmp_path: Path) -> None:
    found = report(plain_csv(tmp_path / "s.csv", sonnet(provider="bedrock", surface="lunar")))
    assert found["baselines"]["billed_usd"] is None
    (row,) = found["unpriced"]
    assert row["rows"] == 4
    assert "lunar" in row["reason"]


def test_d13_a_surface_that_nobody_named_is_a_printed_assumption(tmp_path: Path) -> None:
    found = report(plain_csv(tmp_path / "s.csv", sonnet(provider="bedrock")))
    assert any("bedrock" in words for words in found["assumptions"])
    said = shell("prices", "show", "claude-sonnet-4-6", "--provider", "bedrock", "--json")
    assert any("bedrock" in words for words in said.json["matches"][0]["assumptions"])
