"""Times over lengths: a few named lines on a log scale, or straight where they run side by side."""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import plotly.graph_objects as go

from ui import charts
from ui.charts import INK, MUTED, NEUTRAL, OURS, Chart
from ui.curve_charts import log_ticks
from ui.numerals import SPACE, compact, count
from ui.tables import Table
from ui.words import t

LINES_PX = 320
ROOM = 1.18
CLOSE = 0.09
"""Lines whose ends are nearer than this share of the height get a legend instead of names."""
MOST_NAMED = 3  # more names than that cross other lines on a narrow screen
DASHES = ("solid", "dash", "dot", "longdash")
Tone = Literal["ours", "plain", "floor"]
TONES: dict[Tone, dict[str, object]] = {
    "ours": {"color": OURS, "width": 3},
    "plain": {"color": NEUTRAL, "width": 2},
    "floor": {"color": MUTED, "width": 1.5},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Points (x, y) ascending by x, with how they look; `series` dashes the n-th profile."""

    name: str
    points: Sequence[tuple[float, float]]
    tone: Tone
    series: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """What the lengths are; `steep`: both axes on a log scale, else both straight from 0."""

    x: str
    steep: bool = True


def duration(seconds: float) -> str:
    """'67.8 s', '204 ms', '3.1 µs': three significant digits."""
    unit, value = _scaled(seconds)
    return t(f"engine_page.time_{unit}", value=_digits(value))


def tick(seconds: float) -> str:
    """A time on an axis, with no more digits than it has: '10 s', '0'."""
    unit, value = _scaled(seconds)
    return t(f"engine_page.time_{unit}", value=charts.tick_text(round(value, 6))) if value else "0"


def _scaled(seconds: float) -> tuple[str, float]:
    if seconds >= 1.0 or seconds <= 0:
        return "s", seconds
    return ("ms", seconds * 1e3) if seconds >= 1e-3 else ("us", seconds * 1e6)


def _digits(value: float) -> str:
    places = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{places}f}"


def lines(drawn: Sequence[Line], axes: Axes, alt: str, table: Table) -> Chart:
    """Times over lengths; both axes as they say."""
    figure = charts.frame(LINES_PX, bottom=48)
    xs = [x for line in drawn for x, _ in line.points]
    ys = [y for line in drawn for _, y in line.points]
    for line in drawn:
        _line(figure, line)
    _x_axis(figure, min(xs), max(xs), axes)
    low, high = _y_axis(figure, min(ys), max(ys), axes.steep)
    _names(figure, drawn, axes.steep, low, high)
    return Chart(figure=figure, alt=alt, table=table)


def _line(figure: go.Figure, line: Line) -> None:
    style = dict(TONES[line.tone])
    style["dash"] = "dot" if line.tone == "floor" else DASHES[line.series % len(DASHES)]
    name = html.escape(line.name)
    figure.add_scatter(
        x=[x for x, _ in line.points],
        y=[y for _, y in line.points],
        mode="lines" if line.tone == "floor" else "lines+markers",
        name=name,
        line=style,
        marker={"size": 7, "color": style["color"]},
        customdata=[f"{name}<br>{count(round(x))}<br>{duration(y)}" for x, y in line.points],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _x_axis(figure: go.Figure, first: float, last: float, axes: Axes) -> None:
    last = max(last, first * 2)
    if axes.steep:
        reach = math.log10(last / first) * 0.04
        ticks = log_ticks(first, last)
        ends = [math.log10(first) - reach, math.log10(last) + reach]
        figure.update_xaxes(type="log")
    else:
        ticks, ends = charts.nice_ticks(0, last), [0.0, (last * 1.04) or 1.0]
    figure.update_xaxes(
        range=ends,
        tickvals=ticks,
        ticktext=[compact(tick) for tick in ticks],
        title={
            "text": axes.x,
            "font": {"size": charts.TICK_PX, "color": MUTED},
            "standoff": 8,
        },
    )


def _y_axis(figure: go.Figure, low: float, high: float, steep: bool) -> tuple[float, float]:
    """Ticks and range of the times; returns both ends as they are drawn."""
    if steep:
        ends = math.log10(low) - 0.3, math.log10(high * ROOM) + 0.2
        ticks = log_ticks(10 ** ends[0], 10 ** ends[1])
        figure.update_yaxes(type="log")
    else:
        ends = 0.0, (high * ROOM) or 1.0
        ticks = charts.nice_ticks(0, high)
    charts.y_ticks(figure, ticks, [tick(value) for value in ticks])
    figure.update_yaxes(range=list(ends))
    return ends


def _names(figure: go.Figure, drawn: Sequence[Line], steep: bool, low: float, high: float) -> None:
    """Each line's name over its last point; a legend above where the ends are too close."""
    places = sorted((math.log10(y) if steep else y) for y in (line.points[-1][1] for line in drawn))
    gaps = [(b - a) / (high - low) for a, b in itertools.pairwise(places)]
    if len(drawn) > MOST_NAMED or (gaps and min(gaps) < CLOSE):
        figure.update_layout(showlegend=True, margin={"t": 40}, legend=_legend())
        return
    first = min(line.points[0][0] for line in drawn)
    for line in drawn:
        x, y = line.points[-1]
        color = OURS if line.tone == "ours" else INK
        words = f'<span style="color:{color}">{html.escape(line.name)}</span>{SPACE} {duration(y)}'
        charts.label(
            figure,
            words,
            x=math.log10(x) if steep else x,
            y=math.log10(y) if steep else y,
            xanchor="left" if x == first else "right",
            yanchor="top" if line.tone == "floor" else "bottom",
            yshift=-4 if line.tone == "floor" else 6,
        )


def _legend() -> dict[str, object]:
    return {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": 1.02,
        "yanchor": "bottom",
        "itemclick": False,
        "itemdoubleclick": False,
        "font": {"size": charts.LABEL_PX},
    }
