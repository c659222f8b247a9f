"""Errors as bars with the speed of light beside them; estimates over measurements as points."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import plotly.graph_objects as go

from econ.accuracy import Point
from price_tables.speed_fit import ErrorStats, FamilyFit, GroupErrors
from ui import charts
from ui.charts import INK, MUTED, OURS, Bar, Chart
from ui.curve_charts import log_ticks
from ui.numerals import percent
from ui.tables import Column, Table
from ui.time_lines import duration, tick
from ui.words import t

SCATTER_PX = 420
SHOWN = ("left_out", "fitted", "roofline", "bandwidth")


def best(group: GroupErrors) -> ErrorStats:
    """The error that a new user meets: on a device left out, or in sample where there is one."""
    return group.errors.get("left_out") or group.errors["fitted"]


def error_bars(named: Sequence[tuple[str, GroupErrors]], alt: str) -> Chart:
    """One bar a group: our mean error, a tick at the data sheet's, most rows first."""
    bars = [_bar(name, group) for name, group in named]
    return charts.ranked_bars(bars, alt, error_table(named, alt))


def _bar(name: str, group: GroupErrors) -> Bar:
    ours, floor = best(group), group.errors["roofline"]
    return Bar(
        name=name,
        value=ours.mean_ratio,
        shown=percent(ours.mean_ratio),
        style="read",
        reference=floor.mean_ratio,
        note=t("accuracy_page.bar_floor", ratio=percent(floor.mean_ratio, 0)),
        more=t("accuracy_page.bar_rows", ours.n),
    )


def error_table(named: Sequence[tuple[str, GroupErrors]], alt: str) -> Table:
    """Mean and median of every method, one group a row."""
    columns = [
        Column(title=t("accuracy_page.group"), values=[name for name, _ in named]),
        Column(
            title=t("accuracy_page.rows"),
            values=[group.errors["fitted"].n for _, group in named],
            kind="count",
        ),
    ]
    for method in SHOWN:
        found = [group.errors.get(method) for _, group in named]
        for which in ("mean", "median"):
            values = [None if e is None else getattr(e, f"{which}_ratio") for e in found]
            title = t(f"accuracy_page.{which}", method=t(f"accuracy_page.method_{method}"))
            columns.append(Column(title=title, values=values, kind="percent"))
    return Table(columns=tuple(columns), alt=alt)


def error_cells(named: Sequence[tuple[str, GroupErrors]], alt: str) -> Table:
    """The same as one cell a method, 'mean / median', narrow enough to stand on the page."""
    columns = [
        Column(title=t("accuracy_page.group"), values=[name for name, _ in named]),
        Column(
            title=t("accuracy_page.rows"),
            values=[group.errors["fitted"].n for _, group in named],
            kind="count",
        ),
    ]
    for method in SHOWN:
        cells = [_cell(group.errors.get(method)) for _, group in named]
        columns.append(Column(title=t(f"accuracy_page.method_{method}"), values=cells))
    return Table(columns=tuple(columns), alt=alt)


def _cell(errors: ErrorStats | None) -> str:
    if errors is None:
        return "–"
    return f"{percent(errors.mean_ratio)} / {percent(errors.median_ratio)}"


def scatter(found: Sequence[Point], family: FamilyFit, names: dict[str, str]) -> Chart:
    """Estimated over measured, both axes on the same log scale; on the line they are equal."""
    figure = charts.frame(SCATTER_PX, bottom=48)
    times = [s for p in found for s in (p.measured_s, p.fitted_s, p.roofline_s)]
    low, high = min(times) * 0.8, max(times) * 1.25
    _cloud(figure, found, names, floor=True)
    _cloud(figure, found, names, floor=False)
    ends = [low, high]
    line = {"width": 1.5, "color": INK}
    figure.add_scatter(x=ends, y=ends, mode="lines", line=line, hoverinfo="skip")
    ticks = log_ticks(low, high)
    reach = [math.log10(low), math.log10(high)]
    titled = {"font": {"size": charts.TICK_PX, "color": MUTED}, "standoff": 8}
    figure.update_xaxes(
        type="log", range=reach, tickvals=ticks, ticktext=[tick(value) for value in ticks],
        title={"text": t("accuracy_page.axis_measured"), **titled},
    )  # fmt: skip
    figure.update_yaxes(type="log", range=reach)
    charts.y_ticks(figure, ticks, [tick(value) for value in ticks])
    _say_line(figure, reach)
    return Chart(figure=figure, alt=t("accuracy_page.scatter_alt"), table=_points(found, names))


def _cloud(
    figure: go.Figure, found: Sequence[Point], names: dict[str, str], *, floor: bool
) -> None:
    values = [p.roofline_s if floor else p.fitted_s for p in found]
    hover = [
        f"{html.escape(names.get(p.device, p.device))}<br>"
        f"{t('accuracy_page.axis_measured')}: {duration(p.measured_s)}<br>"
        f"{t('accuracy_page.floor' if floor else 'accuracy_page.estimate')}: {duration(value)}"
        for p, value in zip(found, values, strict=True)
    ]
    figure.add_scatter(
        x=[p.measured_s for p in found],
        y=values,
        mode="markers",
        marker={
            "size": 5,
            "opacity": 0.55,
            "color": MUTED if floor else OURS,
            "symbol": "diamond-open" if floor else "circle",
        },
        customdata=hover,
        hovertemplate="%{customdata}<extra></extra>",
    )


def _say_line(figure: go.Figure, reach: Sequence[float]) -> None:
    low, high = reach
    charts.label(
        figure, t("accuracy_page.equal"), x=low + 0.02 * (high - low), y=high, xanchor="left",
        yanchor="top",
    )  # fmt: skip
    ours = f'<span style="color:{OURS}">● {t("accuracy_page.estimate")}</span>'
    floor = f'<span style="color:{MUTED}">◇ {t("accuracy_page.floor")}</span>'
    charts.label(
        figure, f"{ours}<br>{floor}", x=high - 0.02 * (high - low),
        y=low + 0.03 * (high - low), xanchor="right", yanchor="bottom",
    )  # fmt: skip


def _points(found: Sequence[Point], names: dict[str, str]) -> Table:
    milliseconds = {
        "measured_ms": [p.measured_s * 1e3 for p in found],
        "estimate_ms": [p.fitted_s * 1e3 for p in found],
        "floor_ms": [p.roofline_s * 1e3 for p in found],
    }
    columns = [Column(title=t("accuracy_page.device"),
                      values=[names.get(p.device, p.device) for p in found])]  # fmt: skip
    columns += [
        Column(title=t(f"accuracy_page.{name}"), values=values, kind="number")
        for name, values in milliseconds.items()
    ]
    return Table(columns=tuple(columns), alt=t("accuracy_page.scatter_alt"))
