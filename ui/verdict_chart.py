"""Articles checked at a glance: each subject's figures by verdict, as one stacked bar a subject."""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import cache
from typing import Any

import plotly.graph_objects as go

from econ.articles_checked import VERDICTS, Checked
from jobs import guide_facts
from ui.charts import BUCKET_STYLE, LOST, MUTED, NEUTRAL, OURS, TICK_PX, Chart, frame, label
from ui.numerals import SPACE
from ui.tables import Column, Table
from ui.words import t

PITCH_PX, BAR_PX, LEGEND_PX = 38, 12, 26
STYLES: dict[str, dict[str, Any]] = {
    "reproduced": {"color": OURS},
    "confirmed": {"color": NEUTRAL},
    "differs": {"color": LOST},
    "published": BUCKET_STYLE["output"],
}


@cache
def kept(_language: str) -> Chart:
    """The chart of all figures, drawn once for each language: neither changes while it runs."""
    return verdicts(guide_facts.checked())


def verdicts(rows: Sequence[Checked]) -> Chart:
    """One bar a subject, in the order of the rows; a bar is as long as it has figures."""
    subjects = tuple(dict.fromkeys(row.figure.subject for row in rows))
    tally = {
        verdict: [
            sum(row.verdict == verdict and row.figure.subject == subject for row in rows)
            for subject in subjects
        ]
        for verdict in VERDICTS
    }
    figure = frame(len(subjects) * PITCH_PX + LEGEND_PX + 8, bottom=4)
    names = [t(f"articles.subject.{subject}") for subject in subjects]
    for verdict in VERDICTS:
        _series(figure, verdict, names, tally[verdict])
    for row, name in enumerate(names):
        every = [tally[verdict][row] for verdict in VERDICTS]
        held = tally["reproduced"][row] + tally["confirmed"][row]
        shown = f"<b>{held}/{sum(every)}</b>{SPACE} {html.escape(name)}"
        label(figure, shown, x=0, y=-row, xanchor="left", yanchor="bottom", yshift=BAR_PX / 2)
    figure.update_xaxes(showticklabels=False)
    figure.update_yaxes(range=[-len(subjects) + 0.6, 0.7], showticklabels=False)
    figure.update_layout(
        barmode="stack",
        showlegend=True,
        barcornerradius=0,
        margin={"t": LEGEND_PX},
        legend={
            "orientation": "h", "traceorder": "normal", "x": 0, "xanchor": "left", "y": 1,
            "yanchor": "bottom", "font": {"size": TICK_PX, "color": MUTED},
            "itemclick": False, "itemdoubleclick": False,
        },
    )  # fmt: skip
    return Chart(figure=figure, alt=t("articles.chart_alt"), table=_table(names, tally))


def _series(figure: go.Figure, verdict: str, names: Sequence[str], values: Sequence[int]) -> None:
    words = t(f"articles.verdict_short.{verdict}")
    figure.add_bar(
        x=list(values),
        y=[-row for row in range(len(values))],
        orientation="h",
        width=BAR_PX / PITCH_PX,
        name=words,
        marker={**STYLES[verdict], "line": {"width": 0}},
        customdata=[html.escape(name) for name in names],
        hovertemplate="%{customdata}<br>" + html.escape(words) + ": %{x}<extra></extra>",
    )


def _table(names: Sequence[str], tally: dict[Any, list[int]]) -> Table:
    columns = [Column(title=t("articles.by_subject"), values=list(names))]
    columns += [
        Column(title=t(f"articles.verdict_short.{verdict}"), values=values, kind="count")
        for verdict, values in tally.items()
    ]
    return Table(columns=tuple(columns), alt=t("articles.chart_alt"))
