"""Reports and series of one workload, each made once for the same workload and parameters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from data_sources.traces.base import ReadResult
from econ import series
from econ.receipt import Receipt
from econ.report import CostReport, Rate, ReportParams
from econ.report_build import Billed, bill_period, billing_options, build_report
from econ.report_csv import report_csv as csv_bytes
from econ.report_json import report_to_json
from econ.report_store import params_to_store
from econ.saving_series import HourSaving, has_hours, saving_by_hour
from econ.select import select
from econ.workload import TimeArray, Workload
from jobs import own_prices
from jobs.shelf import LastUsed, Opened, example, opened
from jobs.yen import dated, with_yen
from messages.catalogue import sayer
from messages.errors import InputError, Message, SourceError, Value
from price_tables.book import PriceBook

KEPT_REPORTS = 64
KEPT_BILLS = 2
ROWS_OF_KEPT_BILL = 2_000_000  # a bill holds some 150 bytes a row


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadFacts:
    """What a page says about a workload before any price. `requests` is None where rows
    are sums that do not say over how many. Times UTC, None where undated."""

    id: str
    name: str
    format: str
    rows: int
    requests: int | None
    first_utc: datetime | None
    last_utc: datetime | None
    receipt: Receipt
    is_example: bool
    observed: bool
    granularity: str
    saved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadSeries:
    """What the charts of one workload show; None where the file does not say."""

    saving_by_hour: tuple[HourSaving, ...] | None
    arrivals: series.ArrivalSeries | None
    hit_ratio: series.RatioSeries | None
    input_lengths: series.LengthHistogram
    output_lengths: series.LengthHistogram


_reports: LastUsed[CostReport] = LastUsed(KEPT_REPORTS)
_series: LastUsed[WorkloadSeries] = LastUsed(KEPT_REPORTS)
_bills: LastUsed[Billed] = LastUsed(KEPT_BILLS)


def book() -> PriceBook:
    """The price book of this installation, with the own prices in force."""
    return own_prices.book()


def workload_info(workload_id: str, owner: str) -> WorkloadFacts:
    """The facts of a workload that `owner` may see. NotFoundError if there is none."""
    found = opened(workload_id, owner)
    workload = found.workload
    times = workload.times("arrival_utc")
    return WorkloadFacts(
        id=found.id,
        name=workload.name,
        format=workload.format,
        rows=workload.rows,
        requests=int(workload.requests().sum()) if workload.says_requests().all() else None,
        first_utc=_moment(times, "first"),
        last_utc=_moment(times, "last"),
        receipt=found.receipt,
        is_example=found.is_example,
        observed=workload.observed,
        granularity=workload.granularity,
        saved=found.saved,
    )


def _moment(times: TimeArray, which: str) -> datetime | None:
    known = times[times == times]  # NaT is unequal to itself
    if not len(known):
        return None
    found = known.min() if which == "first" else known.max()
    moment: datetime = found.astype("datetime64[us]").item()
    return moment.replace(tzinfo=UTC)


def report_of(result: ReadResult, params: ReportParams) -> CostReport:
    """The report of files that were just read. InputError where all their rows are rejected."""
    if not result.workload.rows and result.receipt.rejected:
        raise _nothing_usable(result.receipt)
    return build_report(result.workload, result.receipt, book(), fitted(result.workload, params))


def _nothing_usable(receipt: Receipt) -> InputError:
    first = receipt.rejected[0]
    values: dict[str, Value] = {
        "file": first.file,
        "line": str(first.line),
        "why": first.reason,
    }
    return InputError(Message("cli.nothing_usable", values, receipt.rows_rejected))


def fitted(workload: Workload, params: ReportParams) -> ReportParams:
    """A chosen provider bills rows that name no model; rows that name one keep their maker's.
    Discount and tax are those of the own prices in force, unless the reader has chosen some."""
    if not params.adjustments:
        params = replace(params, adjustments=own_prices.adjustments())
    if workload.has("model") or len(params.providers) != 1:
        return params
    return replace(params, default_provider=params.default_provider or params.providers[0])


def report(workload_id: str, params: ReportParams, owner: str) -> CostReport:
    """The report of a workload that `owner` may see; made once for the same question. The id of
    a workload is its digest."""
    found = opened(workload_id, owner)
    asked = fitted(found.workload, params)
    key = (found.key, found.workload.name, book().version, _text(asked))

    def make() -> CostReport:
        return build_report(
            found.workload, found.receipt, book(), asked, found.id, billed(found, asked)
        )

    return _reports.get(key, make)


def billed(found: Opened, params: ReportParams) -> Billed:
    """The bill of the period, shared by all settings that do not change it."""
    workload = found.workload
    if workload.rows > ROWS_OF_KEPT_BILL:
        return bill_period(workload, book(), params)
    options = str(billing_options(workload, params))
    key = (found.key, book().version, params.since, params.until, options)
    known = _bills.get(key, lambda: bill_period(workload, book(), params))
    # Equal content is billed once for all sessions; what each calls its file stays its own.
    return replace(known, workload=replace(known.workload, name=workload.name))


def _text(params: ReportParams) -> str:
    return json.dumps(params_to_store(params), sort_keys=True)


def workload_series(workload_id: str, params: ReportParams, owner: str) -> WorkloadSeries:
    """Arrivals, lengths, hit ratio and saving over time of the chosen period."""
    found = opened(workload_id, owner)
    asked = fitted(found.workload, params)
    key = (found.key, book().version, _text(asked))
    return _series.get(key, lambda: _made_series(found, asked))


def _made_series(found: Opened, params: ReportParams) -> WorkloadSeries:
    workload = select(found.workload, params.since, params.until)
    hit_ratio = series.hit_ratio_over_time(workload)
    hours = None
    if has_hours(workload):  # longer workloads are not billed for this
        hours = saving_by_hour(workload, billed(found, params).bill)
    return WorkloadSeries(
        saving_by_hour=hours,
        arrivals=series.arrivals(workload),
        hit_ratio=hit_ratio or series.ideal_hit_ratio_over_time(workload),
        input_lengths=series.input_lengths(workload),
        output_lengths=series.output_lengths(workload),
    )


def report_json(report: CostReport, language: str) -> Mapping[str, Any]:
    """What `report --json` prints."""
    return report_to_json(dated(report), sayer(language))


def report_csv(report: CostReport, language: str, rates: Sequence[Rate] = ()) -> bytes:
    """The report as CSV: UTF-8 with BOM, raw numbers, text that no spreadsheet runs. `rates` add
    a column for each currency, beside the published yen rate; they change no figure and no id."""
    return csv_bytes(report, report.workload.name, sayer(language), with_yen(report, rates))


def write_csv(path: Path, report: CostReport, language: str) -> None:
    """Write the report's CSV. SourceError when the file cannot be written."""
    try:
        path.write_bytes(report_csv(report, language))
    except OSError as error:
        why = error.strerror or type(error).__name__
        values = {"file": str(path), "why": why}
        raise SourceError(Message("cli.cannot_write", values)) from error


def warm() -> None:
    """Make what a first page shows: the example's report and series."""
    report(example().id, ReportParams(), "")
    workload_series(example().id, ReportParams(), "")
