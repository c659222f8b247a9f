"""The provider's rules one by one, on requests small enough to check by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.prompt_cache_oracle import FIVE_MINUTES_S, ONE_HOUR_S, OracleRequest, simulate
from messages.catalogue import LANGUAGES, say
from messages.errors import InputError

SHORT, LONG = FIVE_MINUTES_S, ONE_HOUR_S


def ask(arrival_s, ids, points, response_s=0.0, tokens=1_000, scope="s", minimum=0):
    """A request whose blocks all have `tokens` tokens."""
    return OracleRequest(
        arrival_s=arrival_s,
        response_s=response_s,
        scope=scope,
        blocks=tuple((block_id, tokens) for block_id in ids),
        breakpoints=tuple(points),
        min_cacheable_tokens=minimum,
    )


def reads(*requests, **options):
    return [result.read for result in simulate(requests, **options)]


def test_the_second_request_reads_what_the_first_wrote():
    first, second = simulate([ask(0, "ab", [(2, SHORT)]), ask(1, "abc", [(3, SHORT)])])
    assert (first.read, first.write_5m, first.uncached) == (0, 2_000, 0)
    assert (second.read, second.write_5m, second.uncached) == (2_000, 1_000, 0)


def test_what_follows_the_last_breakpoint_is_ordinary_input():
    (only,) = simulate([ask(0, "abcd", [(2, SHORT)])])
    assert (only.write_5m, only.uncached) == (2_000, 2_000)


def test_a_request_without_breakpoints_neither_writes_nor_reads():
    first, second = simulate([ask(0, "ab", [(2, SHORT)]), ask(1, "ab", [])])
    assert (second.read, second.write_5m, second.uncached) == (0, 0, 2_000)
    assert first.write_5m == 2_000


def test_an_empty_prompt_is_four_zeros():
    (only,) = simulate([ask(0, "", [])])
    assert (only.read, only.write_5m, only.write_1h, only.uncached, only.prompt) == (0,) * 5


@pytest.mark.parametrize("ttl_s", [SHORT, LONG])
def test_an_entry_is_gone_exactly_at_its_lifetime(ttl_s):
    write = ask(0.1, "a", [(1, ttl_s)])
    assert reads(write, ask(0.1 + ttl_s - 0.001, "a", [(1, ttl_s)])) == [0, 1_000]
    assert reads(write, ask(0.1 + ttl_s, "a", [(1, ttl_s)])) == [0, 0]


def test_a_lifetime_counts_from_the_start_of_the_request_not_from_its_answer():
    slow = ask(0, "a", [(1, SHORT)], response_s=200)
    assert reads(slow, ask(299, "a", [(1, SHORT)])) == [0, 1_000]
    assert reads(slow, ask(301, "a", [(1, SHORT)])) == [0, 0]


def test_a_read_restarts_the_lifetime():
    requests = [ask(at_s, "a", [(1, SHORT)]) for at_s in (0, 250, 500, 750, 1_050)]
    assert reads(*requests) == [0, 1_000, 1_000, 1_000, 0]


def test_a_read_restarts_only_the_entry_that_was_found():
    requests = [
        ask(0, "a", [(1, SHORT)]),
        ask(100, "ab", [(2, SHORT)]),
        ask(290, "ab", [(2, SHORT)]),
        ask(400, "a", [(1, SHORT)]),
    ]
    assert reads(*requests) == [0, 1_000, 2_000, 0]


def test_each_breakpoint_restarts_the_entry_that_it_finds():
    requests = [
        ask(0, "ab", [(1, SHORT), (2, SHORT)]),
        ask(290, "ab", [(1, SHORT), (2, SHORT)]),
        ask(500, "ac", [(1, SHORT), (2, SHORT)]),
    ]
    assert reads(*requests) == [0, 2_000, 1_000]


def test_requests_sent_together_all_write_until_the_first_answer_begins():
    requests = [
        ask(0, "a", [(1, SHORT)], response_s=2),
        ask(1.999, "a", [(1, SHORT)], response_s=9),
        ask(2, "a", [(1, SHORT)], response_s=9),
    ]
    assert reads(*requests) == [0, 0, 1_000]


def test_equal_times_are_served_in_file_order():
    requests = [ask(5, "a", [(1, SHORT)]), ask(5, "a", [(1, SHORT)])]
    assert reads(*requests) == [0, 1_000]


def test_requests_are_served_by_arrival_and_answered_in_the_order_given():
    requests = [ask(10, "a", [(1, SHORT)]), ask(0, "a", [(1, SHORT)])]
    assert reads(*requests) == [1_000, 0]


def test_a_prefix_below_the_minimum_is_silently_not_cached():
    short = [ask(at_s, "a", [(1, SHORT)], tokens=1_023, minimum=1_024) for at_s in (0, 1)]
    assert [r.uncached for r in simulate(short)] == [1_023, 1_023]
    enough = [ask(at_s, "a", [(1, SHORT)], tokens=1_024, minimum=1_024) for at_s in (0, 1)]
    assert reads(*enough) == [0, 1_024]


def test_a_short_first_breakpoint_does_not_stop_a_long_second_one():
    requests = [ask(at_s, "abc", [(1, SHORT), (3, SHORT)], minimum=2_000) for at_s in (0, 1)]
    first, second = simulate(requests)
    assert (first.write_5m, second.read) == (3_000, 3_000)


def test_scopes_do_not_see_each_other():
    one = ask(0, "a", [(1, SHORT)], scope=("search", "claude-opus-5"))
    other_model = replace(one, scope=("search", "claude-sonnet-5"))
    other_workspace = replace(one, scope=("billing", "claude-opus-5"))
    assert reads(one, other_model, other_workspace, one) == [0, 0, 0, 1_000]


@pytest.mark.parametrize(("new_blocks", "read"), [(19, 1_000), (20, 0)])
def test_look_back_is_twenty_positions_the_breakpoint_included(new_blocks, read):
    later = ask(1, range(1 + new_blocks), [(1 + new_blocks, SHORT)])
    assert reads(ask(0, [0], [(1, SHORT)]), later) == [0, read]
    assert reads(ask(0, [0], [(1, SHORT)]), later, lookback_positions=None) == [0, 1_000]


def test_an_earlier_breakpoint_reads_what_is_out_of_the_last_ones_sight():
    head = ask(0, [0], [(1, LONG)])
    later = ask(1, range(30), [(1, LONG), (30, SHORT)])
    assert reads(head, later) == [0, 1_000]


def test_positions_between_breakpoints_are_not_written():
    whole = ask(0, "abc", [(3, SHORT)])
    assert reads(whole, ask(1, "abx", [(3, SHORT)])) == [0, 0]


def test_a_changed_first_block_changes_everything_after_it():
    assert reads(ask(0, "abc", [(3, SHORT)]), ask(1, "xbc", [(3, SHORT)])) == [0, 0]


def test_mixed_lifetimes_are_billed_as_three_stretches():
    """A = highest hit, B = highest one-hour breakpoint after A, C = last breakpoint."""
    points = [(1, LONG), (2, LONG), (4, SHORT)]
    (cold,) = simulate([ask(0, "abcde", points)])
    assert (cold.read, cold.write_1h, cold.write_5m, cold.uncached) == (0, 2_000, 2_000, 1_000)
    _, warm = simulate([ask(0, "a", [(1, LONG)]), ask(1, "abcde", points)])
    assert (warm.read, warm.write_1h, warm.write_5m, warm.uncached) == (1_000, 1_000, 2_000, 1_000)
    _, past_b = simulate([ask(0, "abc", [(3, SHORT)]), ask(1, "abcde", points)])
    assert (past_b.read, past_b.write_1h, past_b.write_5m) == (3_000, 0, 1_000)


def test_the_hour_entry_outlives_the_five_minute_one_of_the_same_request():
    points = [(1, LONG), (2, SHORT)]
    assert reads(ask(0, "ab", points), ask(1_200, "ab", points)) == [0, 1_000]


def test_an_entry_keeps_the_lifetime_that_was_paid_for():
    """D17: a five-minute entry that an hour's breakpoint reads is not made an hour's entry."""
    requests = [
        ask(0, "a", [(1, SHORT)]),
        ask(100, "a", [(1, LONG)]),
        ask(399, "a", [(1, LONG)]),
        ask(700, "a", [(1, LONG)]),
    ]
    assert reads(*requests) == [0, 1_000, 1_000, 0]


def test_a_breakpoint_inside_what_was_read_leaves_an_entry_for_nothing():
    requests = [
        ask(0, "ab", [(2, SHORT)]),
        ask(1, "ab", [(1, SHORT), (2, SHORT)]),
        ask(
            2,
            "ax",
            [
                (2, SHORT),
            ],
        ),
    ]
    results = simulate(requests)
    assert results[1].write_5m == 0
    assert results[2].read == 1_000


def test_an_entry_left_for_nothing_lives_no_longer_than_the_one_that_was_read():
    requests = [
        ask(0, "ab", [(2, SHORT)]),
        ask(1, "ab", [(1, LONG), (2, SHORT)]),
        ask(300, "ax", [(2, SHORT)]),
        ask(601, "ay", [(2, SHORT)]),
    ]
    assert reads(*requests) == [0, 2_000, 1_000, 0]


def test_a_second_writer_does_not_delay_the_first_ones_entry():
    requests = [
        ask(0, "a", [(1, SHORT)], response_s=3),
        ask(1, "a", [(1, SHORT)], response_s=60),
        ask(4, "a", [(1, SHORT)]),
        ask(303, "a", [(1, SHORT)]),
    ]
    assert reads(*requests) == [0, 0, 1_000, 1_000]


def test_two_lifetimes_written_together_are_two_entries():
    """The hour's answer began first: it is read and restarted, the other is still being made."""
    requests = [
        ask(0, "a", [(1, SHORT)], response_s=10),
        ask(1, "a", [(1, LONG)]),
        ask(2, "a", [(1, SHORT)]),
        ask(3_601.5, "a", [(1, SHORT)]),
    ]
    assert reads(*requests) == [0, 0, 1_000, 1_000]


