"""One's own hardware as charts: the memory bar, and latencies with their bands."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import plotly.graph_objects as go

from econ.fleet_memory import ReplicaMemory
from ui import charts
from ui.charts import GRID, INK, MUTED, NEUTRAL, OURS, PAPER, Chart
from ui.components import mark
from ui.numerals import SPACE
from ui.tables import Column, Table
from ui.time_lines import duration
from ui.words import t

GB = 10**9
ROW_PX, TITLE_PX, TICKS_PX = 42, 20, 28
BEHIND_WEIGHTS = 0.22
"""Where the name of a part above the bar begins at the earliest, behind that of the weights."""
BEFORE_FREE = 0.62
"""Where the name of the overhead begins at the latest, before that of what is held back."""
DROP = 0.12
"""A mark stands this share of a row below its line."""
ROOM = 1.04
TimeMark = Literal["datasheet", "published", "measured", "elsewhere", "typed"]
SYMBOLS: dict[TimeMark, str] = {
    "datasheet": "diamond-open", "published": "diamond", "measured": "circle",
    "elsewhere": "diamond", "typed": "circle-open",
}  # fmt: skip
COLORS: dict[TimeMark, str] = {
    "datasheet": INK, "published": INK, "measured": OURS, "elsewhere": INK, "typed": INK,
}  # fmt: skip


def gb(value: int) -> str:
    """'141.2'."""
    return f"{value / GB:,.1f}"


def memory_bar(memory: ReplicaMemory, kv_words: str) -> Chart:
    """Weights, overhead, KV, and what stays free, of one replica; labels above and below in turn,
    so that narrow parts keep theirs."""
    rest = max(memory.held_back_bytes, 0) + memory.free_bytes
    parts = [
        (t("own_hardware_page.part_weights"), memory.weights_bytes, MUTED, 0.75),
        (t("own_hardware_page.part_overhead"), memory.overhead_bytes, NEUTRAL, 0.45),
        (kv_words, memory.kv_bytes, OURS, 1.0),
        (t("own_hardware_page.part_free"), rest, MUTED, 0.25),
    ]
    figure = charts.frame(116, bottom=4)
    start, last = 0.0, len(parts) - 1
    whole = max(sum(part[1] for part in parts), memory.device_bytes) / GB
    for at, (name, size, color, opacity) in enumerate(parts):
        width = max(size, 0) / GB
        figure.add_bar(
            x=[width], y=[0], base=[start], orientation="h", width=0.42,
            marker={"color": color, "opacity": opacity, "line": {"width": 1, "color": PAPER}},
            hovertemplate=f"{html.escape(name)}<br>{gb(size)} GB<extra></extra>",
        )  # fmt: skip
        above, at_end = at % 2 == 0, at == last
        place = start if not above or not at else max(start, whole * BEHIND_WEIGHTS)
        if not above and not at_end:
            place = min(place, whole * BEFORE_FREE)
        charts.label(
            figure, f"{html.escape(name)}{SPACE} <b>{gb(size)}</b>",
            x=min(start + width, whole) if at_end else place, y=0.24 if above else -0.24,
            xanchor="right" if at_end or start > whole * 0.72 else "left",
            yanchor="bottom" if above else "top",
        )  # fmt: skip
        start += width
    figure.update_xaxes(range=[0, whole], showticklabels=False)
    figure.update_yaxes(range=[-0.62, 0.62], showticklabels=False)
    figure.update_layout(barmode="overlay", barcornerradius=0)
    alt = t("own_hardware_page.memory_alt", total=gb(memory.device_bytes))
    table = Table(
        columns=(
            Column(title=t("own_hardware_page.part"), values=[name for name, *_ in parts]),
            Column(title=t("own_hardware_page.bytes"), values=[p[1] for p in parts],
                   kind="count"),
            Column(title="GB", values=[p[1] / GB for p in parts], kind="number"),
            Column(title="GiB", values=[p[1] / 2**30 for p in parts], kind="number"),
        ),
        alt=alt,
    )  # fmt: skip
    return Chart(figure=figure, alt=alt, table=table)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """One time by one source; None where there is none and `note` says why. Low and high: the
    band's ends."""

    source_kind: TimeMark
    seconds: float | None
    low_s: float | None = None
    high_s: float | None = None
    note: str = ""


