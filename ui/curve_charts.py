"""The hit ratio over the size of the cache, as a chart with names beside its lines."""

from __future__ import annotations

import html
import math

import numpy as np
import plotly.graph_objects as go

from econ.cache_study import CacheStudy
from econ.curve import Curve, Knee, Measure
from econ.replay_names import Policy
from ui import charts
from ui.charts import INK, MUTED, NEUTRAL, OURS, PAPER, Chart
from ui.label_places import Line, places
from ui.numerals import compact, percent
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


def hit_curve(found: CacheStudy, measure: Measure) -> Chart:
    """Hit ratio by size of the cache for every policy, with the knee and the ceiling."""
    main, knee = found.main, found.main.knee(measure)
    ceiling = float(main.ratios(measure)[-1])
    top = max(ceiling * HEADROOM, 0.01)
    figure = charts.frame(CURVE_PX, bottom=48)
    if knee is not None:
        _knee_band(figure, knee)
    for policy in DRAWN:
        _line(figure, found.curves[policy], measure)
    _axes(figure, main, top)
    _ceiling(figure, main, ceiling)
    _names(figure, found, measure, top)
    if knee is not None:
        _knee(figure, main, knee, measure, top)
    alt = t("cache_page.curve_alt", policy="lru-leaf", ceiling=percent(ceiling))
    return Chart(figure=figure, alt=alt, table=_curve_table(found, measure, alt))


def _line(figure: go.Figure, curve: Curve, measure: Measure) -> None:
    ratios = curve.ratios(measure).tolist()
    sizes = curve.capacity_blocks.tolist()
    figure.add_scatter(
        x=sizes,
        y=ratios,
        mode="lines",
        name=curve.policy,
        line=LINES[curve.policy],
        customdata=[
            f"{curve.policy}<br>{t('cache_page.blocks', size)}<br>{percent(ratio)}"
            for size, ratio in zip(sizes, ratios, strict=True)
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _axes(figure: go.Figure, curve: Curve, top: float) -> None:
    first, last = _ends(curve)
    sizes = log_ticks(first, last)
    figure.update_xaxes(
        type="log",
        range=[math.log10(first), math.log10(last)],
        tickvals=sizes,
        ticktext=[compact(size) for size in sizes],
        title={
            "text": t("cache_page.size_axis"),
            "font": {"size": charts.TICK_PX, "color": MUTED},
            "standoff": 8,
        },
    )
    ticks = charts.nice_ticks(0, top)
    texts = [f"{tick * 100:g}" for tick in ticks[:-1]] + [percent(ticks[-1], 0)]
    charts.y_ticks(figure, ticks, texts)
    figure.update_yaxes(range=[0, top])


def _ends(curve: Curve) -> tuple[float, float]:
    first, last = int(curve.capacity_blocks[0]), int(curve.capacity_blocks[-1])
    return float(first), float(max(last, first * 2))


def log_ticks(first: float, last: float) -> list[float]:
    """At most six round sizes between two ends of a logarithmic axis."""
    decades = range(math.floor(math.log10(first)), math.ceil(math.log10(last)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        found = [s * 10.0**d for d in decades for s in steps if first <= s * 10.0**d <= last]
        if len(found) <= 6:
            return found
    return found[:: math.ceil(len(found) / 6)]


def _ceiling(figure: go.Figure, curve: Curve, ceiling: float) -> None:
    figure.add_hline(y=ceiling, line={"width": 1, "dash": "dot", "color": MUTED})
    charts.label(
        figure,
        t("cache_page.unlimited", ratio=percent(ceiling)),
        x=math.log10(_ends(curve)[1]),
        y=ceiling,
        xanchor="right",
        yanchor="bottom",
        yshift=3,
    )


def _knee_band(figure: go.Figure, knee: Knee) -> None:
    figure.add_vrect(
        x0=knee.low_blocks, x1=knee.high_blocks, fillcolor=OURS, opacity=0.13, line_width=0
    )


def _knee(figure: go.Figure, curve: Curve, knee: Knee, measure: Measure, top: float) -> None:
    ratio = ratio_at(curve, knee.capacity_blocks, measure)
    figure.add_scatter(
        x=[knee.capacity_blocks],
        y=[ratio],
        mode="markers",
        marker={"size": 13, "color": PAPER, "line": {"width": 3, "color": OURS}},
        hoverinfo="skip",
        showlegend=False,
    )
    first, last = map(math.log10, _ends(curve))
    at = math.log10(knee.capacity_blocks)
    right_half = at > (first + last) / 2
    charts.label(
        figure,
        f'<span style="color:{OURS}"><b>{html.escape(t("cache_page.knee"))}</b></span><br>'
        f"{t('cache_page.blocks', knee.capacity_blocks)}<br>{percent(ratio, 0)}",
        x=at,
        y=top * KNEE_FOOT,
        xanchor="right" if right_half else "left",
        yanchor="middle",
        xshift=-10 if right_half else 10,
    )
    figure.layout.annotations[-1].update(bgcolor="rgba(0,0,0,0)")  # it lies on the knee's band


def ratio_at(curve: Curve, capacity_blocks: int, measure: Measure) -> float:
    """The ratio at a capacity that is a point of the curve."""
    at = int(np.searchsorted(curve.capacity_blocks, capacity_blocks))
    return float(curve.ratios(measure)[at])


def _names(figure: go.Figure, found: CacheStudy, measure: Measure, top: float) -> None:
    """Each curve's name beside it; a legend above where curves run too close for that."""
    first, last = map(math.log10, _ends(found.main))
    lines = [
        Line(
            policy,
            (np.log10(found.curves[policy].capacity_blocks) - first) / (last - first),
            found.curves[policy].ratios(measure) / top,
        )
        for policy in reversed(DRAWN)
    ]
    ceiling = float(found.main.ratios(measure)[-1]) / top
    named = places(lines, [_knee_place(found, measure, first, last)], ceiling)
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


def _knee_place(
    found: CacheStudy, measure: Measure, first: float, last: float
) -> tuple[float, float]:
    knee = found.main.knee(measure)
    if knee is None:
        return (-1.0, -1.0)
    at = (math.log10(knee.capacity_blocks) - first) / (last - first)
    side = -0.14 if at > 0.5 else 0.0
    return at + side, KNEE_FOOT


def _curve_table(found: CacheStudy, measure: Measure, alt: str) -> Table:
    sizes = found.curves["fifo"].capacity_blocks
    columns = [Column(title=t("cache_page.column_blocks"), values=sizes.tolist(), kind="count")]
    if found.equal_blocks:
        tokens = (sizes * found.block_tokens).astype(np.int64).tolist()
        columns.append(Column(title=t("ui.column.tokens"), values=tokens, kind="count"))
    for policy in reversed(DRAWN):
        curve = found.curves[policy]
        at = np.searchsorted(curve.capacity_blocks, sizes)
        ratios = curve.ratios(measure)[at].tolist()
        columns.append(Column(title=policy, values=ratios, kind="percent"))
    return Table(columns=tuple(columns), alt=alt)
