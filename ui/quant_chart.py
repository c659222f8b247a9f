"""What fewer bits cost: error over stored bits, for every kind and size of group."""

from __future__ import annotations

import html

from econ.guide_quant import KINDS, Kind, quantise
from ui import charts
from ui.charts import INK, MUTED, OURS, Chart
from ui.numerals import percent
from ui.tables import Column, Table
from ui.words import t

GROUPS = (2, 4, 8, 16)
HEIGHT_PX = 260
SYMBOLS: dict[Kind, str] = {
    "fp8": "circle",
    "int8": "square",
    "int4": "diamond",
    "int2": "triangle-up",
}


def error_chart(values: tuple[float, ...], chosen: Kind, group: int) -> Chart:
    """One line a kind, one point a size of group; the reader's own choice is ringed and named."""
    figure = charts.frame(HEIGHT_PX, bottom=44)
    rows: list[tuple[Kind, int, float, float]] = []
    for kind in KINDS:
        found = [(size, quantise(values, kind, size)) for size in GROUPS]
        rows += [(kind, size, one.bits, one.relative_rms) for size, one in found]
        figure.add_scatter(
            x=[one.bits for _, one in found],
            y=[one.relative_rms for _, one in found],
            mode="lines+markers",
            line={"width": 2, "color": OURS if kind == chosen else MUTED},
            marker={
                "symbol": SYMBOLS[kind],
                "size": [15 if (kind, size) == (chosen, group) else 9 for size, _ in found],
                "line": {
                    "width": [3 if (kind, size) == (chosen, group) else 0 for size, _ in found],
                    "color": INK,
                },
            },
            customdata=[
                html.escape(
                    t(
                        "guide.price.point",
                        kind=kind.upper(),
                        group=size,
                        bits=f"{one.bits:g}",
                        error=percent(one.relative_rms, 2),
                    )
                )
                for size, one in found
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
        at_right = kind == "fp8"  # its points lie on those of INT8
        end = found[0][1] if at_right else found[-1][1]
        charts.label(
            figure,
            kind.upper(),
            x=end.bits,
            y=end.relative_rms,
            xanchor="right",
            yanchor="middle" if kind == "int8" else "bottom",
            xshift=0 if at_right else -8,
            yshift=8 if at_right else 0,
        )
    high = max(error for _, _, _, error in rows) or 1.0
    ticks = charts.nice_ticks(0.0, high)
    charts.y_ticks(figure, ticks, [percent(tick, 0) for tick in ticks])
    figure.update_xaxes(
        title={"text": t("guide.price.axis_bits"), "font": {"color": MUTED}},
        range=[0, max(bits for _, _, bits, _ in rows) * 1.06],
        tickvals=[0, 4, 8, 12, 16],
    )
    figure.update_yaxes(range=[-high * 0.06, high * 1.3])
    charts.label(
        figure,
        t("guide.price.axis_error"),
        xref="paper",
        x=0,
        yref="paper",
        y=1,
        xanchor="left",
        yanchor="top",
    )
    at = next(row for row in rows if row[:2] == (chosen, group))
    alt = t(
        "guide.price.alt",
        kind=chosen.upper(),
        group=group,
        bits=f"{at[2]:g}",
        error=percent(at[3], 2),
    )
    return Chart(figure=figure, alt=alt, table=_table(rows, alt))


def _table(rows: list[tuple[Kind, int, float, float]], alt: str) -> Table:
    columns = (
        Column(title=t("guide.format"), values=[row[0].upper() for row in rows]),
        Column(title=t("guide.price.group"), values=[row[1] for row in rows], kind="count"),
        Column(title=t("guide.price.axis_bits"), values=[row[2] for row in rows], kind="number"),
        Column(title=t("guide.price.axis_error"), values=[row[3] for row in rows], kind="percent"),
    )
    return Table(columns=columns, alt=alt)
