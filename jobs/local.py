"""The default runner: a pool of processes on this machine that survives its workers.

A killed worker breaks a whole `ProcessPoolExecutor`. A supervisor thread builds a new one, and puts
right what stands in the job table: what ran is queued again, at most three times; what waited
waits on. The table is the truth; the pool is only hands.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from datetime import UTC, datetime
from typing import Any

from data_sources.store import jobs as rows
from data_sources.store.engine import Store
from data_sources.store.jobs import JobRecord
from jobs import held, tasks
from jobs.inline import is_gone, retire, runner_name
from jobs.runner import StoreRunner, carried
from jobs.spawn import NAME, WorkerContext, initialise
from jobs.tasks import path_of
from jobs.worker import Call, run_in_worker
from messages.errors import KvledgerError, Message
from settings import Settings

log = logging.getLogger(__name__)

BUSY_TICK_S = 1.0
IDLE_TICK_S = 15.0
SILENT_S = 60.0
"""A running job whose heart has been silent for so long has no process any more."""
GRACE_S = 10.0
"""How long a task may take to notice that it is to stop, before its process is ended."""
END_S = 5.0
MAX_LAUNCHES = 6
"""More than MAX_ATTEMPTS, because a job that only waited while others broke the pool is no
suspect; but workers that cannot even start must not be started forever."""


class LocalRunner(StoreRunner):
    """See `Runner`. Needs `start()` before and `stop()` after; both are quick."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self.name = runner_name()
        self._lock = threading.RLock()
        self._wake = threading.Event()
        self._stopping = False
        self._broken = False
        self._pool: ProcessPoolExecutor | None = None
        self._launches: Counter[str] = Counter()
        self._in_flight: dict[str, Future[None]] = {}
        self._cancel_seen: dict[str, float] = {}
        self._supervisor = threading.Thread(target=self._supervise, name="jobs", daemon=True)

    def start(self) -> None:
        """Take over what dead processes left, and begin. Workers start with the first job or
        with `warm()`."""
        with self._lock:
            self._pool = self._new_pool()
        self._supervisor.start()

    def warm(self) -> None:
        """Start the workers now, so that the first job does not wait for their imports."""
        with self._lock:
            pool = self._pool
            if pool is None or self._broken:
                return
            try:
                for _ in range(self._settings.worker_count):
                    pool.submit(os.getpid)
            except BrokenProcessPool:
                self._note_break(pool)

    def stop(self) -> None:
        """End supervisor and workers. Unfinished jobs are taken up by the next start."""
        with self._lock:
            self._stopping = True
            pool, self._pool = self._pool, None
        self._wake.set()
        if self._supervisor.is_alive():
            self._supervisor.join()
        if pool is not None:
            _end(pool)
        retire(self.name)

    def submit(self, kind: str, params: Mapping[str, Any], owner: str) -> str:
        """See `Runner`."""
        path_of(kind)
        params = carried(params)
        job_id, new = self.queued(kind, params, owner)
        if new:
            self._launch(job_id, kind, params)
        return job_id

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            max_workers=self._settings.worker_count,
            mp_context=WorkerContext(),
            initializer=initialise,
            initargs=(self._settings,),
        )

    def _launch(self, job_id: str, kind: str, params: Mapping[str, Any]) -> None:
        call = Call(
            job_id=job_id,
            path=path_of(kind),
            params=params,
            runner=self.name,
            timeout_s=self._settings.job_timeout_s,
            held=held.held(params),
        )
        with self._lock:
            if self._pool is None or job_id in self._in_flight:
                return
            pool = self._pool
            try:
                future = pool.submit(run_in_worker, call)
            except BrokenProcessPool:
                self._note_break(pool)
                return
            self._in_flight[job_id] = future
            self._launches[job_id] += 1
        future.add_done_callback(lambda done: self._ended(job_id, done, pool))
        self._wake.set()

    def _note_break(self, pool: ProcessPoolExecutor) -> None:
        # All futures of a broken pool report it; the late ones must not break the next pool.
        with self._lock:
            self._broken = self._broken or pool is self._pool
        self._wake.set()

    def _ended(self, job_id: str, future: Future[None], pool: ProcessPoolExecutor) -> None:
        with self._lock:
            if self._in_flight.get(job_id) is future:
                del self._in_flight[job_id]
        if future.cancelled():
            return
        error = future.exception()
        if isinstance(error, BrokenProcessPool):
            self._note_break(pool)
        elif error is not None:
            # The task's own errors are in its row; this one kept the row from being written.
            log.error("job %s could not be run", job_id, exc_info=error)
            self._wake.set()

    def _supervise(self) -> None:
        while not self._stopping:
            try:
                self._look_after()
            except KvledgerError as error:
                # The store does not answer: the table still says what to do at the next look.
                log.warning("jobs not looked after: %s", error)
            except Exception:
                # Without its supervisor a pool never recovers again: say so and go on.
                log.exception("jobs not looked after")
            self._wake.wait(BUSY_TICK_S if self._in_flight else IDLE_TICK_S)
            self._wake.clear()

    def _look_after(self) -> None:
        self._rebuild_if_broken()
        for job_id in rows.adopt(self._store, is_orphan, self.name):
            log.info("job %s taken over from a process that is gone", job_id)
        for job in rows.open_jobs(self._store, self.name):
            if job.id not in self._in_flight:
                self._put_right(job)
            else:
                self._end_if_overdue(job)

    def _rebuild_if_broken(self) -> None:
        with self._lock:
            if not self._broken or self._stopping:
                return
            broken, self._pool = self._pool, self._new_pool()
            self._broken = False
            self._in_flight.clear()
            self._cancel_seen.clear()
        log.warning("a worker died; the pool was built anew")
        if broken is not None:
            _end(broken)

    def _put_right(self, job: JobRecord) -> None:
        # Read again: it may have ended between the list and the look.
        job = rows.get_job(self._store, job.id, job.owner)
        if job.id in self._in_flight or job.runner != self.name or job.finished:
            return
        if job.state == "running":
            rows.give_up(self._store, job.id, job.attempt, self.name)
            job = rows.get_job(self._store, job.id, job.owner)
        if job.state != "queued":
            return
        if job.kind not in tasks.TASKS or self._launches[job.id] >= MAX_LAUNCHES:
            log.error("job %s of kind %r could not be started; given up", job.id, job.kind)
            rows.abandon(self._store, job.id, self.name)
        else:
            self._launch(job.id, job.kind, job.params)

    def _end_if_overdue(self, job: JobRecord) -> None:
        if job.state != "running" or job.started_utc is None or job.worker_pid is None:
            return
        ran_s = (datetime.now(UTC) - job.started_utc).total_seconds()
        if job.cancel_requested:
            since = self._cancel_seen.setdefault(job.id, time.monotonic())
            if time.monotonic() - since > GRACE_S:
                rows.finish(self._store, job.id, job.attempt, None)
                _kill(job.worker_pid)
        elif ran_s > self._settings.job_timeout_s + GRACE_S:
            message = Message("jobs.timeout", {"seconds": self._settings.job_timeout_s})
            rows.finish(self._store, job.id, job.attempt, ("SourceError", message))
            _kill(job.worker_pid)


def is_orphan(job: JobRecord) -> bool:
    """Nobody answers for `job` any more: its process has ended, or its heart is silent."""
    beat = job.heartbeat_utc
    silent = beat is not None and (datetime.now(UTC) - beat).total_seconds() > SILENT_S
    return silent or is_gone(job.runner)


def _kill(pid: int) -> None:
    # Only a child that is ours still: the number may have gone to somebody else.
    if any(child.pid == pid and child.name.startswith(NAME) for child in _children()):
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _children() -> list[multiprocessing.process.BaseProcess]:
    return multiprocessing.active_children()


def _end(pool: ProcessPoolExecutor) -> None:
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(END_S)
        if process.is_alive():
            process.kill()
            process.join()
