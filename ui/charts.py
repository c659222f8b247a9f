"""Every figure of the product. One frame, a few kinds; colours are the theme's own placeholders.

Streamlit's theme replaces '#000001' ... '#000010' by the ten chart colours of the mode that the
reader uses, so a figure never knows whether it is light or dark.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import plotly.graph_objects as go

from ui.drawing import Drawing
from ui.numerals import MINUS, SPACE, amount, compact, foreign, percent
from ui.tables import Table
from ui.words import t

OURS, LOST, SERIES, NEUTRAL, MUTED = "#000001", "#000002", "#000003", "#000009", "#000010"
INK, PAPER, GRID = "#000037", "#000038", "#000039"
LABEL_PX, TICK_PX = 14, 13
PITCH_PX, BAR_PX = 50, 14  # one ranked bar with its label line above; the bar alone
LINE_PX = 18  # a second line of a label
LONGEST_NAME = 44
FEW_POINTS = 40

BUCKET_STYLE: dict[str, dict[str, object]] = {
    "output": {
        "color": PAPER,
        "pattern": {"shape": "/", "fgcolor": MUTED, "bgcolor": PAPER, "size": 6, "solidity": 0.35},
    },
    "uncached": {"color": MUTED, "opacity": 0.7},
    "write": {"color": NEUTRAL},
    "read": {"color": OURS},
    "total": {"color": MUTED},
    "lost": {"color": LOST},
}
"""How a part of the bill looks: output hatched, since caching cannot touch it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A figure, what it says to those who cannot see it, and the same numbers as a table."""

    figure: go.Figure
    alt: str
    table: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One ranked bar. `style` is a key of BUCKET_STYLE. `reference_usd` draws the no-caching tick
    and the line from it to the bar's end; None = no tick. `note` is said after the name, `more`
    after that, muted, `struck` last, struck through. `hover` stands in place of `shown`."""

    name: str
    value: float
    shown: str
    style: str = "total"
    reference: float | None = None
    note: str = ""
    more: str = ""
    struck: str = ""
    hover: str = ""


def nice_ticks(low: float, high: float) -> list[float]:
    """Three to six round numbers that cover low..high; always with 0 if it lies inside."""
    if high <= low:
        return [low]
    rough = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def tick_text(value: float) -> str:
    """A number on an axis: thousands commas, a true minus, no more digits than it has."""
    text = f"{abs(value):,.10f}".rstrip("0").rstrip(".")
    return f"{MINUS if value < 0 else ''}{text}"


def frame(height: int, *, bottom: int = 32) -> go.Figure:
    """The empty figure that all others start from."""
    axis = {
        "showline": False,
        "zeroline": False,
        "showgrid": False,
        "ticks": "",
        "fixedrange": True,
        "automargin": True,
        "tickfont": {"size": TICK_PX, "color": MUTED},
    }
    layout = {
        "height": height,
        "margin": {"l": 0, "r": 0, "t": 8, "b": bottom, "pad": 6},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": False,
        "dragmode": False,
        "bargap": 0.28,
        "barcornerradius": 2,
        "font": {"size": LABEL_PX, "color": INK},
        "hoverlabel": {
            "bgcolor": PAPER,
            "bordercolor": GRID,
            "font": {"size": LABEL_PX, "color": INK},
        },
        "xaxis": axis,
        "yaxis": dict(axis),
    }
    # Checked by plotly a frame takes 20 ms instead of one, on each page several times a click; a
    # test holds it against the checked one.
    figure: go.Figure = Drawing(layout=layout, _validate=False)
    return figure


def label(figure: go.Figure, text: str, **place: object) -> None:
    """Text in the figure, on the background so that gridlines do not cross it."""
    figure.add_annotation(
        text=text,
        showarrow=False,
        align="left",
        font={"size": LABEL_PX},
        bgcolor=PAPER,
        borderpad=0,
        **place,
    )


def _x_labels(
    figure: go.Figure, labels: Sequence[str], at: Sequence[int] | None = None, most: int = 5
) -> None:
    """The labels at these places; without places as many as have room."""
    if at is None:
        at = range(0, len(labels), max(1, math.ceil(len(labels) / most)))
    figure.update_xaxes(
        tickvals=list(at),
        ticktext=[html.escape(labels[i]) for i in at],
        range=[-0.6, max(len(labels) - 0.4, 0.6)],
    )


def y_ticks(figure: go.Figure, ticks: Sequence[float], texts: Sequence[str]) -> None:
    figure.update_yaxes(tickvals=ticks, ticktext=texts, showgrid=True, gridcolor=GRID)


def signed_columns(
    labels: Sequence[str], values: Sequence[float], hover: Sequence[str], alt: str, table: Table
) -> Chart:
    """Gains above the line in blue, losses below it in vermilion, the deepest loss in words."""
    height, low, high = 260, min(0.0, *values), max(0.0, *values)
    span = (high - low) or 1.0
    figure = frame(height)
    figure.add_bar(
        x=list(range(len(values))),
        y=list(values),
        marker={"color": [LOST if value < 0 else OURS for value in values]},
        customdata=[html.escape(text) for text in hover],
        hovertemplate="%{customdata}<extra></extra>",
    )
    figure.add_hline(y=0, line={"width": 1, "color": MUTED})
    _x_labels(figure, labels)
    ticks = nice_ticks(low, high)
    y_ticks(figure, ticks, [tick_text(tick) for tick in ticks])
    foot = low - span * (0.14 if low < 0 else 0.0)
    figure.update_yaxes(range=[foot, high + span * 0.04])
    if low < 0:
        _say_deepest_loss(figure, values)
    return Chart(figure=figure, alt=alt, table=table)


