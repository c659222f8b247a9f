"""A time axis is marked at round times, and a table's columns are as wide as what they hold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from econ.series import TimeBins
from ui import series_charts, tables

START = datetime(2026, 11, 18, 0, 10, tzinfo=UTC)


def bins(count: int, bin_s: int, start: datetime = START) -> TimeBins:
    """`count` bins of `bin_s` seconds from `start` on."""
    starts = tuple(start + timedelta(seconds=number * bin_s) for number in range(count))
    return TimeBins(
        bin_s=bin_s,
        starts_s=tuple(int(moment.timestamp()) for moment in starts),
        starts_utc=starts,
        rows_without_time=0,
        buckets=False,
    )


def test_ten_minute_bins_from_ten_past_are_marked_at_whole_hours() -> None:
    time = bins(99, 600)  # 00:10 to 16:30
    marked = series_charts.round_bins(time)
    labels, _ = series_charts.bin_labels(time)
    assert [labels[number] for number in marked or ()] == [
        "03:00", "06:00", "09:00", "12:00", "15:00",
    ]  # fmt: skip


def test_whole_days_and_a_stretch_without_a_round_time_are_left_to_the_axis() -> None:
    assert series_charts.round_bins(bins(30, 86_400)) is None
    assert series_charts.round_bins(bins(1, 60)) is None


def test_a_long_cell_below_the_measured_rows_widens_its_column() -> None:
    names = ["o1"] * 10 + ["a-model-with-a-longer-name"]
    found = tables.width_px("Model", names)
    assert found is not None
    assert found > 150
    assert tables.width_px("Model", names[::-1]) is None  # the table sees it by itself
    assert tables.width_px("Model", [*names, "x" * 90], first=True) == 210


def test_addresses_are_links_and_other_words_are_not() -> None:
    assert tables.is_links(["https://example.org/a", ""])
    assert not tables.is_links(["https://example.org/a", "own price"])
    assert not tables.is_links(["https://example.org/a; https://example.org/b"])
    assert not tables.is_links(["", None])
