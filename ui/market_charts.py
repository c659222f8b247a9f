"""Figures of the market pages: published shares as they add up, series over time, steps."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import plotly.graph_objects as go

from econ.observation import Ratio
from econ.observation import shares as added_up
from price_tables.hbm import MAKERS, Share
from ui import charts
from ui.charts import BAR_PX, GRID, INK, LABEL_PX, MUTED, NEUTRAL, OURS, PITCH_PX, Bar, Chart
from ui.less_kv_charts import figure as shown
from ui.numerals import SPACE, day
from ui.spoken import spoken
from ui.tables import Column, Table
from ui.words import t

MAKER_COLORS = {"sk_hynix": OURS, "samsung": "#000003", "micron": "#000004"}
LINE_COLORS = (OURS, "#000003", "#000004", "#000005", "#000006", "#000007", NEUTRAL, MUTED,
               "#000002")  # fmt: skip
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
WHOLE = 100
LINES_PX = 320
LEGEND = {
    "orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom",
    "itemclick": False, "itemdoubleclick": False, "font": {"size": LABEL_PX},
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class DateLine:
    """A named line; a value of None is a hole. `said` is what hovering says at each point."""

    name: str
    points: Sequence[tuple[date, Decimal | None]]
    said: Sequence[str]


def shares(rows: Sequence[Share]) -> Chart:
    """One bar a quarter and basis, each maker's part as published; the sum stands beside it."""
    above, below, top = 34, 20, 34
    height = (len(rows) - 1) * PITCH_PX + above + below
    figure = charts.frame(height + top + 40, bottom=28)
    for maker in MAKERS:
        values = [row.by_maker().get(maker) for row in rows]
        figure.add_bar(
            x=[None if value is None else float(value) for value in values],
            y=[-n for n in range(len(rows))],
            name=t(f"less_kv.maker.{maker}"),
            orientation="h",
            width=BAR_PX / PITCH_PX,
            marker={"color": MAKER_COLORS[maker], "line": {"width": 1, "color": charts.PAPER}},
            customdata=[f"{t(f'less_kv.maker.{maker}')}: {shown(value)} %" for value in values],
            hovertemplate="%{customdata}<extra></extra>",
        )
    for n, row in enumerate(rows):
        text = f"<b>{html.escape(parts(row))}</b>{SPACE} {html.escape(named(row))}"
        charts.label(figure, text, x=0, y=-n, xanchor="left", yanchor="bottom",
                     yshift=BAR_PX / 2 + 1)  # fmt: skip
    figure.add_shape(type="line", x0=WHOLE, x1=WHOLE, y0=0, y1=1, yref="paper",
                     line={"width": 1, "color": INK, "dash": "dot"})  # fmt: skip
    figure.update_xaxes(range=[0, 106], tickvals=[25, 50, 75, 100], showgrid=True, gridcolor=GRID,
                        ticktext=["25", "50", "75", "100 %"])  # fmt: skip
    figure.update_yaxes(range=[-(len(rows) - 1) - below / PITCH_PX, above / PITCH_PX],
                        showticklabels=False)  # fmt: skip
    figure.update_layout(barmode="stack", showlegend=True, barcornerradius=0, margin={"t": top},
                         legend={**LEGEND, "traceorder": "normal"})  # fmt: skip
    alt = t("market.shares_alt")
    return Chart(figure=figure, alt=alt, table=_share_table(rows, alt))


def margins(bars: Sequence[Bar], rows: Sequence[tuple[str, str, Ratio]]) -> Chart:
    """Operating margins, largest first. `rows`: name, period, the margin with both inputs."""
    alt = t("market.margins_alt")
    table = Table(
        columns=(
            Column(title=t("market.column.company"), values=[name for name, _, _ in rows]),
            Column(title=t("market.column.period"), values=[when for _, when, _ in rows]),
            Column(title=t("market.column.operating_margin"), kind="percent",
                   values=[None if found.value is None else float(found.value)
                           for _, _, found in rows]),
        ),
        alt=alt,
    )  # fmt: skip
    return charts.ranked_bars(bars, alt, table)


