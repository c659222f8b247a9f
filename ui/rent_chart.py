"""What APIs take for keeping a token, as dollars a GB and hour over bytes per token, and what a
GB of memory costs."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import plotly.graph_objects as go

from econ.implied_rent import Premium, Rent
from econ.implied_rent_rows import Bought
from ui import charts
from ui.charts import INK, MUTED, NEUTRAL, OURS, SERIES, Chart
from ui.curve_charts import log_ticks
from ui.numerals import compact, count
from ui.tables import Column, Table
from ui.words import t

RENT_PX = 500
NAME_PX = 12
FIRST_BYTES, LAST_BYTES = 8_192, 4_194_304
KIB_TICKS = (8_192, 32_768, 131_072, 524_288, 2_097_152)
CLOSE = 0.035
DASHES = ("solid", "dash", "dot", "longdash", "dashdot", "longdashdot")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Bytes a token at which the words are said: one number, or a band."""

    low: int
    high: int
    name: str


def premium_name(premium: Premium) -> str:
    """'claude-opus-5, 5 m write'."""
    return f"{premium.model}, {t(f'hardware_money.premium_{premium.kind}')}"


def rent_name(rent: Rent) -> str:
    """'on demand, low'."""
    return t(f"hardware_money.rent_{rent.name}")


def rent_chart(
    lines: Sequence[Premium], rents: Sequence[Rent], memory: Sequence[Bought], chosen: Chosen
) -> Chart:
    """Premiums as falling lines, rents as level ones in a band, memory that is bought below."""
    figure = charts.frame(RENT_PX, bottom=48)
    levels = [float(rent.usd_per_gb_hour) for rent in rents]
    bought = [float(row.mid) for row in memory]
    ends = [_at(line, size) for line in lines for size in (FIRST_BYTES, LAST_BYTES)]
    low, high = min([*levels, *bought, *ends]) * 0.6, max([*levels, *bought, *ends]) * 1.6
    if levels:
        figure.add_hrect(
            y0=min(levels), y1=max(levels), fillcolor=MUTED, opacity=0.12, line_width=0
        )
    for rent, level in zip(rents, levels, strict=True):
        _level(figure, level, NEUTRAL, rent_name(rent))
    for row, level in zip(memory, bought, strict=True):
        _level(figure, level, SERIES, t(f"hardware_money.tier_{row.tier}"))
    for number, line in enumerate(lines):
        _premium(figure, line, number)
    _axes(figure, low, high)
    _chosen(figure, chosen, high)
    _names(figure, rents, memory, low, high)
    _legend(figure)
    alt = t("hardware_money.rent_alt")
    return Chart(figure=figure, alt=alt, table=_table(lines, rents, memory, chosen, alt))


def _at(line: Premium, size: int) -> float:
    return float(line.usd_per_gb_hour(Decimal(size)))


