"""Every runner keeps the same contract."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from data_sources.store import jobs as rows
from data_sources.store.engine import Store
from data_sources.store.jobs import JobRecord, list_jobs
from jobs import worker
from jobs.inline import InlineRunner
from jobs.local import LocalRunner
from jobs.progress import Cancelled
from jobs.runner import Runner, wait
from jobs.tasks import path_of, register
from jobs.worker import JobProgress
from messages.errors import DataError, InputError, KvledgerError, NotFoundError, SourceError
from settings import Settings
from tests.jobs.work import STAGES

LIMIT_S = 60


def finished(runner: Runner, job_id: str, owner: str = "ann") -> JobRecord:
    job = wait(runner, job_id, owner, LIMIT_S)
    assert job.finished, job
    return job


def test_a_job_ends_with_the_id_of_its_result(runner: Runner) -> None:
    job_id = runner.submit("count", {"n": 3}, "ann")
    job = finished(runner, job_id)
    assert (job.state, job.fraction, job.stage, job.attempt) == ("done", 1.0, "count", 1)
    assert job.error is None
    assert runner.result(job_id, "ann") == "3"


def test_a_jobs_error_keeps_its_class_and_values(runner: Runner) -> None:
    job_id = runner.submit("refuse", {"file": "a.csv"}, "ann")
    assert finished(runner, job_id).state == "failed"
    with pytest.raises(InputError) as caught:
        runner.result(job_id, "ann")
    assert caught.value.message.values == {"file": "a.csv", "line": 7}
    job_id = runner.submit("bad_data", {}, "ann")
    finished(runner, job_id)
    with pytest.raises(DataError):
        runner.result(job_id, "ann")


def test_a_bug_is_an_incident_and_its_words_stay_in_the_log(runner: Runner) -> None:
    job_id = runner.submit("fall_over", {}, "ann")
    job = finished(runner, job_id)
    assert job.state == "failed"
    assert job.error is not None
    assert job.error.id == "jobs.unexpected"
    assert "canary" not in str(job)
    with pytest.raises(KvledgerError):
        runner.result(job_id, "ann")


def test_too_much_memory_is_said_so(runner: Runner) -> None:
    job = finished(runner, runner.submit("hungry", {"bytes": 10**15}, "ann"))
    assert job.error is not None
    assert job.error.id == "jobs.out_of_memory"


def test_other_owners_jobs_do_not_exist(runner: Runner) -> None:
    job_id = runner.submit("count", {"n": 1}, "ann")
    finished(runner, job_id)
    for ask in (runner.status, runner.cancel, runner.result):
        with pytest.raises(NotFoundError):
            ask(job_id, "bob")


def test_a_finished_job_cannot_be_cancelled(runner: Runner) -> None:
    job_id = runner.submit("count", {"n": 1}, "ann")
    finished(runner, job_id)
    runner.cancel(job_id, "ann")
    assert runner.result(job_id, "ann") == "1"


def test_an_unknown_kind_is_a_mistake_of_the_program(runner: Runner, store: Store) -> None:
    with pytest.raises(ValueError, match="unknown job kind"):
        runner.submit("nothing", {}, "ann")
    assert list_jobs(store, "ann") == []


def test_a_kind_has_one_meaning() -> None:
    register("count", path_of("count"))
    with pytest.raises(ValueError, match="already"):
        register("count", "elsewhere:count")


@pytest.mark.parametrize("stage", STAGES)
def test_cancel_is_reported_as_cancelled(
    local,
    stage: str,  # type: ignore[no-untyped-def]
) -> None:
    runner: LocalRunner = local(worker_count=1)
    job_id = runner.submit("stages", {"wait_in": stage}, "ann")
    deadline = time.monotonic() + LIMIT_S
    while runner.status(job_id, "ann").stage != stage and time.monotonic() < deadline:
        time.sleep(0.02)
    runner.cancel(job_id, "ann")
    job = finished(runner, job_id)
    assert (job.state, job.stage, job.error, job.result_id) == ("cancelled", stage, None, None)
    with pytest.raises(Cancelled):
        runner.result(job_id, "ann")


def test_an_inline_job_can_be_cancelled_from_another_session(
    store: Store, settings: Settings
) -> None:
    runner = InlineRunner(store, settings)
    thread = threading.Thread(target=runner.submit, args=("stages", {"wait_in": "sort"}, "ann"))
    thread.start()
    deadline = time.monotonic() + LIMIT_S
    while not (jobs := list_jobs(store, "ann")) or jobs[0].stage != "sort":
        assert time.monotonic() < deadline
        time.sleep(0.02)
    runner.cancel(jobs[0].id, "ann")
    thread.join(LIMIT_S)
    assert runner.status(jobs[0].id, "ann").state == "cancelled"


def test_the_same_request_while_it_runs_is_the_same_job(local, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    runner: LocalRunner = local(worker_count=1)
    params = {"wait_in": "read"}
    job_id = runner.submit("stages", params, "ann")
    assert runner.submit("stages", params, "ann") == job_id
    other = runner.submit("stages", params, "bob")
    assert other != job_id
    with pytest.raises(InputError):
        runner.result(job_id, "ann")
    for owner, job in (("ann", job_id), ("bob", other)):
        runner.cancel(job, owner)
        assert finished(runner, job, owner).state == "cancelled"


def test_an_owner_has_a_limit_and_others_have_their_own(local) -> None:  # type: ignore[no-untyped-def]
    runner: LocalRunner = local(worker_count=1, jobs_per_owner=2)
    jobs = [runner.submit("stages", {"wait_in": "read", "n": n}, "ann") for n in range(2)]
    with pytest.raises(InputError) as caught:
        runner.submit("stages", {"wait_in": "read", "n": 3}, "ann")
    assert caught.value.message.values == {"limit": 2}
    other = runner.submit("count", {"n": 1}, "bob")
    for job_id in jobs:
        runner.cancel(job_id, "ann")
    assert finished(runner, other, "bob").state == "done"


def test_a_job_that_takes_too_long_is_stopped(local) -> None:  # type: ignore[no-untyped-def]
    runner: LocalRunner = local(worker_count=1, job_timeout_s=1)
    job_id = runner.submit("stages", {"wait_in": "price"}, "ann")
    job = finished(runner, job_id)
    assert (job.state, job.error and job.error.id) == ("failed", "jobs.timeout")
    with pytest.raises(SourceError):
        runner.result(job_id, "ann")


def test_progress_is_written_at_most_five_times_a_second(
    store: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    written = []
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(rows, "report_progress", lambda *args: written.append(args[3]) or True)
    progress = JobProgress(store, "job", 1, timeout_s=1e9)
    for step in range(65):
        clock[0] = 100.0 + step / 64
        progress(step / 64, "count", step)
    assert [step[2] for step in written] == [0, 13, 26, 39, 52]
    progress(2.0, "count")
    progress.check()
    assert written[-1] == (1.0, "count", None)
