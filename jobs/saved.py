"""Saved reports: kept for everyone who can open this server, until somebody deletes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from data_sources.store import reports as rows
from data_sources.store import workloads
from data_sources.store.engine import current_store
from data_sources.traces.base import ReadResult
from econ.anonymise import is_numbered, with_numbers
from econ.focus_rows import focus_rows
from econ.receipt import Receipt
from econ.report import CostReport, ReportParams
from econ.report_build import billing_options, build_report
from econ.report_own import OwnPart, with_own
from econ.report_store import params_to_store, report_from_store, report_to_store
from econ.workload import Workload, digest
from jobs.reporting import book, fitted
from jobs.shelf import close, opened
from jobs.yen import dated
from messages.errors import NotFoundError, input_error

SHELL_OWNER = "shell"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedReport:
    """A saved report reopened: the numbers that it was saved with."""

    id: str
    name: str
    note: str
    created_utc: datetime
    report: CostReport


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSummary:
    """A saved report without its rows."""

    id: str
    name: str
    note: str
    created_utc: datetime
    price_book_version: str


def save_report(
    workload_id: str, params: ReportParams, owner: str, name: str, own: OwnPart | None = None
) -> str:
    """Save the report of a workload, and the workload with it; returns the report's id. `own`:
    one's own hardware, where it was looked at."""
    found = opened(workload_id, owner)
    return _save(found.workload, found.receipt, params, owner, name, own)


def save_report_with_numbers(
    workload_id: str, params: ReportParams, owner: str, name: str, own: OwnPart | None = None
) -> str:
    """As `save_report`, with the names of keys, users and paths replaced by numbers.

    InputError where a report on equal content is saved with names already: whoever opens one finds
    the other, so that one must be deleted first.
    """
    found = opened(workload_id, owner)
    workload, receipt = with_numbers(found.workload, found.receipt)
    _refuse_beside_names(digest(workload))
    return _save(workload, receipt, params, owner, name, own)


def _is_saved_with_numbers(report_id: str) -> bool:
    try:
        return has_numbers(report_id)
    except NotFoundError:
        return False


def _refuse_beside_names(workload_sha256: str) -> None:
    for row in rows.list_reports(current_store()):
        if row.workload_digest != workload_sha256:
            continue
        if not has_numbers(row.id):
            raise input_error("reports_page.saved_with_names", name=row.name, id=row.id[:8])


def save_shell_report(result: ReadResult, params: ReportParams, own: OwnPart | None = None) -> str:
    """Save the report of files that the shell has read."""
    return _save(result.workload, result.receipt, params, SHELL_OWNER, result.workload.name, own)


def _save(
    workload: Workload, receipt: Receipt, params: ReportParams, owner: str, name: str,
    own: OwnPart | None,
) -> str:  # fmt: skip
    asked = fitted(workload, params)
    report = with_own(build_report(workload, receipt, book(), asked), own)
    report = _whole(report, workload, asked)
    if _is_saved_with_numbers(report.report_id):
        return report.report_id  # its names stay replaced; names join it only once it is deleted
    store = current_store()
    workload_digest = workloads.save_workload(store, workload, receipt, owner)
    kept = rows.save_report(
        store,
        rows.NewReport(
            id=report.report_id,
            workload_digest=workload_digest,
            params=params_to_store(asked),
            report=report_to_store(report),
            name=name or workload.name,
            owner=owner,
            method_version=report.method_version,
            price_book_version=report.price_book_version,
        ),
    )
    return kept.summary.id


def _whole(report: CostReport, workload: Workload, params: ReportParams) -> CostReport:
    """The report with what cannot be made again later from its rows: the charges at today's prices,
    and the published yen rate of today where none was entered."""
    rows = focus_rows(workload, book(), billing_options(workload, params), params)
    return replace(dated(report), focus=tuple(rows))


def list_reports() -> list[SavedSummary]:
    """Everyone's saved reports, newest first."""
    return [
        SavedSummary(
            id=row.id,
            name=row.name,
            note=row.note,
            created_utc=row.created_utc,
            price_book_version=row.price_book_version,
        )
        for row in rows.list_reports(current_store())
    ]


def open_report(report_id: str) -> SavedReport:
    """A saved report with the numbers that it was saved with. NotFoundError if there is none."""
    found = rows.get_report(current_store(), report_id)
    return SavedReport(
        id=found.summary.id,
        name=found.summary.name,
        note=found.summary.note,
        created_utc=found.summary.created_utc,
        report=report_from_store(found.report),
    )


def has_numbers(report_id: str) -> bool:
    """The saved report shows numbers in place of its files' names. NotFoundError if none."""
    kept = open_report(report_id).report
    return is_numbered(kept.workload.name, kept.receipt)


def full_report_id(start: str) -> str:
    """The id of the one saved report whose id begins with `start`; `start` itself where there is
    none. InputError where there are several."""
    found = [row.id for row in list_reports() if start and row.id.startswith(start.lower())]
    if len(found) > 1:
        raise input_error("cli.ambiguous_id", id=start, found=len(found))
    return found[0] if found else start


def rename_report(report_id: str, name: str, note: str = "") -> None:
    """Give a saved report another name. NotFoundError if there is none."""
    rows.rename_report(current_store(), report_id, name, note)


def delete_report(report_id: str, owner: str = SHELL_OWNER) -> None:
    """Delete a saved report for good, and its workload where no other report rests on it."""
    rows.delete_report(current_store(), report_id, owner)


def delete_workload(workload_id: str, owner: str) -> None:
    """Delete a session's own workload for good. The example cannot be deleted."""
    found = opened(workload_id, owner)
    if found.is_example:
        return
    workloads.delete_workload(current_store(), workload_id, owner)
    close(found.key)


def reports_json() -> list[dict[str, Any]]:
    """What `reports list --json` prints, newest first."""
    return [
        {
            "report_id": row.id,
            "name": row.name,
            "created_utc": row.created_utc.isoformat(),
            "price_book_version": row.price_book_version,
        }
        for row in list_reports()
    ]
