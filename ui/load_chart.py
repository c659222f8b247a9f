"""One's own hours against APIs: dollars a million tokens over the load."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import NamedTuple

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
OWN_AT = (0.4, 0.25, 0.6, 0.15, 0.09, 0.05, 0.03)
"""The loads at which one's own line may be named, the best one first."""
LAST = 0.03
"""log10 of the load at the right end."""
INSIDE_PX = (230, 200)
"""The plot's own area where the page is narrow: what is apart there is apart everywhere."""
NARROW_PX, WIDE_PX, LATIN, LINE = 6.6, 13.0, 0x2E7F, 1.25
GAP = 0.015
CLOSE = 0.09
"""Names nearer than this share of the height are parted."""


class Box(NamedTuple):
    """The room of a name, as shares of the picture."""

    left: float
    foot: float
    right: float
    top: float

    def touches(self, other: Box) -> bool:
        """Whether two names share room."""
        apart = self.right < other.left or other.right < self.left
        return not (apart or self.top < other.foot or other.top < self.foot)


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
    taken = _api_names(figure, rows, busy, (low, high))
    _own_name(figure, busy, (low, high), taken)
    if here is not None:
        at = max(here, LEAST_LOAD)
        figure.add_vline(x=at, line={"width": 1.5, "dash": "dot", "color": INK})
        _here(figure, here, at, busy, (low, high), taken)
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


def _api_names(
    figure: go.Figure, rows: Sequence[ApiRow], busy: float, ends: tuple[float, float]
) -> list[Box]:
    """Names over the lines' ends, on the side where one's own line does not pass; where they
    stand."""
    taken = []
    for row in rows:
        right, name = _usd(row) > busy * 2.5, row.model or t("hardware_money.typed_api")
        charts.label(
            figure, html.escape(name),
            x=0 if right else math.log10(LEAST_LOAD), y=math.log10(_usd(row)),
            xanchor="right" if right else "left", yanchor="bottom", yshift=1,
        )  # fmt: skip
        figure.layout.annotations[-1].update(bgcolor="rgba(0,0,0,0)")
        taken.append(_box(name, 1, 1.0 if right else 0.0, _up(_usd(row), ends), left=not right))
    return taken


def _up(usd: float, ends: tuple[float, float]) -> float:
    """The height of an amount in the picture, 0..1."""
    low, high = map(math.log10, ends)
    return (math.log10(usd) - low) / (high - low)


def _along(load: float) -> float:
    """The place of a load in the picture, 0..1."""
    first = math.log10(LEAST_LOAD)
    return (math.log10(load) - first) / (LAST - first)


def _box(text: str, lines: int, x: float, foot: float, *, left: bool) -> Box:
    """The room of a text that begins (`left`) or ends at x, over `foot`."""
    wide = sum(WIDE_PX if ord(letter) > LATIN else NARROW_PX for letter in text) / INSIDE_PX[0]
    high = lines * charts.LABEL_PX * LINE / INSIDE_PX[1]
    return Box(x if left else x - wide, foot, x + wide if left else x, foot + high)


def _clear(box: Box, taken: Sequence[Box], busy: float, ends: tuple[float, float]) -> bool:
    """Inside the picture, off the names that stand there, and off one's own falling line."""
    if box.left < 0 or box.right > 1 or box.foot < 0 or box.top > 1:
        return False
    edge = np.linspace(box.left, box.right, 9)
    first = math.log10(LEAST_LOAD)
    line = [_up(busy / 10 ** (first + x * (LAST - first)), ends) for x in edge]
    if any(box.foot - GAP < y < box.top + GAP for y in line):
        return False
    return not any(box.touches(other) for other in taken)


def _own_name(figure: go.Figure, busy: float, ends: tuple[float, float], taken: list[Box]) -> None:
    """The name of one's own line, beside it where nothing else stands."""
    name = t("hardware_money.line_own")
    spots = [
        (load, left, _box(name, 1, _along(load) + (0.03 if left else -0.03),
                          _up(busy / load, ends) + (GAP if left else -0.13), left=left))
        for load in OWN_AT
        for left in (False, True)
    ]  # fmt: skip
    load, left, box = next((s for s in spots if _clear(s[2], taken, busy, ends)), spots[0])
    taken.append(box)
    charts.label(
        figure, f'<span style="color:{OURS}">{html.escape(name)}</span>',
        x=math.log10(load), y=_amount(box.foot, ends), xanchor="left" if left else "right",
        yanchor="bottom", xshift=10 if left else -10,
    )  # fmt: skip
    figure.layout.annotations[-1].update(bgcolor="rgba(0,0,0,0)")


def _amount(height: float, ends: tuple[float, float]) -> float:
    """log10 of the amount at a height."""
    low, high = map(math.log10, ends)
    return low + height * (high - low)


def _here(
    figure: go.Figure, here: float, at: float, busy: float, ends: tuple[float, float],
    taken: Sequence[Box],
) -> None:  # fmt: skip
    """'You are here' beside its line, at the lowest height where it covers nothing."""
    name, x = t("cache_page.here"), _along(at)
    spots = [
        (left, _box(name, 2, x + (0.02 if left else -0.02), foot, left=left))
        for foot in np.arange(0.01, 0.84, 0.03).tolist()
        for left in (True, False)
    ]
    left, box = next((s for s in spots if _clear(s[1], taken, busy, ends)), spots[0])
    charts.label(
        figure, f"<b>{html.escape(name)}</b><br>{percent(here)}", x=math.log10(at),
        y=_amount(box.foot, ends), xanchor="left" if left else "right", yanchor="bottom",
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
