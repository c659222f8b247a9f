"""Bytes a token as bars, bytes by context as lines under the memory of devices."""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from econ.size_study import CurvePoint, SizeRow
from price_tables.hardware import DeviceSpec, ModelSpec
from ui import charts
from ui.byte_words import NAMES, STEP, Unit, both, size
from ui.charts import INK, MUTED, OURS, Bar, Chart
from ui.numerals import SPACE, count, foreign
from ui.spoken import spoken
from ui.tables import Column, Table
from ui.words import t

CURVE_PX = 400
SERIES = ("#000003", "#000004", "#000005", "#000006", "#000007")
NAME_PX = 22
"""Names nearer to each other than this would lie on one another."""
LONGEST_NAME = 26
SHORT_KIND = 12
"""Longer words for the kind of attention would be cut off on a telephone; the table has them."""


def bars(rows: Sequence[SizeRow], own: str, unit: Unit) -> Chart:
    """One bar a model, the largest first; the reader's own in blue."""
    drawn = [
        Bar(
            name=foreign(row.spec.name, 40),
            value=float(row.kept.bytes_per_token),
            shown=size(row.kept.bytes_per_token, unit),
            style="read" if row.spec.id == own else "total",
            more=_more(row, unit),
            struck=_struck(row, unit),
            hover=both(row.kept.bytes_per_token),
        )
        for row in rows
    ]
    alt = t("model_size.bars_alt")
    return charts.ranked_bars(drawn, alt, _bar_table(rows, alt))


def _more(row: SizeRow, unit: Unit) -> str:
    if row.kept.bytes_per_token_long_context != row.kept.bytes_per_token:
        return t("model_size.beyond", size=size(row.kept.bytes_per_token_long_context, unit))
    kind = row.spec.attention
    return kind if len(kind) <= SHORT_KIND else ""


def _struck(row: SizeRow, unit: Unit) -> str:
    """What an MLA model would keep if it were counted by heads."""
    latent = any(group.kind == "mla" for group in row.spec.groups)
    if not latent or row.mha_per_token is None:
        return ""
    return t("model_size.mha_style", size=size(row.mha_per_token, unit))


def _bar_table(rows: Sequence[SizeRow], alt: str) -> Table:
    kept = [row.kept for row in rows]
    per_token = [float(k.bytes_per_token) for k in kept]
    beyond = [float(k.bytes_per_token_long_context) for k in kept]
    mha = [None if r.mha_per_token is None else float(r.mha_per_token) for r in rows]
    return Table(
        columns=(
            Column(title=t("model_size.model"), values=[row.spec.name for row in rows]),
            Column(title=t("model_size.attention"), values=[row.spec.attention for row in rows]),
            Column(title=t("model_size.per_token_bytes"), values=per_token, kind="count"),
            Column(title=t("model_size.beyond_bytes"), values=beyond, kind="count"),
            Column(title=t("model_size.mha_bytes"), values=mha, kind="count"),
            Column(title=t("model_size.source"), values=[spoken(row.spec.source) for row in rows]),
        ),
        alt=alt,
    )


@dataclass(frozen=True, slots=True)
class Drawn:
    """One model's curve."""

    spec: ModelSpec
    points: tuple[CurvePoint, ...]


def curve(
    drawn: Sequence[Drawn], devices: Sequence[DeviceSpec], context_tokens: int, unit: Unit
) -> Chart:
    """Bytes of one sequence over its length, both axes logarithmic; devices are level lines."""
    figure = charts.frame(CURVE_PX, bottom=48)
    colours = dict(zip([one.spec.id for one in drawn[1:]], itertools.cycle(SERIES)))
    for number, one in enumerate(drawn):
        _line(figure, one, OURS if number == 0 else colours[one.spec.id], unit, number == 0)
    every = [point for one in drawn for point in one.points]
    low = min(point.bytes_min for point in every)
    high = max([*(point.bytes_min for point in every), *(d.memory_bytes for d in devices)])
    ends = math.log10(max(low, 1)) - 0.15, math.log10(high) + 0.25
    last = every[-1].context_tokens
    _axes(figure, ends, last, unit)
    _levels(figure, devices, unit)
    figure.add_vline(x=context_tokens, line={"width": 1, "color": MUTED})
    charts.label(
        figure, t("model_size.here", tokens=count(context_tokens)), x=math.log10(context_tokens),
        y=ends[0], xanchor="right", yanchor="bottom", xshift=-4,
    )  # fmt: skip
    _names(figure, drawn, colours, ends)
    alt = t("model_size.curve_alt")
    return Chart(figure=figure, alt=alt, table=_curve_table(drawn, alt))


