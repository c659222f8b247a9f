"""Figures of the articles that belong to a bill (docs/articles.md): computed, not quoted."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from econ.billing import Bill, BillingOptions, bill
from econ.workload import Text, Workload
from price_tables.book import PriceBook, Segment
from price_tables.load import load_book
from price_tables.lookup import price_at, rate_card

ARTICLE_DAY = datetime(2026, 9, 15, tzinfo=UTC)
BOOK_DAY = datetime(2026, 11, 28, tzinfo=UTC)
CONTRACT_TOKENS = 100_000
QUESTIONS = 100


@pytest.fixture(scope="module")
def book() -> PriceBook:
    return load_book()


def segment(book: PriceBook, model: str, day: datetime, prompt_tokens: int = 1_000) -> Segment:
    """The price row of a model on a day, or a failed test."""
    card = rate_card(book, model=model)
    assert not hasattr(card, "reason"), card
    row = price_at(card, day, prompt_tokens)  # type: ignore[arg-type]
    assert isinstance(row, Segment), row
    return row


def read_multiplier(book: PriceBook, model: str, day: datetime) -> Decimal:
    """Read price over input price of a model on a day."""
    prices = segment(book, model, day).usd_per_mtok
    return prices["read"] / prices["uncached"]


def workload(**columns: list[int]) -> Workload:
    """Requests of claude-opus-5, a minute apart, on the articles' day."""
    rows = len(next(iter(columns.values())))
    start = np.datetime64(ARTICLE_DAY.replace(tzinfo=None), "us")
    times = start + np.arange(rows) * np.timedelta64(60_000_000, "us")
    counts = {name: np.asarray(values, dtype=np.int64) for name, values in columns.items()}
    model = Text.constant("claude-opus-5", rows)
    named = {**counts, "arrival_utc": times, "model": model}
    return Workload(name="made up", format="test", rows=rows, columns=named)


def billed(book: PriceBook, **columns: list[int]) -> Bill:
    """The bill of `workload(...)`."""
    return bill(workload(**columns), book, BillingOptions())


def contract(book: PriceBook, write_column: str) -> Bill:
    """A 100,000-token contract, 100 questions one after another: contract tokens only."""
    later = QUESTIONS - 1
    return billed(
        book,
        **{
            "input_tokens": [CONTRACT_TOKENS] * QUESTIONS,
            "cached_read_tokens": [0] + [CONTRACT_TOKENS] * later,
            write_column: [CONTRACT_TOKENS] + [0] * later,
            "output_tokens": [0] * QUESTIONS,
        },
    )


def test_s22_output_costs_the_same_in_every_baseline(book: PriceBook) -> None:
    made = billed(
        book,
        input_tokens=[10_000, 10_000],
        cached_read_tokens=[0, 10_000],
        cache_write_5m_tokens=[10_000, 0],
        output_tokens=[2_000, 3_000],
    )
    output = Decimal("0.125")  # 5,000 tokens at 25 USD per million
    assert made.usd_by_bucket["output"].usd == output
    assert made.no_cache_by_bucket["output"].usd == output


def test_54_a_saving_can_be_a_loss(book: PriceBook) -> None:
    """Everything written for an hour, nothing ever read: 2 x the input price."""
    made = billed(
        book,
        input_tokens=[100_000] * 3,
        cached_read_tokens=[0] * 3,
        cache_write_1h_tokens=[100_000] * 3,
        output_tokens=[0] * 3,
    )
    assert made.no_cache.amount.usd == Decimal("1.5")
    assert made.billed.amount.usd == 3
    assert made.saving.amount.usd == Decimal("-1.5")


def test_k21_prices_of_the_articles_date_are_still_found_at_that_date(book: PriceBook) -> None:
    printed = {
        "claude-fable-5-1": {
            "uncached": "10",
            "write_5m": "12.50",
            "write_1h": "20",
            "read": "0.25",
        },
        "claude-opus-5": {"uncached": "5", "write_5m": "6.25", "write_1h": "10", "read": "0.50"},
        "claude-sonnet-5": {"read": "0.20"},
        "claude-haiku-4-5": {"read": "0.10"},
    }
    for model, prices in printed.items():
        row = segment(book, model, ARTICLE_DAY)
        found = {name: row.usd_per_mtok[name] for name in prices}
        assert found == {name: Decimal(price) for name, price in prices.items()}, model
    write = segment(book, "claude-opus-5", ARTICLE_DAY).usd_per_mtok
    assert write["write_5m"] / write["uncached"] == Decimal("1.25")
    assert write["write_1h"] / write["uncached"] == 2


def test_k21_newer_models_stand_beside_the_old_ones(book: PriceBook) -> None:
    for model in ("claude-fable-5-2", "claude-opus-5-5", "gpt-6-sol", "gemini-4-argon"):
        assert segment(book, model, BOOK_DAY).usd_per_mtok["uncached"] > 0


