"""The pool survives killed workers, deaf tasks and its own server."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from data_sources.store.engine import Store
from data_sources.store.jobs import JobRequest, add_job, list_jobs
from jobs import local as local_module
from jobs.local import LocalRunner
from jobs.runner import wait
from jobs.spawn import NAME
from settings import Settings

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 60
Start = Callable[..., LocalRunner]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kills with POSIX signals")


def until(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not done():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.05)


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def workers() -> list[str]:
    return [
        child.name for child in multiprocessing.active_children() if child.name.startswith(NAME)
    ]


def test_worker_kill_requeues_shard_once(local: Start, tmp_path: Path) -> None:
    runner = local(worker_count=1)
    log = tmp_path / "log"
    job = wait(runner, runner.submit("die", {"log": str(log), "deaths": 1}, "ann"), "ann", LIMIT_S)
    assert (job.state, job.attempt, job.result_id) == ("done", 2, "survived")
    assert len(lines(log)) == 2
    assert len(set(lines(log))) == 2


def test_a_job_that_kills_every_worker_is_lost_after_three(local: Start, tmp_path: Path) -> None:
    runner = local(worker_count=1)
    log = tmp_path / "log"
    job = wait(runner, runner.submit("die", {"log": str(log), "deaths": 9}, "ann"), "ann", LIMIT_S)
    assert (job.state, job.attempt) == ("lost", 3)
    assert job.error is not None
    assert job.error.id == "jobs.lost"
    assert len(lines(log)) == 3
    assert wait(runner, runner.submit("count", {"n": 1}, "ann"), "ann", LIMIT_S).state == "done"


def test_jobs_that_only_waited_survive_the_death_of_others(local: Start, tmp_path: Path) -> None:
    runner = local(worker_count=1)
    log = tmp_path / "log"
    bad = runner.submit("die", {"log": str(log), "deaths": 1}, "ann")
    others = [runner.submit("count", {"n": n}, "bob") for n in range(1, 6)]
    assert wait(runner, bad, "ann", LIMIT_S).state == "done"
    for number, job_id in enumerate(others, 1):
        job = wait(runner, job_id, "bob", LIMIT_S)
        assert (job.state, job.result_id) == ("done", str(number))


def test_a_deaf_task_is_cancelled_all_the_same(
    local: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_module, "GRACE_S", 0.2)
    runner = local(worker_count=1)
    log = tmp_path / "pid"
    job_id = runner.submit("sleep_deaf", {"log": str(log), "s": 600}, "ann")
    until(lambda: lines(log))
    runner.cancel(job_id, "ann")
    job = wait(runner, job_id, "ann", LIMIT_S)
    assert (job.state, job.error) == ("cancelled", None)
    until(lambda: not alive(int(lines(log)[0])))
    assert wait(runner, runner.submit("count", {"n": 1}, "ann"), "ann", LIMIT_S).state == "done"


def test_a_deaf_task_is_stopped_at_its_timeout(
    local: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_module, "GRACE_S", 0.2)
    runner = local(worker_count=1, job_timeout_s=1)
    job_id = runner.submit("sleep_deaf", {"log": str(tmp_path / "pid"), "s": 600}, "ann")
    job = wait(runner, job_id, "ann", LIMIT_S)
    assert (job.state, job.error and job.error.id) == ("failed", "jobs.timeout")


def test_a_worker_has_a_memory_limit(local: Start) -> None:
    runner = local(worker_count=1, worker_memory_mb=4000)
    job_id = runner.submit("hungry", {"bytes": 5 * 10**9}, "ann")
    job = wait(runner, job_id, "ann", LIMIT_S)
    assert (job.state, job.error and job.error.id) == ("failed", "jobs.out_of_memory")


def test_workers_that_cannot_start_are_not_started_forever(
    local: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_module, "BUSY_TICK_S", 0.05)
    runner = local(worker_count=1, worker_memory_mb=20)
    job = wait(runner, runner.submit("count", {"n": 1}, "ann"), "ann", LIMIT_S)
    assert (job.state, job.error and job.error.id) == ("lost", "jobs.not_started")


def test_a_job_of_a_kind_that_is_no_more_is_given_up(local: Start, store: Store) -> None:
    request = JobRequest(kind="of old", params={}, owner="ann", runner="gone", limit=9)
    job_id, _ = add_job(store, request)
    with store.write() as connection:
        connection.execute(sa.text("UPDATE job SET runner = :r"), {"r": runner_of_a_dead_process()})
    job = wait(local(worker_count=1), job_id, "ann", LIMIT_S)
    assert (job.state, job.error and job.error.id) == ("lost", "jobs.not_started")


def runner_of_a_dead_process() -> str:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return f"{socket.gethostname()}:{ended.pid}:x"


def test_workers_load_neither_torch_nor_the_page_server(local: Start) -> None:
    runner = local(worker_count=1)
    names = ["torch", "streamlit", "pandas"]
    job = wait(runner, runner.submit("modules", {"names": names}, "ann"), "ann", LIMIT_S)
    assert job.result_id == "pandas"


def test_stopping_leaves_no_process_and_no_thread(store: Store, settings: Settings) -> None:
    import threading

    before = {thread.name for thread in threading.enumerate()}
    for _ in range(3):
        runner = LocalRunner(store, settings.model_copy(update={"worker_count": 1}))
        runner.start()
        assert wait(runner, runner.submit("count", {"n": 1}, "a"), "a", LIMIT_S).state == "done"
        runner.stop()
    assert workers() == []
    until(lambda: {thread.name for thread in threading.enumerate()} <= before)


def test_a_stopped_pools_job_is_taken_up_by_the_next(local: Start, tmp_path: Path) -> None:
    params = {"log": str(tmp_path / "log"), "pid": str(tmp_path / "pid")}
    first = local(worker_count=1)
    job_id = first.submit("sleep_if_first", params, "ann")
    until(lambda: lines(tmp_path / "pid"))
    first.stop()
    job = wait(local(worker_count=1), job_id, "ann", LIMIT_S)
    assert (job.state, job.attempt, job.result_id) == ("done", 2, "resumed")


SERVER = """
import sys, time
from data_sources.store.engine import open_store
from jobs import tasks
from jobs.local import LocalRunner
from settings import Settings
print("main ran", flush=True)
settings = Settings(data_dir=sys.argv[1], worker_count=1)
tasks.register("sleep_if_first", "tests.jobs.work:sleep_if_first")
runner = LocalRunner(open_store(settings), settings)
runner.start()
runner.submit("sleep_if_first", {"log": sys.argv[2], "pid": sys.argv[3]}, "ann")
time.sleep(600)
"""


def test_server_kill_resumes_job(
    local: Start, store: Store, settings: Settings, tmp_path: Path
) -> None:
    script = tmp_path / "server.py"  # a file without a guard: a child must not run it again
    script.write_text(SERVER)
    arguments = [str(settings.data_dir), str(tmp_path / "log"), str(tmp_path / "pid")]
    server = subprocess.Popen(
        [sys.executable, str(script), *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        until(lambda: lines(tmp_path / "pid"))
    finally:
        server.send_signal(signal.SIGKILL)
        said, _ = server.communicate(timeout=LIMIT_S)
    assert said == "main ran\n"
    until(lambda: not alive(int(lines(tmp_path / "pid")[0])))
    (job,) = list_jobs(store, "ann")
    assert job.state == "running"
    job = wait(local(worker_count=1), job.id, "ann", LIMIT_S)
    assert (job.state, job.attempt, job.result_id) == ("done", 2, "resumed")
    assert len(lines(tmp_path / "log")) == 2