def _say_deepest_loss(figure: go.Figure, values: Sequence[float]) -> None:
    worst = min(range(len(values)), key=values.__getitem__)
    right_half = worst > len(values) / 2
    words = t("ui.loses", amount=amount(Decimal(repr(abs(values[worst])))))
    label(
        figure,
        f'<span style="color:{LOST}">{words}</span>',
        x=worst,
        y=values[worst],
        xanchor="right" if right_half else "left",
        yanchor="top",
    )


def columns(
    labels: Sequence[str], values: Sequence[float], hover: Sequence[str], alt: str, table: Table,
    at: Sequence[int] | None = None,
) -> Chart:  # fmt: skip
    """Counts or amounts from a zero baseline, in grey. `at`: which of the labels are shown."""
    figure = frame(220)
    figure.add_bar(
        x=list(range(len(values))),
        y=list(values),
        marker={"color": MUTED},
        customdata=[html.escape(text) for text in hover],
        hovertemplate="%{customdata}<extra></extra>",
    )
    high = max([*values, 0.0]) or 1.0
    _x_labels(figure, labels, at)
    ticks = nice_ticks(0, high)
    if all(float(value).is_integer() for value in values):
        ticks = [tick for tick in ticks if tick.is_integer()]
    y_ticks(figure, ticks, [compact(tick) for tick in ticks])
    figure.update_yaxes(range=[0, high * 1.04])
    return Chart(figure=figure, alt=alt, table=table)


def ratio_line(
    labels: Sequence[str], ratios: Sequence[float | None], hover: Sequence[str], alt: str,
    table: Table, at: Sequence[int] | None = None,
) -> Chart:  # fmt: skip
    """A ratio 0..1 over time; a hole where there was nothing to divide by. `at`: which of the
    labels are shown."""
    figure = frame(220)
    figure.add_scatter(
        x=list(range(len(ratios))),
        y=list(ratios),
        mode="lines+markers",  # a lonely point between two holes has no line
        line={"width": 3, "color": OURS},
        marker={"size": 7 if len(ratios) <= FEW_POINTS else 4, "color": OURS},
        connectgaps=False,
        customdata=[html.escape(text) for text in hover],
        hovertemplate="%{customdata}<extra></extra>",
    )
    ticks = [0.0, 0.25, 0.5, 0.75, 1.0]
    texts = [f"{tick * 100:g}" for tick in ticks[:-1]] + [percent(1.0, 0)]
    _x_labels(figure, labels, at)
    figure.update_yaxes(
        range=[-0.02, 1.04], tickvals=ticks, ticktext=texts, showgrid=True, gridcolor=GRID
    )
    return Chart(figure=figure, alt=alt, table=table)


def ranked_bars(bars: Sequence[Bar], alt: str, table: Table, *, two_lines: bool = False) -> Chart:
    """Horizontal bars, each with its label line above it, so that no margin is needed. With
    `two_lines` what else is to be said has a line of its own: a narrow screen cuts long ones."""
    rows = max(len(bars), 1)
    further = LINE_PX if two_lines else 0
    pitch, above, below = PITCH_PX + further, 34 + further, 20
    height = (rows - 1) * pitch + above + below
    figure = frame(height + 12, bottom=4)
    high = max([*(bar.value for bar in bars), *(bar.reference or 0 for bar in bars), 0.0]) or 1.0
    for row, bar in enumerate(bars):
        _ranked_bar(figure, -row, bar, pitch)
    figure.update_xaxes(range=[0, high * 1.01], showticklabels=False)
    figure.update_yaxes(range=[-(rows - 1) - below / pitch, above / pitch], showticklabels=False)
    figure.update_layout(barmode="overlay")
    return Chart(figure=figure, alt=alt, table=table)


def _ranked_bar(figure: go.Figure, y: int, bar: Bar, pitch_px: int) -> None:
    name = html.escape(foreign(bar.name, LONGEST_NAME))
    figure.add_bar(
        x=[bar.value],
        y=[y],
        orientation="h",
        width=BAR_PX / pitch_px,
        marker=BUCKET_STYLE[bar.style],
        customdata=[[name, html.escape(bar.hover or bar.shown)]],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
    )
    if bar.reference is not None:
        _reference(figure, y, bar.value, bar.reference)
    text = f"<b>{html.escape(bar.shown)}</b>{SPACE} {name}"
    note = f"{SPACE} {_toned(bar)}" if bar.note else ""
    between = "<br>" if pitch_px > PITCH_PX else f"{SPACE} "
    more = f"{between}{_muted(bar.more)}" if bar.more else ""
    more += f"{SPACE} <s>{_muted(bar.struck)}</s>" if bar.struck else ""
    place = {"x": 0, "y": y, "xanchor": "left", "yanchor": "bottom", "yshift": BAR_PX / 2 + 1}
    label(figure, text + note + more, **place)


def _muted(text: str) -> str:
    return f'<span style="color:{MUTED}">{html.escape(text)}</span>'


def _toned(bar: Bar) -> str:
    if bar.reference is None:
        return _muted(bar.note)
    color = LOST if bar.value > bar.reference else OURS
    return f'<span style="color:{color}">{html.escape(bar.note)}</span>'


def _reference(figure: go.Figure, y: int, value: float, reference: float) -> None:
    """A black tick at the no-caching cost, and a line from it to the end of the bar."""
    lost = value > reference
    half = BAR_PX / PITCH_PX / 2
    line_y = y - half - 0.05 if lost else y
    line = {"width": 3, "color": LOST if lost else OURS}
    figure.add_shape(type="line", x0=value, x1=reference, y0=line_y, y1=line_y, line=line)
    tick = {"width": 2, "color": INK}
    ends = {"y0": y - half - 0.08, "y1": y + half + 0.04}
    figure.add_shape(type="line", x0=reference, x1=reference, line=tick, **ends)
