"""One's own hours against APIs: dollars a million tokens over the load."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from econ.own_break_even import ApiRow, OwnRate
from ui import charts
from ui.charts import INK, NEUTRAL, OURS, PAPER, Chart
from ui.curve_charts import log_ticks
from ui.money_charts import axis_title, short_usd
from ui.name_boxes import GAP, Box, Curve, best, box, post
from ui.numerals import percent
from ui.tables import Column, Table
from ui.words import t

LOAD_PX = 272
LEAST_LOAD = 0.01
LOADS = np.geomspace(LEAST_LOAD, 1, 60)
OWN_AT = (0.4, 0.25, 0.6, 0.15, 0.09, 0.05, 0.03)
"""The loads at which one's own line may be named, the best one first."""
CLOSE = 0.09
"""Names nearer than this share of the height are parted."""
LAST = 0.03
"""log10 of the load at the right end."""
UNDER, BELOW = 0.09, 0.13
"""A name's foot under an API's line, and under one's own, which falls."""


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
    at = None if here is None else max(here, LEAST_LOAD)
    view = _View(busy=busy, ends=(low, high), posts=() if at is None else (post(_along(at)),))
    taken = _api_names(figure, rows, view)
    _own_name(figure, view, taken, prices)
    if here is not None and at is not None:
        figure.add_vline(x=at, line={"width": 1.5, "dash": "dot", "color": INK})
        _here(figure, here, at, view, taken, prices)
    alt = t("hardware_money.break_even_alt")
    return Chart(figure=figure, alt=alt, table=break_even_table(rows, alt))


def _load_axes(figure: go.Figure, low: float, high: float) -> None:
    loads = (0.01, 0.03, 0.1, 0.3, 1.0)
    figure.update_xaxes(
        type="log",
        range=[math.log10(LEAST_LOAD), LAST],
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """One's own line by its busy rate, both ends of the amounts, and upright lines."""

    busy: float
    ends: tuple[float, float]
    posts: tuple[Box, ...]

    def up(self, usd: float) -> float:
        """The height of an amount in the picture, 0..1."""
        low, high = map(math.log10, self.ends)
        return (math.log10(usd) - low) / (high - low)

    def amount(self, height: float) -> float:
        """log10 of the amount at a height."""
        low, high = map(math.log10, self.ends)
        return low + height * (high - low)

    def own(self, x: float) -> float:
        """The height of one's own line."""
        first = math.log10(LEAST_LOAD)
        return self.up(self.busy / 10 ** (first + x * (LAST - first)))


def _along(load: float) -> float:
    """The place of a load in the picture, 0..1."""
    first = math.log10(LEAST_LOAD)
    return (math.log10(load) - first) / (LAST - first)


def _flat(height: float) -> Curve:
    return lambda _: height


def _api_names(figure: go.Figure, rows: Sequence[ApiRow], view: _View) -> list[Box]:
    """Names at an end of each line, over it or under it; where they stand."""
    taken: list[Box] = []
    for row in rows:
        name, height = row.model or t("hardware_money.typed_api"), view.up(_usd(row))
        first = _usd(row) > view.busy * 2.5
        spots = [
            ((right, over), box([name], 1.0 if right else 0.0, height if over else height - UNDER,
                                left=not right))
            for over in (True, False)
            for right in (first, not first)
        ]  # fmt: skip
        (right, over), room = best(spots, [*taken, *view.posts], [view.own])
        taken.append(room)
        charts.label(
            figure, html.escape(name),
            x=0 if right else math.log10(LEAST_LOAD), y=math.log10(_usd(row)),
            xanchor="right" if right else "left", yanchor="bottom" if over else "top",
            yshift=1 if over else -1,
        )  # fmt: skip
        figure.layout.annotations[-1].update(bgcolor="rgba(0,0,0,0)")
    return taken


def _own_name(figure: go.Figure, view: _View, taken: list[Box], prices: Sequence[float]) -> None:
    """The name of one's own line, beside it where nothing else stands."""
    name = t("hardware_money.line_own")
    spots = [
        ((load, left), box([name], _along(load) + (0.03 if left else -0.03),
                           view.up(view.busy / load) + (GAP if left else -BELOW), left=left))
        for load in OWN_AT
        for left in (False, True)
    ]  # fmt: skip
    flat = [_flat(view.up(usd)) for usd in prices]
    (load, left), room = best(spots, [*taken, *view.posts], [view.own, *flat])
    taken.append(room)
    charts.label(
        figure, f'<span style="color:{OURS}">{html.escape(name)}</span>',
        x=math.log10(load), y=view.amount(room.foot), xanchor="left" if left else "right",
        yanchor="bottom", xshift=10 if left else -10,
    )  # fmt: skip
    figure.layout.annotations[-1].update(bgcolor="rgba(0,0,0,0)")


def _here(
    figure: go.Figure, here: float, at: float, view: _View, taken: Sequence[Box],
    prices: Sequence[float],
) -> None:  # fmt: skip
    """'You are here' beside its line, where it covers nothing."""
    name, x = t("cache_page.here"), _along(at)
    spots = [
        (left, box([name, ""], x + (0.02 if left else -0.02), foot, left=left))
        for foot in np.arange(0.01, 0.84, 0.03).tolist()
        for left in (True, False)
    ]
    left, room = best(spots, taken, [view.own, *(_flat(view.up(usd)) for usd in prices)])
    charts.label(
        figure, f"<b>{html.escape(name)}</b><br>{percent(here)}", x=math.log10(at),
        y=view.amount(room.foot), xanchor="left" if left else "right", yanchor="bottom",
        xshift=6 if left else -6,
    )  # fmt: skip


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