def times(parts: Sequence[tuple[str, Sequence[Timed]]], alt: str) -> Chart:
    """One axis from 0 for each metric, under each other; on it a mark for each source over its
    band. `parts`: a metric's name and its times."""
    heights = [TITLE_PX + len(rows) * ROW_PX + TICKS_PX for _, rows in parts]
    figure, whole = charts.frame(sum(heights) + 12, bottom=4), sum(heights)
    plain = {axis: figure.layout[axis].to_plotly_json() for axis in ("xaxis", "yaxis")}
    top = 1.0
    for at, ((name, rows), height) in enumerate(zip(parts, heights, strict=True)):
        foot = top - height / whole
        inside = (max(foot + TICKS_PX / whole, 0.0), top - TITLE_PX / whole)
        panel = _Panel(figure=figure, suffix="" if not at else str(at + 1))
        panel.axes(plain, inside, rows)
        figure.add_annotation(
            text=f"<b>{html.escape(name)}</b>", showarrow=False, xref="paper", yref="paper", x=0,
            y=top, xanchor="left", yanchor="top", font={"size": charts.TICK_PX, "color": MUTED},
        )  # fmt: skip
        for row_at, row in enumerate(rows):
            panel.timed(row, -row_at)
        top = foot
    figure.update_layout(barmode="overlay")
    return Chart(figure=figure, alt=alt, table=_times_table(parts, alt))


def _times_table(parts: Sequence[tuple[str, Sequence[Timed]]], alt: str) -> Table:
    flat = [(name, row) for name, rows in parts for row in rows]

    def seconds(title: str, values: list[float | None]) -> Column:
        return Column(title=t(f"own_hardware_page.{title}"), values=values, kind="number")

    return Table(
        columns=(
            Column(title=t("own_hardware_page.metric"), values=[name for name, _ in flat]),
            Column(title=t("own_hardware_page.source"),
                   values=[t(f"ui.mark.{row.source_kind}") for _, row in flat]),
            seconds("seconds", [row.seconds for _, row in flat]),
            seconds("low", [row.low_s for _, row in flat]),
            seconds("high", [row.high_s for _, row in flat]),
        ),
        alt=alt,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Panel:
    """One metric's part of the figure; `suffix` of its axes: '' or '2'."""

    figure: go.Figure
    suffix: str

    def axes(
        self, plain: dict[str, dict[str, object]], inside: tuple[float, float],
        rows: Sequence[Timed],
    ) -> None:  # fmt: skip
        ends = [end for row in rows for end in (row.seconds, row.high_s) if end is not None]
        high = max(ends, default=1.0) * ROOM
        ticks = [tick for tick in charts.nice_ticks(0.0, high) if tick <= high]
        ticks = ticks[:: 2 if len(ticks) > 4 else 1]
        across = {
            **plain["xaxis"], "anchor": f"y{self.suffix}", "range": [0, high], "showgrid": True,
            "gridcolor": GRID, "tickvals": ticks,
            "ticktext": [duration(tick) if tick else "0" for tick in ticks],
        }  # fmt: skip
        up = {
            **plain["yaxis"], "anchor": f"x{self.suffix}", "domain": inside,
            "range": [-len(rows) + 0.45, 0.62], "showticklabels": False,
        }  # fmt: skip
        self.figure.update_layout(
            {f"xaxis{self.suffix}": across, f"yaxis{self.suffix}": up}, overwrite=True
        )

    def timed(self, row: Timed, y: int) -> None:
        color = COLORS[row.source_kind]
        on = {"xaxis": f"x{self.suffix}", "yaxis": f"y{self.suffix}"}
        if row.low_s is not None and row.high_s is not None:
            self.figure.add_bar(
                x=[row.high_s - row.low_s], y=[y - DROP], base=[row.low_s], orientation="h",
                width=0.28, hoverinfo="skip", **on,
                marker={"color": OURS if row.source_kind == "measured" else MUTED,
                        "opacity": 0.35},
            )  # fmt: skip
        if row.seconds is not None:
            self.figure.add_scatter(
                x=[row.seconds], y=[y - DROP], mode="markers", cliponaxis=False, **on,
                marker={"size": 13, "symbol": SYMBOLS[row.source_kind], "color": color,
                        "line": {"width": 2, "color": color}},
                hovertemplate=f"{html.escape(duration(row.seconds))}<extra></extra>",
            )  # fmt: skip
        shown = "" if row.seconds is None else html.escape(duration(row.seconds))
        value = f"{SPACE} <b>{shown}</b>" if shown else ""
        note = f'{SPACE} <span style="color:{MUTED}">{html.escape(row.note)}</span>'
        text = html.escape(mark(row.source_kind))
        charts.label(
            self.figure,
            f'<span style="color:{color}">{text}</span>{value}{note if row.note else ""}',
            x=0, y=y + 0.1, xanchor="left", yanchor="bottom", xref=on["xaxis"], yref=on["yaxis"],
        )  # fmt: skip
