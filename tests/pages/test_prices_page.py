"""The Prices page: filters, table, changes, contradictions, rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from jobs import price_flows
from messages.catalogue import LANGUAGES, t
from price_tables.book import BUCKETS, EXTRA_PRICES

PAGE = Path(__file__).parents[2] / "pages" / "prices.py"


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(str(PAGE), default_timeout=30)
    app.session_state["_language"] = query.pop("lang", "en")
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def words(app: AppTest) -> str:
    return "\n".join(block.value for block in app.markdown)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_opens_in_both_languages(language: str) -> None:
    app = opened(lang=language, at="2026-11-29")
    assert app.title[0].value == t(language, "prices_page.title")
    assert len(app.dataframe) == 6
    prices = app.dataframe[0].value
    assert len(prices) > 300
    assert t(language, "prices_page.bucket.read") in prices.columns
    assert "prices_page." not in " ".join([*prices.columns, words(app)])


def test_the_url_holds_every_filter() -> None:
    app = opened(provider="anthropic", q="opus-5", mode="batch", surface="us", at="2026-11-29")
    table = app.dataframe[0].value
    assert list(table["Model"]) == ["claude-opus-5-5", "claude-opus-5"]
    assert list(table["Read"]) == [0.11, 0.275]
    assert "2 models have a price" in words(app)
    assert set(table["Surface"]) == {"us"}


@pytest.mark.parametrize(
    "query",
    [
        {"provider": "nobody"},
        {"mode": "turbo"},
        {"surface": "moon"},
        {"at": "2026-02-30"},
        {"at": "9999-12-31"},
        {"q": "x" * 5000},
        {"q": "<script>alert(1)</script>"},
        {"provider": "anthropic", "surface": "data-zone"},
    ],
)
def test_nonsense_in_the_url_counts_as_not_said(query: dict[str, str]) -> None:
    opened(**query)


def test_a_day_shows_the_prices_of_that_day() -> None:
    for day, usd in (("2026-08-20", 5.0), ("2026-08-21", 4.0)):
        table = opened(provider="openai", q="gpt-5.6-sol", at=day).dataframe[0].value
        assert set(table["Input"]) >= {usd}


def test_an_empty_answer_says_what_to_do() -> None:
    app = opened(q="no such model", at="2026-11-29")
    assert "Widen the filters" in words(app)


def test_what_is_doubtful_carries_a_mark_and_a_word() -> None:
    table = opened(provider="openai", q="gpt-5.6-sol", at="2026-11-29").dataframe[0].value
    assert set(table["Status"]) == {"▼ unverified"}


def test_one_provider_shows_all_its_rules_with_sources() -> None:
    app = opened(provider="anthropic", at="2026-11-29")
    rules = app.dataframe[5].value
    assert len(rules) == 28
    assert all(source.startswith("https://") for source in rules["Source"])


def test_all_providers_stand_side_by_side() -> None:
    rules = opened(at="2026-11-29").dataframe[4].value
    assert len(rules) == 17
    assert {"openai gpt-5.6+", "openai pre-5.6", "anthropic"} <= set(rules["Provider"])
    first = rules[rules["Provider"] == "anthropic"].iloc[0]
    assert first["Lifetime"] == "5m, 1h"
    assert first["Write factor"] == "5m 1.25; 1h 2"


Change = Callable[[AppTest], None]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("provider", lambda app: app.selectbox(key="provider").select("xai")),
        ("mode", lambda app: app.selectbox(key="mode").select("batch")),
        ("q", lambda app: app.text_input(key="q").input("opus")),
    ],
)
def test_a_filter_changes_the_table_and_the_url(name: str, change: Change) -> None:
    app = opened(at="2026-11-29")
    before = len(app.dataframe[0].value)
    change(app)
    app.run()
    assert not app.exception
    assert len(app.dataframe[0].value) < before
    assert name in app.query_params


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_bucket_status_and_coded_value_has_words(language: str) -> None:
    rows = price_flows.cache_rule_rows()
    coded = {str(row.value) for row in rows if re.fullmatch(r"[\w.-]*_[\w.-]*", str(row.value))}
    statuses = {row.status for row in price_flows.price_table_rows(date(2026, 11, 29))}
    keys = {f"prices_page.rule.{row.rule}" for row in rows}
    keys |= {f"prices_page.value.{value}" for value in coded}
    keys |= {f"prices_page.status.{status}" for status in statuses}
    keys |= {f"prices_page.bucket.{name}" for name in (*BUCKETS, *EXTRA_PRICES)}
    assert [key for key in sorted(keys) if t(language, key) == key] == []