def test_k22_three_vendors_stood_at_a_tenth_but_for_one_model(book: PriceBook) -> None:
    for model in ("claude-opus-5", "gpt-5.6-sol", "gemini-3.1-pro-preview"):
        assert read_multiplier(book, model, ARTICLE_DAY) == Decimal("0.1"), model
    assert read_multiplier(book, "claude-fable-5-1", ARTICLE_DAY) == Decimal("0.025")


@pytest.mark.parametrize(
    ("model", "multiplier"),
    [
        ("claude-opus-5-5", "0.05"),
        ("claude-sonnet-5-5", "0.05"),
        ("gpt-6.1-sol", "0.05"),
        ("gpt-6.2-sol", "0.05"),
        ("gemini-4-argon", "0.05"),
        ("claude-fable-5-2", "0.025"),
        ("claude-mythos-5-1", "0.025"),
    ],
)
def test_k22_read_multipliers_have_moved_since(
    book: PriceBook, model: str, multiplier: str
) -> None:
    assert read_multiplier(book, model, BOOK_DAY) == Decimal(multiplier)


def test_k23_contract_example_costs_50_5575_595(book: PriceBook) -> None:
    five_minutes = contract(book, "cache_write_5m_tokens")
    one_hour = contract(book, "cache_write_1h_tokens")
    assert five_minutes.no_cache.amount.usd == 50
    assert five_minutes.billed.amount.usd == Decimal("5.575")
    assert one_hour.billed.amount.usd == Decimal("5.95")
    assert 1 - Decimal("5.575") / 50 == Decimal("0.8885")
    assert 1 - Decimal("5.95") / 50 == Decimal("0.881")


def test_k24_openai_lifetimes_belong_to_their_generation(book: PriceBook) -> None:
    rules = book.tables["openai"].cache_rules
    assert rules["gpt-5.6+"]["ttl_options"].value == ("30m", "12h")
    assert rules["gpt-5.6+"]["ttl_meaning"].value == "minimum"
    assert rules["pre-5.6"]["ttl_options"].value == ("in_memory", "24h")
    new = segment(book, "gpt-5.6-sol", ARTICLE_DAY).usd_per_mtok
    assert new["write_30m"] / new["uncached"] == Decimal("1.25")
    old = segment(book, "gpt-5.5", ARTICLE_DAY).usd_per_mtok
    assert old.get("write_30m", old["uncached"]) == old["uncached"]


def test_k24_twelve_hours_cost_two_and_a_half_times_the_input(book: PriceBook) -> None:
    prices = segment(book, "gpt-5.6-sol", BOOK_DAY).usd_per_mtok
    assert prices["write_12h"] / prices["uncached"] == Decimal("2.5")


def test_k25_storage_is_the_models_own_row(book: PriceBook) -> None:
    key = "storage_per_mtok_hour"
    assert segment(book, "gemini-3.1-pro-preview", ARTICLE_DAY).usd_per_mtok[key] == Decimal("4.5")
    fees = {
        period.usd_per_mtok[key]
        for model in book.tables["google"].models
        for period in model.periods
        if key in period.usd_per_mtok
    }
    assert (min(fees), max(fees)) == (Decimal("0.5"), Decimal("4.5"))


@pytest.mark.parametrize(
    ("rest_column", "edge"),
    [("uncached", Fraction(10, 11)), ("cache_write_5m_tokens", Fraction(25, 27))],
)
def test_k26_reads_outweigh_the_rest_only_above_91_or_926_percent(
    book: PriceBook, rest_column: str, edge: Fraction
) -> None:
    """At the edge, in whole tokens, reads cost what the rest of the input costs; one token less
    and they cost less. 10/11 = 90.9 %, 25/27 = 92.6 %."""

    def read_and_rest(read_tokens: int) -> tuple[Decimal, Decimal]:
        total = edge.denominator * 1_000
        columns = {
            "input_tokens": [total],
            "cached_read_tokens": [read_tokens],
            "cache_write_5m_tokens": [0],
            "output_tokens": [0],
        }
        if rest_column != "uncached":
            columns[rest_column] = [total - read_tokens]
        by_bucket = billed(book, **columns).usd_by_bucket
        usd = {name: amount.usd for name, amount in by_bucket.items()}
        read = usd.pop("read")
        assert read is not None
        return read, sum((part for part in usd.values() if part is not None), Decimal(0))

    at_edge = edge.numerator * 1_000
    read, rest = read_and_rest(at_edge)
    assert read == rest
    read, rest = read_and_rest(at_edge - 1)
    assert read < rest


def test_k26_at_75_percent_reads_are_23_percent_of_the_input_cost(book: PriceBook) -> None:
    made = billed(
        book, input_tokens=[1_000_000], cached_read_tokens=[750_000], output_tokens=[0]
    ).usd_by_bucket
    read, rest = made["read"].usd, made["uncached"].usd
    assert read == Decimal("0.375")
    assert rest == Decimal("1.25")
    assert round(read / (read + rest), 3) == Decimal("0.231")
