"""The server's start and end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

import settings as settings_module
from data_sources.store.engine import close_current_store, current_store
from data_sources.store.jobs import JobRequest, add_job
from data_sources.store.tables import SCHEMA_REVISION, job, workload
from data_sources.store.workloads import list_workloads, save_workload
from jobs import lifespan
from jobs.inline import InlineRunner
from jobs.local import LocalRunner
from jobs.runner import wait
from messages.errors import NotFoundError, SourceError
from settings import Settings
from tests.data_sources.store.made import small_receipt, small_workload


@pytest.fixture(autouse=True)
def _ends(settings: Settings) -> Iterator[None]:
    yield
    lifespan.stop()
    close_current_store()


def test_without_a_server_jobs_run_in_place() -> None:
    runner = lifespan.current_runner()
    assert isinstance(runner, InlineRunner)
    assert lifespan.current_runner() is runner
    assert not lifespan.pool_started()
    job_id = runner.submit("count", {"n": 2}, "ann")
    assert runner.result(job_id, "ann") == "2"


def test_with_a_server_jobs_run_in_the_pool_and_all_ends_with_it() -> None:
    called = []

    async def life() -> None:
        async with lifespan.lifespan(None):
            runner = lifespan.current_runner()
            assert isinstance(runner, LocalRunner)
            assert lifespan.pool_started()
            ended = wait(runner, runner.submit("count", {"n": 2}, "ann"), "ann", 60)
            called.append(ended.result_id)

    asyncio.run(life())
    assert called == ["2"]
    assert not lifespan.pool_started()


def test_start_migrates_warms_and_happens_once() -> None:
    warmed = []
    lifespan.start([lambda: warmed.append("book")])
    lifespan.start([lambda: warmed.append("twice")])
    with current_store().read() as connection:
        found = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    assert found == SCHEMA_REVISION
    lifespan.stop()
    assert warmed == ["book"]


def test_a_ledger_that_cannot_be_opened_stops_the_start(settings: Settings) -> None:
    settings.data_dir.write_text("a file where the folder should be")
    with pytest.raises(SourceError):
        lifespan.start()
    assert not lifespan.pool_started()


def test_a_setting_that_does_not_exist_is_warned_about(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("KVLEDGER_WORKER_COUT", "3")
    with caplog.at_level(logging.WARNING):
        lifespan.start()
    assert "KVLEDGER_WORKER_COUT" in caplog.text
    assert settings_module.unknown_names() == ["KVLEDGER_WORKER_COUT"]


def test_jobs_of_sessions_long_ended_are_not_resumed() -> None:
    store = current_store()
    request = JobRequest(kind="count", params={"n": 1}, owner="ann", runner="gone", limit=9)
    job_id, _ = add_job(store, request)
    long_ago = datetime.now(UTC) - timedelta(days=2)
    with store.write() as connection:
        connection.execute(sa.update(job).values(created_utc=long_ago))
    lifespan.start()
    with pytest.raises(NotFoundError):
        lifespan.current_runner().status(job_id, "ann")


def test_tidying_deletes_what_has_outlived_its_session() -> None:
    store = current_store()
    save_workload(store, small_workload(), small_receipt(), "ann")
    lifespan.tidy(store)
    assert len(list_workloads(store, "ann")) == 1
    with store.write() as connection:
        connection.execute(
            sa.update(workload).values(touched_utc=datetime.now(UTC) - timedelta(days=2))
        )
    lifespan.tidy(store)
    assert list_workloads(store, "ann") == []
