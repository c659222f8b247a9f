"""The benchmark runs as a process of its own, one at a time, and leaves nobody behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from data_sources.store import jobs as rows
from data_sources.store.engine import close_current_store, current_store
from data_sources.store.jobs import JobRecord, JobRequest
from jobs import engine_bench, profiling
from jobs.engine_bench import BenchAsked, bench_task, kept_of, running_bench, start_bench
from jobs.lifespan import current_runner
from jobs.progress import Cancelled, TimedOut
from jobs.spool import uploads_dir
from messages.catalogue import say
from messages.errors import InputError, SourceError
from settings import Settings, using
from tests.econ.test_device_cases import LONG

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 60

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kills with POSIX signals")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A ledger of its own, and the stand-in in the engine's place."""
    monkeypatch.setenv("BENCH_STAND_IN", str(tmp_path))
    monkeypatch.setattr(engine_bench, "MODULE", "tests.jobs.stand_in")
    monkeypatch.setattr(engine_bench, "engine_installed", lambda: True)
    with using(Settings(data_dir=tmp_path / "ledger")):
        yield tmp_path
        close_current_store()


def until(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not done():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


def facts(place: Path) -> dict[str, Any]:
    until(lambda: (place / "facts.json").exists() and (place / "facts.json").read_text())
    found: dict[str, Any] = json.loads((place / "facts.json").read_text(encoding="utf-8"))
    return found


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def params(only: str) -> dict[str, Any]:
    return {"owner": "ann", "quick": True, "only": [only]}


def test_a_run_is_kept_as_measured_here(place: Path) -> None:
    job_id = start_bench(BenchAsked(only=("whole",)), "ann")
    job = current_runner().status(job_id, "ann")
    assert (job.state, job.result_id) == ("done", profiling.digest(LONG))
    (entry,) = [row for row in profiling.profiles() if row.origin != "reference"]
    assert (entry.origin, entry.name) == ("measured", LONG.name)
    words = facts(place)["words"]
    assert words[1:3] == ["bench", "--progress-json"]
    assert "--quick" in words


def test_progress_comes_from_the_childs_messages() -> None:
    seen: list[tuple[float, str]] = []
    bench_task(params("whole"), lambda fraction, stage, rows=None: seen.append((fraction, stage)))
    assert seen[0] == (0.0, "start")
    assert (0.0, "load") in seen
    assert (0.25, "ttft") in seen
    assert (1.0, "done") in seen
    assert seen[-1] == (1.0, "save")


def test_the_child_is_gentle_unlimited_and_knows_no_settings(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KVLEDGER_PROBE_KEY", "canary")
    bench_task(params("whole"), lambda *_: None)
    found = facts(place)
    assert found["settings"] == {}
    assert found["nice"] >= min(19, os.nice(0) + 10)
    assert not found["limited"]


@pytest.mark.parametrize("only", ["sleep", "unbegun"])
def test_a_run_stopped_before_any_figure_ends_its_process_and_keeps_nothing(
    place: Path, only: str
) -> None:
    with pytest.raises(Cancelled):
        bench_task(params(only), stop_when_ready(place))
    assert not alive(facts(place)["pid"])
    assert list(uploads_dir().iterdir()) == []
    assert [row for row in profiling.profiles() if row.origin == "measured"] == []


def stop_when_ready(place: Path, stop: type[Exception] = Cancelled) -> Callable[..., None]:
    def progress(fraction: float, stage: str, rows: int | None = None) -> None:
        if (place / "ready").exists():
            raise stop("asked")

    return progress


@pytest.mark.parametrize("stop", [Cancelled, TimedOut])
def test_a_stopped_run_keeps_what_it_had_measured_marked_partial(
    place: Path, stop: type[Exception]
) -> None:
    with pytest.raises(stop):
        bench_task(params("begun"), stop_when_ready(place, stop))
    (entry,) = [row for row in profiling.profiles() if row.origin == "measured"]
    kept = profiling.profile(entry.id)
    assert kept.partial
    assert [row.median is None for row in kept.cases] == [False] + [True] * (len(LONG.cases) - 1)
    assert list(uploads_dir().iterdir()) == []


def test_what_a_stopped_run_has_kept_is_found_and_an_older_profile_is_not(place: Path) -> None:
    profiling.keep(LONG, "measured", "ann")
    now = datetime.now(UTC)
    nothing = {field.name: None for field in fields(JobRecord)}
    job = JobRecord(**nothing | {"created_utc": now, "started_utc": now})
    assert kept_of(job) is None
    with pytest.raises(Cancelled):
        bench_task(params("begun"), stop_when_ready(place))
    newest = profiling.profiles()[0]
    assert profiling.profile(newest.id).partial
    assert kept_of(job) == newest.id


@pytest.mark.parametrize(
    ("only", "message_id"),
    [
        ("fall", "bench.failed"),
        ("bug", "bench.failed"),
        ("refuse", "bench.refused"),
        ("none", "bench.no_result"),
    ],
)
def test_a_run_that_ends_badly_is_one_sentence(only: str, message_id: str) -> None:
    with pytest.raises(SourceError) as caught:
        bench_task(params(only), lambda *_: None)
    assert caught.value.message.id == message_id
    if only == "refuse":
        assert say("en", caught.value.message).endswith("that torch 2 can use.")
        assert "English" not in say("ja", caught.value.message)


def test_half_a_result_is_none() -> None:
    with pytest.raises(InputError) as caught:
        bench_task(params("half"), lambda *_: None)
    assert caught.value.message.id == "profiles.unreadable"
    assert [row for row in profiling.profiles() if row.origin == "measured"] == []


def test_two_never_measure_at_once() -> None:
    runner = current_runner()
    request = JobRequest(
        kind=engine_bench.KIND,
        params=params("sleep"),
        owner="bob",
        runner=runner.name,  # type: ignore[attr-defined]
        limit=8,
    )
    job_id, _ = rows.add_job(current_store(), request)
    found = running_bench()
    assert found is not None
    assert (found.owner, found.job_id) == ("bob", job_id)
    with pytest.raises(InputError) as caught:
        start_bench(BenchAsked(), "ann")
    assert caught.value.message.id == "bench.already"
    rows.request_cancel(current_store(), job_id, "bob")
    assert running_bench() is None


def test_without_torch_the_command_that_installs_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine_bench, "engine_installed", lambda: False)
    with pytest.raises(InputError) as caught:
        start_bench(BenchAsked(), "ann")
    assert caught.value.message.values["command"] == engine_bench.INSTALL


def test_looking_for_torch_does_not_import_it() -> None:
    code = (
        "import sys; from jobs import engine_bench as e, profiling; e.engine_installed();"
        "profiling.references(); print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_parent_leaves_no_child(place: Path, sign: signal.Signals) -> None:
    code = (
        "from jobs import engine_bench as e; e.MODULE = 'tests.jobs.stand_in';"
        "e.bench_task({'owner': 'ann', 'quick': True, 'only': ['sleep']}, lambda *_: None)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    try:
        pid = facts(place)["pid"]
        assert alive(pid)
        parent.send_signal(sign)
        parent.wait(LIMIT_S)
        until(lambda: not alive(pid))
    finally:
        parent.kill()
        parent.wait(LIMIT_S)


def test_two_who_press_at_the_same_moment_get_one_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The check and the start are one step."""
    at_once, started, refused = threading.Barrier(4), [], []

    class Runner:
        def submit(self, kind: str, given: dict[str, Any], owner: str) -> str:
            time.sleep(0.05)
            started.append(owner)
            return owner

    monkeypatch.setattr(engine_bench, "current_runner", Runner)
    monkeypatch.setattr(engine_bench, "running_bench", lambda: started[0] if started else None)

    def press(owner: str) -> None:
        at_once.wait()
        try:
            start_bench(BenchAsked(), owner)
        except InputError:
            refused.append(owner)

    people = [threading.Thread(target=press, args=(f"p{n}",)) for n in range(4)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert (len(started), len(refused)) == (1, 3)
