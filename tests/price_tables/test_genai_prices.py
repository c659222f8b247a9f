"""A second opinion: the public library genai-prices, where it and the book know the same model.

Not a source of truth. Each model on which the two differ is listed below with the reason; a
difference that is not listed fails, and so does a listed one that no longer exists.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from genai_prices import data
from genai_prices.types import ModelInfo, TieredPrices

from price_tables.book import Model, ProviderTable, RateCard, Segment
from price_tables.load import load_book
from price_tables.lookup import price_at, rate_card

THEIR_NAME = {
    "anthropic": "anthropic",
    "openai": "openai",
    "google": "google",
    "bedrock": "aws",
    "azure-openai": "azure",
    "vertex": "google",
    "deepseek": "deepseek",
    "xai": "x-ai",
    "mistral": "mistral",
    "moonshot": "moonshotai",
    "zai": "zai",
    "minimax": "minimax",
    "groq": "groq",
    "fireworks": "fireworks",
    "together": "together",
}
BUCKET = {
    "input_mtok": "uncached",
    "output_mtok": "output",
    "cache_read_mtok": "read",
    "cache_write_1h_mtok": "write_1h",
}

NO_BETA = "it keeps the long-prompt row of Sonnet 4.5, whose 1M beta ended on 2026-04-30"
NO_HISTORY = "it has today's price only, the book has that of the day"
OTHER_MODEL = "its pattern takes the deep-research model for the plain one"
DATED_LATER = "it lists writes of K3 without a date; they are billed from 2026-10-15 on"
ROUNDED = "it has the rounded launch price; the price doubled on 2026-10-20"
VERTEX_OPUS = "it has Anthropic's long-prompt row of early 2026; the Vertex row here has none"

NOVEMBER = datetime(2026, 11, 15, 12, 30, tzinfo=UTC)
AUGUST = datetime(2026, 8, 1, 12, 30, tzinfo=UTC)
FEBRUARY = datetime(2026, 2, 20, 12, 30, tzinfo=UTC)

DIFFERENCES: dict[datetime, dict[tuple[str, str], str]] = {
    NOVEMBER: {
        ("anthropic", "claude-sonnet-4-5"): NO_BETA,
        ("vertex", "claude-sonnet-4-5"): NO_BETA,
        ("azure-openai", "o4-mini-deep-research"): OTHER_MODEL,
        ("mistral", "mistral-large-4"): ROUNDED,
    },
    AUGUST: {
        ("anthropic", "claude-sonnet-4-5"): NO_BETA,
        ("vertex", "claude-sonnet-4-5"): NO_BETA,
        ("azure-openai", "o4-mini-deep-research"): OTHER_MODEL,
        ("google", "gemini-3.6-flash"): NO_HISTORY,
        ("moonshot", "kimi-k3"): DATED_LATER,
    },
    FEBRUARY: {
        ("azure-openai", "o4-mini-deep-research"): OTHER_MODEL,
        ("google", "gemini-2.5-pro"): NO_HISTORY,
        ("google", "gemini-2.5-flash"): NO_HISTORY,
        ("google", "gemini-2.5-flash-lite"): NO_HISTORY,
        ("vertex", "gemini-2.5-pro"): NO_HISTORY,
        ("vertex", "gemini-2.5-flash"): NO_HISTORY,
        ("vertex", "gemini-2.5-flash-lite"): NO_HISTORY,
        ("vertex", "claude-opus-4-6"): VERTEX_OPUS,
    },
}
AT_LEAST = {NOVEMBER: 800, AUGUST: 600, FEBRUARY: 400}


def _shared() -> Iterator[tuple[ProviderTable, Model, ModelInfo]]:
    theirs = {provider.id: provider for provider in data.providers}
    for table in load_book().tables.values():
        if table.provider in THEIR_NAME:
            for model in table.models:
                info = theirs[THEIR_NAME[table.provider]].find_model(model.id)
                if info is not None:
                    yield table, model, info


def _their_prices(
    info: ModelInfo, model: Model, at: datetime
) -> Iterator[tuple[str, int, Decimal]]:
    """(bucket, prompts of more than this many tokens, price) as the library has it."""
    shortest = "write_5m" if "write_5m" in model.periods[-1].usd_per_mtok else "write_30m"
    for name, price in vars(info.get_prices(at)).items():
        bucket = {**BUCKET, "cache_write_mtok": shortest}.get(name)
        if bucket is None or price is None:
            continue  # searches and audio
        if isinstance(price, TieredPrices):
            yield bucket, 0, price.base
            yield from ((bucket, tier.start, tier.price) for tier in price.tiers)
        else:
            yield bucket, 0, price


@pytest.mark.parametrize("at", list(DIFFERENCES), ids=lambda at: at.date().isoformat())
def test_prices_agree_with_genai_prices_except_where_listed(at: datetime) -> None:
    agreed, differing = 0, set()
    for table, model, info in _shared():
        card = rate_card(load_book(), provider=table.provider, model=model.id)
        assert isinstance(card, RateCard)
        if not isinstance(price_at(card, at, 1), Segment):
            continue  # the book says that it was not sold then
        for bucket, above, price in _their_prices(info, model, at):
            row = price_at(card, at, above + 1)
            assert isinstance(row, Segment)
            if row.usd_per_mtok.get(bucket) == price:
                agreed += 1
            else:
                differing.add((table.provider, model.id))
    assert differing == DIFFERENCES[at].keys()
    assert agreed >= AT_LEAST[at]
