"""When a write pays, and the bill at every hit ratio: the API costs page's break-even part."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from econ.hit_curve import HitCurve
from econ.report import BreakEven
from jobs.costing import ApiCosts, ModelCost
from ui import own_mark
from ui.charts import GRID, LOST, MUTED, NEUTRAL, OURS, Chart, frame, label, nice_ticks, tick_text
from ui.cost_view import high_usd, lifetime_words, loses
from ui.numerals import amount_of, percent
from ui.tables import Column, Table
from ui.words import t

HIT_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def break_even_table(rows: Sequence[BreakEven], *, named: bool = False) -> Table:
    """From how many uses within the lifetime, or above which hit ratio, each lifetime pays.
    `named`: the one model of all rows stands beside the table already."""
    word = "api_costs_page.column."
    models = [own_mark.name_of(r.model, [r.source]) for r in rows]
    known = named and len(set(models)) == 1
    return Table(
        columns=(
            *(() if known else (Column(title=t(f"{word}model"), values=models),)),
            Column(title=t(f"{word}policy"), values=[lifetime_words(row.policy) for row in rows]),
            Column(title=t(f"{word}uses"), values=[row.uses for row in rows], kind="count"),
            Column(
                title=t(f"{word}hit"), values=[row.token_hit_ratio for row in rows], kind="percent"
            ),
            Column(
                title=t(f"{word}write_factor"), values=[f"{row.write_factor:f}" for row in rows]
            ),
            Column(title=t(f"{word}read_factor"), values=[f"{row.read_factor:f}" for row in rows]),
        ),
        alt=t("api_costs_page.break_even_alt"),
    )


def hit_chart(costs: ApiCosts) -> Chart | None:
    """The bill against the hit ratio, no caching as a line, and where the workload is now."""
    headline = costs.headline
    if headline is None or not costs.curves:
        return None
    figure = frame(280)
    none = high_usd(headline.none.usd)
    for number, curve in enumerate(costs.curves):
        _curve(figure, curve, (OURS, NEUTRAL, MUTED)[number % 3])
    figure.add_hline(y=none, line={"width": 1, "color": MUTED, "dash": "dot"})
    label(figure, t("api_costs_page.part.none"), x=0, y=none, xanchor="left", yanchor="top")
    _own_point(figure, headline)
    high = max(none, *(float(usd) for curve in costs.curves for usd in curve.usd))
    ticks = nice_ticks(0, high)
    figure.update_yaxes(
        tickvals=ticks, ticktext=[tick_text(x) for x in ticks], showgrid=True, gridcolor=GRID,
        range=[0, high * 1.06],
    )  # fmt: skip
    figure.update_xaxes(
        tickvals=HIT_TICKS, ticktext=[percent(x, 0) for x in HIT_TICKS], range=[-0.02, 1.06]
    )
    return Chart(figure=figure, alt=t("api_costs_page.hit_alt"), table=_hit_table(costs.curves))


def _curve(figure: go.Figure, curve: HitCurve, color: str) -> None:
    usd = [float(value) for value in curve.usd]
    figure.add_scatter(
        x=list(curve.ratios),
        y=usd,
        mode="lines",
        line={"width": 3, "color": color},
        hovertemplate="%{x:.0%}: %{y:,.2f}<extra></extra>",
    )
    words = f'<span style="color:{color}">{lifetime_words(curve.policy)}</span>'
    label(figure, words, x=curve.ratios[2], y=usd[2], xanchor="left", yanchor="bottom")


def _own_point(figure: go.Figure, headline: ModelCost) -> None:
    """The row of the choice at its own hit ratio; a range is not a point."""
    row = headline.row
    if row.usd is None or not row.usd.exact or row.hit_ratio_low is None:
        return
    x, y = row.hit_ratio_low, high_usd(row.usd)
    color = LOST if loses(row) else OURS
    figure.add_scatter(
        x=[x], y=[y], mode="markers", marker={"size": 11, "color": color},
        hovertemplate="%{x:.1%}: %{y:,.2f}<extra></extra>",
    )  # fmt: skip
    words = t("api_costs_page.you_are_here", ratio=percent(x), usd=amount_of(row.usd))
    side = "right" if x > 0.5 else "left"
    label(figure, words, x=x, y=y, xanchor=side, yanchor="top", yshift=-8)


def _hit_table(curves: Sequence[HitCurve]) -> Table:
    return Table(
        columns=(
            Column(title=t("api_costs_page.column.hit"), values=curves[0].ratios, kind="percent"),
            *(
                Column(title=lifetime_words(curve.policy), values=curve.usd, kind="usd")
                for curve in curves
            ),
        ),
        alt=t("api_costs_page.hit_alt"),
    )
