"""Prices over time: read multipliers by provider, dated rows, changes that were called off."""

from __future__ import annotations

import html
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal

import plotly.graph_objects as go
import streamlit as st

from econ.money import plain
from jobs import price_history
from jobs.price_history import HistoryRow, Step, WithdrawnRow
from ui import charts, components, tables
from ui.charts import GRID, NEUTRAL, OURS, PITCH_PX, Chart
from ui.numerals import SPACE, day
from ui.spoken import spoken
from ui.tables import Column, Table
from ui.words import known, t

ABOVE_PX, BELOW_PX, AXIS_PX = 30, 16, 30
TICK = 0.14
DIGITS = Decimal("0.0001")


def timeline(steps: Sequence[Step], until: date) -> Chart:
    """One track a provider: a line from its first known day, a mark at each change of its lowest
    read multiplier, above it the first and the last value with the name."""
    providers = list(dict.fromkeys(step.provider for step in steps))
    below = len(providers) - 1
    figure = charts.frame(below * PITCH_PX + ABOVE_PX + BELOW_PX + AXIS_PX, bottom=AXIS_PX)
    for row, provider in enumerate(providers):
        _track(figure, -row, [step for step in steps if step.provider == provider], until)
    first = min((step.since for step in steps), default=until)
    margin = (until - first) * 0.02
    figure.update_xaxes(
        type="date",
        range=[
            (first - margin).isoformat(),
            (until + margin).isoformat(),
        ],
        tickformat="%Y-%m",
        showgrid=True,
        gridcolor=GRID,
    )
    figure.update_yaxes(
        range=[-below - BELOW_PX / PITCH_PX, ABOVE_PX / PITCH_PX], showticklabels=False
    )
    return Chart(figure=figure, alt=t("prices_page.alt.history"), table=_step_table(steps))


def _track(figure: go.Figure, y: int, own: Sequence[Step], until: date) -> None:
    figure.add_scatter(
        x=[own[0].since.isoformat(), until.isoformat()],
        y=[y, y],
        mode="lines",
        line={"color": NEUTRAL, "width": 2},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=[step.since.isoformat() for step in own],
        y=[y] * len(own),
        mode="markers",
        marker={"color": OURS, "size": 10, "symbol": "diamond"},
        customdata=[html.escape(_said(step)) for step in own],
        hovertemplate="%{customdata}<extra></extra>",
    )
    values = list(dict.fromkeys((factor(own[0]), factor(own[-1]))))
    charts.label(
        figure,
        f"<b>{' → '.join(values)}</b>{SPACE} {html.escape(own[0].provider_name)}",
        x=0,
        xref="paper",
        y=y,
        xanchor="left",
        yanchor="bottom",
        yshift=7,
    )


def factor(step: Step) -> str:
    """'0.1×', with no more digits than it has."""
    return f"{plain(step.row.multiplier.quantize(DIGITS))}×"


def _said(step: Step) -> str:
    return f"{step.provider_name}: {factor(step)}, {step.row.model}, {day(step.since)}"


def _step_table(steps: Sequence[Step]) -> Table:
    return Table(
        columns=(
            Column(title=t("prices_page.column.provider"), values=[s.provider for s in steps]),
            Column(
                title=t("prices_page.column.from"), values=[s.since for s in steps], kind="date"
            ),
            Column(title=t("prices_page.column.multiplier"), values=[factor(s) for s in steps]),
            Column(title=t("prices_page.column.model"), values=[s.row.model for s in steps]),
            Column(title=t("prices_page.column.source"), values=[s.row.source for s in steps]),
            Column(title=t("prices_page.column.as_of"), values=[s.row.as_of for s in steps]),
        ),
        alt=t("prices_page.alt.history"),
    )


def show(provider: str | None, text: str, today: date) -> None:
    """The three parts of the history, under a hairline."""
    steps = [s for s in price_history.multiplier_steps(today) if provider in (None, s.provider)]
    with components.rule("history"):
        if steps:
            components.chart_block(
                t("prices_page.history"),
                t("prices_page.history_unit", day=day(today)),
                timeline(steps, today),
                "history",
            )
        with st.container(gap="xxsmall"):
            components.answer(t("prices_page.history_rows"), t("prices_page.history_rows_unit"))
            if provider is None and not text:
                components.note(t("prices_page.history_ask"))
            else:
                tables.show(_history(price_history.history_rows(provider, text)), "history_rows")
        _withdrawn(price_history.withdrawn(provider))


def _history(rows: Sequence[HistoryRow]) -> Table:
    last = [row.valid_to and (row.valid_to - timedelta(microseconds=1)).date() for row in rows]
    return Table(
        columns=(
            Column(title=t("prices_page.column.model"), values=[r.model for r in rows]),
            Column(
                title=t("prices_page.column.from"),
                values=[r.valid_from and r.valid_from.date() for r in rows],
                kind="date",
            ),
            Column(title=t("prices_page.column.last_day"), values=last, kind="date"),
            _usd("uncached", [r.input_usd_per_mtok for r in rows]),
            _usd("read", [r.read_usd_per_mtok for r in rows]),
            _usd("output", [r.output_usd_per_mtok for r in rows]),
            Column(
                title=t("prices_page.column.multiplier"),
                values=[
                    None if r.read_multiplier is None else r.read_multiplier.quantize(DIGITS)
                    for r in rows
                ],
                kind="number",
            ),
            Column(title=t("prices_page.column.status"), values=[_status(r.status) for r in rows]),
            Column(title=t("prices_page.column.source"), values=[r.source for r in rows]),
            Column(title=t("prices_page.column.as_of"), values=[r.as_of for r in rows]),
            Column(title=t("prices_page.column.note"), values=[spoken(r.note) for r in rows]),
        ),
        alt=t("prices_page.alt.history_rows"),
    )


def _usd(bucket: str, values: Sequence[Decimal | None]) -> Column:
    return Column(title=t(f"prices_page.bucket.{bucket}"), values=values, kind="usd_mtok")


def _status(status: str) -> str:
    key = f"prices_page.status.{status}"
    return t(key) if known(key) else status.replace("_", " ")


def _withdrawn(rows: Sequence[WithdrawnRow]) -> None:
    if not rows:
        return
    table = Table(
        columns=(
            Column(title=t("prices_page.column.model"), values=[r.model for r in rows]),
            Column(
                title=t("prices_page.column.announced_for"),
                values=[r.announced_for.date() for r in rows],
                kind="date",
            ),
            _usd("uncached", [r.input_usd_per_mtok for r in rows]),
            _usd("output", [r.output_usd_per_mtok for r in rows]),
            Column(title=t("prices_page.column.note"), values=[spoken(r.note) for r in rows]),
            Column(title=t("prices_page.column.source"), values=[r.source for r in rows]),
            Column(title=t("prices_page.column.as_of"), values=[r.as_of for r in rows]),
        ),
        alt=t("prices_page.alt.withdrawn"),
    )
    with st.container(gap="xxsmall"):
        components.answer(t("prices_page.withdrawn"), t("prices_page.withdrawn_unit"))
        tables.show(table, "withdrawn")
