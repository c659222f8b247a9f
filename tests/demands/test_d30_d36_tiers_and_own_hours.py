"""D30: offload only if loading beats computing again. D36: API or own GPU, reserved hours, re-use
on both sides."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests import shell_shapes as shapes
from tests.shell import ROOT, shell, usd

D30 = (
    "tiers", "--parameters", "70e9", "--layers", 80, "--hidden", 8192, "--bytes-per-token", 327680,
    "--prefix-tokens", 32768, "--ops-per-s", "4.5e15", "--efficiency", "0.4",
)  # fmt: skip
MOONCAKE = Path("traces") / "serving_prefix" / "mooncake" / "conversation_trace.jsonl"


def answered(*words: object) -> dict[str, Any]:
    said = shell(*words, "--json")
    assert said.status == 0, said.err
    found: dict[str, Any] = said.json
    return found


def test_d30_a_fast_link_is_loaded_over_and_a_slow_one_is_not() -> None:
    found = answered(*D30, "--bandwidth", "55e9", "--bandwidth", "2.5e9")
    shapes.TIERS(found)
    assert found["kv_bytes"] == 10_737_418_240
    assert round(found["recompute_s"], 2) == 3.33
    assert f"{found['linear_flop']:.2e}" == "4.59e+15"
    assert f"{found['attention_flop']:.2e}" == "1.41e+15"
    assert round(found["break_even_bytes_per_s"] / 1e9, 2) == 3.22
    fast, slow = found["tiers"]
    assert (round(fast["transfer_s"], 3), fast["choice"]) == (0.195, "load")
    assert (round(slow["transfer_s"], 2), slow["choice"]) == (4.29, "recompute")


def test_d30_the_named_model_gives_the_same_as_its_sizes() -> None:
    found = answered(
        "tiers", "--model", "llama-3.1-70b", "--device", "b300-sxm", "--parameters", "70e9"
    )
    assert round(found["recompute_s"], 2) == 3.33
    assert found["kv_bytes"] == 10_737_418_240


def test_d30_waiting_for_the_link_is_a_number_of_its_own() -> None:
    """The bandwidth stays what it is; the choice turns."""
    free = answered(*D30, "--bandwidth", "dram=55e9")["tiers"][1]
    busy = answered(*D30, "--bandwidth", "dram=55e9", "--wait-s", "dram=5")["tiers"][1]
    assert (free["tier"], free["choice"], busy["choice"]) == ("dram", "load", "recompute")
    assert busy["transfer_s"] == pytest.approx(free["transfer_s"] + 5)
    assert busy["bytes_per_s"] == free["bytes_per_s"]


def test_d30_hits_that_are_not_worth_loading_are_listed(reference_data: Path) -> None:
    """The hit ratio of a tier rises whatever its link; what it saves does not."""
    words = ("tiers", reference_data / MOONCAKE, "--model", "llama-3.1-70b", "--device", "b300-sxm")
    quick = {row["tier"]: row for row in answered(*words)["tiers"]}
    slow = {row["tier"]: row for row in answered(*words, "--bandwidth", "ssd=1e8")["tiers"]}
    assert quick["ssd"]["hit_tokens"] == slow["ssd"]["hit_tokens"] > 0
    assert quick["ssd"]["not_worth_loading_tokens"] == 0
    assert slow["ssd"]["not_worth_loading_tokens"] > 0.9 * slow["ssd"]["hit_tokens"]
    assert quick["gddr7"]["hit_tokens"] is None


def test_d36_break_even_at_444_per_mille_without_reuse() -> None:
    found = answered(
        "breakeven", "--usd-per-hour", "2.00", "--tokens-per-s", "2500",
        "--api-input-usd", "0.50", "--api-read-usd", "0.05",
    )  # fmt: skip
    shapes.BREAKEVEN(found)
    (row,) = found["rows"]
    assert round(row["utilisation_ratio"], 3) == 0.444
    assert row["tokens_per_day"] == 96_000_000
    at = {ratio: usd(price) for ratio, price in row["own_usd_per_mtok_at"]}
    assert list(at) == [0.1, 0.25, 0.5, 1.0]
    assert round(at[0.1], 2) == Decimal("2.22")


@pytest.mark.parametrize("rate", [("--tokens-per-s", "12500"), ("--computed-tokens-per-s", "2500")])
def test_d36_with_reuse_on_both_sides_at_317_per_mille(rate: tuple[str, str]) -> None:
    found = answered(
        "breakeven", "--usd-per-hour", "2.00", *rate, "--reuse", "0.8",
        "--api-input-usd", "0.50", "--api-read-usd", "0.05",
    )  # fmt: skip
    (row,) = found["rows"]
    assert found["own"]["tokens_per_s"] == 12_500
    assert round(usd(found["own"]["usd_per_mtok_busy"]), 4) == Decimal("0.0444")
    assert usd(row["api_usd_per_mtok"]) == Decimal("0.14")
    assert round(row["utilisation_ratio"], 3) == 0.317


def test_d36_every_api_of_the_book_is_compared_by_default() -> None:
    found = answered("breakeven", "--usd-per-hour", "2", "--tokens-per-s", "2500", "--reuse", "0.8")
    shapes.BREAKEVEN(found)
    assert len({row["provider"] for row in found["rows"]}) == 16
    beyond = [row for row in found["rows"] if row["utilisation_ratio"] > 1]
    assert beyond
    assert all(row["tokens_per_day"] is None for row in beyond)


def test_d36_a_workload_is_compared_under_each_models_best_policy(reference_data: Path) -> None:
    """Opus 5 on Mooncake: 682.64 USD with the shared prefix written, over its 148.2 M tokens."""
    found = answered(
        "breakeven", reference_data / MOONCAKE, "--usd-per-hour", "3.48",
        "--tokens-per-s", "8000", "--provider", "anthropic", "--model", "claude-opus-5",
    )  # fmt: skip
    shapes.BREAKEVEN(found)
    (row,) = found["rows"]
    assert row["policy"] == "5m shared"
    assert round(usd(row["api_usd_per_mtok"]), 3) == round(
        Decimal("682.638235") * 10**6 / (144_793_823 + 4_122_048), 3
    )
    assert found["own"]["reuse_ratio"] == pytest.approx(0.37338, abs=1e-5)


def test_a_file_without_blocks_is_compared_and_has_no_tiers() -> None:
    example = ROOT / "docs" / "example.csv"
    found = answered(
        "breakeven", example, "--usd-per-hour", "2", "--tokens-per-s", "100", "--provider", "xai"
    )
    assert {row["provider"] for row in found["rows"]} == {"xai"}
    said = shell("tiers", example)
    assert said.status == 1
    assert "block" in said.sentence


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("tiers", "--bandwidth", "fast"), 2),
        (("tiers", "--bandwidth", "0"), 2),
        (("tiers", "--bandwidth", "dram=0"), 2),
        (("tiers", "--bandwidth", "tape=1e9"), 2),
        (("tiers", "--efficiency", "1.5"), 2),
        (("tiers", "--layers", "80"), 2),
        (("tiers", "--layers", "80", "--hidden", "8192"), 2),
        (("tiers", "--model", "llama-3.1-8b", "--layers", "80", "--hidden", "8192"), 2),
        (("tiers", "--weights-dtype", "fp3"), 2),
        (("tiers", "--device", "rubin-r200", "--weights-dtype", "fp8"), 2),
        (("tiers", "--implied-bytes", "9,3"), 2),
        (("tiers", "--device", "abacus"), 1),
        (("tiers", "--model", "zzzz"), 1),
        (("breakeven", "--usd-per-hour", "2"), 2),
        (("breakeven", "--usd-per-hour", "0", "--tokens-per-s", "1"), 2),
        (("breakeven", "--usd-per-hour", "2", "--tokens-per-s", "1", "--reuse", "2"), 2),
        (("breakeven", "--usd-per-hour", "2", "--computed-tokens-per-s", "1", "--reuse", "1"), 2),
        (("breakeven", "--usd-per-hour", "2", "--tokens-per-s", "1", "--api-read-usd", "1"), 2),
    ],
)
def test_what_makes_no_sense_is_one_sentence(words: tuple[object, ...], status: int) -> None:
    said = shell(*words)
    assert said.status == status
    assert said.sentence


def test_premiums_stand_at_a_band_of_bytes_where_one_is_given() -> None:
    words = ("--provider", "google", "--premium-model", "gemini-3.1-pro-preview")
    found = answered("tiers", *words, "--implied-bytes", "70272,327680")
    shapes.TIERS(found)
    (row,) = found["implied"]
    assert row["premium"] == "storage"
    assert row["usd_per_gb_hour"]["value"] is None
    assert round(usd(row["usd_per_gb_hour"]["high"]), 4) == Decimal("0.0640")
    assert row["bytes_per_token"] == {"value": None, "low": 70_272, "high": 327_680}


def test_the_text_speaks_both_languages() -> None:
    english = shell("tiers", "--provider", "anthropic").out
    japanese = shell("tiers", "--provider", "anthropic", "--lang", "ja").out
    assert "Loading is as quick as computing" in english
    assert "帯域幅" in japanese
    own = ("breakeven", "--usd-per-hour", "2", "--tokens-per-s", "2500")
    assert "cheaper at any load" in shell(*own, "--provider", "deepseek").out
    assert "損益分岐" in shell(*own, "--lang", "ja").out
    assert shell(*own, "--provider", "nobody").status == 1
