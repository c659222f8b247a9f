"""What happens where a job runs: claim it, run its task, keep its row alive, write how it ended."""

from __future__ import annotations

import logging
import os
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from data_sources.store import jobs as rows
from data_sources.store.engine import Store, current_store
from jobs import held, own_prices
from jobs.progress import Cancelled, TimedOut
from jobs.tasks import resolve
from messages.errors import KvledgerError, Message, SourceError

log = logging.getLogger(__name__)

WRITE_EVERY_S = 0.2
HEARTBEAT_S = 2.0

Outcome = str | tuple[str, Message] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One job for one process: which task, with what, for which runner, how long at most; and
    what is `held` for it outside of the stored parameters."""

    job_id: str
    path: str
    params: Mapping[str, Any]
    runner: str
    timeout_s: float
    held: object | None = None


def run_in_worker(call: Call) -> None:
    """Entry of a pool worker: run `call` on the process's own store."""
    run_job(current_store(), call)


def run_job(store: Store, call: Call) -> None:
    """Claim and run one job here and now. Its row tells the outcome; nothing is raised for what
    the task did. A job that was cancelled meanwhile is not started."""
    attempt = rows.claim(store, call.job_id, call.runner, os.getpid())
    if attempt is None:
        return
    progress = JobProgress(store, call.job_id, attempt, call.timeout_s)
    with progress.heart():
        outcome = _outcome(call, progress)
    rows.finish(store, call.job_id, attempt, outcome)


def _outcome(call: Call, progress: JobProgress) -> Outcome:
    try:
        params = dict(call.params)
        if held.PARAM in params:
            params[held.PARAM] = call.held
        with own_prices.using(params.pop(own_prices.JOB_KEY, None)):
            result = resolve(call.path)(params, progress)
        progress.check()
        return result
    except Cancelled:
        return None
    except TimedOut:
        return "SourceError", Message("jobs.timeout", {"seconds": int(call.timeout_s)})
    except KvledgerError as error:
        return type(error).__name__, error.message
    except MemoryError:
        return "SourceError", Message("jobs.out_of_memory")
    except Exception:
        # The traceback goes to the log only: it may hold what a page must not show.
        incident = uuid.uuid4().hex[:8]
        log.exception("job %s, incident %s", call.job_id, incident)
        return "KvledgerError", Message("jobs.unexpected", {"incident": incident})


class JobProgress:
    """A Progress that writes to the job's row, at most five times a second."""

    def __init__(self, store: Store, job_id: str, attempt: int, timeout_s: float) -> None:
        self._store = store
        self._job_id = job_id
        self._attempt = attempt
        self._timeout_s = timeout_s
        self._deadline = time.monotonic() + timeout_s
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._written = 0.0
        self._pending: tuple[float, str, int | None] | None = None

    def __call__(self, fraction: float, stage: str, rows: int | None = None) -> None:
        """See `Progress`."""
        self._pending = (min(1.0, max(0.0, fraction)), stage, rows)
        if time.monotonic() - self._written >= WRITE_EVERY_S:
            self._write()
        self._raise_if_over()

    def check(self) -> None:
        """Ask now whether to stop. Raises Cancelled or TimedOut."""
        self._write()
        self._raise_if_over()

    @contextmanager
    def heart(self) -> Iterator[None]:
        """A heartbeat in the background while the task runs, however rarely it reports."""
        ended = threading.Event()
        thread = threading.Thread(target=self._beat, args=(ended,), name="job-heart", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _beat(self, ended: threading.Event) -> None:
        while not ended.wait(HEARTBEAT_S):
            self._write()

    def _write(self) -> None:
        with self._lock:
            step, self._pending = self._pending, None
            self._written = time.monotonic()
            try:
                if not rows.report_progress(self._store, self._job_id, self._attempt, step):
                    self._stop.set()
            except SourceError as error:
                # A busy or full disk for a moment is no reason to lose the work itself.
                log.warning("job %s: progress not written: %s", self._job_id, error)

    def _raise_if_over(self) -> None:
        if self._stop.is_set():
            raise Cancelled(self._job_id)
        if time.monotonic() > self._deadline:
            raise TimedOut(self._job_id)