def test_a_rewritten_entry_is_readable_only_when_the_new_answer_begins():
    requests = [
        ask(0, "a", [(1, SHORT)]),
        ask(400, "a", [(1, SHORT)], response_s=5),
        ask(404, "a", [(1, SHORT)]),
        ask(405, "a", [(1, SHORT)]),
    ]
    assert reads(*requests) == [0, 0, 0, 1_000]


@pytest.mark.parametrize(
    "points",
    [
        [(1, SHORT), (2, SHORT), (3, SHORT), (4, SHORT), (5, SHORT)],
        [(2, SHORT), (1, SHORT)],
        [(1, SHORT), (1, SHORT)],
        [(1, SHORT), (2, LONG)],
        [(6, SHORT)],
        [(0, SHORT)],
        [(1, 1_800)],
    ],
)
def test_breakpoints_that_the_provider_refuses_are_refused_with_their_row(points):
    with pytest.raises(InputError) as refused:
        simulate([ask(0, "abcde", []), ask(1, "abcde", points)])
    for language in LANGUAGES:
        words = say(language, refused.value.message)
        assert "2" in words
        assert f"{points[0][0]} ({points[0][1]} s)" in words


def test_four_breakpoints_are_accepted():
    points = [(1, LONG), (2, LONG), (3, SHORT), (4, SHORT)]
    (only,) = simulate([ask(0, "abcde", points)])
    assert (only.write_1h, only.write_5m, only.uncached) == (2_000, 2_000, 1_000)


