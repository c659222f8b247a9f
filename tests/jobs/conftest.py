"""A ledger, the test tasks, and runners of both kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import settings as settings_module
from data_sources.store.engine import Store, open_store
from jobs import tasks
from jobs.inline import InlineRunner
from jobs.local import LocalRunner
from jobs.runner import Runner
from settings import Settings
from tests.jobs import work

KINDS = (
    work.count,
    work.log_line,
    work.stages,
    work.refuse,
    work.bad_data,
    work.fall_over,
    work.die,
    work.sleep_deaf,
    work.sleep_if_first,
    work.hungry,
    work.modules,
)


@pytest.fixture(autouse=True)
def _test_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {task.__name__: f"{task.__module__}:{task.__name__}" for task in KINDS}
    monkeypatch.setattr(tasks, "TASKS", {**tasks.TASKS, **known})


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Settings]:
    with settings_module.using(Settings(data_dir=tmp_path / "ledger", worker_count=2)) as given:
        yield given


@pytest.fixture
def store(settings: Settings) -> Iterator[Store]:
    opened = open_store(settings)
    yield opened
    opened.close()


@pytest.fixture
def local(store: Store, settings: Settings) -> Iterator[Callable[..., LocalRunner]]:
    """Starts pools with changed settings; all are stopped afterwards."""
    started: list[LocalRunner] = []

    def start(**changes: object) -> LocalRunner:
        runner = LocalRunner(store, settings.model_copy(update=changes))
        runner.start()
        started.append(runner)
        return runner

    yield start
    for runner in started:
        runner.stop()


@pytest.fixture(params=["inline", "local"])
def runner(request: pytest.FixtureRequest, store: Store, settings: Settings) -> Runner:
    if request.param == "inline":
        return InlineRunner(store, settings)
    started: Runner = request.getfixturevalue("local")(worker_count=1)
    return started
