"""The job table knows legal transitions only, whoever asks and in whatever order."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from data_sources.store.engine import Store, open_store
from data_sources.store.jobs import (
    MAX_ATTEMPTS,
    JobRequest,
    add_job,
    adopt,
    claim,
    expire_jobs,
    finish,
    get_job,
    give_up,
    list_jobs,
    report_progress,
    request_cancel,
)
from messages.errors import Message, NotFoundError
from settings import Settings

FINAL = {"done", "failed", "cancelled", "lost"}
LEGAL = {
    "queued": {"queued", "running", "cancelled"},
    "running": {"running", "queued", *FINAL},
    **{state: {state} for state in FINAL},
}


def add(store: Store, owner: str = "ann", n: int = 0) -> str:
    request = JobRequest(kind="k", params={"n": n}, owner=owner, runner="here", limit=100)
    return add_job(store, request)[0]


class JobTable(RuleBasedStateMachine):
    """Submit, claim, report, finish, cancel and kill at random; a plain model beside the table."""

    jobs = Bundle("jobs")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = open_store(Settings(data_dir=Path(self.folder.name)))
        self.seen: dict[str, str] = {}
        self.attempts: dict[str, int] = {}

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    @rule(target=jobs)
    def submit(self) -> str:
        job_id = add(self.store, n=len(self.seen))
        self.seen[job_id], self.attempts[job_id] = "queued", 0
        return job_id

    @rule(job_id=jobs)
    def start(self, job_id: str) -> None:
        attempt = claim(self.store, job_id, "here", 1)
        assert (attempt is not None) == (self.seen[job_id] == "queued")
        if attempt is not None:
            assert attempt == self.attempts[job_id] + 1
            self.attempts[job_id] = attempt

    @rule(job_id=jobs, late=st.booleans())
    def report(self, job_id: str, late: bool) -> None:
        attempt = self.attempts[job_id] - late
        going = report_progress(self.store, job_id, attempt, (0.5, "s", 7))
        cancel = get_job(self.store, job_id, "ann").cancel_requested
        assert going == (self.seen[job_id] == "running" and not late and not cancel)

    @rule(
        job_id=jobs,
        late=st.booleans(),
        outcome=st.sampled_from(["result", ("InputError", Message("m")), None]),
    )
    def end(self, job_id: str, late: bool, outcome: str | tuple[str, Message] | None) -> None:
        ended = finish(self.store, job_id, self.attempts[job_id] - late, outcome)
        assert ended == (self.seen[job_id] == "running" and not late)

    @rule(job_id=jobs)
    def cancel(self, job_id: str) -> None:
        request_cancel(self.store, job_id, "ann")
        with pytest.raises(NotFoundError):
            request_cancel(self.store, job_id, "bob")

    @rule(job_id=jobs)
    def kill(self, job_id: str) -> None:
        before = get_job(self.store, job_id, "ann")
        state = give_up(self.store, job_id, self.attempts[job_id], "there")
        if before.state != "running":
            assert state is None
        elif before.cancel_requested:
            assert state == "cancelled"
        else:
            assert state == ("lost" if before.attempt == MAX_ATTEMPTS else "queued")

    @invariant()
    def only_legal_steps_were_taken(self) -> None:
        for job in list_jobs(self.store, "ann"):
            assert job.state in LEGAL[self.seen[job.id]], (self.seen[job.id], job.state)
            assert job.attempt <= MAX_ATTEMPTS
            assert job.finished == (job.finished_utc is not None) == (job.state in FINAL)
            assert (job.result_id is not None) == (job.state == "done")
            assert (job.error is not None) == (job.state in {"failed", "lost"})
            self.seen[job.id] = job.state


JobTable.TestCase.settings = hypothesis_settings(
    max_examples=15, stateful_step_count=25, deadline=None
)
TestJobTable = JobTable.TestCase


def test_only_orphans_are_adopted(store: Store) -> None:
    waiting, running, other = add(store, n=1), add(store, n=2), add(store, n=3)
    claim(store, running, "dead", 1)
    claim(store, other, "living", 1)
    taken = adopt(store, lambda job: job.runner in {"here", "dead"}, "new")
    assert set(taken) == {waiting, running}
    assert {get_job(store, job, "ann").runner for job in taken} == {"new"}
    assert get_job(store, other, "ann").state == "running"
    assert adopt(store, lambda job: job.runner in {"here", "dead"}, "new") == []


def test_old_jobs_are_forgotten(store: Store) -> None:
    job_id = add(store)
    now = datetime.now(UTC)
    assert expire_jobs(store, now - timedelta(hours=1)) == 0
    assert expire_jobs(store, now + timedelta(seconds=1)) == 1
    with pytest.raises(NotFoundError):
        get_job(store, job_id, "ann")
