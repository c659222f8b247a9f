"""The engine's charts: what is drawn, how it is named, and its table."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from econ.device_cases import decode_steps, formats, pairs, series
from econ.pool_steps import PoolStory, Step
from jobs.profiling import _entry
from tests.ui.engine_sample import OTHER, WHOLE
from ui import engine_charts, engine_memory, pool_view
from ui.charts import LINE_PX, MUTED, OURS, PITCH_PX
from ui.engine_profiles import Shown, known_by, origin
from ui.tables import Table, frame_of
from ui.time_lines import Axes, Line, duration, lines


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (67.8, "67.8\u00a0s"),
        (1.0, "1.00\u00a0s"),
        (0.9999, "1,000\u00a0ms"),
        (0.204, "204\u00a0ms"),
        (0.0897, "89.7\u00a0ms"),
        (3.2e-8, "0.03\u00a0µs"),
        (120.0, "120\u00a0s"),
    ],
)
def test_a_time_has_three_digits_and_its_unit(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_cold_and_warm_are_two_lines_on_log_scales_with_their_values() -> None:
    made = engine_charts.first_token([("a", pairs(WHOLE))])
    assert made is not None
    figure = made.figure
    assert [trace.name for trace in figure.data] == ["cold", "warm"]
    assert figure.data[1].line.color == OURS
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    named = " ".join(note.text for note in figure.layout.annotations)
    assert "67.8\u00a0s" in named
    assert "89.7\u00a0ms" in named
    table = frame_of(made.table)
    assert list(table.iloc[:, 3]) == [0.21, 1.89, 10.9, 67.8]


def test_two_profiles_differ_by_name_and_dash() -> None:
    made = engine_charts.first_token([("a", pairs(WHOLE)), ("<b>", pairs(OTHER))])
    assert made is not None
    dashes = [trace.line.dash for trace in made.figure.data]
    assert dashes == ["solid", "solid", "dash", "dash"]
    assert made.figure.layout.showlegend
    assert made.figure.data[2].name == "&lt;b&gt;, cold"


def test_lines_that_end_together_get_a_legend_instead_of_names() -> None:
    close = [
        Line(name=name, tone="plain", points=[(1.0, y), (10.0, y * 2)])
        for name, y in (("a", 1.0), ("b", 1.01))
    ]
    made = lines(close, Axes(x="x"), "alt", Table(columns=()))
    assert made.figure.layout.showlegend
    assert made.figure.layout.annotations == ()


def test_one_point_is_drawn_too() -> None:
    made = lines(
        [Line(name="a", tone="ours", points=[(64.0, 0.5)])],
        Axes(x="x"),
        "alt",
        Table(columns=()),
    )
    low, high = made.figure.layout.xaxis.range
    assert low < math.log10(64) < high


def test_decode_stands_beside_its_floor_and_the_way_without_a_cache() -> None:
    made = engine_charts.decode(decode_steps(WHOLE))
    assert [trace.name for trace in made.figure.data] == [
        "with cache",
        "bandwidth floor",
        "without cache",
    ]
    assert made.figure.data[1].line.color == MUTED
    without_limits = replace(WHOLE, limits=replace(WHOLE.limits, triad_bytes_per_s=None))
    bare = engine_charts.decode(decode_steps(without_limits))
    assert [trace.name for trace in bare.figure.data] == ["with cache", "without cache"]


def test_replies_are_straight_lines_as_far_apart_at_every_length() -> None:
    rows = series(WHOLE, "reply", "reply_tokens")
    cold = [row for row in rows if not row.params["reused_tokens"]]
    warm = [row for row in rows if row.params["reused_tokens"]]
    made = engine_charts.replies([("cold", "plain", cold), ("warm", "ours", warm)])
    assert made.figure.layout.xaxis.type is None
    first, second = made.figure.data
    gaps = [a - b for a, b in zip(first.y, second.y, strict=True)]
    assert max(gaps) - min(gaps) < 1e-9


def test_formats_say_bits_and_both_errors() -> None:
    made = engine_charts.formats(formats(WHOLE))
    words = " ".join(note.text for note in made.figure.layout.annotations)
    assert "8.25 bits" in words
    assert "KL 0.00021" in words
    assert "99.4\u00a0%" in words


@pytest.mark.parametrize(
    ("kind", "glyph", "colour"),
    [("measured", "●", "blue"), ("imported", "◆", "gray"), ("reference", "◆", "gray")],
)
def test_where_a_profile_comes_from_is_a_word_a_shape_and_a_colour(
    kind: str, glyph: str, colour: str
) -> None:
    words = origin(_entry(WHOLE, kind))  # type: ignore[arg-type]
    assert words.startswith(f":{colour}[{glyph} ")
    assert ("measured here" in words) == (kind == "measured")


def test_figures_that_others_disturbed_say_so() -> None:
    shown = Shown(entry=_entry(OTHER, "imported"), profile=OTHER)
    steps = [step.row for step in decode_steps(OTHER)]
    assert "▲" in known_by(shown, steps)
    assert "▲" not in known_by(shown, [pair.cold for pair in pairs(OTHER)])


STORY = PoolStory(
    blocks=10,
    block_tokens=16,
    steps=(
        Step(
            kind="arrive",
            request=3,
            prompt_tokens=40,
            needs=3,
            hits=1,
            evicted=2,
            free=7,
            blocks=(0, 1, 2),
            state=(3, 1, 1, 0, 0, -1, -1, -1, -1, -1),
        ),
    ),
)


def test_the_map_shows_every_block_once_with_its_holders() -> None:
    figure = pool_view.pool_map(STORY, STORY.steps[0]).figure
    assert sum(len(trace.x) for trace in figure.data) == STORY.blocks
    by_name = {trace.name: trace for trace in figure.data}
    assert list(by_name["shared by several"].text) == ["3"]
    assert list(by_name["held by one request"].marker.line.width) == [3, 3]
    assert list(by_name["kept, in use by nobody"].marker.line.width) == [1, 1]


def test_an_event_is_one_sentence_with_its_numbers() -> None:
    said = pool_view.event(STORY.steps[0])
    assert said.startswith("**Request 3 arrives**")
    assert "3 needed, 1 found, 2 taken" in said
    assert "2 kept blocks" in said
    waits = replace(STORY.steps[0], kind="wait", evicted=0)
    assert "Request 3 waits" in pool_view.event(waits)


def test_shares_are_per_cent() -> None:
    assert engine_memory._share(0.0099) == "1.0\u00a0%"


def test_what_else_is_said_of_a_format_has_a_line_of_its_own() -> None:
    figure = engine_charts.formats(formats(WHOLE)).figure
    texts = [str(one.text) for one in figure.layout.annotations]
    assert all(text.count("<br>") == 1 for text in texts)
    assert figure.layout.height > PITCH_PX * len(texts) + LINE_PX
