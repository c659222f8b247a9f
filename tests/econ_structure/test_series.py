"""The small arrays that charts are drawn from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.example import example_workload
from econ.prefix_stats import prefix_stats
from econ.series import (
    arrivals,
    hit_ratio_over_time,
    ideal_hit_ratio_over_time,
    input_lengths,
    output_lengths,
)
from tests.econ_structure.made import blocks, mooncake_rows, table


def test_arrivals_count_requests_and_tokens_by_bin():
    made = table(3, arrival_s=[0.0, 0.5, 2.0], input_tokens=[10, 20, -1], output_tokens=[1, -1, 3])
    series = arrivals(made)
    assert series.time.starts_s == (0, 1, 2)
    assert series.requests == series.rows == (2, 0, 1)
    assert series.input_tokens == (30, 0, 0)
    assert series.output_tokens == (1, 0, 3)
    assert series.rows_without_count == series.time.rows_without_time == 0


def test_a_workload_without_times_has_no_arrivals_and_no_ratio_over_time():
    made = table(1, blocks([[1]]), input_tokens=[512], cached_read_tokens=[0])
    assert arrivals(made) is None
    assert hit_ratio_over_time(made) is None
    assert ideal_hit_ratio_over_time(made) is None


def test_rows_without_a_time_are_counted_beside_the_series():
    series = arrivals(table(2, arrival_s=[0.0, float("nan")], input_tokens=[1, 2]))
    assert series.requests == (1,)
    assert series.time.rows_without_time == 1


def test_a_bucket_counts_as_many_requests_as_it_says():
    made = table(
        3,
        granularity="bucket",
        arrival_utc=["2026-11-01", "2026-11-02", "2026-11-02"],
        bucket_end_utc=["2026-11-02", "2026-11-03", "2026-11-03"],
        n_requests=[40, 2, -1],
        input_tokens=[1_000, 50, 7],
    )
    series = arrivals(made)
    assert series.time.buckets
    assert series.requests == (40, 2)
    assert series.rows == (1, 2)
    assert series.rows_without_count == 1
    assert series.input_tokens == (1_000, 57)


def test_buckets_that_do_not_count_requests_give_none_and_not_zero():
    made = table(
        1, granularity="bucket", arrival_utc=["2026-11-01"], input_tokens=[9], output_tokens=[1]
    )
    series = arrivals(made)
    assert series.requests is None
    assert series.rows == (1,)
    assert series.rows_without_count == 1


def test_hit_ratio_is_reads_over_the_whole_prompt():
    """D06: uncached 6, read 19,242, write 19,442 is 49.7 %."""
    made = table(
        1,
        arrival_s=[0.0],
        input_tokens=[6 + 19_242 + 19_442],
        cached_read_tokens=[19_242],
        cache_write_5m_tokens=[19_442],
    )
    series = hit_ratio_over_time(made)
    assert round(series.ratio[0], 3) == 0.497
    assert series.kind == "observed"
    assert series.rows == (1,)


def test_a_bin_without_requests_has_no_ratio():
    made = table(2, arrival_s=[0.0, 2.0], input_tokens=[100, 100], cached_read_tokens=[50, 0])
    assert hit_ratio_over_time(made).ratio == (0.5, None, 0.0)


def test_rows_that_do_not_say_what_was_read_are_not_read_as_zero():
    made = table(2, arrival_s=[0.0, 0.1], input_tokens=[100, 900], cached_read_tokens=[50, -1])
    series = hit_ratio_over_time(made)
    assert series.ratio == (0.5,)
    assert (series.prompt_tokens, series.rows) == ((100,), (1,))


def test_a_file_without_cache_columns_has_no_observed_ratio():
    assert hit_ratio_over_time(table(1, arrival_s=[0.0], input_tokens=[1])) is None


def test_a_file_without_structure_has_no_ideal_ratio():
    assert ideal_hit_ratio_over_time(table(1, arrival_s=[0.0], input_tokens=[1])) is None


def test_the_ideal_ratio_is_named_so_and_counts_known_prefixes():
    made = table(3, blocks([[1], [1], [2]]), arrival_s=[0.0, 1.0, 2.0], input_tokens=[512] * 3)
    series = ideal_hit_ratio_over_time(made)
    assert series.kind == "ideal"
    assert series.ratio == (0.0, 1.0, 0.0)


def test_a_period_filter_keeps_what_came_before_it_in_the_ideal_cache():
    made = table(3, blocks([[1], [1], [2]]), arrival_s=[0.0, 1.0, 2.0], input_tokens=[512] * 3)
    late = np.array([False, True, True])
    assert ideal_hit_ratio_over_time(made, late).ratio == (1.0, 0.0)
    assert arrivals(made, late).requests == (1, 1)
    assert input_lengths(made, late).requests_counted == 2


def test_mooncake_adds_up_to_its_published_ratio(reference_data):
    rows = mooncake_rows(reference_data)
    made = table(
        len(rows),
        blocks([row["hash_ids"] for row in rows]),
        arrival_s=[row["timestamp"] / 1000 for row in rows],
        input_tokens=[row["input_length"] for row in rows],
    )
    series = ideal_hit_ratio_over_time(made)
    assert series.time.bin_s == 30
    assert len(series.ratio) == 118
    assert sum(series.hit_tokens) == 54_098_411
    assert sum(series.prompt_tokens) == 144_793_823
    assert sum(series.rows) == 12_031


def test_lengths_fall_into_doubling_bins():
    made = table(8, input_tokens=[0, 1, 2, 3, 4, 7, 8, -1])
    found = input_lengths(made)
    assert found.low_tokens == (0, 1, 2, 4, 8)
    assert found.high_tokens == (1, 2, 4, 8, 16)
    assert found.requests == (1, 1, 2, 2, 1)
    assert (found.requests_counted, found.rows_left_out) == (7, 1)
    assert found.mean_tokens == 25 / 7
    assert (found.median_tokens, found.p95_tokens, found.max_tokens) == (3, 8, 8)


def test_bins_begin_at_the_shortest_length_and_have_no_gaps():
    found = output_lengths(table(2, output_tokens=[100, 1_000]))
    assert found.low_tokens == (64, 128, 256, 512)
    assert found.requests == (1, 0, 0, 1)


def test_sums_over_several_requests_have_no_length():
    made = table(
        3,
        granularity="bucket",
        arrival_utc=["2026-11-01"] * 3,
        n_requests=[10, 1, -1],
        input_tokens=[5_000, 300, 700],
    )
    found = input_lengths(made)
    assert (found.requests_counted, found.rows_left_out) == (1, 2)
    assert found.mean_tokens == 300.0


def test_nothing_to_measure_gives_no_bins_and_no_mean():
    found = output_lengths(table(2, input_tokens=[1, 2]))
    assert (found.low_tokens, found.requests, found.requests_counted) == ((), (), 0)
    assert found.mean_tokens is None
    assert found.median_tokens is found.p95_tokens is found.max_tokens is None


@given(st.lists(st.integers(0, 2**52), min_size=1, max_size=30))
def test_every_length_is_in_exactly_one_bin(lengths):
    found = input_lengths(table(len(lengths), input_tokens=lengths))
    assert sum(found.requests) == len(lengths)
    for low, high, requests in zip(
        found.low_tokens, found.high_tokens, found.requests, strict=True
    ):
        assert requests == sum(1 for length in lengths if low <= length < high)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=20))
def test_a_hit_ratio_is_never_outside_zero_to_one(pairs):
    made = table(
        len(pairs),
        arrival_s=[float(number) for number in range(len(pairs))],
        input_tokens=[read + rest for read, rest in pairs],
        cached_read_tokens=[read for read, _ in pairs],
    )
    series = hit_ratio_over_time(made)
    assert all(ratio is None or 0 <= ratio <= 1 for ratio in series.ratio)
    assert sum(series.hit_tokens) == sum(read for read, _ in pairs)


@pytest.mark.parametrize("make", [arrivals, hit_ratio_over_time, ideal_hit_ratio_over_time])
def test_the_example_gives_a_chart_of_its_day(make):
    series = make(example_workload())
    assert series.time.bin_s == 600
    assert len(series.time.starts_s) == 99
    assert series.time.starts_utc[0].isoformat() == "2026-11-18T00:10:00+00:00"


def test_the_examples_series_add_up_to_its_totals():
    example = example_workload()
    assert sum(arrivals(example).requests) == 2_199
    assert sum(hit_ratio_over_time(example).hit_tokens) == 88_532_186
    ideal = ideal_hit_ratio_over_time(example)
    assert sum(ideal.hit_tokens) == prefix_stats(example)["ideal_hit_tokens"]
