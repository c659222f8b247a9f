"""One hand-worked case a reason. claude-opus-5: input 5.00, write 6.25 (5 m) and 10.00 (1 h), read
0.50 USD per million tokens; the shortest prompt that is kept has 512 tokens."""

from __future__ import annotations

from decimal import Decimal

import pytest

from econ.miss_blocks import Rule
from econ.misses import OBSERVED_BLOCKS, OBSERVED_LOG, SIMULATED
from messages.errors import InputError
from tests.econ_misses.hand import BLOCK, MINUTE_S, blocks, look, tokens, usd, workload

FIVE, HOUR = 300, 3600


def log(**row: object) -> dict[str, object]:
    return {"model": "claude-opus-5", "output_tokens": 0, "session_id": "A", **row}


def two_sessions() -> list[dict[str, object]]:
    size = 100_000
    return [
        log(session_id="A", arrival_s=0.0, input_tokens=size, cache_write_1h_tokens=size),
        log(session_id="B", arrival_s=0.0, input_tokens=size, cache_write_5m_tokens=size),
        log(session_id="A", arrival_s=1200.0, input_tokens=size, cached_read_tokens=size),
        log(session_id="B", arrival_s=1200.0, input_tokens=size, cache_write_5m_tokens=size),
    ]


def test_each_entry_has_the_lifetime_that_it_was_written_with() -> None:
    """Session A at one hour: no expiry. B at five minutes: one, 900 s too late, 0.575 USD."""
    study = look(workload(two_sessions()))
    assert study.source == OBSERVED_LOG
    assert tokens(study) == {"new": 200_000, "expired": 100_000}
    assert usd(study) == {"new": Decimal("1.525"), "expired": Decimal("0.575")}
    (example,) = [one for one in study.examples if one.reason == "expired"]
    assert (example.session, example.row, example.late_s) == ("B", 4, 900.0)
    by_session = {one.key: tokens_of(one) for one in study.groups if one.by == "session"}
    assert by_session["A"] == {"new": 100_000}
    assert by_session["B"] == {"new": 100_000, "expired": 100_000}


def tokens_of(group: object) -> dict[str, int]:
    return {one.reason: one.tokens for one in group.reasons}  # type: ignore[attr-defined]


def test_an_entry_of_one_hour_outlives_one_of_five_minutes_in_the_same_prompt() -> None:
    """60,000 for an hour and 40,000 behind them for five minutes: after ten minutes the first part
    is read and only the second has expired."""
    rows = [
        log(arrival_s=0.0, input_tokens=100_000, cache_write_1h_tokens=60_000,
            cache_write_5m_tokens=40_000),
        log(arrival_s=600.0, input_tokens=100_000, cached_read_tokens=60_000,
            cache_write_5m_tokens=40_000),
    ]  # fmt: skip
    assert tokens(look(workload(rows))) == {"new": 100_000, "expired": 40_000}


def test_a_prompt_below_the_minimum_is_never_kept() -> None:
    rows = [{"ids": [1], "arrival_s": 0.0}, {"ids": [1], "arrival_s": 1.0}]
    found = blocks(rows)
    found.prefix.block_tokens[:] = 100  # type: ignore[union-attr,index]
    found.columns["input_tokens"][:] = 100  # type: ignore[index]
    assert tokens(look(found)) == {"below_minimum": 200}


def test_requests_sent_together_cannot_read_each_other() -> None:
    """The second comes one second later; the first begins to answer after three."""
    rows = [
        {"ids": [1, 2], "arrival_s": 0.0, "response_s": 3.0, "points": [(2, FIVE)]},
        {"ids": [1, 2], "arrival_s": 1.0, "response_s": 3.0, "points": [(2, FIVE)]},
        {"ids": [1, 2], "arrival_s": 9.0, "response_s": 3.0, "points": [(2, FIVE)]},
    ]
    study = look(blocks(rows))
    assert study.source == SIMULATED
    assert tokens(study) == {"not_yet_readable": 2 * BLOCK, "new": 2 * BLOCK}
    assert usd(study)["not_yet_readable"] == Decimal("0.115")  # 20,000 x (6.25 - 0.50)
    assert study.read_tokens == 2 * BLOCK


def test_what_nobody_sent_before_is_new() -> None:
    rows = [{"ids": [1, 2], "arrival_s": 0.0}, {"ids": [3, 4], "arrival_s": 1.0}]
    assert tokens(look(blocks(rows))) == {"new": 4 * BLOCK}


def test_another_model_has_another_cache() -> None:
    rows = [
        log(arrival_s=0.0, input_tokens=50_000, cache_write_5m_tokens=50_000),
        log(arrival_s=60.0, input_tokens=50_000, cache_write_5m_tokens=50_000,
            model="claude-sonnet-5"),
    ]  # fmt: skip
    assert tokens(look(workload(rows))) == {"new": 50_000, "switched": 50_000}


def test_a_changed_beginning_is_named_with_its_token() -> None:
    """[1 2 3] then [1 9 3 4]: the second block changed, so 10,000 tokens still agree; 20,000 would
    have been read, and the fourth block is new."""
    rows = [
        {"ids": [1, 2, 3], "arrival_s": 0.0, "session_id": "A", "points": [(1, FIVE), (3, FIVE)]},
        {
            "ids": [1, 9, 3, 4],
            "arrival_s": 9.0,
            "session_id": "A",
            "points": [(1, FIVE), (4, FIVE)],
        },
    ]
    study = look(blocks(rows))
    assert tokens(study) == {"new": 4 * BLOCK, "prefix_changed": 2 * BLOCK}
    (example,) = [one for one in study.examples if one.reason == "prefix_changed"]
    assert (example.fork, example.start, example.tokens) == (BLOCK, BLOCK, 2 * BLOCK)


