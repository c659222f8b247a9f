"""The service calls of both doors: one function a result. Pages and the shell call these alone."""

from __future__ import annotations

from data_sources.store.engine import current_store
from data_sources.store.jobs import JobRecord
from data_sources.store.reports import list_reports as newest_reports
from data_sources.traces.picker import Picker, picker_for
from jobs.costing import warm_costs
from jobs.fleet_flows import warm_fleet
from jobs.lifespan import current_runner, pool_started
from jobs.missing import warm_misses
from jobs.own_money import warm_bills
from jobs.reading import inspect_json, read_paths, start_read
from jobs.replaying import (
    StudyParams,
    cache_at,
    cache_scopes,
    cache_study,
    start_study,
)
from jobs.reporting import (
    WorkloadFacts,
    WorkloadSeries,
    book,
    report,
    report_csv,
    report_json,
    report_of,
    warm,
    workload_info,
    workload_series,
    write_csv,
)
from jobs.saved import (
    SavedReport,
    SavedSummary,
    delete_report,
    delete_workload,
    full_report_id,
    has_numbers,
    list_reports,
    open_report,
    rename_report,
    reports_json,
    save_report,
    save_report_with_numbers,
    save_shell_report,
)
from jobs.shelf import example
from messages.errors import KvledgerError

__all__ = [
    "JobRecord",
    "Picker",
    "SavedReport",
    "SavedSummary",
    "StudyParams",
    "WorkloadFacts",
    "WorkloadSeries",
    "book",
    "cache_at",
    "cache_scopes",
    "cache_study",
    "cancel",
    "delete_report",
    "delete_workload",
    "example_id",
    "full_report_id",
    "has_numbers",
    "inspect_json",
    "job",
    "list_reports",
    "model_names",
    "open_report",
    "picker_for",
    "read_paths",
    "readiness",
    "rename_report",
    "report",
    "report_csv",
    "report_json",
    "report_of",
    "reports_json",
    "save_report",
    "save_report_with_numbers",
    "save_shell_report",
    "start_read",
    "start_study",
    "warm",
    "warm_jobs",
    "workload_info",
    "workload_series",
    "write_csv",
]


def example_id() -> str:
    """The id of the bundled example."""
    return example().id


def warm_jobs() -> None:
    """Start the jobs whose results the example's pages show; what they compile stays compiled."""
    warm_costs()
    warm_fleet()
    if cache_study(example_id(), StudyParams(), "") is None:
        start_study(example_id(), StudyParams(), "")
    if cache_study(example_id(), StudyParams(rules="engine"), "") is None:
        start_study(example_id(), StudyParams(rules="engine"), "")
    warm_bills()
    warm_misses()


def model_names() -> list[str]:
    """Every model id in the price book, for pricing rows that name none."""
    return sorted({model.id for table in book().tables.values() for model in table.models})


def job(job_id: str, owner: str) -> JobRecord:
    """How a job stands. NotFoundError if `owner` has no such job."""
    return current_runner().status(job_id, owner)


def cancel(job_id: str, owner: str) -> None:
    """Ask a job to end; its state becomes 'cancelled' once it has stopped."""
    current_runner().cancel(job_id, owner)


def readiness() -> dict[str, str]:
    """'ok' or what is wrong, for each part that the server stands on."""
    parts = {"store": "ok", "prices": "ok", "pool": "ok" if pool_started() else "not started"}
    try:
        newest_reports(current_store(), limit=1)
    except KvledgerError as error:
        parts["store"] = error.message.id
    try:
        book()
    except KvledgerError as error:
        parts["prices"] = error.message.id
    return parts
