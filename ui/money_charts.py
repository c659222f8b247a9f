"""Dollars over the size of a cache, and own hours against APIs over the load."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from econ.dollar_curve import DollarCurve
from ui import charts
from ui.cache_size import gb_words
from ui.charts import INK, MUTED, NEUTRAL, OURS, PAPER, Chart
from ui.curve_charts import log_ticks
from ui.name_boxes import Box, best, box, post
from ui.numerals import MINUS, percent
from ui.tables import Column, Table
from ui.words import t

DOLLARS_PX = 272
ROOM = 1.3
RIGHT = 0.62
FEET = tuple(at / 100 for at in range(2, 80, 4))
"""Heights of the foot of a mark's words, the lowest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Money is shown by this stretch of time: `hours` of it, and the word for it."""

    hours: float
    name: str


def dollar_chart(found: DollarCurve, span: Span, here_gb: float | None) -> Chart:
    """What a cache saves and costs by its size; the knee, and where the reader is."""
    figure = charts.frame(DOLLARS_PX, bottom=48)
    gb, saved, rent = found.gb[1:], found.saved[1:] * span.hours, found.rent[1:] * span.hours
    top = max(float(saved.max()), 1e-12) * ROOM
    first, last = float(gb[0]), max(float(gb[-1]), float(gb[0]) * 2)
    if here_gb is not None:
        first, last = min(first, here_gb), max(last, here_gb)
    hover = [
        "<br>".join(
            (
                gb_words(size),
                t("hardware_money.hover_hits", ratio=percent(ratio)),
                t("hardware_money.hover_saved", usd=short_usd(s)),
                t("hardware_money.hover_rent", usd=short_usd(r)),
                t("hardware_money.hover_net", usd=short_usd(s - r)),
            )
        )
        for size, ratio, s, r in zip(
            gb.tolist(), found.hit_ratio[1:].tolist(), saved.tolist(), rent.tolist(), strict=True
        )
    ]
    for name, ys, line in (
        ("rent", rent, {"color": NEUTRAL, "width": 1.75, "dash": "dash"}),
        ("saved", saved, {"color": OURS, "width": 3}),
    ):
        figure.add_scatter(
            x=gb.tolist(),
            y=[min(y, top * 1.2) for y in ys.tolist()],
            mode="lines",
            name=t(f"hardware_money.line_{name}"),
            line=line,
            customdata=hover,
            hovertemplate="%{customdata}<extra></extra>",
        )
    _size_axis(figure, first, last)
    ticks = charts.nice_ticks(0, top)
    charts.y_ticks(figure, ticks, [f"${charts.tick_text(tick)}" for tick in ticks])
    figure.update_yaxes(range=[0, top])
    taken = _line_names(figure, gb, saved, rent, (first, last), top)
    curves = [_curve(gb, line, (first, last), top) for line in (saved, rent)]
    spots = []
    if found.knee:
        usd = float(found.saved[found.knee]) * span.hours
        spots.append((t("hardware_money.knee"), float(found.gb[found.knee]), usd, OURS))
    if here_gb is not None:
        usd = float(found.saved[found.at(here_gb)]) * span.hours
        spots.append((t("cache_page.here"), here_gb, usd, INK))
    posts = [post(_share(size, (first, last)), usd / top) for _, size, usd, _ in spots]
    for at, (name, size, usd, color) in enumerate(spots):
        others = [one for n, one in enumerate(posts) if n != at]
        taken.append(
            _spot(figure, (name, size, usd, color), (first, last), top, [*taken, *others], curves)
        )
    alt = t("hardware_money.dollars_alt", span=span.name)
    return Chart(figure=figure, alt=alt, table=_dollar_table(found, span, alt))


def _size_axis(figure: go.Figure, first: float, last: float) -> None:
    ticks = log_ticks(first, last)
    figure.update_xaxes(
        type="log",
        range=[math.log10(first), math.log10(last)],
        tickvals=ticks,
        ticktext=[gb_words(tick) for tick in ticks],
        tickangle=0,
        title=axis_title(t("hardware_money.axis_size")),
    )


def axis_title(text: str) -> dict[str, object]:
    """The name of an axis, muted."""
    return {"text": text, "font": {"size": charts.TICK_PX, "color": MUTED}, "standoff": 8}


