"""The job table behaves alike on both databases."""

from __future__ import annotations

from decimal import Decimal

import pytest

from data_sources.store.engine import Store
from data_sources.store.jobs import (
    JobRequest,
    abandon,
    add_job,
    adopt,
    claim,
    finish,
    get_job,
    give_up,
    list_jobs,
    open_jobs,
    report_progress,
    request_cancel,
)
from messages.errors import InputError, Message, NotFoundError

PARAMS = {"files": [["a\x00.csv", "/x"]], "rate": Decimal("1.10"), "pair": (1, 2)}


def request(owner: str = "ann", limit: int = 2, **params: object) -> JobRequest:
    return JobRequest(
        kind="read", params={**PARAMS, **params}, owner=owner, runner="r1", limit=limit
    )


def test_a_jobs_life_on_either_database(store: Store) -> None:
    job_id, new = add_job(store, request())
    assert (new, add_job(store, request())) == (True, (job_id, False))
    assert [job.id for job in open_jobs(store, "r1")] == [job_id]
    assert claim(store, job_id, "r1", 4711) == 1
    assert claim(store, job_id, "r2", 4712) is None
    assert report_progress(store, job_id, 1, (0.25, "read", 10**12))
    job = get_job(store, job_id, "ann")
    assert job.params == PARAMS
    assert (job.state, job.fraction, job.stage, job.rows) == ("running", 0.25, "read", 10**12)
    assert give_up(store, job_id, 1, "r2") == "queued"
    assert claim(store, job_id, "r2", 4713) == 2
    assert not report_progress(store, job_id, 1, None)
    assert not finish(store, job_id, 1, "too late")
    error = Message("traces.x", {"line": 3, "cost": Decimal("0.10")})
    assert finish(store, job_id, 2, ("InputError", error))
    job = get_job(store, job_id, "ann")
    assert (job.state, job.error_class, job.error) == ("failed", "InputError", error)
    assert open_jobs(store, "r2") == []


def test_limits_cancel_and_strangers_on_either_database(store: Store) -> None:
    first, second = (add_job(store, request(n=n))[0] for n in range(2))
    with pytest.raises(InputError):
        add_job(store, request(n=3))
    add_job(store, request("bob", n=3))
    request_cancel(store, first, "ann")
    assert get_job(store, first, "ann").state == "cancelled"
    claim(store, second, "r1", 1)
    request_cancel(store, second, "ann")
    assert not report_progress(store, second, 1, None)
    assert finish(store, second, 1, None)
    for job_id in (first, second):
        with pytest.raises(NotFoundError):
            get_job(store, job_id, "bob")
    assert len(list_jobs(store, "ann")) == 2


def test_orphans_and_the_unstartable_on_either_database(store: Store) -> None:
    job_id, _ = add_job(store, request())
    assert adopt(store, lambda job: job.runner == "r1", "r2") == [job_id]
    abandon(store, job_id, "r1")
    assert get_job(store, job_id, "ann").state == "queued"
    abandon(store, job_id, "r2")
    assert get_job(store, job_id, "ann").state == "lost"
