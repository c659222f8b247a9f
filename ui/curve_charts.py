"""The hit ratio over the size of the cache, as a chart with names beside its lines."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from econ.cache_study import CacheStudy
from econ.curve import Curve, Knee, Measure
from econ.replay_memory import Scale
from econ.replay_names import Policy
from ui import cache_size, charts
from ui.cache_size import Here
from ui.charts import INK, MUTED, NEUTRAL, OURS, PAPER, Chart
from ui.label_places import Line, places
from ui.numerals import percent
from ui.tables import Column, Table
from ui.words import t

CURVE_PX = 380
HEADROOM = 1.14

LINES: dict[Policy, dict[str, object]] = {
    "lru-leaf": {"color": OURS, "width": 3},
    "lru": {"color": NEUTRAL, "width": 1.75, "dash": "longdash"},
    "fifo": {"color": NEUTRAL, "width": 1.75, "dash": "dash"},
    "clairvoyant": {"color": NEUTRAL, "width": 1.75, "dash": "dot"},
}
DRAWN: tuple[Policy, ...] = ("clairvoyant", "fifo", "lru", "lru-leaf")
KNEE_FOOT = 0.11
"""The knee is named at the foot, where no curve that has risen to it passes."""
CLEAR, NEAR, LOW = 0.2, 0.3, 0.3
"""Shares of the picture: how far words stand from a curve, when two names are in each other's way,
and below which height words have no room under a curve."""
RIGHT = 0.72
PRICED_TICKS = 4  # each with a price under it, still apart on a telephone


def hit_curve(
    found: CacheStudy, measure: Measure, scale: Scale | None = None, here: Here | None = None
) -> Chart:
    """Hit ratio by size of the cache for every policy, with the knee, the ceiling and the reader's
    own place. Blocks on the axis where no `scale` is given."""
    scale = scale or Scale(block_tokens=found.block_tokens)
    main, knee = found.main, found.main.knee(measure)
    ends = _ends(main, scale, here)
    ceiling = float(main.ratios(measure)[-1])
    top = max(ceiling * HEADROOM, 0.01)
    figure = charts.frame(CURVE_PX, bottom=48)
    if knee is not None:
        _knee_band(figure, knee, scale)
    for policy in DRAWN:
        _line(figure, found.curves[policy], measure, scale)
    _axes(figure, ends, scale, top)
    _ceiling(figure, ends, ceiling)
    spots = []
    if knee is not None:
        ratio = ratio_at(main, knee.capacity_blocks, measure)
        spots.append(_Spot(t("cache_page.knee"), knee.capacity_blocks, ratio, KNEE_FOOT, OURS))
    if here is not None:
        ratio = float(here.curve.ratios(measure)[-1])
        foot = _foot(ratio / top, _share(scale.of(here.blocks), ends), spots, scale, ends)
        spots.append(_Spot(t("cache_page.here"), here.blocks, ratio, foot, INK))
    _names(figure, found, measure, scale, ends, top, [_taken(s, scale, ends) for s in spots])
    for spot in spots:
        _spot(figure, spot, scale, ends, top)
    alt = t("cache_page.curve_alt", policy="lru-leaf", ceiling=percent(ceiling))
    return Chart(figure=figure, alt=alt, table=_curve_table(found, measure, scale, alt))


@dataclass(frozen=True, slots=True)
class _Spot:
    """A capacity that has a name: where its words stand (share of the height) and its colour."""

    name: str
    blocks: int
    ratio: float
    foot: float
    color: str


def _line(figure: go.Figure, curve: Curve, measure: Measure, scale: Scale) -> None:
    ratios = curve.ratios(measure).tolist()
    sizes = curve.capacity_blocks.tolist()
    figure.add_scatter(
        x=[scale.of(size) for size in sizes],
        y=ratios,
        mode="lines",
        name=curve.policy,
        line=LINES[curve.policy],
        customdata=[
            f"{curve.policy}<br>{_hover(scale, size)}<br>{percent(ratio)}"
            for size, ratio in zip(sizes, ratios, strict=True)
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _hover(scale: Scale, blocks: int) -> str:
    said = t("cache_page.blocks", blocks)
    return said if scale.unit == "blocks" else f"{said}, {cache_size.words(scale, blocks)}"


def _axes(figure: go.Figure, ends: tuple[float, float], scale: Scale, top: float) -> None:
    sizes = log_ticks(*ends, most=6 if scale.usd_per_gb_hour is None else PRICED_TICKS)
    figure.update_xaxes(
        type="log",
        range=[math.log10(end) for end in ends],
        tickvals=sizes,
        ticktext=[cache_size.tick(scale, size) for size in sizes],
        tickangle=0,
        title={
            "text": cache_size.axis(scale),
            "font": {"size": charts.TICK_PX, "color": MUTED},
            "standoff": 8,
        },
    )
    ticks = charts.nice_ticks(0, top)
    texts = [f"{tick * 100:g}" for tick in ticks[:-1]] + [percent(ticks[-1], 0)]
    charts.y_ticks(figure, ticks, texts)
    figure.update_yaxes(range=[0, top])


def _ends(curve: Curve, scale: Scale, here: Here | None) -> tuple[float, float]:
    """Both ends of the axis in the scale's unit; wide enough for the reader's own place."""
    own = [] if here is None else [here.blocks]
    first = min(int(curve.capacity_blocks[0]), *own, int(curve.capacity_blocks[-1]))
    last = max(int(curve.capacity_blocks[-1]), *own, first * 2)
    return scale.of(first), scale.of(last)


def log_ticks(first: float, last: float, most: int = 6) -> list[float]:
    """At most `most` round sizes between two ends of a logarithmic axis."""
    decades = range(math.floor(math.log10(first)), math.ceil(math.log10(last)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        found = [s * 10.0**d for d in decades for s in steps if first <= s * 10.0**d <= last]
        if len(found) <= most:
            return found
    return found[:: math.ceil(len(found) / most)]


def _ceiling(figure: go.Figure, ends: tuple[float, float], ceiling: float) -> None:
    figure.add_hline(y=ceiling, line={"width": 1, "dash": "dot", "color": MUTED})
    charts.label(
        figure,
        t("cache_page.unlimited", ratio=percent(ceiling)),
        x=math.log10(ends[1]),
        y=ceiling,
        xanchor="right",
        yanchor="bottom",
        yshift=3,
    )


def _knee_band(figure: go.Figure, knee: Knee, scale: Scale) -> None:
    figure.add_vrect(
        x0=scale.of(knee.low_blocks),
        x1=scale.of(knee.high_blocks),
        fillcolor=OURS,
        opacity=0.13,
        line_width=0,
    )


def _spot(
    figure: go.Figure, spot: _Spot, scale: Scale, ends: tuple[float, float], top: float
) -> None:
    size = scale.of(spot.blocks)
    figure.add_scatter(
        x=[size],
        y=[spot.ratio],
        mode="markers",
        marker={"size": 13, "color": PAPER, "line": {"width": 3, "color": spot.color}},
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
        name=spot.name,
    )
    right = _share(size, ends) > RIGHT
    charts.label(
        figure,
        f'<span style="color:{spot.color}"><b>{html.escape(spot.name)}</b></span><br>'
        f"{html.escape(cache_size.short(scale, spot.blocks))}<br>{percent(spot.ratio, 0)}",
        x=math.log10(size),
        y=top * spot.foot,
        xanchor="right" if right else "left",
        yanchor="middle",
        xshift=-10 if right else 10,
    )
    figure.layout.annotations[-1].update(bgcolor="rgba(0,0,0,0)")  # it may lie on the knee's band


def _foot(
    height: float, at: float, others: list[_Spot], scale: Scale, ends: tuple[float, float]
) -> float:
    """Where the words of a spot stand: under the curve where there is room, else above it, and
    not over the knee's."""
    foot = height + CLEAR if height < LOW else height - CLEAR
    near = any(abs(_share(scale.of(other.blocks), ends) - at) < NEAR for other in others)
    return max(foot, KNEE_FOOT + CLEAR) if near else foot


