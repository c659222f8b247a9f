"""How long blocks wait until they are used again, and who shares them."""

from __future__ import annotations

import plotly.graph_objects as go

from econ.cache_study import CacheStudy
from econ.curve import Measure
from econ.reuse import HOUR_S, LIFETIMES_S, Reuse
from ui import charts
from ui.charts import INK, Chart
from ui.numerals import percent, seconds
from ui.tables import Column, Table
from ui.words import t

GAPS_PX = 260


def gaps(found: Reuse) -> Chart | None:
    """Uses again by the time since the use before, lifetimes of providers as lines; None where
    requests have no times or nothing is used again."""
    if found.uses is None or not sum(found.uses):
        return None
    last = max(at for at, uses in enumerate(found.uses) if uses)
    first = min(at for at, uses in enumerate(found.uses) if uses)
    reach = min((s for s in LIFETIMES_S if s >= found.edges_s[last]), default=LIFETIMES_S[-1])
    shown = range(first, max(last, found.edges_s.index(reach)) + 1)
    uses = [found.uses[at] for at in shown]
    names = [gap_words(found, at) for at in shown]
    said = [f"{n}: {t('cache_page.uses', u)}" for n, u in zip(names, uses, strict=True)]
    alt = t("cache_page.gaps_alt")
    columns = (
        Column(title=t("cache_page.column_gap"), values=names),
        Column(title=t("cache_page.column_uses"), values=uses, kind="count"),
    )
    labels = [span_words(found.edges_s[at]) for at in shown]
    made = charts.columns(
        labels, [float(u) for u in uses], said, alt, Table(columns=columns, alt=alt)
    )
    _lifetimes(made.figure, found, shown, max(uses))
    made.figure.update_layout(height=GAPS_PX, bargap=0.12)
    return made


def _lifetimes(figure: go.Figure, found: Reuse, shown: range, most: int) -> None:
    figure.update_yaxes(range=[0, most * 1.45])
    figure.update_xaxes(range=[-0.6, len(shown) - 0.4])
    edges = [s for s in LIFETIMES_S if found.edges_s.index(s) in shown]
    for level, lifetime_s in enumerate(edges):
        at = found.edges_s.index(lifetime_s) - shown[0] - 0.5
        figure.add_vline(x=at, line={"width": 1.5, "color": INK})
        share = found.within(lifetime_s)
        charts.label(
            figure,
            f"<b>{span_words(lifetime_s)}</b> {percent(share or 0.0, 0)}",
            x=at,
            y=most * (1.42 - 0.13 * (level % 3)),
            xanchor="right",
            yanchor="top",
            xshift=-4,
        )


def gap_words(found: Reuse, at: int) -> str:
    """'10 min to 20 min'; the last bin has no end."""
    if at == len(found.edges_s) - 1:
        return t("cache_page.gap_from", low=span_words(found.edges_s[at]))
    low, high = (span_words(edge) for edge in found.edges_s[at : at + 2])
    return t("ui.ends", low=low, high=high)


def span_words(span_s: int) -> str:
    """'30 s', '5 min', '12 h': the edges of the bins are whole."""
    if span_s >= HOUR_S and span_s % HOUR_S == 0:
        return t("cache_page.hours", hours=span_s // HOUR_S)
    return seconds(span_s)


def shared(found: CacheStudy, measure: Measure) -> Chart:
    """Unlimited hit ratio of one shared cache, and of caches for each model, team and user."""
    alt = t("cache_page.shared_alt")
    columns = (
        Column(
            title=t("cache_page.scope"),
            values=[t(f"cache_page.scope_{row.scope}") for row in found.shared],
        ),
        Column(
            title=t("cache_page.column_unlimited"),
            values=[row.unlimited[measure] for row in found.shared],
            kind="percent",
        ),
        Column(
            title=t("cache_page.column_at_knee"),
            values=[row.at_knee[measure] for row in found.shared],
            kind="percent",
        ),
        Column(
            title=t("cache_page.column_footprint"),
            values=[row.footprint_blocks for row in found.shared],
            kind="count",
        ),
    )
    bars = [
        charts.Bar(
            name=t(f"cache_page.scope_{row.scope}"),
            value=row.unlimited[measure],
            shown=percent(row.unlimited[measure]),
            style="read" if row.scope == "file" else "total",
            more=t("cache_page.distinct", row.footprint_blocks),
        )
        for row in found.shared
    ]
    return charts.ranked_bars(bars, alt, Table(columns=columns, alt=alt))