@st.composite
def workloads(draw, longest_s=3_599.0):
    """Requests over few ids, so that prefixes are shared, each with up to four breakpoints."""
    made = []
    for _ in range(draw(st.integers(1, 14))):
        ids = draw(st.lists(st.integers(0, 2), min_size=0, max_size=8))
        sizes = [100 + 10 * place + block_id for place, block_id in enumerate(ids)]
        places = sorted(draw(st.sets(st.integers(1, len(ids)), max_size=4))) if ids else []
        hours = draw(st.integers(0, len(places)))
        made.append(
            OracleRequest(
                arrival_s=draw(st.floats(0, longest_s)),
                response_s=draw(st.sampled_from([0.0, 0.5, 30.0, 400.0])),
                scope=draw(st.sampled_from(["one", "two"])),
                blocks=tuple(zip(ids, sizes, strict=True)),
                breakpoints=tuple(
                    (after, LONG if number < hours else SHORT)
                    for number, after in enumerate(places)
                ),
                min_cacheable_tokens=draw(st.sampled_from([0, 150])),
            )
        )
    return made


def with_lifetime(requests, ttl_s):
    return [
        replace(r, breakpoints=tuple((after, ttl_s) for after, _ in r.breakpoints))
        for r in requests
    ]


@given(workloads(longest_s=20_000.0))
def test_the_four_buckets_always_add_up_to_the_prompt(requests):
    for request, result in zip(requests, simulate(requests), strict=True):
        assert result.prompt == sum(tokens for _, tokens in request.blocks)
        assert min(result.read, result.write_5m, result.write_1h, result.uncached) >= 0


