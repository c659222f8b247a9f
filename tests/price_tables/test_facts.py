"""Every number against the collected facts, read independently of the loader.

The facts files write prices under other names (`input`, `cache_read`, ...); here they are read as
text and compared as decimals, model by model, period by period, tier by tier, mode by mode.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from price_tables.book import Model, ModeRule, Period, PriceBook, ProviderTable
from price_tables.load import FOLDER, load_book

NAMES = {
    "input": "uncached",
    "output": "output",
    "output_thinking": "output_thinking",
    "cache_read": "read",
    "cache_read_implicit": "read",
    "cache_read_explicit": "read_explicit",
    "cache_write_5m": "write_5m",
    "cache_write_1h": "write_1h",
    "cache_write_30m": "write_30m",
    "cache_write_12h": "write_12h",
    "cache_storage_per_mtok_hour": "storage_per_mtok_hour",
    "input_audio": "uncached_audio",
    "cache_read_audio": "read_audio",
}


class _Text(yaml.SafeLoader):
    """Scalars as they are written."""


_Text.yaml_implicit_resolvers = {}


@pytest.fixture(scope="module")
def facts(reference_data: Path) -> dict[str, dict[str, Any]]:
    paths = sorted((reference_data / "facts" / "prices").glob("*.yaml"))
    return {path.stem: yaml.load(path.read_text("utf-8"), _Text) for path in paths}  # noqa: S506


@pytest.fixture(scope="module")
def book() -> PriceBook:
    return load_book()


def _prices(stated: dict[str, str]) -> dict[str, Decimal]:
    return {NAMES[name]: Decimal(price) for name, price in stated.items()}


def _moment(text: str | None) -> datetime | None:
    if text in (None, "null"):
        return None
    return datetime.fromisoformat(text if "T" in text else f"{text}T00:00:00+00:00").astimezone(UTC)


def _own(table: ProviderTable) -> dict[str, Model]:
    return {model.id: model for model in table.models if model.inherited_from is None}


def test_the_same_providers_models_and_names(
    facts: dict[str, dict[str, Any]], book: PriceBook
) -> None:
    assert facts.keys() == book.tables.keys()
    for provider, stated in facts.items():
        ours = _own(book.tables[provider])
        assert [model["id"] for model in stated["models"]] == list(ours)
        for model in stated["models"]:
            assert tuple(model["aliases"]) == ours[model["id"]].aliases


def test_every_period_tier_and_price_is_equal(
    facts: dict[str, dict[str, Any]], book: PriceBook
) -> None:
    compared = 0
    for provider, stated in facts.items():
        ours = _own(book.tables[provider])
        for model in stated["models"]:
            periods = ours[model["id"]].periods
            assert len(periods) == len(model["periods"])
            for theirs, period in zip(model["periods"], periods, strict=True):
                compared += _compare_period(theirs, period)
    assert compared == 1_250


def _compare_period(theirs: dict[str, Any], period: Period) -> int:
    assert period.valid_from == _moment(theirs["effective_from"])
    assert period.valid_to == _moment(theirs.get("effective_to"))
    assert period.status == theirs["status"]
    assert period.source == theirs["source"]
    assert period.as_of == theirs["as_of"]
    assert period.usd_per_mtok == _prices(theirs["prices"])
    tiers = []
    for tier in theirs.get("tiers", []):
        assert tier["scope"] == "whole_request"
        when = tier["when"]
        above = int(when.get("prompt_tokens_above") or int(when["prompt_tokens_at_least"]) - 1)
        tiers.append((above, _prices(tier["prices"])))
    assert list(period.tiers) == tiers
    return len(period.usd_per_mtok) + sum(len(prices) for _, prices in tiers)


def test_every_mode_is_equal(facts: dict[str, dict[str, Any]], book: PriceBook) -> None:
    compared = 0
    for provider, stated in facts.items():
        table = book.tables[provider]
        for model in stated["models"]:
            periods = _own(table)[model["id"]].periods
            for theirs, period in zip(model["periods"], periods, strict=True):
                compared += _compare_modes(theirs.get("modes", {}), period, table)
    assert compared == 217


def _compare_modes(theirs: dict[str, Any], period: Period, table: ProviderTable) -> int:
    shared = {"batch"} if table.provider == "bedrock" else set()
    assert period.modes.keys() - shared == theirs.keys() - {"peak"}
    for name, mode in theirs.items():
        if name == "peak":
            _compare_peak(mode, period, table)
        else:
            _compare_mode(name, mode, period.modes[name], table)
    return len(theirs)


def _compare_mode(
    name: str, mode: dict[str, Any], rules: tuple[ModeRule, ...], table: ProviderTable
) -> None:
    first, *rest = rules
    assert first.multiplier == (Decimal(mode["multiplier"]) if "multiplier" in mode else None)
    assert first.usd_per_mtok == _prices(mode.get("prices", {}))
    read = mode.get("cache_read_multiplier")
    assert first.bucket_multipliers == ({"read": Decimal(read)} if read else {})
    assert first.long_prompts_offered == (mode.get("long_prompts") != "not_offered")
    assert first.valid_from == _moment(mode.get("effective_from"))
    assert first.valid_to == _moment(mode.get("effective_to"))
    if "alias_service_tier" in mode:
        assert table.mode_words[mode["alias_service_tier"]] == name
    if "then_multiplier" in mode:
        assert [rule.multiplier for rule in rest] == [Decimal(mode["then_multiplier"])]
        assert rest[0].valid_from == first.valid_to
    else:
        assert not rest


def _compare_peak(mode: dict[str, Any], period: Period, table: ProviderTable) -> None:
    assert period.schedule == mode["schedule"]
    assert table.schedules[mode["schedule"]].multiplier == Decimal(mode["multiplier"])


def test_models_carry_the_same_limits_and_ends(
    facts: dict[str, dict[str, Any]], book: PriceBook
) -> None:
    for provider, stated in facts.items():
        for model in stated["models"]:
            ours = _own(book.tables[provider])[model["id"]]
            assert ours.status == model["status"]
            least = model.get("min_cacheable_tokens")
            assert ours.min_cacheable_tokens == (
                int(least) if least not in (None, "null") else None
            )
            ends = ours.retires_on.isoformat() if ours.retires_on else None
            assert ends == model.get("retires_on")
            assert ours.caching == tuple(model.get("caching", ()))
            if "rule_family" in model:
                assert ours.rule_family == model["rule_family"]
            if "geo_profile_multiplier" in model:
                assert ours.regional_multiplier == Decimal(model["geo_profile_multiplier"])


def test_the_peak_schedule_is_equal(facts: dict[str, dict[str, Any]], book: PriceBook) -> None:
    stated = facts["deepseek"]["cache_rules"]["peak_schedules"]["cn_business_hours"]
    ours = book.tables["deepseek"].schedules["cn_business_hours"]
    windows = [f"{m // 60:02}:{m % 60:02}" for pair in ours.windows_min for m in pair]
    assert windows == [hour for pair in stated["peak_hours_utc"] for hour in pair]
    assert sorted(day.isoformat() for day in ours.holidays) == stated["holidays_excluded"]
    assert str(ours.covers_through) == stated["covers_through"]
    starts = book.tables["deepseek"].schedule_starts["cn_business_hours"]
    assert starts == _moment(stated["applies_from"])


def _rules(stated: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """Every rule of a facts file under (family, name)."""
    found = {}
    for name, rule in stated.items():
        if "value" in rule:
            found["all", name] = rule
        elif name not in ("families", "peak_schedules"):
            found.update({(name, inner): entry for inner, entry in rule.items()})
    return found


def test_every_cache_rule_is_there_with_its_source_and_date(
    facts: dict[str, dict[str, Any]], book: PriceBook
) -> None:
    for provider, stated in facts.items():
        ours = {
            (family, name): rule
            for family, rules in book.tables[provider].cache_rules.items()
            for name, rule in rules.items()
        }
        theirs = _rules(stated["cache_rules"])
        assert ours.keys() == theirs.keys()
        for key, rule in theirs.items():
            if rule["source"].startswith("https://"):
                assert ours[key].source == rule["source"]
            assert ours[key].as_of == rule["as_of"]
            assert (ours[key].value is None) == (rule["value"] == "null") or key in {
                ("all", "ttl_counted_from"),
                ("gpt-5.6+", "ttl_counted_from"),
                ("all", "token_granularity"),
                ("all", "implicit_ttl"),
                ("all", "ttl_options"),  # DeepSeek: its note says hours to days
            }


def test_plain_numbers_in_cache_rules_are_equal(
    facts: dict[str, dict[str, Any]], book: PriceBook
) -> None:
    """Rules that are one number in both: minimum, step, breakpoints, factors."""
    compared = 0
    for provider, stated in facts.items():
        for (family, name), rule in _rules(stated["cache_rules"]).items():
            value = rule["value"]
            if isinstance(value, str) and value.replace(".", "", 1).isdigit():
                ours = book.tables[provider].cache_rules[family][name].value
                assert Decimal(str(ours)) == Decimal(value), (provider, name)
                compared += 1
    assert compared == 21


def test_disagreements_are_all_there(facts: dict[str, dict[str, Any]], book: PriceBook) -> None:
    for provider, stated in facts.items():
        ours = book.tables[provider].disagreements
        assert len(ours) == len(stated["disagreements"])
        for theirs, entry in zip(stated["disagreements"], ours, strict=True):
            assert [v.as_of for v in entry.values] == [v["as_of"] for v in theirs["values"]]


def _sentences(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set().union(*map(_sentences, value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*map(_sentences, value)) if value else set()
    long = isinstance(value, str) and len(value.split()) > 4 and not value.startswith("http")
    return {value} if long else set()


def test_no_sentence_of_the_facts_was_carried_over(facts: dict[str, dict[str, Any]]) -> None:
    for provider, stated in facts.items():
        ours = yaml.load((FOLDER / f"{provider}.yaml").read_text("utf-8"), _Text)  # noqa: S506
        names = {ours["name"]}  # what a provider is called is a fact
        assert not (_sentences(ours) & _sentences(stated)) - names
