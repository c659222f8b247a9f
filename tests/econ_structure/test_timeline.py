"""Bins of time: readable widths, UTC edges, rows without a time, rows that are sums."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from econ.timeline import DAY_S, MAX_BINS, WIDTHS_S, timeline
from tests.econ_structure.made import table


def at(*moments, **more):
    return line(table(len(moments), arrival_utc=list(moments), **more))


def line(workload):
    return timeline(workload, np.ones(workload.rows, dtype=np.bool_))


def test_midnight_in_utc_parts_two_days():
    found = at("2026-08-20T23:59:59.999999", "2026-08-21T00:00:00", "2026-12-01T12:00:00")
    assert found.bin_s == DAY_S
    assert found.of_row.tolist()[:2] == [0, 1]
    assert found.starts_utc()[:2] == (
        datetime(2026, 8, 20, tzinfo=UTC),
        datetime(2026, 8, 21, tzinfo=UTC),
    )


def test_bins_start_on_whole_multiples_of_their_width():
    found = at("2026-11-18T00:18:19.288", "2026-11-18T16:31:04")
    assert found.bin_s == 600
    assert found.starts_utc()[0] == datetime(2026, 11, 18, 0, 10, tzinfo=UTC)
    assert found.starts_utc()[-1] == datetime(2026, 11, 18, 16, 30, tzinfo=UTC)


def test_moments_before_1970_fall_into_their_own_day():
    found = at("1969-12-31T23:59:59", "1970-01-01T00:00:00")
    assert found.bin_s == 1
    assert found.starts_s() == (-1, 0)
    assert found.of_row.tolist() == [0, 1]


def test_one_moment_is_one_bin_of_one_second():
    found = at("2026-11-18T10:00:00.5")
    assert (found.bin_s, found.bins) == (1, 1)


def test_undated_workloads_count_seconds_since_the_first_request():
    found = line(table(3, arrival_s=[0.0, 59.999, 3_536.999]))
    assert not found.dated
    assert found.starts_utc() is None
    assert found.bin_s == 30
    assert found.starts_s()[:3] == (0, 30, 60)
    assert found.of_row.tolist() == [0, 1, 117]


def test_rows_without_a_time_are_in_no_bin():
    assert at("2026-11-18T10:00:00", "NaT").of_row.tolist() == [0, -1]
    assert line(table(2, arrival_s=[0.0, float("nan")])).of_row.tolist() == [0, -1]


def test_without_any_time_there_is_no_timeline():
    assert line(table(2, input_tokens=[1, 2])) is None
    assert line(table(1, arrival_s=[float("nan")])) is None
    assert line(table(0)) is None


def test_only_chosen_rows_decide_the_span():
    made = table(3, arrival_s=[0.0, 10.0, 1_000_000.0])
    found = timeline(made, np.array([True, True, False]))
    assert (found.bin_s, found.bins) == (1, 11)
    assert found.of_row.tolist() == [0, 10, -1]


def test_no_bin_is_narrower_than_a_bucket():
    found = at(
        "2026-11-01",
        "2026-11-02",
        granularity="bucket",
        bucket_end_utc=["2026-11-02", "2026-11-03"],
    )
    assert (found.bin_s, found.bins) == (DAY_S, 2)


def test_a_bucket_counts_whole_where_it_starts():
    found = at(
        "2026-11-01T08:00:00",
        "2026-11-02T08:00:00",
        granularity="bucket",
        bucket_end_utc=["2026-11-02T08:00:00", "2026-11-03T08:00:00"],
    )
    assert found.starts_utc() == (
        datetime(2026, 11, 1, tzinfo=UTC),
        datetime(2026, 11, 2, tzinfo=UTC),
    )


def test_bucket_widths_without_ends_come_from_the_narrowest_step():
    found = at("2026-11-01T00", "2026-11-01T01", "2026-11-01T05", granularity="bucket")
    assert (found.bin_s, found.bins) == (3_600, 6)


def test_a_single_bucket_without_an_end_is_a_day():
    assert at("2026-11-01T03:00:00", granularity="bucket").bin_s == DAY_S


def test_buckets_of_a_month_get_bins_of_whole_days():
    found = at(
        "2026-10-01",
        "2026-11-01",
        granularity="bucket",
        bucket_end_utc=["2026-11-01", "2026-12-01"],
    )
    assert (found.bin_s, found.bins) == (31 * DAY_S, 2)


def test_a_year_is_shown_by_day():
    found = at("2026-01-01T05:00:00", "2026-12-31T23:00:00")
    assert (found.bin_s, found.bins) == (DAY_S, 365)


def test_fifty_years_still_fit_the_chart():
    found = at("1976-01-01", "2026-11-18")
    assert found.bins <= MAX_BINS
    assert found.bin_s % DAY_S == 0


def test_undated_buckets_have_no_width_of_their_own():
    assert line(table(2, granularity="bucket", arrival_s=[0.0, 100.0])).bin_s == 1


@given(st.integers(-(10**9), 2 * 10**9), st.integers(0, 2 * 10**9))
def test_every_span_is_cut_into_a_readable_number_of_bins(first_s, span_s):
    made = np.array([first_s, first_s + span_s]).astype("datetime64[s]").astype(str).tolist()
    found = at(*made)
    assert found.bins <= MAX_BINS
    assert found.of_row.tolist() == [0, found.bins - 1]
    assert found.start_us <= first_s * 1_000_000 < found.start_us + found.bin_s * 1_000_000
    if 120 < span_s < 119 * DAY_S:
        assert 24 <= found.bins <= 120
        assert found.bin_s in WIDTHS_S
