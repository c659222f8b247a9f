"""The rate card and the row for one request (D10, D12, D13; SEMANTICS 1)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest

from price_tables.book import MODES, STORAGE, RateCard, Segment, Unpriced
from price_tables.load import load_book
from price_tables.lookup import price_at, rate_card
from price_tables.peak import peak_prices

BOOK = load_book()
AT = datetime(2026, 11, 29, tzinfo=UTC)
MTOK = 1_000_000


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def card(model: str, mode: str | None = None, **where: str) -> RateCard:
    found = rate_card(BOOK, model=model, mode=mode, **where)
    assert isinstance(found, RateCard), found
    return found


def row(
    model: str, mode: str | None = None, at: datetime = AT, prompt: int = 1, **where: str
) -> Segment:
    found = price_at(card(model, mode, **where), at, prompt)
    assert isinstance(found, Segment), found
    return found


def why(model: str, mode: str | None = None, at: datetime = AT, prompt: int = 1) -> str:
    found = rate_card(BOOK, model=model, mode=mode)
    if isinstance(found, RateCard):
        found = price_at(found, at, prompt)  # type: ignore[assignment]
    assert isinstance(found, Unpriced), found
    return found.reason.id


def test_d10_each_request_has_the_price_of_its_own_moment() -> None:
    before = row("gpt-5.6-sol", at=moment("2026-08-20T23:59:59+00:00"))
    after = row("gpt-5.6-sol", at=moment("2026-08-21T00:00:00+00:00"))
    assert 100_000 * before.usd_per_mtok["uncached"] / MTOK == Decimal("0.50")
    assert 100_000 * after.usd_per_mtok["uncached"] / MTOK == Decimal("0.40")


def test_d10_the_same_instant_in_another_zone_is_the_same_price() -> None:
    tokyo = moment("2026-08-21T08:59:59+09:00")
    assert row("gpt-5.6-sol", at=tokyo).usd_per_mtok["uncached"] == 5


def test_d12_batch_multiplies_with_cache_rates() -> None:
    batch = row("claude-opus-5", "batch")
    assert batch.usd_per_mtok["read"] == Decimal("0.25")
    assert batch.usd_per_mtok["write_5m"] == Decimal("3.125")
    assert batch.factors == ("batch x0.5",)


def test_d13_where_a_model_is_bought_changes_its_price() -> None:
    names = ("uncached", "write_5m", "read", "output")
    world = row("claude-sonnet-4-6", provider="bedrock", surface="global")
    region = row("claude-sonnet-4-6", provider="bedrock", surface="in-region")
    assert sum(world.usd_per_mtok[name] for name in names) == Decimal("22.05")
    assert sum(region.usd_per_mtok[name] for name in names) == Decimal("24.255")
    assert [region.usd_per_mtok[name] for name in names] == [
        Decimal("3.3"),
        Decimal("4.125"),
        Decimal("0.33"),
        Decimal("16.5"),
    ]
    assert region.factors == ("in-region x1.1",)


def test_the_articles_example_costs_50_5575_and_595() -> None:
    """100 questions on a contract of 100,000 tokens, Opus 5, contract part only."""
    prices = row("claude-opus-5").usd_per_mtok
    part = Decimal(100_000) / MTOK
    assert 100 * part * prices["uncached"] == 50
    assert part * prices["write_5m"] + 99 * part * prices["read"] == Decimal("5.575")
    assert part * prices["write_1h"] + 99 * part * prices["read"] == Decimal("5.95")


@pytest.mark.parametrize(
    ("model", "read", "write_5m", "write_1h"),
    [
        ("claude-opus-5", "0.1", "1.25", "2"),
        ("claude-opus-5-5", "0.05", "1.25", "2"),
        ("claude-fable-5-1", "0.025", "1.25", "2"),
        ("claude-fable-5-2", "0.025", "1.25", "2"),
    ],
)
def test_cache_factors_are_those_of_the_articles(
    model: str, read: str, write_5m: str, write_1h: str
) -> None:
    prices = row(model).usd_per_mtok
    assert prices["read"] / prices["uncached"] == Decimal(read)
    assert prices["write_5m"] / prices["uncached"] == Decimal(write_5m)
    assert prices["write_1h"] / prices["uncached"] == Decimal(write_1h)


@pytest.mark.parametrize(
    ("model", "at_limit", "above"),
    [
        ("gemini-3.1-pro-preview", (200_000, "2"), (200_001, "4")),
        ("gpt-5.4", (272_000, "2.5"), (272_001, "5")),
        ("claude-haiku-5-5", (100_000, "0.1"), (100_001, "0.5")),
        ("grok-4.7", (199_999, "2"), (200_000, "4")),
    ],
)
def test_a_long_prompt_reprices_the_whole_request_at_its_own_edge(
    model: str, at_limit: tuple[int, str], above: tuple[int, str]
) -> None:
    for prompt, usd in (at_limit, above):
        assert row(model, prompt=prompt).usd_per_mtok["uncached"] == Decimal(usd)


def test_of_several_tiers_the_highest_below_the_prompt_wins() -> None:
    found = [
        row("qwen3-coder-plus", prompt=n).usd_per_mtok["uncached"]
        for n in (0, 32_000, 32_001, 128_000, 128_001, 256_000, 256_001, 9_000_000)
    ]
    assert found == [1, 1, Decimal("1.8"), Decimal("1.8"), 3, 3, 6, 6]


def test_batch_after_tier_after_surface() -> None:
    """Haiku 5.5 past 100k in batch with US inference: 0.5 x 0.5 x 1.1."""
    long = row("claude-haiku-5-5", "batch", prompt=150_000, surface="us")
    assert long.usd_per_mtok["uncached"] == Decimal("0.275")
    assert long.usd_per_mtok["output"] == Decimal("1.375")
    assert long.factors == ("batch x0.5", "us x1.1")


def test_some_models_keep_the_read_price_in_batch() -> None:
    assert row("gpt-4.1", "batch").usd_per_mtok["read"] == Decimal("0.5")
    assert row("gpt-4.1", "batch").usd_per_mtok["uncached"] == 1
    audio = row("gemini-2.5-flash", "batch").usd_per_mtok
    assert audio["read_audio"] == Decimal("0.1")
    assert audio["uncached_audio"] == Decimal("0.5")


def test_a_mode_with_its_own_prices_replaces_all() -> None:
    fast = row("gpt-5-mini", "fast").usd_per_mtok
    assert (fast["uncached"], fast["read"], fast["output"]) == (
        Decimal("0.45"),
        Decimal("0.045"),
        Decimal("3.6"),
    )


def test_openai_calls_fast_priority_and_standard_default() -> None:
    assert card("gpt-5.4", "priority").mode == "fast"
    assert card("gpt-5.4", "default").mode == "standard"
    assert card("gemini-3.5-flash", "priority").mode == "priority"


def test_a_mode_that_takes_no_long_prompts_refuses_them() -> None:
    assert row("gpt-5.5", "fast", prompt=272_000).usd_per_mtok["uncached"] == Decimal("12.5")
    assert why("gpt-5.5", "fast", prompt=272_001) == "prices.long_prompt_refused"
    assert row("gpt-5.5", prompt=272_001).usd_per_mtok["uncached"] == 10


def test_modes_have_dates_of_their_own() -> None:
    last = moment("2026-08-05T23:59:59+00:00")
    assert row("claude-opus-4-7", "fast", at=last).usd_per_mtok["uncached"] == 30
    after = moment("2026-08-06T00:00:00+00:00")
    assert why("claude-opus-4-7", "fast", at=after) == "prices.outside_periods"
    before = moment("2026-05-11T23:59:59+00:00")
    assert why("claude-opus-4-7", "fast", at=before) == "prices.outside_periods"
    assert row("claude-opus-4-7", at=after).usd_per_mtok["uncached"] == 5


def test_a_factor_that_changes_changes_on_its_day() -> None:
    day = moment("2027-03-01T00:00:00+00:00")
    earlier = row("gpt-6.2-sol", "ultrafast", at=day - timedelta(microseconds=1))
    later = row("gpt-6.2-sol", "ultrafast", at=day)
    assert (earlier.usd_per_mtok["uncached"], later.usd_per_mtok["uncached"]) == (6, 12)
    assert later.status == "announced"


def test_a_price_change_that_was_called_off_never_fires() -> None:
    """Sonnet 5 was to cost 3 and 15 from 2026-09-01 on; it stayed at 2 and 10."""
    found = row("claude-sonnet-5", at=moment("2026-09-01T00:00:00+00:00"))
    assert (found.usd_per_mtok["uncached"], found.usd_per_mtok["output"]) == (2, 10)
    withdrawn = next(
        m for m in BOOK.tables["anthropic"].models if m.id == "claude-sonnet-5"
    ).withdrawn
    assert [w.usd_per_mtok["output"] for w in withdrawn] == [15]


def test_a_promotion_that_ran_out_is_marked_unverified() -> None:
    assert row("gpt-5.6-sol", at=moment("2026-11-21T23:59:59+00:00")).status == "promotional"
    assert row("gpt-5.6-sol", at=moment("2026-11-22T00:00:00+00:00")).status == "unverified"


def test_moments_outside_all_periods_are_unpriced_and_name_the_nearest() -> None:
    found = price_at(card("claude-opus-5"), moment("2026-07-23T23:59:59+00:00"), 1)
    assert isinstance(found, Unpriced)
    assert found.reason.id == "prices.outside_periods"
    nearest = found.reason.values["nearest"]
    assert str(nearest) == "prices.from(start=2026-07-24)"


def test_after_its_last_day_a_model_is_unpriced() -> None:
    assert row("claude-sonnet-4-5", at=moment("2026-11-29T23:59:59+00:00"))
    assert why("claude-sonnet-4-5", at=moment("2026-11-30T00:00:00+00:00")) == "prices.retired"


def test_a_moment_without_a_zone_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="time zone"):
        price_at(card("claude-opus-5"), datetime(2026, 11, 29), 1)  # noqa: DTZ001


def test_free_writes_cost_what_input_costs_and_priced_ones_do_not() -> None:
    free = row("gpt-5.4").usd_per_mtok
    assert free["write_5m"] == free["write_30m"] == free["uncached"] == Decimal("2.5")
    assert row("gpt-5.4", "batch").usd_per_mtok["write_30m"] == Decimal("1.25")
    assert "write_5m" not in row("gpt-6-sol").usd_per_mtok
    assert row("gpt-6-sol").usd_per_mtok["write_12h"] == 5
    assert "write_30m" not in row("claude-opus-5").usd_per_mtok
    assert row("claude-opus-5", provider="vertex").usd_per_mtok["write_1h"] == 10
    assert row("gemini-3.5-flash", provider="vertex").usd_per_mtok["write_1h"] == Decimal("1.5")


def test_a_bucket_without_a_price_is_absent_never_zero() -> None:
    assert "read" not in row("gpt-5.5-pro").usd_per_mtok
    assert "read" not in row("qwen/qwen3.8-27b").usd_per_mtok
    assert "write_12h" not in row("gpt-5.6-terra", provider="azure-openai").usd_per_mtok
    assert "write_12h" in row("gpt-5.6-terra").usd_per_mtok


def test_bedrock_has_no_caching_in_batch() -> None:
    found = row("anthropic.claude-opus-5", "batch", surface="global").usd_per_mtok
    assert found == {"uncached": Decimal("2.5"), "output": Decimal("12.5")}
    nova = row("amazon.nova-pro-v1:0", "batch", surface="global").usd_per_mtok
    assert nova.keys() == {"uncached", "output"}


def test_storage_is_not_a_token_price() -> None:
    plain, batch = row("gemini-3.5-flash"), row("gemini-3.5-flash", "batch")
    assert plain.usd_per_mtok[STORAGE] == batch.usd_per_mtok[STORAGE] == 1


@pytest.mark.parametrize(
    ("provider", "surface", "model", "factor"),
    [
        ("anthropic", "us", "claude-opus-5", "1.1"),
        ("anthropic", "us", "claude-sonnet-4-6", "1.1"),
        ("anthropic", "us", "claude-haiku-4-5", "1"),
        ("anthropic", "us", "claude-opus-4-5", "1"),
        ("openai", "regional", "gpt-5.4", "1.1"),
        ("openai", "regional", "gpt-6.2-sol", "1.1"),
        ("openai", "regional", "gpt-5.3-codex", "1"),
        ("openai", "regional", "gpt-4.1", "1"),
        ("bedrock", "geo", "claude-opus-5", "1.1"),
        ("bedrock", "in-region", "claude-opus-4-1", "1"),
        ("vertex", "regional", "claude-opus-5", "1.1"),
        ("vertex", "regional", "claude-opus-4-6", "1.1"),
        ("vertex", "regional", "gemini-4-argon", "1"),
        ("azure-openai", "data-zone", "gpt-5.6-sol", "1.1"),
        ("azure-openai", "data-zone", "gpt-4o", "1.1"),
    ],
)
def test_regional_factors_apply_to_the_models_they_are_stated_for(
    provider: str, surface: str, model: str, factor: str
) -> None:
    listed = row(model, provider=provider, surface="global").usd_per_mtok
    billed = row(model, provider=provider, surface=surface).usd_per_mtok
    for name, price in listed.items():
        assert billed[name] == price * (1 if name == STORAGE else Decimal(factor))


def test_a_surcharge_that_no_source_lists_is_an_assumption() -> None:
    ids = [m.id for m in card("claude-haiku-4-5", surface="us").assumptions]
    assert ids == ["prices.surcharge_not_listed"]
    assert card("claude-opus-4-1", provider="bedrock", surface="geo").assumptions[-1].id == (
        "prices.matched_by_decoration"
    )


def test_unknown_modes_and_modes_without_a_price_say_so() -> None:
    assert why("claude-opus-5", "turbo") == "prices.unknown_mode"
    assert why("claude-opus-5", "flex") == "prices.mode_not_priced"
    assert why("gpt-6.2-sol", "flex") == "prices.mode_not_priced"


def test_cards_are_remembered() -> None:
    assert card("claude-opus-5") is card("claude-opus-5")
    assert rate_card(BOOK, model="nothing") is rate_card(BOOK, model="nothing")


def all_cards() -> list[RateCard]:
    return [
        found
        for table in BOOK.tables.values()
        for model in table.models
        for surface in table.surfaces
        for mode in MODES
        if isinstance(
            found := rate_card(
                BOOK, provider=table.provider, surface=surface, model=model.id, mode=mode
            ),
            RateCard,
        )
    ]


CARDS = all_cards()


def test_every_price_is_a_whole_number_of_the_smallest_money_step() -> None:
    """1e-13 USD a token is 1e-7 USD a million tokens: all tables, modes, surfaces and peaks."""
    seen = 0
    for found in CARDS:
        for segment in found.segments:
            for prices in (segment.usd_per_mtok, peak_prices(segment)):
                for price in prices.values():
                    assert price * 10**7 == int(price * 10**7)
                    seen += 1
    assert seen > 10_000


def test_segments_tile_time_and_tiers_rise() -> None:
    for found in CARDS:
        starts = [
            (s.valid_from or datetime.min.replace(tzinfo=UTC), s.above_tokens)
            for s in found.segments
        ]
        assert starts == sorted(set(starts))
        base = [s for s in found.segments if s.above_tokens == 0]
        for before, after in pairwise(base):
            assert before.valid_to is not None
            assert after.valid_from is not None
            assert before.valid_to <= after.valid_from


def test_a_price_is_written_in_one_way() -> None:
    assert str(row("gpt-4o", "batch").usd_per_mtok["uncached"]) == "1.25"
    assert str(row("gpt-4o", "batch").usd_per_mtok["output"]) == "5"
    assert str(row("gpt-6-cyber", surface="regional").usd_per_mtok["output"]) == "110"


def test_writing_never_costs_less_than_reading() -> None:
    for found in CARDS:
        for segment in found.segments:
            prices = segment.usd_per_mtok
            for name in prices:
                if name.startswith("write_") and "read" in prices:
                    assert prices[name] >= prices["read"]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("qwen-plus", ["prices.explicit_reads_as_read", "prices.thinking_as_output"]),
        ("qwen3.7-max", ["prices.explicit_reads_as_read"]),
        ("qwen3.8-max", []),  # both kinds of reads cost the same
        ("qwen3.6-plus", []),  # no price of plain reads: such rows are unpriced
    ],
)
def test_prices_that_counts_cannot_choose_between_are_said(model: str, said: list[str]) -> None:
    card = rate_card(load_book(), provider="alibaba", model=model)
    assert isinstance(card, RateCard)
    ids = [message.id for message in card.assumptions]
    assert [key for key in ids if key != "prices.surface_assumed"] == said
