"""Ranked bars by what the money is for: losers in the warning colour, a tick for no caching."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from ui.charts import (
    BAR_PX,
    BUCKET_STYLE,
    GRID,
    INK,
    LONGEST_NAME,
    LOST,
    MUTED,
    OURS,
    PITCH_PX,
    TICK_PX,
    Chart,
    frame,
    label,
    nice_ticks,
    tick_text,
)
from ui.numerals import SPACE, foreign
from ui.tables import Table
from ui.words import t

PARTS = ("output", "uncached", "write", "read", "extra")
STYLES: dict[str, dict[str, Any]] = {**BUCKET_STYLE, "extra": {"color": INK}}
LEGEND_PX = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """One bar: `parts` USD by PARTS, `total` their sum, `reference` the cost without caching."""

    name: str
    parts: Mapping[str, float]
    total: float
    reference: float
    shown: str
    note: str
    lost: bool


def stacked_bars(stacks: Sequence[Stack], alt: str, table: Table, *, legend: bool = True) -> Chart:
    """Horizontal bars, each with its label line above it, a legend on top, the axis below.
    `legend` False: a chart above on the same page has it."""
    rows = max(len(stacks), 1)
    above, below = 34, 20
    height = (rows - 1) * PITCH_PX + above + below
    top = LEGEND_PX if legend else 8
    figure = frame(height + top + 40, bottom=28)
    high = max([*(s.total for s in stacks), *(s.reference for s in stacks), 0.0]) or 1.0
    for part in PARTS:
        if any(stack.parts.get(part) for stack in stacks):
            _series(figure, stacks, part)
    figure.add_scatter(
        x=[None],
        y=[None],
        mode="markers",
        name=t("api_costs_page.part.none"),
        marker={"symbol": "line-ns", "size": 14, "line": {"width": 2, "color": INK}},
    )
    for row, stack in enumerate(stacks):
        _reference(figure, -row, stack)
        _label(figure, -row, stack)
    ticks = nice_ticks(0, high)
    figure.update_xaxes(
        range=[0, high * 1.01],
        tickvals=ticks[1:],
        ticktext=[tick_text(tick) for tick in ticks[1:]],
        showgrid=True,
        gridcolor=GRID,
    )
    figure.update_yaxes(
        range=[-(rows - 1) - below / PITCH_PX, above / PITCH_PX], showticklabels=False
    )
    figure.update_layout(
        barmode="stack",
        showlegend=legend,
        barcornerradius=0,
        margin={"t": top},
        legend={
            "orientation": "h",
            "traceorder": "normal",
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "bottom",
            "font": {"size": TICK_PX, "color": MUTED},
            "itemclick": False,
            "itemdoubleclick": False,
        },
    )
    return Chart(figure=figure, alt=alt, table=table)


def _series(figure: go.Figure, stacks: Sequence[Stack], part: str) -> None:
    words = t(f"api_costs_page.part.{part}")
    figure.add_bar(
        x=[stack.parts.get(part, 0.0) for stack in stacks],
        y=[-row for row in range(len(stacks))],
        orientation="h",
        width=BAR_PX / PITCH_PX,
        name=words,
        marker={**STYLES[part], "line": {"width": 0}},
        customdata=[html.escape(foreign(stack.name, LONGEST_NAME)) for stack in stacks],
        hovertemplate="%{customdata}<br>" + html.escape(words) + " %{x:,.2f}<extra></extra>",
    )


def _label(figure: go.Figure, y: int, stack: Stack) -> None:
    color = LOST if stack.lost else OURS
    name = html.escape(foreign(stack.name, LONGEST_NAME))
    note = html.escape(stack.note)
    tone = f'<span style="color:{color}">{f"<b>{note}</b>" if stack.lost else note}</span>'
    label(
        figure,
        f"<b>{html.escape(stack.shown)}</b>{SPACE} {name}" + (f"{SPACE} {tone}" if note else ""),
        x=0,
        y=y,
        xanchor="left",
        yanchor="bottom",
        yshift=BAR_PX / 2 + 1,
    )


def _reference(figure: go.Figure, y: int, stack: Stack) -> None:
    """A tick at the cost without caching, and a line from it to the end of the bar."""
    half = BAR_PX / PITCH_PX / 2
    line_y = y - half - 0.05 if stack.lost else y
    line = {"width": 3, "color": LOST if stack.lost else OURS}
    add = figure.add_shape
    if stack.total != stack.reference:
        add(type="line", x0=stack.total, x1=stack.reference, y0=line_y, y1=line_y, line=line)
    ends = {"y0": y - half - 0.08, "y1": y + half + 0.04}
    tick = {"width": 2, "color": INK}
    add(type="line", x0=stack.reference, x1=stack.reference, line=tick, **ends)
