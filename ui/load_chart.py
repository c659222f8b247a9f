"""One's own hours against APIs: dollars a million tokens over the load."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from econ.own_break_even import ApiRow, OwnRate
from ui import charts
from ui.charts import INK, NEUTRAL, OURS, PAPER, Chart
from ui.curve_charts import log_ticks
from ui.money_charts import axis_title, short_usd
from ui.numerals import percent
from ui.tables import Column, Table
from ui.words import t

LOAD_PX = 272
LEAST_LOAD = 0.01
LOADS = np.geomspace(LEAST_LOAD, 1, 60)
OWN_AT = 0.4
"""The load at which one's own line is named."""
CLOSE = 0.09
"""Names nearer than this share of the height are parted."""


def break_even_chart(own: OwnRate, rows: Sequence[ApiRow], here: float | None) -> Chart:
    """USD a million tokens over the load: one's own falls, an API's stays; where they cross."""
    figure = charts.frame(LOAD_PX, bottom=48)
    busy = float(own.busy_usd_per_mtok)
    prices = [_usd(row) for row in rows]
    low, high = _ends(busy, prices)
    for row, usd in zip(rows, prices, strict=True):
        name = f"{row.model}, {row.provider}" if row.provider else t("hardware_money.typed_api")
        figure.add_scatter(
            x=[LEAST_LOAD, 1],
            y=[usd, usd],
            mode="lines",
            name=html.escape(name),
            line={"color": NEUTRAL, "width": 1.5},
            customdata=[f"{html.escape(name)}<br>{short_usd(usd)}"] * 2,
            hovertemplate="%{customdata}<extra></extra>",
        )
        ratio = float(row.point.utilisation_ratio)
        if LEAST_LOAD <= ratio <= 1:
            figure.add_scatter(
                x=[ratio], y=[usd], mode="markers", name=html.escape(name), hoverinfo="skip",
                marker={"size": 9, "color": PAPER, "line": {"width": 2.5, "color": OURS}},
            )  # fmt: skip
    figure.add_scatter(
        x=LOADS.tolist(),
        y=(busy / LOADS).tolist(),
        mode="lines",
        name=t("hardware_money.line_own"),
        line={"color": OURS, "width": 3},
        customdata=[f"{percent(u)}<br>{short_usd(busy / u)}" for u in LOADS.tolist()],
        hovertemplate="%{customdata}<extra></extra>",
    )
    _load_axes(figure, low, high)
    _api_names(figure, rows, busy)
    charts.label(
        figure, f'<span style="color:{OURS}">{html.escape(t("hardware_money.line_own"))}</span>',
        x=math.log10(OWN_AT), y=math.log10(busy / OWN_AT), xanchor="right", yanchor="top",
        xshift=-12, yshift=-2,
    )  # fmt: skip
    if here is not None:
        figure.add_vline(x=max(here, LEAST_LOAD), line={"width": 1.5, "dash": "dot", "color": INK})
        charts.label(
            figure, f"<b>{html.escape(t('cache_page.here'))}</b><br>{percent(here)}",
            x=math.log10(max(here, LEAST_LOAD)), y=math.log10(low), xanchor="left",
            yanchor="bottom", xshift=6,
        )  # fmt: skip
    alt = t("hardware_money.break_even_alt")
    return Chart(figure=figure, alt=alt, table=break_even_table(rows, alt))


def _load_axes(figure: go.Figure, low: float, high: float) -> None:
    loads = (0.01, 0.03, 0.1, 0.3, 1.0)
    figure.update_xaxes(
        type="log",
        range=[math.log10(LEAST_LOAD), 0.03],
        tickvals=loads,
        ticktext=[percent(load, 0) for load in loads],
        title=axis_title(t("hardware_money.axis_load")),
    )
    ticks = log_ticks(low, high)
    figure.update_yaxes(type="log", range=[math.log10(low), math.log10(high)])
    charts.y_ticks(figure, ticks, [f"${charts.tick_text(tick)}" for tick in ticks])


def apart(rows: Sequence[ApiRow], busy: float) -> list[ApiRow]:
    """Those of `rows`, dearest first, whose names have room beside each other."""
    span = _span(busy, [_usd(row) for row in rows])
    found: list[ApiRow] = []
    for row in sorted(rows, key=_usd, reverse=True):
        if not found or math.log10(_usd(found[-1]) / _usd(row)) / span >= CLOSE:
            found.append(row)
    return found


def _usd(row: ApiRow) -> float:
    return float(row.point.api_usd_per_mtok)


def _span(busy: float, prices: Sequence[float]) -> float:
    low, high = _ends(busy, prices)
    return math.log10(high / low)


def _ends(busy: float, prices: Sequence[float]) -> tuple[float, float]:
    return min([busy, *prices]) * 0.6, max([busy / LEAST_LOAD, *prices]) * 1.25


def _api_names(figure: go.Figure, rows: Sequence[ApiRow], busy: float) -> None:
    """Names over the lines' ends, on the side where one's own line does not pass."""
    for row in rows:
        right = _usd(row) > busy * 2.5
        charts.label(
            figure, html.escape(row.model or t("hardware_money.typed_api")),
            x=0 if right else math.log10(LEAST_LOAD), y=math.log10(_usd(row)),
            xanchor="right" if right else "left", yanchor="bottom", yshift=1,
        )  # fmt: skip
        figure.layout.annotations[-1].update(bgcolor="rgba(0,0,0,0)")


def break_even_table(rows: Sequence[ApiRow], alt: str) -> Table:
    """Every API with its policy, its price, the load and the tokens a day at which both cost the
    same."""
    return Table(
        columns=(
            Column(
                title=t("hardware_money.column_provider"), values=[row.provider for row in rows]
            ),
            Column(title=t("hardware_money.column_model"), values=[row.model for row in rows]),
            Column(title=t("hardware_money.column_policy"), values=[row.policy for row in rows]),
            Column(
                title=t("hardware_money.column_api"),
                values=[row.point.api_usd_per_mtok for row in rows], kind="usd_mtok",
            ),
            Column(
                title=t("hardware_money.column_api_low"),
                values=[row.low_usd_per_mtok for row in rows], kind="usd_mtok",
            ),
            Column(
                title=t("hardware_money.column_load"),
                values=[row.point.utilisation_ratio if row.point.reachable else None
                        for row in rows],
                kind="percent",
            ),
            Column(
                title=t("hardware_money.column_per_day"),
                values=[row.point.tokens_per_day if row.point.reachable else None for row in rows],
                kind="count",
            ),
            Column(title=t("hardware_money.column_as_of"), values=[row.as_of for row in rows]),
        ),
        alt=alt,
    )  # fmt: skip
