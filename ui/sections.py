"""Parts of a page that more than one page shows: the statement, figures, buckets, groups."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from econ.report import CostReport
from econ.saving_series import HourSaving
from econ.series import ArrivalSeries, LengthHistogram, RatioSeries
from econ.workload import PAYER_COLUMNS
from ui import components, explain, pictures, series_charts, statement, tables
from ui.components import mark, muted
from ui.numerals import age, amount_usd, count, md, percent
from ui.words import t


def number(report: CostReport, about: str) -> None:
    """The number, its range, what it means."""
    said = statement.statement(report, about)
    show = components.hero_loss if said.lost else components.hero
    show(said.label, said.value, said.beneath)
    components.sentence(said.sentence)


def how_saving(report: CostReport, key: str) -> None:
    """'How it is computed' of the saving, or of the one baseline that is known."""
    earned = report.saving.earned is not None
    ids = ("earned", "no_cache", "billed") if earned else ("no_cache",)
    explain.how(report, ids, key)


def saving_chart(report: CostReport, hours: Sequence[HourSaving] | None) -> None:
    """Net saving a day; an hour where the workload has one day. Words where there is neither."""
    made, unit = pictures.saving_by_day(report), "day"
    amounts = [row.saving for row in pictures.groups(report, "day") if row.saving is not None]
    if made is None:
        made, unit = pictures.saving_by_hour(hours or ()), "hour"
        amounts = [hour.saving for hour in hours or () if hour.saving is not None]
    if made is None:
        _baselines(report)
        return
    components.chart_block(
        pictures.saving_answer(amounts, unit), t(f"overview.saving_a_{unit}"), made, "saving"
    )


def _baselines(report: CostReport) -> None:
    """Where there is no saving over time: the costs side by side, or each day's cost."""
    by_day = series_charts.cost_by_day(report)
    if by_day is not None:
        unit = _group_unit(report, "day")
        components.chart_block(t("ui.group_heading_day"), unit, by_day, "cost-by-day")
        return
    made = pictures.baseline_bars(report)
    if made is not None:
        how_known = mark("computed") if report.baselines.billed is None else statement.seen(report)
        heading = t("overview.baselines_heading")
        unit = t("overview.baselines_unit", mark=how_known)
        components.chart_block(heading, unit, made, "baselines")


def figures(report: CostReport) -> None:
    """No caching, as billed, best reachable."""
    with components.rule("figures"), components.three_across():
        for figure in statement.three_figures(report):
            components.figure(figure.label, figure.value, figure.beneath)


def buckets(report: CostReport) -> None:
    """What the money was for, output as a bar of its own."""
    row = pictures.bill_row(report)
    if row is None or not row.usd_by_bucket:
        return
    if report.not_cacheable is None:
        heading = t("overview.bucket_heading_plain")
    else:
        heading = t("overview.bucket_heading", usd=md(amount_usd(report.not_cacheable)))
    if row.policy == "as-billed":
        unit = t("overview.bucket_unit_billed", mark=statement.seen(report))
    else:
        unit = t("overview.bucket_unit_no_cache", mark=mark("computed"))
    components.chart_block(heading, unit, pictures.bucket_bars(row), "buckets")


def hit_ratio(report: CostReport) -> None:
    """The token hit ratio with its formula and n; 'no data' where there is none."""
    ratios = report.ratios
    value = percent(ratios.token_hit) if ratios.token_hit is not None else t("ui.no_data")
    with components.rule("hit"), components.three_across():
        components.figure(
            t("ui.ratio.token_hit"), value, t("ui.ratio.token_hit_formula", n=ratios.n)
        )
        _ratio("request_hit", ratios.request_hit)
        _ratio("usd_weighted_hit", ratios.usd_weighted_hit)


def _ratio(name: str, value: float | None) -> None:
    shown = percent(value) if value is not None else t("ui.no_data")
    components.figure(t(f"ui.ratio.{name}"), shown, t(f"ui.ratio.{name}_formula"))


def groups(report: CostReport, by: str) -> None:
    """One grouping: days as columns, all else as bars with the no-caching tick."""
    made = series_charts.cost_by_day(report) if by == "day" else None
    heading = t("ui.group_heading_day") if made else t("ui.group_heading", by=by_words(by))
    made = made or pictures.group_bars(report, by)
    if made is None:
        components.note(t("ui.group_without_price"))
        return
    components.chart_block(heading, _group_unit(report, by), made, f"group-{by}")


