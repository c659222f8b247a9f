"""The bundled example is a whole day, the same everywhere, and shows what it is there to show."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pytest

from econ.example import (
    EXAMPLE_SEED,
    example_receipt,
    example_requests,
    example_workload,
)
from econ.example_plan import MIN_CACHEABLE_TOKENS, Dice
from econ.oracle_requests import own_requests
from econ.prompt_cache_oracle import OracleResult, simulate
from econ.workload import ALL_COLUMNS, digest
from messages.catalogue import LANGUAGES, say
from price_tables.load import load_book
from price_tables.lookup import price_at, rate_card
from tests.econ_structure.made import MILLION, bill_usd, prices

DIGEST = "1704633727f6fac4c2293d41706d845911418e008fba3ecd2f899edad5b6218a"


@pytest.fixture(scope="module")
def example():
    return example_workload()


@pytest.fixture(scope="module")
def buckets(example):
    """One (team, model, buckets, output tokens) a row."""
    columns = ("cached_read_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens")
    read, short, hour = (example.ints(column).tolist() for column in columns)
    rows = zip(
        example.text("team").decode(),
        example.text("model").decode(),
        example.ints("input_tokens").tolist(),
        read,
        short,
        hour,
        example.ints("output_tokens").tolist(),
        strict=True,
    )
    return [
        (
            team,
            model,
            OracleResult(read=r, write_5m=s, write_1h=h, uncached=prompt - r - s - h),
            output,
        )
        for team, model, prompt, r, s, h, output in rows
    ]


def bills_by_team(buckets):
    """(as billed, no caching) in USD by team, priced by hand."""
    bills = defaultdict(lambda: [Decimal(0), Decimal(0)])
    for team, model, result, output in buckets:
        bills[team][0] += bill_usd([result], output, model)
        per_input, *_, per_output = prices(model)
        bills[team][1] += (per_input * result.prompt + per_output * output) / MILLION
    return {team: tuple(pair) for team, pair in bills.items()}


def test_the_example_is_the_same_on_every_machine(example):
    assert digest(example) == DIGEST
    assert digest(example_workload(EXAMPLE_SEED)) == DIGEST


def test_another_seed_gives_another_day():
    assert digest(example_workload(7)) != DIGEST


def test_dice_fall_as_python_promises_for_a_seed():
    """random() of a seeded generator is promised to stay; nothing else of it is used."""
    dice = Dice(1)
    assert [dice.between(1, 6) for _ in range(8)] == [1, 6, 5, 2, 3, 3, 4, 5]


def test_the_observed_tokens_are_the_oracles_own(example):
    """The simulator's error on this file is zero by construction."""
    results = simulate(example_requests())
    assert example.ints("cached_read_tokens").tolist() == [r.read for r in results]
    assert example.ints("cache_write_5m_tokens").tolist() == [r.write_5m for r in results]
    assert example.ints("cache_write_1h_tokens").tolist() == [r.write_1h for r in results]
    assert example.ints("input_tokens").tolist() == [r.prompt for r in results]


def test_the_workload_alone_gives_back_the_same_requests(example):
    assert own_requests(example, MIN_CACHEABLE_TOKENS) == example_requests()


def test_headline_figures(example, buckets):
    assert example.rows == 2_199
    total = {
        name: sum(getattr(result, name) for _, _, result, _ in buckets)
        for name in ("read", "write_5m", "write_1h", "uncached", "prompt")
    }
    assert total == {
        "read": 88_532_186,
        "write_5m": 19_247_266,
        "write_1h": 3_026_720,
        "uncached": 393_818,
        "prompt": 111_199_990,
    }
    assert int(example.ints("output_tokens").sum()) == 1_266_454
    assert round(total["read"] / total["prompt"], 4) == 0.7962


def test_caching_saves_overall_and_loses_for_the_team_with_the_timestamp(buckets):
    bills = bills_by_team(buckets)
    assert bills == {
        "team-search": (Decimal("47.16166770"), Decimal("208.532634")),
        "team-platform": (Decimal("37.27944255"), Decimal("151.938386")),
        "team-billing": (Decimal("85.38722125"), Decimal("68.919120")),
    }
    assert sum(billed for billed, _ in bills.values()) == Decimal("169.82833150")
    assert sum(none for _, none in bills.values()) == Decimal("429.390140")


def test_the_team_with_the_timestamp_never_reads(buckets):
    assert sum(result.read for team, _, result, _ in buckets if team == "team-billing") == 0


