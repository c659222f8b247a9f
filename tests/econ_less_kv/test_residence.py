"""How long bytes lie in memory, what that adds up to, and the fullest moment."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from econ.kv_residence import gb_hours, kept, peak_bytes
from tests.econ_less_kv.made import workload

TALK = {
    "inputs": [100, 200, 300],
    "outputs": [10, 10, 10],
    "starts_s": [0.0, 60.0, 1_000.0],
    "sessions": ["a", "a", "a"],
}


def test_a_lifetime_ends_when_the_next_turn_takes_over() -> None:
    held = kept(workload(**TALK), "lifetime", 300)
    assert held is not None
    assert held.model == "lifetime"
    assert held.residence_s.tolist() == [60, 300, 300]
    assert held.tokens.tolist() == [110, 210, 310]
    assert held.span_s == 1_300


def test_a_session_keeps_its_bytes_through_its_gaps() -> None:
    held = kept(workload(**TALK), "session", 300)
    assert held is not None
    assert held.residence_s.tolist() == [60, 940, 300]


def test_without_sessions_each_request_stays_its_whole_lifetime() -> None:
    held = kept(workload([1, 2], [0, 0], [0.0, 1.0]), "session", 300)
    assert held is not None
    assert held.model == "every_lifetime"
    assert held.residence_s.tolist() == [300, 300]


def test_answers_end_where_the_file_says_so_and_else_fall_back() -> None:
    timed = workload([1, 2], [1, 1], [0.0, 5.0], finished_s=[2.5, 9.0])
    held = kept(timed, "answer", 300)
    assert held is not None
    assert held.residence_s.tolist() == [2.5, 4.0]
    untimed = kept(workload([1, 2], [1, 1], [0.0, 5.0], sessions=["a", "b"]), "answer", 300)
    assert untimed is not None
    assert untimed.model == "lifetime"


def test_rows_without_a_length_are_counted_and_left_out() -> None:
    held = kept(workload([-1, 5], [0, 0], [0.0, 1.0]), "lifetime", 300)
    assert held is not None
    assert (held.left_out, held.tokens.tolist()) == (1, [5])
    assert kept(workload([-1], [0], [0.0]), "lifetime", 300) is None


def test_one_gb_for_one_hour_is_one_gb_hour() -> None:
    assert gb_hours(np.array([1e9, 2e9]), np.array([3_600.0, 1_800.0])) == 2.0


def test_the_peak_counts_what_overlaps_and_not_what_hands_over() -> None:
    sizes, starts = np.array([5.0, 7.0, 1.0]), np.array([0.0, 10.0, 12.0])
    assert peak_bytes(sizes, starts, np.array([10.0, 5.0, 9.0])) == 8.0
    assert peak_bytes(sizes, starts, np.array([10.5, 5.0, 9.0])) == 12.0
    assert peak_bytes(np.array([]), np.array([]), np.array([])) == 0.0


@given(
    rows=st.lists(
        st.tuples(st.integers(1, 1000), st.integers(0, 50), st.integers(1, 50)),
        min_size=1,
        max_size=20,
    )
)
def test_the_peak_lies_between_the_largest_and_the_sum(rows: list[tuple[int, int, int]]) -> None:
    sizes, starts, stays = (
        np.array(column, dtype=np.float64) for column in zip(*rows, strict=True)
    )
    peak = peak_bytes(sizes, starts, stays)
    assert sizes.max() <= peak <= sizes.sum()
    assert gb_hours(sizes, stays) <= peak * (starts + stays).max() / 1e9 / 3600 + 1e-9


def test_a_fleets_queue_says_how_long_an_answer_takes() -> None:
    """Two seconds to the first token, then a tenth for each of nine more."""
    asked = workload([1, 2], [10, 1], [0.0, 5.0])
    held = kept(asked, "queue", 300, (2.0, 0.1))
    assert held is not None
    assert held.model == "queue"
    assert held.residence_s.tolist() == [2.9, 2.0]
    without = kept(asked, "queue", 300)
    assert without is not None
    assert without.model == "every_lifetime"
