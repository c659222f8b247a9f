"""Worked values of the demands, the article and the Mooncake trace, priced by hand."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given

from econ.oracle_requests import own_requests
from econ.prompt_cache_oracle import (
    FIVE_MINUTES_S,
    ONE_HOUR_S,
    OracleRequest,
    shared_prefix,
    simulate,
    whole_prompt,
)
from econ.workload import Prefix
from messages.catalogue import LANGUAGES, say
from messages.errors import InputError
from tests.econ_structure.made import bill_usd, blocks, mooncake_rows, table
from tests.econ_structure.test_prompt_cache_oracle import workloads

SHORT, LONG = FIVE_MINUTES_S, ONE_HOUR_S


def three_requests():
    """D19: shared 20,000 tokens, 500 fresh each, at 0, 200 and 900 seconds."""
    return [
        OracleRequest(arrival_s=at_s, blocks=((1, 20_000), (100 + at_s, 500)))
        for at_s in (0, 200, 900)
    ]


@pytest.mark.parametrize(("ttl_s", "usd"), [(SHORT, "0.305"), (LONG, "0.265")])
def test_d19_one_breakpoint_after_the_shared_prefix(ttl_s, usd):
    results = simulate(shared_prefix(three_requests(), ttl_s))
    assert bill_usd(results, output_tokens=1_500) == Decimal(usd)


def test_d19_without_caching():
    assert bill_usd(simulate(three_requests()), output_tokens=1_500) == Decimal("0.345")


def test_d19_automatic_mode_writes_three_times_and_reads_nothing():
    results = simulate(whole_prompt(three_requests(), SHORT))
    assert [r.read for r in results] == [0, 0, 0]
    assert [r.write_5m for r in results] == [20_500] * 3
    assert bill_usd(results, output_tokens=1_500) == Decimal("0.421875")


def test_d19_the_900_second_request_is_no_five_minute_hit():
    results = simulate(shared_prefix(three_requests(), SHORT))
    assert [r.read for r in results] == [0, 20_000, 0]


@pytest.mark.parametrize(("ttl_s", "usd"), [(None, "50"), (SHORT, "5.575"), (LONG, "5.95")])
def test_the_articles_hundred_questions_on_one_contract(ttl_s, usd):
    asked = [OracleRequest(arrival_s=60 * n, blocks=((1, 100_000),)) for n in range(100)]
    placed = asked if ttl_s is None else whole_prompt(asked, ttl_s)
    assert bill_usd(simulate(placed)) == Decimal(usd)


@pytest.mark.parametrize(
    ("ttl_s", "each_usd"), [(LONG, ["1.00", "0.05"]), (SHORT, ["0.625", "0.625"])]
)
def test_d17_a_pause_of_twenty_minutes_at_either_lifetime(ttl_s, each_usd):
    sent = [OracleRequest(arrival_s=at_s, blocks=((1, 100_000),)) for at_s in (0, 1_200)]
    results = simulate(whole_prompt(sent, ttl_s))
    assert [bill_usd([result]) for result in results] == [Decimal(usd) for usd in each_usd]


def test_d17_each_request_keeps_its_own_lifetime_in_one_log():
    """Main loop at one hour, sub-agent at five minutes, both after a pause of 20 minutes."""
    sent = [
        OracleRequest(arrival_s=at_s, blocks=((block_id, 100_000),), breakpoints=((1, ttl_s),))
        for at_s in (0, 1_200)
        for block_id, ttl_s in ((1, LONG), (2, SHORT))
    ]
    results = simulate(sent)
    assert bill_usd(results) == Decimal("1.00") + Decimal("0.05") + 2 * Decimal("0.625")
    penalty = bill_usd([results[3]]) - Decimal("0.05")
    assert penalty == Decimal("0.575")


def test_a_shared_prefix_is_the_longest_run_that_any_other_request_starts_with():
    sent = [
        OracleRequest(arrival_s=0, blocks=((1, 10), (2, 10), (3, 10))),
        OracleRequest(arrival_s=1, blocks=((1, 10), (2, 10), (4, 10))),
        OracleRequest(arrival_s=2, blocks=((1, 10), (5, 10))),
        OracleRequest(arrival_s=3, blocks=((6, 10),)),
    ]
    placed = [r.breakpoints for r in shared_prefix(sent, SHORT)]
    assert placed == [((2, SHORT),), ((2, SHORT),), ((1, SHORT),), ()]


def test_a_partial_block_is_not_shared():
    sent = [OracleRequest(arrival_s=n, blocks=((1, 512), (2, 100))) for n in range(2)]
    assert [r.breakpoints for r in shared_prefix(sent, SHORT, whole_block_tokens=512)] == [
        ((1, SHORT),),
        ((1, SHORT),),
    ]
    assert [r.breakpoints for r in shared_prefix(sent, SHORT)] == [((2, SHORT),)] * 2


def test_nothing_is_shared_across_scopes():
    sent = [OracleRequest(arrival_s=0, blocks=((1, 10),), scope=scope) for scope in "ab"]
    assert [r.breakpoints for r in shared_prefix(sent, SHORT)] == [(), ()]


@given(workloads(longest_s=20_000.0))
def test_placements_change_breakpoints_and_nothing_else(requests):
    for placed in (shared_prefix(requests, SHORT), whole_prompt(requests, LONG)):
        assert [r.blocks for r in placed] == [r.blocks for r in requests]
        assert [r.arrival_s for r in placed] == [r.arrival_s for r in requests]


@pytest.fixture(scope="module")
def mooncake(reference_data):
    return [
        OracleRequest(
            arrival_s=row["timestamp"] / 1000,
            blocks=tuple(
                (block_id, min(512, row["input_length"] - 512 * place))
                for place, block_id in enumerate(row["hash_ids"])
            ),
            min_cacheable_tokens=512,
        )
        for row in mooncake_rows(reference_data)
    ]


@pytest.mark.parametrize(
    ("placement", "ttl_s", "usd"),
    [
        ("shared", SHORT, "682.64"),
        ("shared", LONG, "699.84"),
        ("end", SHORT, "1003.10"),
        ("end", LONG, "1540.36"),
    ],
)
def test_mooncake_conversation_trace_on_opus_5(mooncake, placement, ttl_s, usd):
    if placement == "shared":
        placed = shared_prefix(mooncake, ttl_s, whole_block_tokens=512)
    else:
        placed = whole_prompt(mooncake, ttl_s)
    results = simulate(placed, lookback_positions=None)
    billed = bill_usd(results, output_tokens=4_122_048)
    assert billed.quantize(Decimal("0.01")) == Decimal(usd)


def test_a_workload_becomes_requests_with_its_own_breakpoints():
    prefix = blocks([[1, 2], [1, 2, 3]], block_tokens=512)
    prefix = Prefix(
        offsets=prefix.offsets,
        block_ids=prefix.block_ids,
        block_tokens=512,
        bp_offsets=prefix.offsets[[0, 0, 0]] + [0, 1, 3],
        bp_blocks=prefix.offsets[[0, 0, 0]] + [2, 2, 3],
        bp_ttl_s=prefix.offsets[[0, 0, 0]] + [300, 3600, 300],
    )
    made = table(
        2,
        prefix,
        arrival_s=[0.0, 1.5],
        response_s=[2.0, float("nan")],
        input_tokens=[600, 1_100],
        model=["claude-opus-5", "claude-haiku-4-5"],
        workspace=["w", None],
    )
    minimum = {"claude-opus-5": 512, "claude-haiku-4-5": 4096}
    assert own_requests(made, minimum) == [
        OracleRequest(
            arrival_s=0.0,
            response_s=2.0,
            scope=("w", "claude-opus-5"),
            blocks=((1, 512), (2, 88)),
            breakpoints=((2, 300),),
            min_cacheable_tokens=512,
        ),
        OracleRequest(
            arrival_s=1.5,
            response_s=0.0,
            scope=(None, "claude-haiku-4-5"),
            blocks=((1, 512), (2, 512), (3, 76)),
            breakpoints=((2, 3600), (3, 300)),
            min_cacheable_tokens=4096,
        ),
    ]


def test_a_workload_without_breakpoints_or_times_is_refused_in_words():
    plain = table(1, blocks([[1]]), arrival_s=[0.0], input_tokens=[512], model=["m"])
    with pytest.raises(InputError) as no_breakpoints:
        own_requests(plain, {"m": 0})
    zeros = blocks([[1]]).offsets
    prefix = Prefix(offsets=zeros, block_ids=zeros[1:], block_tokens=512, bp_offsets=zeros * 0)
    timeless = table(1, prefix, arrival_s=[float("nan")], input_tokens=[512], model=["m"])
    with pytest.raises(InputError) as no_arrival:
        own_requests(timeless, {"m": 0})
    for language in LANGUAGES:
        assert "made" in say(language, no_breakpoints.value.message)
        assert "1" in say(language, no_arrival.value.message)