def _line(figure: go.Figure, one: Drawn, colour: str, unit: Unit, ours: bool) -> None:
    name = html.escape(foreign(one.spec.name, LONGEST_NAME))
    xs = [point.context_tokens for point in one.points]
    for kind, dash in (("bytes_min", "solid"), ("bytes_reserved", "dot")):
        values = [getattr(point, kind) for point in one.points]
        if kind == "bytes_reserved" and values[-1] <= one.points[-1].bytes_min * 1.02:
            continue
        word = t(f"model_size.{kind}")
        figure.add_scatter(
            x=xs,
            y=values,
            mode="lines",
            name=name if dash == "solid" else f"{name}, {word}",
            line={"color": colour, "width": 3 if ours else 2, "dash": dash},
            customdata=[
                f"{name}, {word}<br>{t('model_size.tokens', tokens=count(x))}<br>{both(y)}"
                for x, y in zip(xs, values, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )


def _axes(figure: go.Figure, ends: tuple[float, float], last: int, unit: Unit) -> None:
    first = 1024
    lengths = [2**power for power in range(10, 26, 2) if first <= 2**power <= last]
    figure.update_xaxes(
        type="log",
        range=[math.log10(first), math.log10(last) + 0.06],
        tickvals=lengths,
        ticktext=[_length(tokens) for tokens in lengths],
        title={"text": t("model_size.axis_context"),
               "font": {"size": charts.TICK_PX, "color": MUTED}, "standoff": 8},
    )  # fmt: skip
    step, names = STEP[unit], NAMES[unit]
    ticks = [
        (factor * step**at, f"{factor}{SPACE}{names[at]}")
        for at in range(1, len(names))
        for factor in (1, 10, 100)
        if ends[0] <= math.log10(factor * step**at) <= ends[1]
    ]
    figure.update_yaxes(type="log", range=list(ends))
    charts.y_ticks(figure, [value for value, _ in ticks], [text for _, text in ticks])


def _length(tokens: int) -> str:
    """'128 Ki' would be right and unknown: 131,072 is written out, short below a million."""
    return f"{tokens // 1024}K" if tokens < 2**20 else f"{tokens // 2**20}M"


def _levels(figure: go.Figure, devices: Sequence[DeviceSpec], unit: Unit) -> None:
    """The memory of devices, named at the left, from the largest down."""
    above = math.inf
    for device in sorted(devices, key=lambda d: d.memory_bytes, reverse=True):
        y = math.log10(device.memory_bytes)
        figure.add_hline(y=device.memory_bytes, line={"width": 1, "dash": "dash", "color": MUTED})
        close = above - y < 0.18
        words = f"{html.escape(foreign(device.name, 34))}{SPACE} {size(device.memory_bytes, unit)}"
        charts.label(
            figure, f'<span style="color:{MUTED}">{words}</span>', x=math.log10(1024), y=y,
            xanchor="left", yanchor="top" if close else "bottom", yshift=-2 if close else 2,
        )  # fmt: skip
        above = y


def _names(
    figure: go.Figure, drawn: Sequence[Drawn], colours: dict[str, str], ends: tuple[float, float]
) -> None:
    """Names at the right ends where there is room, else a legend above."""
    room = NAME_PX / (CURVE_PX - 60) * (ends[1] - ends[0])
    tops = sorted(math.log10(max(one.points[-1].bytes_min, 1)) for one in drawn)
    if any(b - a < room for a, b in itertools.pairwise(tops)):
        figure.update_layout(
            showlegend=True,
            margin={"t": 12},
            legend={
                "orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom",
                "itemclick": False, "itemdoubleclick": False, "font": {"size": charts.TICK_PX},
            },
        )  # fmt: skip
        return
    for one in drawn:
        colour = OURS if one is drawn[0] else INK
        name = html.escape(foreign(one.spec.name, LONGEST_NAME))
        last = one.points[-1]
        charts.label(
            figure, f'<span style="color:{colour}">{name}</span>',
            x=math.log10(last.context_tokens), y=math.log10(max(last.bytes_min, 1)),
            xanchor="right", yanchor="bottom", yshift=3,
        )  # fmt: skip


def _curve_table(drawn: Sequence[Drawn], alt: str) -> Table:
    flat = [(one.spec.name, point) for one in drawn for point in one.points]
    return Table(
        columns=(
            Column(title=t("model_size.model"), values=[name for name, _ in flat]),
            Column(
                title=t("model_size.axis_context"),
                values=[p.context_tokens for _, p in flat],
                kind="count",
            ),
            Column(
                title=t("model_size.bytes_min"), values=[p.bytes_min for _, p in flat], kind="count"
            ),
            Column(
                title=t("model_size.bytes_reserved"),
                values=[p.bytes_reserved for _, p in flat],
                kind="count",
            ),
        ),
        alt=alt,
    )