def _line_names(
    figure: go.Figure, gb: np.ndarray, saved: np.ndarray, rent: np.ndarray,
    ends: tuple[float, float], top: float,
) -> list[Box]:  # fmt: skip
    """Saved is named over its end; rent where it leaves the picture, or over its end. The room
    that they take."""
    name, other = t("hardware_money.line_saved"), t("hardware_money.line_rent")
    charts.label(
        figure, f'<span style="color:{OURS}">{html.escape(name)}</span>',
        x=math.log10(ends[1]), y=float(saved[-1]), xanchor="right", yanchor="bottom", yshift=5,
    )  # fmt: skip
    taken = [box([name], 1.0, float(saved[-1]) / top + 0.02, left=False)]
    inside = np.flatnonzero(rent <= top)
    at = int(inside[-1]) if len(inside) else 0
    x = _share(float(gb[at]), ends)
    if at < len(gb) - 1 and x > 0.3:  # it leaves the picture at the top
        charts.label(
            figure, html.escape(other), x=math.log10(float(gb[at])),
            y=top, xanchor="right", yanchor="top", xshift=-6,
        )  # fmt: skip
        return [*taken, box([other], x, 0.92, left=False)]
    right = x > 0.3
    below = right and abs(rent[at] - saved[-1]) < top * 0.12
    charts.label(
        figure, html.escape(other), x=math.log10(float(gb[at])),
        y=float(rent[at]), xanchor="right" if right else "left",
        yanchor="top" if below else "bottom", xshift=-6 if right else 6, yshift=-4 if below else 2,
    )  # fmt: skip
    foot = float(rent[at]) / top - (0.1 if below else 0.0)
    return [*taken, box([other], x, foot, left=not right)]


def _curve(
    gb: np.ndarray, usd: np.ndarray, ends: tuple[float, float], top: float
) -> Callable[[float], float]:
    """The height of a line by its place, both 0..1."""
    places, heights = [_share(size, ends) for size in gb.tolist()], usd / top
    return lambda x: float(np.interp(x, places, heights))


def _spot(
    figure: go.Figure, spot: tuple[str, float, float, str], ends: tuple[float, float],
    top: float, taken: Sequence[Box], curves: Sequence[Callable[[float], float]],
) -> Box:  # fmt: skip
    """A mark on the curve and its name, size and dollars beside its foot, where they cover
    nothing; the room they take."""
    name, gb, usd, color = spot
    figure.add_scatter(
        x=[gb],
        y=[usd],
        mode="markers",
        marker={"size": 13, "color": PAPER, "line": {"width": 3, "color": color}},
        hoverinfo="skip",
        cliponaxis=False,
        name=name,
    )
    figure.add_shape(
        type="line", x0=gb, x1=gb, y0=0, y1=usd, line={"width": 1, "dash": "dot", "color": color}
    )
    x = _share(gb, ends)
    lines = [name, gb_words(gb), short_usd(usd)]
    places = [
        (left, box(lines, x + (0.035 if left else -0.035), foot, left=left))
        for foot in FEET
        for left in ((False, True) if x > RIGHT else (True, False))
    ]
    left, room = best(places, taken, curves)
    charts.label(
        figure,
        f'<span style="color:{color}"><b>{html.escape(name)}</b></span><br>{gb_words(gb)}<br>'
        f"{short_usd(usd)}",
        x=math.log10(gb),
        y=top * room.foot,
        xanchor="left" if left else "right",
        yanchor="bottom",
        xshift=10 if left else -10,
    )
    return room


def _share(size: float, ends: tuple[float, float]) -> float:
    first, last = map(math.log10, ends)
    return (math.log10(size) - first) / (last - first)


def short_usd(value: float) -> str:
    """'$1,240', '$9.59', '$0.031', '−$12.00': cents from a dollar on, three significant digits
    below."""
    size = abs(value)
    if not size:
        return "$0"
    digits = 0 if size >= 100 else 2 if size >= 1 else 2 - math.floor(math.log10(size))
    text = f"{size:,.{digits}f}"
    if size < 1:
        text = text.rstrip("0").rstrip(".")
    return f"{MINUS if value < 0 else ''}${text}"


def _dollar_table(found: DollarCurve, span: Span, alt: str) -> Table:
    def money(name: str, values: np.ndarray) -> Column:
        title = t(f"hardware_money.column_{name}", span=span.name)
        return Column(title=title, values=(values * span.hours).tolist(), kind="usd")

    return Table(
        columns=(
            Column(title=t("cache_page.size_unit_gb"), values=found.gb.tolist(), kind="number"),
            Column(
                title=t("hardware_money.column_hits"), values=found.hit_ratio.tolist(),
                kind="percent",
            ),
            money("saved", found.saved),
            money("rent", found.rent),
            money("net", found.net),
        ),
        alt=alt,
    )  # fmt: skip