def _premium(figure: go.Figure, line: Premium, number: int) -> None:
    name = html.escape(premium_name(line))
    sizes = [FIRST_BYTES, *KIB_TICKS[1:], LAST_BYTES]
    figure.add_scatter(
        x=sizes,
        y=[_at(line, size) for size in sizes],
        mode="lines",
        name=name,
        line={"color": OURS, "width": 2.25, "dash": DASHES[number % len(DASHES)]},
        customdata=[f"{name}<br>{count(size)} B<br>{usd_gb_hour(_at(line, size))}"
                    for size in sizes],
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip


def _level(figure: go.Figure, level: float, color: str, name: str) -> None:
    said = f"{html.escape(name)}<br>{usd_gb_hour(level)}"
    figure.add_scatter(
        x=[FIRST_BYTES, LAST_BYTES],
        y=[level, level],
        mode="lines",
        line={"color": color, "width": 1.25},
        customdata=[said, said],
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )


def _axes(figure: go.Figure, low: float, high: float) -> None:
    figure.update_xaxes(
        type="log",
        range=[math.log10(FIRST_BYTES), math.log10(LAST_BYTES)],
        tickvals=KIB_TICKS,
        ticktext=[compact_bytes(size) for size in KIB_TICKS],
        title={"text": t("hardware_money.axis_bytes"), "standoff": 8,
               "font": {"size": charts.TICK_PX, "color": MUTED}},
    )  # fmt: skip
    ticks = log_ticks(low, high)
    figure.update_yaxes(type="log", range=[math.log10(low), math.log10(high)])
    charts.y_ticks(figure, ticks, [usd_gb_hour(tick, unit=False) for tick in ticks])


def compact_bytes(size: float) -> str:
    """'320 KiB', '2 MiB', '69 KiB'."""
    for unit, name in ((1_048_576, "MiB"), (1_024, "KiB")):
        if size >= unit:
            return f"{size / unit:.3g}\u00a0{name}"
    return f"{compact(size)}\u00a0B"


def usd_gb_hour(value: float, *, unit: bool = True) -> str:
    """'$0.0035', three significant digits and no more zeros than needed."""
    digits = max(2 - math.floor(math.log10(value)), 0) if value > 0 else 0
    text = f"{value:,.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"${text}{t('hardware_money.a_gb_hour') if unit else ''}"


def _chosen(figure: go.Figure, chosen: Chosen, high: float) -> None:
    if chosen.low != chosen.high:
        figure.add_vrect(x0=chosen.low, x1=chosen.high, fillcolor=INK, opacity=0.08, line_width=0)
    for size in {chosen.low, chosen.high}:
        figure.add_vline(x=size, line={"width": 1.5, "dash": "dot", "color": INK})
    middle = (math.log10(chosen.low) + math.log10(chosen.high)) / 2
    charts.label(
        figure, f"<b>{html.escape(chosen.name)}</b>", x=middle, y=math.log10(high),
        xanchor="center", yanchor="top",
    )  # fmt: skip
    figure.layout.annotations[-1].update(bgcolor="rgba(0,0,0,0)")


def _names(
    figure: go.Figure, rents: Sequence[Rent], memory: Sequence[Bought], low: float, high: float
) -> None:
    """Level lines by name: offers at the right, where only the dearest premiums pass, the others
    at the left, below all premiums. Lines too near to each other share one name."""
    right = {rent.name for rent in rents if rent.name.startswith("on_demand")}
    for side, chosen in (("right", right), ("left", {rent.name for rent in rents} - right)):
        levels = [
            (float(rent.usd_per_gb_hour), t(f"hardware_money.short_{rent.name}"))
            for rent in rents
            if rent.name in chosen
        ]
        for level, name in _grouped(levels, math.log10(high / low)):
            _name(figure, level, name, side, INK)
    for row in memory:
        _name(figure, float(row.mid), t(f"hardware_money.tier_{row.tier}"), "left", SERIES)


def _grouped(levels: Sequence[tuple[float, str]], span: float) -> list[tuple[float, str]]:
    """The highest of lines that lie close together, under all their names."""
    groups: list[tuple[float, list[str]]] = []
    for level, name in sorted(levels, reverse=True):
        if groups and math.log10(groups[-1][0] / level) / span < CLOSE:
            groups[-1][1].append(name)
        else:
            groups.append((level, [name]))
    return [(level, " · ".join(names)) for level, names in groups]


def _name(figure: go.Figure, level: float, name: str, side: str, color: str) -> None:
    charts.label(
        figure, f'<span style="color:{color}">{html.escape(name)}</span>',
        x=math.log10(LAST_BYTES if side == "right" else FIRST_BYTES), y=math.log10(level),
        xanchor=side, yanchor="bottom",
    )  # fmt: skip
    figure.layout.annotations[-1].update(font={"size": NAME_PX})


def _legend(figure: go.Figure) -> None:
    figure.update_layout(
        showlegend=True,
        margin={"t": 40},
        legend={
            "orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom",
            "itemclick": False, "itemdoubleclick": False, "font": {"size": charts.LABEL_PX},
        },
    )  # fmt: skip


def _table(
    lines: Sequence[Premium], rents: Sequence[Rent], memory: Sequence[Bought], chosen: Chosen,
    alt: str,
) -> Table:  # fmt: skip
    """Everything in the chart with its source and day."""
    rows = [
        *((premium_name(line), _at(line, chosen.high), _at(line, chosen.low), line.source,
           line.as_of) for line in lines),
        *((rent_name(rent), float(rent.usd_per_gb_hour), float(rent.usd_per_gb_hour),
           rent.source, rent.as_of) for rent in rents),
        *((t(f"hardware_money.tier_{row.tier}"), float(row.low), float(row.high), row.source,
           row.as_of) for row in memory),
    ]  # fmt: skip
    return Table(
        columns=(
            Column(title=t("hardware_money.column_what"), values=[row[0] for row in rows]),
            Column(
                title=t("hardware_money.column_rent_low"), values=[row[1] for row in rows],
                kind="usd_mtok",
            ),
            Column(
                title=t("hardware_money.column_rent_high"), values=[row[2] for row in rows],
                kind="usd_mtok",
            ),
            Column(title=t("hardware_money.column_source"), values=[row[3] for row in rows]),
            Column(title=t("hardware_money.column_as_of"), values=[row[4] for row in rows]),
        ),
        alt=alt,
    )  # fmt: skip
