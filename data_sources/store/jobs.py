"""The job table: who asked for what, how far it is, how it ended. Legal transitions only.

    queued ──claim──> running ──finish──> done | failed | cancelled
      ^  ├─cancel─> cancelled │
      │  └─abandon─> lost     │  (no worker could be started)
      └──────give up──────────┘  (its process died; at most MAX_ATTEMPTS times, then lost)

Every change is one conditional UPDATE, so two processes never both win. What a job writes carries
its attempt number: a worker that was given up cannot speak for its successor.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Row

from data_sources.store.engine import Store, take_turn
from data_sources.store.messages_json import dumps
from data_sources.store.tables import job as table
from messages.errors import Message, NotFoundError, input_error

State = Literal["queued", "running", "done", "failed", "cancelled", "lost"]
OPEN_STATES = ("queued", "running")
MAX_ATTEMPTS = 3
JOBS_TURN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    """One job as it stands. `fraction` is 0..1; `rows` done so far, None where not counted.
    `error` is set for failed and lost; `result_id` for done."""

    id: str
    owner: str
    kind: str
    params: Mapping[str, Any]
    state: State
    cancel_requested: bool
    fraction: float
    stage: str
    rows: int | None
    attempt: int
    runner: str
    worker_pid: int | None
    created_utc: datetime
    started_utc: datetime | None
    heartbeat_utc: datetime | None
    finished_utc: datetime | None
    error_class: str | None
    error: Message | None
    result_id: str | None

    @property
    def finished(self) -> bool:
        """It will not change any more."""
        return self.state not in OPEN_STATES


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRequest:
    """What to do and for whom. `params` is plain JSON; `runner` names the process that answers
    for the job; `limit` is the most unfinished jobs that this owner may have."""

    kind: str
    params: Mapping[str, Any]
    owner: str
    runner: str
    limit: int


def add_job(store: Store, request: JobRequest) -> tuple[str, bool]:
    """Queue a job: its id, and whether it is new. The same request of the same owner, while it is
    unfinished, is the same job. InputError when the owner has too many."""
    params_hash = hashlib.sha256(dumps([request.kind, dict(request.params)]).encode()).hexdigest()
    unfinished = (table.c.owner == request.owner) & table.c.state.in_(OPEN_STATES)
    with store.write() as connection:
        take_turn(connection, JOBS_TURN)
        same = sa.select(table.c.id).where(
            unfinished, table.c.params_hash == params_hash, ~table.c.cancel_requested
        )
        known = connection.scalar(same)
        if known is not None:
            return str(known), False
        count = connection.scalar(sa.select(sa.func.count()).where(unfinished)) or 0
        if count >= request.limit:
            raise input_error("jobs.too_many", limit=request.limit)
        job_id = uuid.uuid4().hex
        connection.execute(sa.insert(table).values(_new_row(job_id, params_hash, request)))
    return job_id, True


def _new_row(job_id: str, params_hash: str, request: JobRequest) -> dict[str, Any]:
    return {
        "id": job_id,
        "owner": request.owner,
        "kind": request.kind,
        "params_hash": params_hash,
        "params": dict(request.params),
        "state": "queued",
        "cancel_requested": False,
        "fraction": 0.0,
        "stage": "",
        "attempt": 0,
        "runner": request.runner,
        "created_utc": datetime.now(UTC),
    }


def claim(store: Store, job_id: str, runner: str, worker_pid: int) -> int | None:
    """Start a queued job: its attempt number from 1; None when it is not to be started."""
    now = datetime.now(UTC)
    change = (
        sa.update(table)
        .where(table.c.id == job_id, table.c.state == "queued", ~table.c.cancel_requested)
        .values(
            state="running",
            attempt=table.c.attempt + 1,
            runner=runner,
            worker_pid=worker_pid,
            fraction=0.0,
            stage="",
            rows=None,
            started_utc=now,
            heartbeat_utc=now,
        )
        .returning(table.c.attempt)
    )
    with store.write() as connection:
        attempt = connection.scalar(change)
    return None if attempt is None else int(attempt)


def report_progress(
    store: Store, job_id: str, attempt: int, step: tuple[float, str, int | None] | None
) -> bool:
    """Heartbeat, with (fraction, stage, rows) where there is news. False: stop, because somebody
    asked to cancel or this attempt was given up."""
    values: dict[str, Any] = {"heartbeat_utc": datetime.now(UTC)}
    if step is not None:
        values.update(fraction=step[0], stage=step[1][:64], rows=step[2])
    change = (
        sa.update(table)
        .where(_attempt(job_id, attempt))
        .values(values)
        .returning(table.c.cancel_requested)
    )
    with store.write() as connection:
        cancel = connection.scalar(change)
    return cancel is False


def finish(
    store: Store,
    job_id: str,
    attempt: int,
    outcome: str | tuple[str, Message] | None,
) -> bool:
    """End a running job: a result id (done), (class name, message) (failed) or None (cancelled).
    False when this attempt no longer speaks for the job."""
    values: dict[str, Any] = {"finished_utc": datetime.now(UTC), "worker_pid": None}
    if outcome is None:
        values.update(state="cancelled")
    elif isinstance(outcome, str):
        values.update(state="done", result_id=outcome, fraction=1.0)
    else:
        values.update(state="failed", error=list(outcome))
    with store.write() as connection:
        change = sa.update(table).where(_attempt(job_id, attempt)).values(values)
        return connection.execute(change).rowcount == 1


def request_cancel(store: Store, job_id: str, owner: str) -> None:
    """Ask for an end: a queued job is cancelled now, a running one at its next step. Asking a
    finished job changes nothing. NotFoundError for another owner's job."""
    mine = (table.c.id == job_id) & (table.c.owner == owner)
    now = datetime.now(UTC)
    with store.write() as connection:
        queued = sa.update(table).where(mine, table.c.state == "queued")
        running = sa.update(table).where(mine, table.c.state == "running")
        ended = queued.values(state="cancelled", cancel_requested=True, finished_utc=now)
        if connection.execute(ended).rowcount:
            return
        connection.execute(running.values(cancel_requested=True))
        if connection.execute(sa.select(table.c.id).where(mine)).first() is None:
            raise _missing(job_id)


