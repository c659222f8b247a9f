"""Own prices on top of the book: rows replaced and added, every fault one sentence."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages.catalogue import LANGUAGES, say
from messages.errors import DataError
from price_tables.book import PriceBook, RateCard, Segment
from price_tables.load import load_book
from price_tables.lookup import price_at, rate_card
from price_tables.own import OWN, own_faults, parse_own, read_own, with_own

OWN_FILE = b"""\
format: 1
adjustments:
  anthropic: {discount_ratio: 0.1, tax_ratio: 0.08}
prices:
  anthropic:
  - id: claude-opus-5
    periods:
    - valid_from: 2026-11-01
      valid_to: 2026-12-01
      usd_per_mtok: {uncached: 4, read: 0.4, write_5m: 5, write_1h: 8, output: 20}
      as_of: 2026-11-20
      note: contract of November
  - id: our-tuned-model
    aliases: [tuned]
    periods:
    - valid_from: null
      usd_per_mtok: {uncached: 1, output: 2}
      as_of: 2026-10
"""


def own_book() -> PriceBook:
    return with_own(load_book(), parse_own(OWN_FILE, "own.yaml", load_book()))


def row(book: PriceBook, model: str, day: datetime, **asked: str) -> Segment:
    card = rate_card(book, provider="anthropic", model=model, **asked)
    assert isinstance(card, RateCard)
    found = price_at(card, day, 1_000)
    assert isinstance(found, Segment)
    return found


@pytest.mark.parametrize(
    ("day", "price", "own"), [(31, "5", False), (32, "4", True), (61, "4", True), (62, "5", False)]
)
def test_an_own_row_replaces_the_list_as_long_as_it_holds(day: int, price: str, own: bool) -> None:
    moment = datetime(2026, 10, 1, 12, tzinfo=UTC).replace(day=1)
    moment = datetime.fromordinal(moment.toordinal() + day - 1).replace(tzinfo=UTC)
    found = row(own_book(), "claude-opus-5", moment)
    assert found.usd_per_mtok["uncached"] == Decimal(price)
    assert (found.source == OWN, found.status == OWN) == (own, own)


def test_a_new_model_is_added_and_found_by_its_alias() -> None:
    found = row(own_book(), "tuned", datetime(2026, 11, 29, tzinfo=UTC))
    assert (found.usd_per_mtok["output"], found.source, found.as_of) == (2, OWN, "2026-10")


def test_a_mode_that_is_a_factor_goes_on_to_hold() -> None:
    found = row(own_book(), "claude-opus-5", datetime(2026, 11, 5, tzinfo=UTC), mode="batch")
    assert found.usd_per_mtok["read"] == Decimal("0.2")


def test_the_list_and_other_sellers_stay_as_they_are() -> None:
    before, after = load_book(), own_book()
    assert before.version == "2026-11-29"
    assert after.version.startswith("2026-11-29-own-")
    assert after.tables["bedrock"] == before.tables["bedrock"]
    day = datetime(2026, 11, 5, tzinfo=UTC)
    assert row(before, "claude-opus-5", day).usd_per_mtok["uncached"] == 5


def test_discounts_and_taxes_change_no_price() -> None:
    only = b"format: 1\nadjustments:\n  openai: {discount_ratio: 0.25}\n"
    own = parse_own(only, "own.yaml", load_book())
    assert (own.adjustments["openai"].discount_ratio, own.adjustments["openai"].tax_ratio) == (
        Decimal("0.25"),
        Decimal(0),
    )
    assert with_own(load_book(), own).tables == load_book().tables


NEW_SELLER = b"""\
format: 1
providers:
  house-gateway: {name: Our gateway, free_writes: true}
adjustments:
  house-gateway: {discount_ratio: 0.05}
prices:
  house-gateway:
  - id: house-model
    periods:
    - valid_from: null
      usd_per_mtok: {uncached: 2, read: 0.2, output: 8}
      modes:
        batch: {multiplier: 0.5}
        priority: {usd_per_mtok: {uncached: 3, read: 0.3, output: 12}}
      as_of: 2026-11-20
  - id: claude-opus-5
    periods:
    - valid_from: null
      usd_per_mtok: {uncached: 6, output: 30}
      as_of: 2026-11-20
