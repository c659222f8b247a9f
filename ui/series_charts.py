"""Charts of a workload itself: arrivals, hit ratio over time, lengths, cost by day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from econ.report import CostReport
from econ.series import ArrivalSeries, LengthHistogram, RatioSeries, TimeBins
from ui import charts, pictures
from ui.charts import Chart
from ui.numerals import amount_usd, axis_day, count, day, percent, seconds
from ui.tables import Column, Table
from ui.words import t

DAY_S = 86_400
MINUTE_S = 60
ROUND_S = (
    *(n * MINUTE_S for n in (1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720)),
    *(n * DAY_S for n in (1, 2, 7, 14, 28)),
)
"""Seconds between ticks of a clock, from which the first that leaves few enough is taken."""
MOST_TICKS = 6


def bin_labels(time: TimeBins) -> tuple[list[str], list[str]]:
    """For each bin what stands on the axis and what it is called in full, UTC."""
    if time.starts_utc is None:
        said = [seconds(start) for start in time.starts_s]
        return said, said
    starts = time.starts_utc
    if time.bin_s >= DAY_S:
        return [axis_day(s) for s in starts], [day(s) for s in starts]
    clock = "%H:%M" if time.bin_s >= MINUTE_S else "%H:%M:%S"
    full = [f"{day(s)} {s.strftime(clock)}" for s in starts]
    if starts[0].date() == starts[-1].date():
        return [s.strftime(clock) for s in starts], full
    return [f"{axis_day(s)} {s.strftime(clock)}" for s in starts], full


def round_bins(time: TimeBins) -> list[int] | None:
    """The bins that start at a round time: hours of the clock, not 00:10 and 03:30. None where the
    bins are whole days, or no round time falls on two of them."""
    if time.bin_s >= DAY_S:
        return None
    for step in ROUND_S:
        found = [number for number, start in enumerate(time.starts_s) if start % step == 0]
        if len(found) <= MOST_TICKS:
            return found if len(found) > 1 else None
    return None


def bin_words(time: TimeBins) -> str:
    """How wide a bin is: '5 min', 'a day'."""
    if time.bin_s == DAY_S:
        return t("workload_page.bin_day")
    if time.bin_s % DAY_S == 0:
        return t("workload_page.bin_days", time.bin_s // DAY_S)
    return seconds(time.bin_s)


def arrivals(series: ArrivalSeries) -> Chart:
    """Requests in each bin; prompt tokens where the file does not count requests."""
    labels, full = bin_labels(series.time)
    values = series.requests if series.requests is not None else series.input_tokens
    key = "ui.requests" if series.requests is not None else "ui.tokens"
    alt = t("workload_page.arrivals_alt")
    return charts.columns(
        labels,
        [float(value) for value in values],
        [f"{when}: {t(key, value)}" for when, value in zip(full, values, strict=True)],
        alt,
        Table(
            columns=(
                Column(title=t("ui.column.time"), values=full),
                *_requests(series),
                Column(title=t("ui.column.input_tokens"), values=series.input_tokens, kind="count"),
                Column(
                    title=t("ui.column.output_tokens"), values=series.output_tokens, kind="count"
                ),
            ),
            alt=alt,
        ),
        round_bins(series.time),
    )


def _requests(series: ArrivalSeries) -> list[Column]:
    if series.requests is None:
        return []
    return [Column(title=t("ui.column.requests"), values=series.requests, kind="count")]


def hit_ratio(series: RatioSeries) -> Chart | None:
    """Token hit ratio in each bin; None where fewer than two bins have one."""
    labels, full = bin_labels(series.time)
    if sum(1 for ratio in series.ratio if ratio is not None) < 2:
        return None
    said = [percent(r) if r is not None else t("ui.no_data") for r in series.ratio]
    hover = [
        f"{when}: {words}, n = {count(n)}"
        for when, words, n in zip(full, said, series.rows, strict=True)
    ]
    alt = t("ui.hit_chart_alt")
    columns = (
        Column(title=t("ui.column.time"), values=full),
        Column(title=t("ui.column.hit"), values=series.ratio, kind="percent"),
        Column(title=t("ui.column.hit_tokens"), values=series.hit_tokens, kind="count"),
        Column(title=t("ui.column.prompt_tokens"), values=series.prompt_tokens, kind="count"),
        Column(title="n", values=series.rows, kind="count"),
    )
    table = Table(columns=columns, alt=alt)
    return charts.ratio_line(labels, series.ratio, hover, alt, table, round_bins(series.time))


def lengths(histogram: LengthHistogram, what: str) -> Chart:
    """Requests by length in doubling bins; `what` is 'input' or 'output'."""
    ends = list(zip(histogram.low_tokens, histogram.high_tokens, strict=True))
    said = [
        f"{t('workload_page.length_bin', low=low, high=high)}: {t('ui.requests', n)}"
        for (low, high), n in zip(ends, histogram.requests, strict=True)
    ]
    alt = t(f"workload_page.{what}_lengths_alt")
    columns = (
        Column(title=t("ui.column.from_tokens"), values=histogram.low_tokens, kind="count"),
        Column(title=t("ui.column.below_tokens"), values=histogram.high_tokens, kind="count"),
        Column(title=t("ui.column.requests"), values=histogram.requests, kind="count"),
    )
    return charts.columns(
        [count(low) for low in histogram.low_tokens],
        [float(value) for value in histogram.requests],
        said,
        alt,
        Table(columns=columns, alt=alt),
    )


def cost_by_day(report: CostReport) -> Chart | None:
    """What each day cost: as billed where the file says, else without caching."""
    rows = [row for row in pictures.groups(report, "day") if row.key]
    costs = [row.billed if row.billed is not None else row.no_cache for row in rows]
    known = [(row, cost) for row, cost in zip(rows, costs, strict=True) if cost is not None]
    if len(known) < 2:
        return None
    days: Sequence[date] = [date.fromisoformat(row.key) for row, _ in known]
    return charts.columns(
        [axis_day(moment) for moment in days],
        [float(cost.high_usd) for _, cost in known],
        [f"{row.key}: {amount_usd(cost)}" for row, cost in known],
        t("ui.group_chart_alt", by=t("ui.by.day")),
        pictures.group_table(report, "day"),
    )