def parts(row: Share) -> str:
    """'50 / 33 / 18, sum 101 (rounding)'; a maker that is not named is a dash."""
    found = added_up({maker: row.by_maker().get(maker) for maker in MAKERS})
    text = " / ".join(shown(found.percents[maker]) for maker in MAKERS)
    if found.total is None:
        return t("market.sum_part", parts=text, total=shown(row.total))
    if found.adds_to_100:
        return text
    kind = "rounding" if found.rounding else "other"
    return t(f"market.sum_{kind}", parts=text, total=shown(found.total))


def named(row: Share) -> str:
    """'2026Q2, basis not stated'."""
    return t("market.quarter_basis", quarter=row.quarter, basis=t(f"less_kv.basis.{row.basis}"))


def _share_table(rows: Sequence[Share], alt: str) -> Table:
    return Table(
        columns=(
            Column(title=t("less_kv.column.quarter"), values=[row.quarter for row in rows]),
            Column(title=t("less_kv.column.basis"),
                   values=[t(f"less_kv.basis.{row.basis}") for row in rows]),
            *(
                Column(title=t(f"less_kv.maker.{maker}"), kind="number",
                       values=[row.by_maker().get(maker) for row in rows])
                for maker in MAKERS
            ),
            Column(title=t("less_kv.column.total"), values=[r.total for r in rows], kind="number"),
            Column(title=t("less_kv.column.source"), values=[spoken(row.source) for row in rows]),
        ),
        alt=alt,
    )  # fmt: skip


def date_lines(drawn: Sequence[DateLine], alt: str, axis: str, *, step: bool = False) -> Chart:
    """Lines over days; `step`: a value holds until the next one. Each has its own dash."""
    figure = charts.frame(LINES_PX, bottom=32)
    for n, line in enumerate(drawn):
        color = LINE_COLORS[n % len(LINE_COLORS)]
        figure.add_scatter(
            x=[at.isoformat() for at, _ in line.points],
            y=[None if value is None else float(value) for _, value in line.points],
            name=html.escape(line.name),
            mode="lines" if step or len(line.points) > charts.FEW_POINTS else "lines+markers",
            line={"color": color, "width": 3 if n == 0 else 2, "dash": DASHES[n % len(DASHES)],
                  "shape": "hv" if step else "linear"},
            marker={"size": 6, "color": color},
            connectgaps=False,
            customdata=[html.escape(text) for text in line.said],
            hovertemplate="%{customdata}<extra></extra>",
        )  # fmt: skip
    values = [float(v) for line in drawn for _, v in line.points if v is not None]
    days = [at for line in drawn for at, _ in line.points]
    _axes(figure, values, days, axis, step)
    figure.update_layout(showlegend=True, margin={"t": 56 if len(drawn) > 3 else 44}, legend=LEGEND)
    return Chart(figure=figure, alt=alt, table=_line_table(drawn, alt))


def _axes(
    figure: go.Figure, values: Sequence[float], days: Sequence[date], axis: str, step: bool
) -> None:
    low, high = min(values), max(values)
    room = (high - low) * 0.08 or 1.0
    ends = [0.0, high * 1.08] if step else [low - room, high + room]
    ticks = charts.nice_ticks(*ends)
    charts.y_ticks(figure, ticks, [charts.tick_text(tick) for tick in ticks])
    figure.update_yaxes(range=ends, title={"text": axis, "font": {"size": charts.TICK_PX,
                                                                  "color": MUTED}})  # fmt: skip
    first, last = min(days), max(days)
    figure.update_xaxes(range=[first.isoformat(), last.isoformat()], tickformat="%Y-%m", nticks=5)


def _line_table(drawn: Sequence[DateLine], alt: str) -> Table:
    rows = [(line.name, at, value) for line in drawn for at, value in line.points
            if value is not None]  # fmt: skip
    return Table(
        columns=(
            Column(title=t("market.column.series"), values=[name for name, _, _ in rows]),
            Column(title=t("market.column.day"), values=[day(at) for _, at, _ in rows]),
            Column(title=t("market.column.value"), values=[value for *_, value in rows],
                   kind="number"),
        ),
        alt=alt,
    )  # fmt: skip