"""
NOVEMBER = datetime(2026, 11, 5, tzinfo=UTC)


def new_seller(**asked: str) -> RateCard:
    book = with_own(load_book(), parse_own(NEW_SELLER, "own.yaml", load_book()))
    card = rate_card(book, **{"model": "house-model", **asked})
    assert isinstance(card, RateCard)
    return card


@pytest.mark.parametrize(
    ("mode", "uncached", "read"), [("standard", "2", "0.2"), ("batch", "1", "0.1"),
                                   ("priority", "3", "0.3")],
)  # fmt: skip
def test_a_provider_that_is_not_listed_sells_in_the_modes_that_it_names(
    mode: str, uncached: str, read: str
) -> None:
    card = new_seller(mode=mode)
    found = price_at(card, NOVEMBER, 1_000)
    assert isinstance(found, Segment)
    assert card.provider == "house-gateway"
    prices = found.usd_per_mtok
    assert (prices["uncached"], prices["read"]) == (Decimal(uncached), Decimal(read))
    assert prices["write_5m"] == prices["uncached"]  # its writes cost what input costs
    assert (found.source, found.status) == (OWN, OWN)


def test_a_model_that_its_maker_lists_stays_the_makers_where_no_provider_is_named() -> None:
    assert new_seller(model="claude-opus-5").provider == "anthropic"
    assert new_seller(model="claude-opus-5", provider="house-gateway").provider == "house-gateway"


def test_a_mode_can_be_added_to_a_listed_model_and_another_mode_stays() -> None:
    row_end = b"      note: contract of November\n"
    raw = OWN_FILE.replace(row_end, b"      modes: {flex: {multiplier: 0.25}}\n" + row_end)
    book = with_own(load_book(), parse_own(raw, "own.yaml", load_book()))
    assert row(book, "claude-opus-5", NOVEMBER, mode="flex").usd_per_mtok["uncached"] == 1
    assert row(book, "claude-opus-5", NOVEMBER, mode="batch").usd_per_mtok["uncached"] == 2


FAULTS = {
    "nothing": (b"format: 1\n", 1),
    "no YAML": (b"a: [", 1),
    "no text": (b"\xff", 1),
    "a key twice": (b"format: 1\nformat: 1\n", 1),
    "an alias": (b"format: &a 1\n", 1),
    "an unknown provider": (b"format: 1\nadjustments: {nobody: {}}\n", 1),
    "two unknown providers": (b"format: 1\nadjustments: {foo: {}}\nprices: {bar: []}\n", 2),
    "a ratio above one": (b"format: 1\nadjustments: {openai: {discount_ratio: 1.5}}\n", 1),
    "an unknown field": (b"format: 1\nadjustments: {openai: {rebate: 1}}\n", 1),
    "a minus and no day": (OWN_FILE.replace(b"uncached: 4,", b"uncached: -4,")
                           .replace(b"as_of: 2026-11-20", b"as_of: soon"), 2),
    "an end before its start": (OWN_FILE.replace(b"2026-12-01", b"2026-10-01"), 1),
    "a model twice": (OWN_FILE.replace(b"our-tuned-model", b"CLAUDE-opus-5"), 1),
    "a provider that is listed": (NEW_SELLER.replace(b"house-gateway", b"openai"), 1),
    "a provider without prices": (b"format: 1\nproviders: {house: {name: Our house}}\n", 1),
    "a mode of no kind": (NEW_SELLER.replace(b"multiplier: 0.5", b"multiplier: half"), 1),
    "a mode that says nothing": (NEW_SELLER.replace(b"multiplier: 0.5", b""), 1),
    "a mode that is none": (NEW_SELLER.replace(b"batch:", b"slow:"), 1),
    "an alias of another model": (OWN_FILE.replace(b"[tuned]", b"[claude-haiku-4-5]"), 1),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_is_one_sentence(name: str) -> None:
    raw, expected = FAULTS[name]
    faults = own_faults(raw, "mine.yaml", load_book())
    assert len(faults) == expected
    for fault in faults:
        for language in LANGUAGES:
            words = say(language, fault.message)
            assert "mine.yaml" in words
            assert "prices." not in words
    with pytest.raises(DataError):
        parse_own(raw, "mine.yaml", load_book())


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="bad_table"):
        read_own(tmp_path / "nothing.yaml", load_book())


@given(st.binary(max_size=300))
def test_any_bytes_are_own_prices_or_faults(raw: bytes) -> None:
    faults = own_faults(raw, "mine.yaml", load_book())
    assert faults or parse_own(raw, "mine.yaml", load_book()).digest
