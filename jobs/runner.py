"""The contract of everything that runs jobs, and what all runners share."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Protocol

from data_sources.store import jobs as rows
from data_sources.store.engine import Store
from data_sources.store.jobs import JobRecord, JobRequest
from jobs import own_prices
from jobs.progress import Cancelled
from messages import errors
from messages.errors import KvledgerError, Message, SourceError, input_error
from settings import Settings

POLL_S = 0.05


class Runner(Protocol):
    """Runs tasks as rows of the job table. An owner sees and ends only their own jobs."""

    def submit(self, kind: str, params: Mapping[str, Any], owner: str) -> str:
        """Start a job; returns its id at once. `params` is plain JSON. The same request while it
        is unfinished gives the same id. InputError: too many unfinished jobs."""
        ...

    def status(self, job_id: str, owner: str) -> JobRecord:
        """The job as it stands. NotFoundError if the owner has no such job."""
        ...

    def cancel(self, job_id: str, owner: str) -> None:
        """Ask for an end. The state becomes 'cancelled' once the task has stopped; a job that has
        finished stays as it is."""
        ...

    def result(self, job_id: str, owner: str) -> str:
        """The result id of a job that is done. Raises the task's own error when it failed,
        SourceError when it was lost, Cancelled, or InputError while it is unfinished."""
        ...


class StoreRunner:
    """What every runner over the job table answers alike: see `Runner`. It queues, asks, cancels;
    how a queued job is run is each runner's own."""

    name: str
    _store: Store
    _settings: Settings

    def queued(self, kind: str, params: Mapping[str, Any], owner: str) -> tuple[str, bool]:
        """The job's id, and whether it is new and has to be run."""
        request = JobRequest(
            kind=kind,
            params=params,
            owner=owner,
            runner=self.name,
            limit=self._settings.jobs_per_owner,
        )
        return rows.add_job(self._store, request)

    def status(self, job_id: str, owner: str) -> JobRecord:
        """See `Runner`."""
        return rows.get_job(self._store, job_id, owner)

    def cancel(self, job_id: str, owner: str) -> None:
        """See `Runner`."""
        rows.request_cancel(self._store, job_id, owner)

    def result(self, job_id: str, owner: str) -> str:
        """See `Runner`."""
        return result_of(self.status(job_id, owner))


def carried(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """`params` with the own prices of the session that starts the job, where it has some."""
    text = own_prices.session_text()
    return params if text is None else {**params, own_prices.JOB_KEY: text}


def result_of(job: JobRecord) -> str:
    """`Runner.result` for a record."""
    if job.state == "done":
        return job.result_id or ""
    if job.state == "cancelled":
        raise Cancelled(job.id)
    if not job.finished:
        raise input_error("jobs.not_finished", id=job.id[:12])
    raise error_of(job)


def error_of(job: JobRecord) -> KvledgerError:
    """The error of a failed or lost job, of the class that the task raised."""
    found = getattr(errors, job.error_class or "", None)
    message = job.error or Message("jobs.lost", {"attempts": job.attempt})
    if isinstance(found, type) and issubclass(found, KvledgerError):
        return found(message)
    return SourceError(message)


def wait(runner: Runner, job_id: str, owner: str, timeout_s: float) -> JobRecord:
    """Wait for a job to finish, at most `timeout_s`; the record as it then stands. For the shell
    and tests: pages ask for the status instead."""
    deadline = time.monotonic() + timeout_s
    job = runner.status(job_id, owner)
    while not job.finished and time.monotonic() < deadline:
        time.sleep(POLL_S)
        job = runner.status(job_id, owner)
    return job