def _share(size: float, ends: tuple[float, float]) -> float:
    """Where a size lies between the ends of the axis, 0..1."""
    first, last = map(math.log10, ends)
    return (math.log10(size) - first) / (last - first)


def ratio_at(curve: Curve, capacity_blocks: int, measure: Measure) -> float:
    """The ratio at a capacity that is a point of the curve."""
    at = int(np.searchsorted(curve.capacity_blocks, capacity_blocks))
    return float(curve.ratios(measure)[at])


def _names(
    figure: go.Figure, found: CacheStudy, measure: Measure, scale: Scale,
    ends: tuple[float, float], top: float, taken: list[tuple[float, float]],
) -> None:  # fmt: skip
    """Each curve's name beside it; a legend above where curves run too close for that."""
    first, last = map(math.log10, ends)
    lines = [
        Line(
            policy,
            (np.log10(scale.of(1) * found.curves[policy].capacity_blocks) - first) / (last - first),
            found.curves[policy].ratios(measure) / top,
        )
        for policy in reversed(DRAWN)
    ]
    ceiling = float(found.main.ratios(measure)[-1]) / top
    named = places(lines, taken, ceiling)
    if named is None:
        _legend(figure)
        return
    for place in named:
        color = OURS if "lru-leaf" in place.names else INK
        charts.label(
            figure,
            f'<span style="color:{color}">{", ".join(place.names)}</span>',
            x=first + place.x * (last - first),
            y=place.y * top,
            xanchor="left",
            yanchor="middle",
        )


def _legend(figure: go.Figure) -> None:
    figure.update_layout(
        showlegend=True,
        margin={"t": 40},
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.02,
            "yanchor": "bottom",
            "itemclick": False,
            "itemdoubleclick": False,
            "font": {"size": charts.LABEL_PX},
            "traceorder": "reversed",
        },
    )


def _taken(spot: _Spot, scale: Scale, ends: tuple[float, float]) -> tuple[float, float]:
    """Where a spot's words begin, in units of the picture."""
    at = _share(scale.of(spot.blocks), ends)
    return (at - 0.14 if at > RIGHT else at), spot.foot


def _curve_table(found: CacheStudy, measure: Measure, scale: Scale, alt: str) -> Table:
    sizes = found.curves["fifo"].capacity_blocks
    columns = [Column(title=t("cache_page.column_blocks"), values=sizes.tolist(), kind="count")]
    if found.equal_blocks:
        tokens = (sizes * found.block_tokens).astype(np.int64).tolist()
        columns.append(Column(title=t("ui.column.tokens"), values=tokens, kind="count"))
    if scale.unit == "gb":
        gb = [scale.gb(size) for size in sizes.tolist()]
        columns.append(Column(title=t("cache_page.size_unit_gb"), values=gb, kind="number"))
        costs = [scale.usd_per_hour(size) for size in sizes.tolist()]
        if scale.usd_per_gb_hour is not None:
            columns.append(Column(title=t("cache_page.column_usd_hour"), values=costs, kind="usd"))
    for policy in reversed(DRAWN):
        curve = found.curves[policy]
        at = np.searchsorted(curve.capacity_blocks, sizes)
        ratios = curve.ratios(measure)[at].tolist()
        columns.append(Column(title=policy, values=ratios, kind="percent"))
    return Table(columns=tuple(columns), alt=alt)