@given(workloads(longest_s=20_000.0))
def test_the_same_requests_always_give_the_same_buckets(requests):
    assert simulate(requests) == simulate(list(requests))


@given(workloads())
def test_a_lifetime_that_outlasts_the_trace_never_reads_less(requests):
    """Within one hour nothing written for an hour expires."""
    short = reads(*with_lifetime(requests, SHORT))
    long = reads(*with_lifetime(requests, LONG))
    assert all(more >= less for more, less in zip(long, short, strict=True))


@given(workloads(longest_s=20_000.0))
def test_wider_look_back_reads_no_less_where_nothing_expires_meanwhile(requests):
    within = [replace(r, arrival_s=r.arrival_s / 100) for r in with_lifetime(requests, LONG)]
    near, far = reads(*within, lookback_positions=2), reads(*within, lookback_positions=None)
    assert all(more >= less for more, less in zip(far, near, strict=True))


@given(workloads(longest_s=20_000.0))
def test_the_first_request_of_a_scope_reads_nothing(requests):
    results = simulate(requests)
    order = sorted(range(len(requests)), key=lambda row: requests[row].arrival_s)
    for scope in ("one", "two"):
        rows = [row for row in order if requests[row].scope == scope]
        assert not rows or results[rows[0]].read == 0


def test_a_longer_lifetime_can_lose_a_short_entry_that_longer_hits_left_unread():
    """A known consequence of restarting only what is found: with five minutes the long prefix
    dies, the short one is read and stays warm; with an hour the long one is read every time and
    the short one, never read, ages out."""
    requests = [ask(0, "a", [(1, SHORT)]), ask(10, "ab", [(2, SHORT)])]
    requests += [ask(at_s, "a", [(1, SHORT)]) for at_s in (200, 400)]
    requests += [ask(at_s, ("a", "b", f"c{at_s}"), [(3, SHORT)]) for at_s in range(600, 4_201, 200)]
    requests.append(ask(4_300, "a", [(1, SHORT)]))
    assert reads(*with_lifetime(requests, SHORT))[-1] == 1_000
    assert reads(*with_lifetime(requests, LONG))[-1] == 0