def test_it_is_one_working_day_in_utc(example):
    times = example.times("arrival_utc")
    assert set(times.astype("datetime64[D]").astype(str)) == {"2026-11-18"}
    assert (np.diff(times) >= np.timedelta64(0)).all()
    seconds = (times - times[0]) / np.timedelta64(1, "s")
    assert np.allclose(example.floats("arrival_s"), seconds, rtol=0, atol=1e-6)
    assert (example.floats("finished_s") >= example.floats("response_s")).all()


def test_every_column_that_it_has_is_filled_and_known(example):
    for name in example.columns:
        assert name in ALL_COLUMNS
        assert example.has(name)
    assert set(example.text("provider").decode()) == {"anthropic"}
    assert None in example.text("user").decode()


def test_the_blocks_add_up_to_the_prompts(example):
    prefix = example.prefix
    sums = np.add.reduceat(prefix.block_tokens, prefix.offsets[:-1])
    assert sums.tolist() == example.ints("input_tokens").tolist()
    assert prefix.message_blocks
    assert len(prefix.bp_blocks) == len(prefix.bp_ttl_s) == prefix.bp_offsets[-1]


def test_the_ttl_column_is_the_lifetime_of_the_last_breakpoint(example):
    names = {300: "5m", 3600: "1h"}
    said = [names[r.breakpoints[-1][1]] if r.breakpoints else "none" for r in example_requests()]
    assert example.text("ttl").decode() == said
    assert set(said) == {"5m", "1h", "none"}


def chains(example):
    """Arrivals and models of each (session, agent), in order."""
    found = defaultdict(list)
    columns = (example.text(name).decode() for name in ("session_id", "agent", "model"))
    for session, agent, model, at_s in zip(*columns, example.floats("arrival_s"), strict=True):
        found[session, agent].append((at_s, model))
    return found


def test_sessions_pause_for_less_and_for_more_than_either_lifetime(example):
    gaps = np.concatenate([np.diff([at for at, _ in rows]) for rows in chains(example).values()])
    assert (gaps < 300).sum() > 1_000
    assert ((gaps > 300) & (gaps < 3_600)).sum() > 20
    assert (gaps > 3_600).sum() > 5


def test_some_sessions_switch_their_model_midway(example):
    main = [rows for (_, agent), rows in chains(example).items() if agent == "main"]
    switched = [rows for rows in main if len({model for _, model in rows}) == 2]
    assert len(switched) >= 3
    assert all(rows[0][1] != rows[-1][1] for rows in switched)


def test_parallel_sub_agents_pay_for_what_they_could_not_read_yet():
    requests = example_requests()
    at_once = [replace(request, response_s=0.0) for request in requests]
    reads = sum(result.read for result in simulate(requests))
    assert sum(result.read for result in simulate(at_once)) > reads


def test_some_prompts_grow_out_of_the_look_back():
    requests = example_requests()
    cut = simulate(requests)
    uncut = simulate(requests, lookback_positions=None)
    lost = sum(1 for near, far in zip(cut, uncut, strict=True) if far.read > near.read)
    assert lost >= 5


def test_small_prompts_are_below_the_minimum_and_stay_uncached(example, buckets):
    titles = [
        row
        for row, agent in zip(buckets, example.text("agent").decode(), strict=True)
        if agent == "title"
    ]
    assert len(titles) == 33
    for _, model, result, _ in titles:
        assert result.uncached == result.prompt < MIN_CACHEABLE_TOKENS[model]


def test_both_lifetimes_meet_in_one_request():
    mixed = [r for r in example_requests() if len({ttl_s for _, ttl_s in r.breakpoints}) == 2]
    assert len(mixed) > 300


def test_the_price_book_knows_the_models_of_the_example_at_that_day():
    """The prices written in these tests and the minimum lengths are those of the tables."""
    book = load_book()
    day = datetime(2026, 11, 18, 12, tzinfo=UTC)
    names = ("uncached", "read", "write_5m", "write_1h", "output")
    minimum = {model.id: model.min_cacheable_tokens for model in book.tables["anthropic"].models}
    for model, tokens in MIN_CACHEABLE_TOKENS.items():
        card = rate_card(book, provider="anthropic", model=model)
        row = price_at(card, day, 100_000)
        assert tuple(row.usd_per_mtok[name] for name in names) == prices(model)
        assert minimum[model] == tokens


def test_its_receipt_says_how_it_was_made_in_both_languages(example):
    receipt = example_receipt(example)
    assert receipt.rows_read == receipt.rows_kept == 2_199
    for language in LANGUAGES:
        words = [say(language, message) for message in receipt.assumptions]
        assert "20261118" in words[0]
        assert all(text and not text.startswith("example.") for text in words)
