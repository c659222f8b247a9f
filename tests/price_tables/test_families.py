"""Next smaller models and tokenizer factors: every name is in the book, and smaller is cheaper."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from messages.errors import DataError
from price_tables.book import PriceBook, Unpriced
from price_tables.families import FILE, load_families
from price_tables.load import FOLDER, load_book
from price_tables.lookup import price_at, rate_card


def _prices(book: PriceBook, provider: str, model: str) -> tuple[Decimal, Decimal]:
    card = rate_card(book, provider=provider, surface=None, model=model, mode=None)
    assert not isinstance(card, Unpriced), model
    found = price_at(card, datetime(2026, 11, 29, tzinfo=UTC), 1000)
    assert not isinstance(found, Unpriced), model
    prices = found.usd_per_mtok
    return prices["uncached"], prices["output"]


def test_every_smaller_model_is_in_the_book_and_cheaper_for_input_and_output() -> None:
    book = load_book()
    found = load_families().smaller
    assert found[("anthropic", "claude-opus-5")].model == "claude-sonnet-5"
    for (provider, model), smaller in found.items():
        here, there = _prices(book, provider, model), _prices(book, provider, smaller.model)
        assert all(low < high for low, high in zip(there, here, strict=True)), model


def test_a_published_tokenizer_factor_has_its_source_and_only_known_models() -> None:
    (claude,) = load_families().tokenizers
    known = {model.id for model in load_book().tables["anthropic"].models}
    assert claude.factor == Decimal("1.3")
    assert set(claude.models) <= known
    assert claude.source.startswith("https://")


def test_a_model_with_two_smaller_ones_is_refused(tmp_path: Path) -> None:
    text = (FOLDER / FILE).read_text("utf-8")
    row = next(line for line in text.splitlines() if "model: claude-opus-5," in line)
    (tmp_path / FILE).write_text(text.replace(row, f"{row}\n{row}"), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        load_families(tmp_path)
    assert caught.value.message.values["file"] == FILE
