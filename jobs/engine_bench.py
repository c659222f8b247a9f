"""The engine's benchmark as a job: a process of its own, one at a time, its result kept.

The engine and torch live in that process alone; the server and its workers never import them.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from data_sources.store import jobs as rows
from data_sources.store.engine import current_store, store_errors
from data_sources.store.jobs import JobRecord
from jobs import profiling, tasks
from jobs.lifespan import current_runner
from jobs.progress import Cancelled, Progress, TimedOut
from jobs.runner import StoreRunner
from jobs.spool import new_folder
from messages.errors import KvledgerError, Message, SourceError, input_error
from settings import PREFIX

log = logging.getLogger(__name__)

KIND = "engine_bench"
MODULE = "kvcore"
ROOT = Path(__file__).parent.parent
INSTALL = "pip install -r requirements.txt"
POLL_S = 0.25
END_S = 5.0
KEPT_LINES = 20
LONGEST_LINE = 300
REFUSED = 1
tasks.register(KIND, "jobs.engine_bench:bench_task")

_starting = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchAsked:
    """What to measure: quickly (under 90 s) or everything; `only` names cases, none = all."""

    quick: bool = True
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningBench:
    """The benchmark that runs on this server now, whoever has started it."""

    owner: str
    job_id: str
    fraction: float
    stage: str
    started_utc: datetime


def engine_installed() -> bool:
    """torch is there. It is looked for, not imported."""
    return importlib.util.find_spec("torch") is not None


def running_bench() -> RunningBench | None:
    """The unfinished benchmark of this server; None where nobody measures."""
    runner = current_runner()
    name = runner.name if isinstance(runner, StoreRunner) else ""
    for job in rows.open_jobs(current_store(), name):
        if job.kind == KIND:
            return _running(job)
    return None


def _running(job: JobRecord) -> RunningBench:
    return RunningBench(
        owner=job.owner,
        job_id=job.id,
        fraction=job.fraction,
        stage=job.stage,
        started_utc=job.started_utc or job.created_utc,
    )


def start_bench(asked: BenchAsked, owner: str) -> str:
    """Start measuring; returns the job's id. InputError where torch is missing, or where somebody
    measures already: two at once would measure each other."""
    if not engine_installed():
        raise input_error("bench.no_torch", command=INSTALL)
    with _starting:
        if running_bench() is not None:
            raise input_error("bench.already")
        params = {"owner": owner, "quick": asked.quick, "only": list(asked.only)}
        return current_runner().submit(KIND, params, owner)


def bench_task(params: dict[str, Any], progress: Progress) -> str:
    """The job: run the benchmark as a child, follow it, keep its profile, answer with its id."""
    progress(0.0, "start")
    with _folder() as folder:
        result = folder / "profile.json"
        try:
            with _child(_command(params, result)) as child:
                _follow(child, progress)
        except (Cancelled, TimedOut):
            _keep_partial(result, params["owner"])
            raise
        found = profiling.read_profile(_content(result), result.name)
    progress(1.0, "save")
    return profiling.keep(found, "measured", params["owner"])


def _keep_partial(result: Path, owner: str) -> None:
    """What was measured before the run was stopped; the engine marks the rest as stopped."""
    try:
        found = profiling.read_profile(_content(result), result.name)
        if any(row.median is not None for row in found.cases):
            profiling.keep(found, "measured", owner)
    except KvledgerError as error:  # stopping must end as stopping
        log.warning("nothing of the stopped benchmark is kept: %s", error)


def kept_of(job: JobRecord) -> str | None:
    """The id of what a stopped run had measured; None where it had measured nothing."""
    since = (job.started_utc or job.created_utc).replace(microsecond=0)
    return next(
        (
            entry.id
            for entry in profiling.profiles()
            if entry.origin == "measured" and entry.measured_utc >= since
        ),
        None,
    )


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder that goes with the block; what a killed process leaves goes with old uploads."""
    with store_errors("uploads"):
        folder = new_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _content(result: Path) -> bytes:
    try:
        return result.read_bytes()
    except OSError:
        raise SourceError(Message("bench.no_result")) from None


def _command(params: Mapping[str, Any], result: Path) -> list[str]:
    words = [sys.executable, "-m", "jobs.watched", MODULE, "bench", "--progress-json"]
    words += ["--json", str(result)]
    if params["quick"]:
        words.append("--quick")
    for case in params["only"]:
        words += ["--only", case]
    return words


@contextmanager
def _child(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """The child, ended when the block is left, however it is left."""
    # Settings may hold a password or a key; the engine needs none of them.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(PREFIX)}
    child = subprocess.Popen(  # noqa: S603  our own interpreter and module
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    try:
        yield child
    finally:
        _end(child)


def _end(child: subprocess.Popen[str]) -> None:
    for sign in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        if child.poll() is None:
            _send(child, sign)
            try:
                child.wait(END_S)
            except subprocess.TimeoutExpired:
                continue
    for pipe in (child.stdin, child.stderr):
        if pipe is not None:
            pipe.close()


def _send(child: subprocess.Popen[str], sign: signal.Signals) -> None:
    if os.name == "nt":
        child.terminate()
        return
    try:
        os.killpg(child.pid, sign)  # it leads a group of its own
    except ProcessLookupError:
        log.debug("the benchmark has ended by itself")


def _follow(child: subprocess.Popen[str], progress: Progress) -> None:
    """Hand the child's progress on until it ends. SourceError where it ends badly; Cancelled and
    TimedOut pass."""
    said: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    reader = threading.Thread(target=_read, args=(child.stderr, said), daemon=True)
    reader.start()
    last: deque[str] = deque(maxlen=KEPT_LINES)
    refused: Message | None = None
    step = (0.0, "start")
    while True:
        progress(*step)
        try:
            line = said.get(timeout=POLL_S)
        except queue.Empty:
            continue
        if line is None:
            break
        refused = _refusal(line) or refused
        found = _step(line)
        if found is None:
            last.append(" ".join(line.split())[:LONGEST_LINE])
        else:
            step = found
    status = child.wait()
    if status:
        log.error("the benchmark ended with %s: %s", status, " | ".join(last))
        if status == REFUSED and refused is not None:
            raise SourceError(Message("bench.refused", {"why": refused}))
        raise SourceError(Message("bench.failed", {"status": str(status)}))


def _read(pipe: IO[str] | None, said: queue.SimpleQueue[str | None]) -> None:
    try:
        for line in pipe or ():
            said.put(line)
    except (OSError, ValueError):  # closed under us, because the child was ended
        log.debug("the benchmark's messages end here")
    said.put(None)


def _event(line: str) -> dict[str, Any]:
    """A line that speaks to programs; empty where it is none."""
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


def _refusal(line: str) -> Message | None:
    """Why the engine refuses, as a message in the reader's language; None: the line is no such."""
    event = _event(line)
    values = event.get("values")
    if not isinstance(event.get("error"), str) or not isinstance(values, dict):
        return None
    return Message(event["error"], {str(key): _plain(value) for key, value in values.items()})


def _plain(value: object) -> str | int | float:
    return value if isinstance(value, (str, int, float)) else str(value)


def _step(line: str) -> tuple[float, str] | None:
    """The share of cases behind it, and the case that runs now; None where the line is no such."""
    event = _event(line)
    if "case" not in event:
        return None
    at, cases, stage = event.get("i"), event.get("n"), str(event["case"])[:64]
    if not isinstance(at, int) or not isinstance(cases, int) or not 0 < at <= cases + 1:
        return 0.0, stage
    return (at - 1) / cases, stage
