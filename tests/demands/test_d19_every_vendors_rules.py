"""D19 and the seed article's contract, by the command line: one trace, every vendor's own rules."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.shell import plain_csv, report, usd

MODELS = ("claude-opus-5", "gpt-5.6-sol", "gemini-3.1-pro-preview")


def row(found: dict[str, Any], model: str, policy: str, placement: str | None) -> dict[str, Any]:
    wanted = (model, policy, placement)
    (one,) = (r for r in found["rows"] if (r["model"], r["policy"], r["placement"]) == wanted)
    return one


def test_d19_the_ranking_follows_from_the_rules_not_from_the_list_prices(tmp_path: Path) -> None:
    requests = [
        {
            "start_utc": f"2026-11-01T{at}Z",
            "shared_prefix_tokens": 20_000,
            "fresh_tokens": 500,
            "output_tokens": 500,
        }
        for at in ("00:00:00", "00:03:20", "00:15:00")
    ]
    words = [word for model in MODELS for word in ("--model", model)]
    found = report(plain_csv(tmp_path / "d19.csv", requests), *words)
    for model, policy, placement, expected in (
        ("claude-opus-5", "none", None, "0.345"),
        ("claude-opus-5", "5m", "shared", "0.305"),
        ("claude-opus-5", "1h", "shared", "0.265"),
        ("claude-opus-5", "automatic", "end", "0.421875"),
        ("gpt-5.6-sol", "none", None, "0.276"),
        ("gpt-5.6-sol", "30m", "shared", "0.152"),
        ("gpt-5.6-sol", "automatic", "end", "0.3375"),
    ):
        assert usd(row(found, model, policy, placement)["usd"]) == Decimal(expected)
    implicit = row(found, "gemini-3.1-pro-preview", "implicit", None)
    assert implicit["usd"] == {"value": None, "low": "0.069", "high": "0.141"}
    assert implicit["usd_by_bucket"]["high"]["uncached"] == "0.123"
    kept = row(found, "claude-opus-5", "keep-alive", "shared")
    assert kept["usd"] == {"value": None, "low": "0.21", "high": "0.34"}


def test_the_contract_of_the_article_by_the_ordinary_path(tmp_path: Path) -> None:
    requests = [
        {"start_s": n * 2, "shared_prefix_tokens": 100_000, "fresh_tokens": 0, "output_tokens": 0}
        for n in range(100)
    ]
    found = report(
        plain_csv(tmp_path / "contract.csv", requests),
        "--model", "claude-opus-5", "--policy", "5m", "--policy", "1h", "--placement", "shared",
    )  # fmt: skip
    assert usd(found["baselines"]["no_cache_usd"]) == Decimal(50)
    costs = {r["policy"]: usd(r["usd"]) for r in found["rows"]}
    assert costs == {"5m": Decimal("5.575"), "1h": Decimal("5.95")}
