"""The curve as drawn: same numbers as the table, names beside their lines."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from econ.cache_study import CacheStudy, study
from econ.curve import MEASURES, Measure, curve_of
from econ.example import example_workload
from econ.replay_input import blocks_of
from econ.replay_memory import Scale
from econ.reuse import LIFETIMES_S
from ui import curve_charts, reuse_charts
from ui.cache_size import Here
from ui.label_places import Line, grouped, places

X = np.linspace(0, 1, 50)


@pytest.fixture(scope="module")
def found() -> CacheStudy:
    """The example's study."""
    return study(example_workload(), "trace", "file", lambda fraction, stage: None)


@pytest.mark.parametrize("measure", MEASURES)
def test_table_and_chart_have_the_same_numbers(found: CacheStudy, measure: Measure) -> None:
    made = curve_charts.hit_curve(found, measure)
    titles = {column.title: list(column.values) for column in made.table.columns}
    lines = {trace.name: trace for trace in made.figure.data if trace.mode == "lines"}
    assert set(lines) == {"lru-leaf", "lru", "fifo", "clairvoyant"}
    sizes = next(iter(made.table.columns)).values
    for policy, trace in lines.items():
        drawn = dict(zip(trace.x, trace.y, strict=True))
        assert [drawn[size] for size in sizes] == titles[policy]
    assert "unlimited" in made.alt or "upper" in made.alt


def test_the_knee_is_a_hollow_circle_on_the_curve(found: CacheStudy) -> None:
    made = curve_charts.hit_curve(found, "token")
    (circle,) = [trace for trace in made.figure.data if trace.mode == "markers"]
    knee = found.main.knee("token")
    assert knee is not None
    assert circle.x == (knee.capacity_blocks,)
    assert circle.y == (curve_charts.ratio_at(found.main, knee.capacity_blocks, "token"),)
    bands = [shape for shape in made.figure.layout.shapes if shape.type == "rect"]
    assert (bands[0].x0, bands[0].x1) == (knee.low_blocks, knee.high_blocks)


def test_lifetimes_are_lines_with_their_share(found: CacheStudy) -> None:
    made = reuse_charts.gaps(found.reuse)
    assert made is not None
    texts = " ".join(note.text for note in made.figure.layout.annotations)
    for words in ("5\u00a0min", "30\u00a0min", "1\u00a0h", "12\u00a0h"):
        assert f"<b>{words}</b>" in texts
    uses = next(c for c in made.table.columns if c.title == "Reuses").values
    assert sum(uses) == sum(found.reuse.uses or ())


def test_spans_are_said_without_empty_minutes() -> None:
    said = [reuse_charts.span_words(s) for s in (30, *LIFETIMES_S)]
    assert said == ["30\u00a0s", "5\u00a0min", "30\u00a0min", "1\u00a0h", "12\u00a0h"]


def test_one_scope_a_bar(found: CacheStudy) -> None:
    made = reuse_charts.shared(found, "block")
    assert len(made.figure.data) == len(found.shared) == 4


def test_ticks_of_a_logarithmic_axis_are_few_and_round() -> None:
    assert curve_charts.log_ticks(247, 182_790) == [300, 1_000, 3_000, 10_000, 30_000, 100_000]
    assert curve_charts.log_ticks(1, 9) == [1, 2, 5]
    assert len(curve_charts.log_ticks(1, 1e12)) <= 6


def test_lines_that_lie_on_one_another_share_a_name() -> None:
    lines = [Line("a", X, X * 0.5), Line("b", X, X * 0.5 + 0.001), Line("c", X, X * 0.9)]
    assert [names for names, _ in grouped(lines)] == [("a", "b"), ("c",)]


def test_each_name_stands_nearest_to_its_own_line() -> None:
    lines = [Line("low", X, X * 0.3), Line("high", X, 0.2 + X * 0.6)]
    named = places(lines, [], 0.9)
    assert named is not None
    for place in named:
        away = {line.name: abs(line.y(place.x + 0.06) - place.y) for line in lines}
        assert min(away, key=away.__getitem__) in place.names
        assert place.y < 0.9


def test_lines_that_run_close_get_a_legend() -> None:
    lines = [Line("a", X, 0.8 + X * 0.01), Line("b", X, 0.82 + X * 0.01)]
    assert places(lines, [], 0.9) is None


def test_an_axis_in_gigabytes_has_dollars_and_the_readers_own_place(found: CacheStudy) -> None:
    scale = Scale(
        block_tokens=512, unit="gb", bytes_per_token=131_072, usd_per_gb_hour=Decimal("0.004")
    )
    point = curve_of(blocks_of(example_workload()), at_blocks=(300,))
    made = curve_charts.hit_curve(found, "token", scale, Here(blocks=300, curve=point))
    lines = {trace.name: trace for trace in made.figure.data}
    main = found.main
    gb = main.capacity_blocks * 512 * 131_072 / 1e9
    assert lines["lru-leaf"].x == pytest.approx(gb.tolist())
    assert "$" in lines["lru-leaf"].customdata[0]
    assert lines["You are here"].x == pytest.approx([300 * 512 * 131_072 / 1e9])
    assert lines["You are here"].y == (float(point.ratios("token")[0]),)
    assert all("/h" in text for text in made.figure.layout.xaxis.ticktext)
    assert len(made.figure.layout.xaxis.ticktext) <= 4
    titles = [column.title for column in made.table.columns]
    assert titles[:4] == ["Cache (blocks)", "GB", "USD an hour", "lru-leaf"]