def test_a_prompt_that_shrank_cannot_continue_the_one_before() -> None:
    """A log without blocks: at least the 10,000 tokens that were read still agree."""
    rows = [
        log(arrival_s=0.0, input_tokens=90_000, cache_write_5m_tokens=90_000),
        log(arrival_s=30.0, input_tokens=40_000, cached_read_tokens=10_000,
            cache_write_5m_tokens=30_000),
    ]  # fmt: skip
    study = look(workload(rows))
    assert tokens(study) == {"new": 90_000, "prefix_changed": 30_000}
    (example,) = [one for one in study.examples if one.reason == "prefix_changed"]
    assert example.fork == 10_000


def test_twenty_one_new_message_blocks_hide_the_entry_behind_them() -> None:
    """The entry stands after block 1; the next breakpoint after block 22 looks at 3 to 22 only."""
    rows = [
        {"ids": [1], "arrival_s": 0.0, "points": [(1, FIVE)]},
        {"ids": list(range(1, 23)), "arrival_s": 9.0, "points": [(22, FIVE)]},
    ]
    assert tokens(look(blocks(rows, messages=True)))["look_back"] == BLOCK
    assert "look_back" not in tokens(look(blocks(rows)))


def test_an_expired_entry_says_how_late_it_was() -> None:
    """At exactly the lifetime an entry is gone: 0 s too late. A read restarts it."""
    rows = [
        {"ids": [1, 2], "arrival_s": at, "points": [(2, FIVE)]}
        for at in (0.0, 4 * MINUTE_S, 9 * MINUTE_S, 16 * MINUTE_S)
    ]
    study = look(blocks(rows))
    assert tokens(study) == {"new": 2 * BLOCK, "expired": 4 * BLOCK}
    late = sorted(one.late_s for one in study.examples if one.reason == "expired")
    assert late == [0.0, 120.0]
    assert study.late_s == (60.0, 120.0)


def test_unlimited_lifetime_leaves_nothing_expired() -> None:
    rows = [{"ids": [1, 2], "arrival_s": 3600.0 * hour} for hour in range(4)]
    assert tokens(look(blocks(rows))) == {"new": 2 * BLOCK, "expired": 6 * BLOCK}
    assert tokens(look(blocks(rows), Rule(lifetime="unlimited"))) == {"new": 2 * BLOCK}


def test_an_entry_within_its_lifetime_that_was_not_read_was_evicted() -> None:
    """The file says what was read, whose prompt it was and which entry was written."""
    rows = [
        {"ids": [1, 2], "arrival_s": 0.0, "cache_write_5m_tokens": 2 * BLOCK},
        {"ids": [1, 2], "arrival_s": 60.0, "cache_write_5m_tokens": 2 * BLOCK},
    ]
    study = look(blocks(rows))
    assert study.source == OBSERVED_BLOCKS
    assert tokens(study) == {"new": 2 * BLOCK, "evicted": 2 * BLOCK}


def test_what_was_sent_before_but_stored_by_nobody_lacks_a_breakpoint() -> None:
    """Both start with block 1; the only entry stands after block 2."""
    rows = [
        {"ids": [1, 2], "arrival_s": 0.0, "points": [(2, FIVE)]},
        {"ids": [1, 3], "arrival_s": 9.0, "points": [(2, FIVE)]},
    ]
    assert tokens(look(blocks(rows))) == {"new": 3 * BLOCK, "no_breakpoint": BLOCK}


def test_a_grown_prompt_whose_entry_should_live_stays_unexplained() -> None:
    """Changed, evicted or elsewhere: lengths alone do not say."""
    rows = [
        log(arrival_s=0.0, input_tokens=50_000, cache_write_5m_tokens=50_000),
        log(arrival_s=30.0, input_tokens=60_000, cache_write_5m_tokens=60_000),
    ]
    study = look(workload(rows))
    assert tokens(study) == {"new": 60_000, "unexplained": 50_000}
    assert study.lacking == (("prompts", 50_000),)


@pytest.mark.parametrize(
    ("fact", "rows"),
    [
        ("sessions", [log(session_id=None, input_tokens=9_000, cached_read_tokens=0)]),
        (
            "promise",
            [
                log(model="gpt-5", arrival_s=at, input_tokens=9_000, cached_read_tokens=0)
                for at in (0.0, 60.0)
            ],
        ),
        (
            "not_said",
            [
                log(arrival_s=0.0, input_tokens=9_000, cached_read_tokens=8_000),
                log(arrival_s=1.0, input_tokens=9_000),
            ],
        ),
    ],
)
def test_what_the_file_lacks_is_said(fact: str, rows: list[dict[str, object]]) -> None:
    study = look(workload(rows))
    assert dict(study.lacking) == {fact: 9_000}
    assert tokens(study)["unexplained"] == 9_000


@pytest.mark.parametrize(
    ("reason", "rows"),
    [
        ("misses.needs_cache_or_structure", [log(input_tokens=9)]),
        ("misses.needs_requests", [log(input_tokens=9, cached_read_tokens=0, n_requests=7)]),
        ("misses.nothing_priced", [log(input_tokens=9, cached_read_tokens=0, model="no-such")]),
    ],
)
def test_a_file_that_says_too_little_is_refused(reason: str, rows: list[dict[str, object]]) -> None:
    with pytest.raises(InputError) as refused:
        look(workload(rows))
    assert refused.value.message.id == reason
