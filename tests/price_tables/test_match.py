"""Which model a name means (D08, D13)."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from price_tables.book import RateCard, Segment, Unpriced
from price_tables.load import load_book
from price_tables.lookup import price_at, rate_card
from price_tables.match import Match, resolve

AT = datetime(2026, 11, 29, tzinfo=UTC)
BOOK = load_book()


def read_cost(model: str, tokens: int = 100_000) -> Decimal | None:
    card = rate_card(BOOK, model=model)
    if isinstance(card, Unpriced):
        return None
    row = price_at(card, AT, tokens)
    assert isinstance(row, Segment)
    return tokens * row.usd_per_mtok["read"] / 1_000_000


@pytest.mark.parametrize(
    ("model", "usd"),
    [
        ("claude-opus-5", "0.05"),
        ("claude-opus-5-5", "0.02"),
        ("claude-opus-5[1m]", "0.05"),
        ("anthropic.claude-opus-5", "0.055"),
        ("global.anthropic.claude-opus-5", "0.05"),
        ("claude-haiku-4-5-20251001", "0.01"),
        ("claude-opus-55", None),
        ("claude-opus-5-7", None),
    ],
)
def test_d08_100000_reads_cost_what_the_exact_model_costs(model: str, usd: str | None) -> None:
    assert read_cost(model) == (Decimal(usd) if usd else None)


def matched(model: str, provider: str | None = None, surface: str | None = None) -> Match:
    found = resolve(BOOK, model, provider, surface)
    assert isinstance(found, Match), found
    return found


def reason(model: str | None, provider: str | None = None, surface: str | None = None) -> str:
    found = resolve(BOOK, model, provider, surface)
    assert isinstance(found, Unpriced), found
    return found.reason.id


@pytest.mark.parametrize(
    ("asked", "provider", "surface", "model", "by"),
    [
        ("claude-opus-5", "anthropic", "global", "claude-opus-5", "exact"),
        ("Claude-Opus-5", "anthropic", "global", "claude-opus-5", "exact"),
        ("claude-opus-5.0", "anthropic", "global", "claude-opus-5", "alias"),
        ("claude-opus-5-latest", "anthropic", "global", "claude-opus-5", "alias"),
        ("claude-opus-5-20260724", "anthropic", "global", "claude-opus-5", "decoration"),
        ("claude-opus-5-2026-07-24", "anthropic", "global", "claude-opus-5", "decoration"),
        ("claude-opus-5@20260724", "anthropic", "global", "claude-opus-5", "decoration"),
        ("claude-opus-5-v1:0", "anthropic", "global", "claude-opus-5", "decoration"),
        ("anthropic/claude-opus-5", "anthropic", "global", "claude-opus-5", "decoration"),
        ("gpt-5.6", "openai", "global", "gpt-5.6-sol", "alias"),
        ("anthropic.claude-opus-5", "bedrock", "in-region", "anthropic.claude-opus-5", "exact"),
        ("global.anthropic.claude-opus-5", "bedrock", "global", "anthropic.claude-opus-5", "alias"),
        ("us.anthropic.claude-opus-5", "bedrock", "geo", "anthropic.claude-opus-5", "decoration"),
        ("eu.anthropic.claude-opus-5", "bedrock", "geo", "anthropic.claude-opus-5", "decoration"),
        ("jp.anthropic.claude-opus-5", "bedrock", "geo", "anthropic.claude-opus-5", "decoration"),
        ("au.anthropic.claude-opus-5", "bedrock", "geo", "anthropic.claude-opus-5", "decoration"),
        ("apac.anthropic.claude-opus-5", "bedrock", "geo", "anthropic.claude-opus-5", "decoration"),
        (
            "us.anthropic.claude-haiku-4-5-20251001-v1:0",
            "bedrock",
            "geo",
            "anthropic.claude-haiku-4-5-20251001-v1:0",
            "decoration",
        ),
        ("bedrock/claude-opus-5", "bedrock", "in-region", "anthropic.claude-opus-5", "decoration"),
        ("vertex_ai/claude-opus-5", "vertex", "global", "claude-opus-5", "decoration"),
        ("azure/gpt-5.4", "azure-openai", "global", "gpt-5.4", "decoration"),
        ("gemini/gemini-2.5-pro", "google", "global", "gemini-2.5-pro", "decoration"),
        ("openai.gpt-6-sol", "bedrock", "in-region", "openai.gpt-6-sol", "exact"),
        ("qwen/qwen3.8-27b", "groq", "global", "qwen/qwen3.8-27b", "exact"),
        ("zai-glm-5-3", "mistral", "global", "zai-glm-5-3", "exact"),
    ],
)
def test_names_without_a_provider_find_their_maker_or_their_reseller(
    asked: str, provider: str, surface: str, model: str, by: str
) -> None:
    found = matched(asked)
    assert (found.provider, found.surface, found.model.id) == (provider, surface, model)
    assert found.matched_by == by
    assert found.asked == asked


def test_a_reseller_knows_the_makers_names_without_its_own_prefixes() -> None:
    assert matched("claude-sonnet-4-6", "bedrock").model.id == "anthropic.claude-sonnet-4-6"
    haiku = matched("claude-haiku-4-5", "bedrock", "global")
    assert haiku.model.id == "anthropic.claude-haiku-4-5-20251001-v1:0"
    assert haiku.surface == "global"
    assert matched("gpt-oss-120b", "groq").model.id == "openai/gpt-oss-120b"
    assert matched("anthropic/claude-opus-5", "vertex").provider == "vertex"


def test_providers_answer_to_their_other_names() -> None:
    assert matched("gpt-5", "azure").provider == "azure-openai"
    assert matched("gemini-2.5-pro", "Vertex_AI").provider == "vertex"
    assert matched("grok-4.7", "x-ai").provider == "xai"


@pytest.mark.parametrize(
    ("asked", "provider", "surface", "why"),
    [
        (None, None, None, "prices.no_model"),
        ("  ", None, None, "prices.no_model"),
        ("claude-opus-5-7", None, None, "prices.unknown_model"),
        ("claude-opus", None, None, "prices.unknown_model"),
        ("claude", None, None, "prices.unknown_model"),
        ("opus-5", None, None, "prices.unknown_model"),
        ("mistral-large", None, None, "prices.unknown_model"),
        ("gpt-5-2", None, None, "prices.unknown_model"),
        ("claude-opus-5-99999999", None, None, "prices.unknown_model"),
        ("claude-opus-5 ", "openai", None, "prices.unknown_model_of"),
        ("openai/gpt-oss-120b", None, None, "prices.ambiguous_model"),
        ("gpt-oss-120b", None, None, "prices.only_resold"),
        ("claude-opus-5", "somewhere", None, "prices.unknown_provider"),
        ("claude-opus-5", None, "moon", "prices.unknown_surface"),
        ("us.anthropic.claude-opus-5", "anthropic", None, "prices.provider_conflict"),
        ("anthropic.claude-opus-5", "anthropic", None, "prices.provider_conflict"),
        ("bedrock/claude-opus-5", "anthropic", None, "prices.provider_conflict"),
        ("us.anthropic.claude-opus-5", None, "in-region", "prices.surface_conflict"),
        ("us.claude-nothing", None, None, "prices.unknown_model_of"),
    ],
)
def test_what_is_unclear_is_unpriced_with_its_reason(
    asked: str | None, provider: str | None, surface: str | None, why: str
) -> None:
    assert reason(asked, provider, surface) == why


def test_a_bare_bedrock_id_may_be_moved_to_another_surface_by_name() -> None:
    assert matched("anthropic.claude-opus-5", surface="global").surface == "global"


def test_a_surface_that_nobody_named_is_an_assumption_on_the_card() -> None:
    assumed = rate_card(BOOK, model="claude-opus-5")
    named = rate_card(BOOK, model="claude-opus-5", surface="global")
    by_id = rate_card(BOOK, model="anthropic.claude-opus-5")
    only_one = rate_card(BOOK, model="grok-4.7")
    assert isinstance(assumed, RateCard)
    assert [m.id for m in assumed.assumptions] == ["prices.surface_assumed"]
    for card in (named, by_id, only_one):
        assert isinstance(card, RateCard)
        assert card.assumptions == ()


@pytest.mark.parametrize("table", list(BOOK.tables))
def test_every_id_and_alias_finds_its_own_model(table: str) -> None:
    for model in BOOK.tables[table].models:
        found = matched(model.id, table)
        assert found.model is model
        assert found.matched_by == "exact"
        for alias in model.aliases:
            assert matched(alias, table).model is model


def test_no_id_of_a_maker_means_another_maker() -> None:
    for table in BOOK.tables.values():
        if table.maker:
            for model in table.models:
                assert matched(model.id).provider == table.provider


SUFFIXES = st.sampled_from(["-20251001", "-2025-10-01", "-latest", "-v1", ":0", "@x", "[1m]"])
GARBAGE = st.text(alphabet="abcxyz0123456789.-", min_size=1, max_size=6)


@given(
    model=st.sampled_from([m.id for m in BOOK.tables["anthropic"].models]),
    decorations=st.lists(SUFFIXES, max_size=3),
)
def test_listed_decorations_come_off_in_any_order(model: str, decorations: list[str]) -> None:
    found = matched(model + "".join(decorations), "anthropic")
    assert found.model.id == model


@given(model=st.sampled_from([m.id for m in BOOK.tables["openai"].models]), tail=GARBAGE)
def test_a_longer_name_is_another_model_or_none(model: str, tail: str) -> None:
    """Never the price of a prefix: what follows must be a whole decoration or another id."""
    names = {n.casefold() for m in BOOK.tables["openai"].models for n in (m.id, *m.aliases)}
    found = resolve(BOOK, model + tail, "openai")
    if isinstance(found, Match) and (model + tail).casefold() not in names:
        assert found.matched_by == "decoration"
        assert found.model.id != model or tail.startswith("-v") or "-20" in tail


def test_a_million_names_do_not_fill_the_memory() -> None:
    for number in range(12_000):
        rate_card(BOOK, model=f"unheard-of-{number}")
    assert len(BOOK.memo) <= 5_001
    assert isinstance(rate_card(BOOK, model="claude-opus-5"), RateCard)