def _group_unit(report: CostReport, by: str) -> str:
    if report.baselines.billed is None:
        return t("ui.group_unit_no_cache", mark=mark("computed"))
    return t("ui.group_unit_day" if by == "day" else "ui.group_unit", mark=statement.seen(report))


def by_words(by: str) -> str:
    """The words for a grouping."""
    return t(f"ui.by.{by}")


def groupings(report: CostReport) -> list[str]:
    """The groupings to choose from: model first, then those who pay, then days and sessions."""
    there = pictures.groupings(report)
    wanted = ("model", *PAYER_COLUMNS, "day", "session")
    return [by for by in wanted if by in there] + [by for by in there if by not in wanted]


def names_no_model(report: CostReport) -> bool:
    """Some rows name no model and are priced as one that was assumed."""
    return any(message.id == "report.assume_model" for message in report.assumptions)


def arrivals(series: ArrivalSeries | None) -> None:
    """When requests came; words where the file has no times."""
    if series is None:
        components.answer(t("workload_page.no_times"), t("workload_page.no_times_why"))
        return
    counted = "arrivals" if series.requests is not None else "tokens"
    dated = "utc" if series.time.starts_utc is not None else "undated"
    components.chart_block(
        t(f"workload_page.{counted}_heading"),
        t(f"workload_page.{counted}_unit_{dated}", width=series_charts.bin_words(series.time)),
        series_charts.arrivals(series),
        "arrivals",
    )


def hit_over_time(series: RatioSeries | None, report: CostReport) -> None:
    """Token hit ratio over time: observed, or what an unlimited cache would have known."""
    made = series_charts.hit_ratio(series) if series is not None else None
    if series is None or made is None:
        components.answer(t("workload_page.no_hits"), t("workload_page.no_hits_why"))
        return
    known_by = statement.seen(report) if series.kind == "observed" else mark("computed")
    components.chart_block(
        t(f"workload_page.hit_heading_{series.kind}"),
        t(f"workload_page.hit_unit_{series.kind}", mark=known_by),
        made,
        "hits",
    )


def lengths(histogram: LengthHistogram, what: str) -> None:
    """How long prompts ('input') or answers ('output') are."""
    if histogram.median_tokens is None:
        components.answer(t(f"workload_page.no_{what}_lengths"), t("workload_page.no_lengths_why"))
        return
    components.chart_block(
        t(f"workload_page.{what}_lengths_heading", median=histogram.median_tokens),
        t("workload_page.lengths_unit", n=histogram.requests_counted),
        series_charts.lengths(histogram, what),
        f"lengths-{what}",
    )


def reconciliation(report: CostReport) -> None:
    """What the file states beside what was computed, and what makes the difference."""
    found = report.reconciliation
    if found is None:
        return
    heading = t(
        "workload_page.reconciliation_heading",
        stated=md(amount_usd(found.stated)),
        computed=md(amount_usd(found.computed)),
    )
    with components.rule("reconciliation"):
        components.answer(heading, t("workload_page.reconciliation_unit"))
        tables.show(pictures.reconciliation_table(found), "reconciliation")
        explain.how(report, ("reconciliation",), "how_reconciliation")


def unpriced(report: CostReport) -> None:
    """Rows outside every amount, with the reason; nothing where every row has a price."""
    if not report.unpriced:
        return
    with components.rule("unpriced"):
        components.answer(statement.unpriced_line(report), t("workload_page.unpriced_unit"))
        tables.show(pictures.unpriced_table(report), "unpriced")


def trust(report: CostReport, key: str) -> None:
    """Rows read, kept, collapsed, rejected, unpriced, the price book's age, and the receipt."""
    receipt = report.receipt
    unpriced = sum(row.rows for row in report.unpriced)
    pairs = [
        (t("ui.receipt.rows_read"), count(receipt.rows_read)),
        (t("ui.receipt.rows_kept"), count(receipt.rows_kept)),
        (t("ui.receipt.rows_collapsed"), count(receipt.rows_collapsed)),
        (t("ui.receipt.rows_rejected"), count(receipt.rows_rejected)),
        (t("ui.receipt.rows_ignored"), count(receipt.rows_ignored)),
        (t("ui.unpriced_rows"), count(unpriced)),
        (
            t("ui.price_book"),
            age(report.price_book_as_of.date(), datetime.now(tz=UTC).date()),
        ),
    ]
    components.strip(pairs, lambda: explain.receipt_popover(receipt, f"{key}-receipt"))
    line = statement.unpriced_line(report)
    if line:
        st.markdown(muted(line))
