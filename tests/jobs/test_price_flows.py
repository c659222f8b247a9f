"""The service calls on prices: shapes of the shell, rows of the page."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from econ.money import plain
from jobs import price_flows
from messages.catalogue import LANGUAGES, sayer
from price_tables.load import FOLDER

SHOWN = {
    "provider", "surface", "model", "matched_by", "valid_from", "valid_to", "mode", "tier",
    "usd_per_mtok", "source", "as_of", "status",
}  # fmt: skip
DAY = date(2026, 11, 29)


def test_prices_show_gives_every_tier_without_a_prompt_length() -> None:
    shown = price_flows.prices_show("gemini-3.1-pro-preview", at=DAY)
    assert shown["unpriced_reason"] is None
    assert [match["tier"] for match in shown["matches"]] == ["base", "above 200000"]
    assert [match["above_tokens"] for match in shown["matches"]] == [0, 200_000]
    assert all(match.keys() >= SHOWN for match in shown["matches"])
    assert shown["matches"][1]["usd_per_mtok"] == {
        "uncached": "4",
        "read": "0.4",
        "output": "18",
        "storage_per_mtok_hour": "4.5",
        "write_5m": "4",
        "write_1h": "4",
        "write_30m": "4",
        "write_12h": "4",
    }
    json.dumps(shown)


def test_prices_show_picks_the_tier_of_a_prompt_length() -> None:
    for tokens, usd in ((200_000, "2"), (200_001, "4")):
        shown = price_flows.prices_show("gemini-3.1-pro-preview", prompt_tokens=tokens, at=DAY)
        assert [match["usd_per_mtok"]["uncached"] for match in shown["matches"]] == [usd]


def test_prices_show_knows_moments_as_well_as_days() -> None:
    second = datetime(2026, 8, 20, 23, 59, 59, tzinfo=UTC)
    before = price_flows.prices_show("gpt-5.6-sol", prompt_tokens=1, at=second)
    after = price_flows.prices_show("gpt-5.6-sol", prompt_tokens=1, at=date(2026, 8, 21))
    assert before["matches"][0]["usd_per_mtok"]["uncached"] == "5"
    assert before["matches"][0]["valid_to"] == "2026-08-21"
    assert after["matches"][0]["usd_per_mtok"]["uncached"] == "4"
    assert after["matches"][0]["status"] == "promotional"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"model": "claude-opus-5-7"}, "claude-opus-5-7"),
        ({"model": "claude-opus-5", "mode": "flex"}, "flex"),
        ({"model": "claude-opus-5", "surface": "moon"}, "moon"),
        ({"model": "claude-opus-5", "provider": "nobody"}, "nobody"),
        ({"model": "claude-opus-5", "at": date(2026, 1, 1)}, "2026-07-24"),
        ({"model": "claude-sonnet-4-5", "at": date(2026, 12, 1)}, "2026-11-30"),
        ({"model": "gpt-5.5", "mode": "fast", "prompt_tokens": 300_000}, "272,000"),
        ({"model": "openai/gpt-oss-120b"}, "groq"),
        ({"model": "gpt-oss-120b"}, "together"),
        ({"model": "us.anthropic.claude-opus-5", "provider": "anthropic"}, "bedrock"),
    ],
)
def test_prices_show_says_in_words_why_nothing_matches(
    arguments: dict[str, object], part: str
) -> None:
    for language in LANGUAGES:
        shown = price_flows.prices_show(**arguments, say=sayer(language))  # type: ignore[arg-type]
        assert shown["matches"] == []
        assert part in shown["unpriced_reason"]
        assert "{" not in shown["unpriced_reason"]
        assert "prices." not in shown["unpriced_reason"]


def test_a_mode_that_refuses_long_prompts_shows_its_base_row_only() -> None:
    shown = price_flows.prices_show("gpt-5.5", mode="priority", at=DAY)
    assert [match["tier"] for match in shown["matches"]] == ["base"]
    assert shown["matches"][0]["mode"] == "fast"


def test_assumptions_and_peak_prices_are_shown() -> None:
    shown = price_flows.prices_show("deepseek-flash", at=DAY)["matches"][0]
    assert shown["peak_usd_per_mtok"]["output"] == "1.2"
    assert len(shown["assumptions"]) == 1


def test_prices_check_counts_every_table_and_lists_what_comes() -> None:
    checked = price_flows.prices_check(DAY)
    assert len(checked["tables"]) == 16
    assert sum(table["models"] for table in checked["tables"]) == 225
    for table in checked["tables"]:
        assert table.keys() == {"provider", "models", "oldest_as_of", "age_days", "errors"}
        assert table["errors"] == []
        assert 0 < table["age_days"] < 120
    assert checked["changes_ahead"][0].keys() == {"provider", "model", "from", "what"}
    assert checked["changes_ahead"][0]["from"] == "2026-11-30"
    json.dumps(checked)


def test_prices_check_lists_a_broken_table_and_goes_on(tmp_path: Path) -> None:
    for path in FOLDER.glob("*.yaml"):
        shutil.copy(path, tmp_path)
    (tmp_path / "xai.yaml").write_text("provider: [xai", encoding="utf-8")
    checked = price_flows.prices_check(DAY, folder=tmp_path)
    broken = {table["provider"]: table for table in checked["tables"]}["xai"]
    assert broken["age_days"] is None
    assert "xai.yaml" in broken["errors"][0]
    assert sum(table["models"] for table in checked["tables"]) == 225 - 6
    assert checked["changes_ahead"] == []


def test_the_page_lists_all_models_and_their_tiers() -> None:
    rows = price_flows.price_table_rows(DAY)
    own = {(row.provider, row.model) for row in rows if row.inherited_from is None}
    assert len(own) == 223  # deepseek-chat and deepseek-reasoner ended in 2025
    assert all(row.source and row.as_of and row.status for row in rows)
    assert {row.surface for row in rows if row.provider == "bedrock"} == {"in-region"}
    batch = price_flows.price_table_rows(DAY, mode="batch", text="OPUS-5", provider="anthropic")
    assert [(row.model, row.usd_per_mtok["read"]) for row in batch] == [
        ("claude-opus-5-5", Decimal("0.1")),
        ("claude-opus-5", Decimal("0.25")),
    ]
    assert price_flows.price_table_rows(DAY, surface="data-zone", text="gpt-5.4")


def test_the_page_lists_disagreements_changes_and_rules() -> None:
    assert len(price_flows.disagreement_rows()) == 27
    assert all(len(row.values) >= 2 for row in price_flows.disagreement_rows())
    assert {row.provider for row in price_flows.changes_ahead_rows(DAY, "azure")} == {
        "azure-openai"
    }
    rules = price_flows.cache_rule_rows()
    assert {row.provider for row in rules} == {name for name, _, _ in price_flows.providers()}
    opus = [row for row in rules if (row.provider, row.rule) == ("anthropic", "write_multiplier")]
    assert [row.value for row in opus] == ["5m 1.25; 1h 2"]
    assert price_flows.disagreement_rows("nobody") == []


def test_amounts_are_plain_decimals() -> None:
    for amount, text in (("10", "10"), ("0.50", "0.5"), ("1E+2", "100"), ("0.00875", "0.00875")):
        assert plain(Decimal(amount)) == text
    assert price_flows.book_version() == "2026-11-29"