def give_up(store: Store, job_id: str, attempt: int, runner: str) -> State | None:
    """The process behind a running attempt is gone: queue the job again for `runner`, or end it
    as cancelled where that was asked, or as lost after MAX_ATTEMPTS. None: it had ended."""
    now = datetime.now(UTC)
    with store.write() as connection:
        query = sa.select(table.c.cancel_requested).where(_attempt(job_id, attempt))
        cancel = connection.scalar(query.with_for_update())
        if cancel is None:
            return None
        values: dict[str, Any] = {"worker_pid": None, "heartbeat_utc": None}
        state: State = "queued"
        if cancel:
            state, values["finished_utc"] = "cancelled", now
        elif attempt >= MAX_ATTEMPTS:
            state, values["finished_utc"] = "lost", now
            values["error"] = ["SourceError", Message("jobs.lost", {"attempts": attempt})]
        else:
            values.update(runner=runner, fraction=0.0, stage="", rows=None)
        change = sa.update(table).where(_attempt(job_id, attempt)).values(state=state, **values)
        connection.execute(change)
    return state


def abandon(store: Store, job_id: str, runner: str) -> None:
    """A queued job that no worker ever took, however often it was handed out, is lost."""
    waiting = (table.c.id == job_id) & (table.c.state == "queued") & (table.c.runner == runner)
    error = ["SourceError", Message("jobs.not_started")]
    change = sa.update(table).where(waiting)
    with store.write() as connection:
        connection.execute(change.values(state="lost", error=error, finished_utc=datetime.now(UTC)))


def adopt(store: Store, is_gone: Callable[[JobRecord], bool], runner: str) -> list[str]:
    """Take over unfinished jobs of processes that are gone; the ids that `runner` is to start."""
    with store.read() as connection:
        query = sa.select(table).where(table.c.state.in_(OPEN_STATES), table.c.runner != runner)
        orphans = [job for job in map(_record, connection.execute(query)) if is_gone(job)]
    taken = []
    for job in orphans:
        if job.state == "running":
            if give_up(store, job.id, job.attempt, runner) == "queued":
                taken.append(job.id)
        elif _take_queued(store, job, runner):
            taken.append(job.id)
    return taken


def _take_queued(store: Store, job: JobRecord, runner: str) -> bool:
    still = (table.c.id == job.id) & (table.c.state == "queued") & (table.c.runner == job.runner)
    with store.write() as connection:
        change = sa.update(table).where(still).values(runner=runner)
        return connection.execute(change).rowcount == 1


def get_job(store: Store, job_id: str, owner: str) -> JobRecord:
    """The job. NotFoundError if there is none or it is another owner's."""
    query = sa.select(table).where(table.c.id == job_id, table.c.owner == owner)
    with store.read() as connection:
        row = connection.execute(query).first()
    if row is None:
        raise _missing(job_id)
    return _record(row)


def list_jobs(store: Store, owner: str) -> list[JobRecord]:
    """The owner's jobs, newest first."""
    query = sa.select(table).where(table.c.owner == owner).order_by(table.c.created_utc.desc())
    with store.read() as connection:
        return [_record(row) for row in connection.execute(query)]


def open_jobs(store: Store, runner: str) -> list[JobRecord]:
    """Unfinished jobs that `runner` answers for, oldest first."""
    query = sa.select(table).where(table.c.state.in_(OPEN_STATES), table.c.runner == runner)
    with store.read() as connection:
        return [_record(row) for row in connection.execute(query.order_by(table.c.created_utc))]


def running_jobs(store: Store, kind: str) -> list[JobRecord]:
    """Running jobs of a kind, whoever answers for them, in the order in which they started."""
    query = sa.select(table).where(table.c.state == "running", table.c.kind == kind)
    with store.read() as connection:
        return [_record(r) for r in connection.execute(query.order_by("started_utc", "id"))]


def expire_jobs(store: Store, older_than: datetime) -> int:
    """Forget jobs made before `older_than` (UTC), unfinished ones too; returns how many."""
    with store.write() as connection:
        return connection.execute(sa.delete(table).where(table.c.created_utc < older_than)).rowcount


def _attempt(job_id: str, attempt: int) -> sa.ColumnElement[bool]:
    return sa.and_(table.c.id == job_id, table.c.state == "running", table.c.attempt == attempt)


def _missing(job_id: str) -> NotFoundError:
    return NotFoundError(Message("jobs.no_job", {"id": job_id[:12]}))


def _record(row: Row[Any]) -> JobRecord:
    values = {
        c.name: getattr(row, c.name) for c in table.c if c.name not in ("error", "params_hash")
    }
    error_class, error = row.error or (None, None)
    return JobRecord(**values, error_class=error_class, error=error)
