"""A refresh as a job: what it stores of keys, how it stops, and whose turn it is."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from pydantic import SecretStr

from data_sources.store import jobs as rows
from data_sources.store.engine import Store, close_current_store, current_store
from data_sources.store.observations import list_observations
from jobs import held, public_job, public_refresh
from jobs.progress import Cancelled, no_progress
from jobs.public_asked import Keys, Wanted
from messages.errors import SourceError
from settings import Settings, using
from tests.data_sources.public.server import Reply, Stand, standing

CANARY = "canary5e1f0cafe5e1f0cafe5e1f0cafe"
CSV = "/graph/fredgraph.csv"
NO_KEYS = {"sources": ["fred"], "companies": [], "force": False, "typed": False}


@pytest.fixture(autouse=True)
def ledger(settings: Settings) -> Iterator[Store]:
    with using(settings):
        yield current_store()
        close_current_store()


@pytest.fixture
def stand(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
    with standing() as made:
        monkeypatch.setattr(public_refresh, "Web", made.web)
        yield made


def test_what_it_brought_is_read_back_as_it_was(stand: Stand) -> None:
    stand.at(CSV, Reply(b"observation_date,X\n2026-06-01,3.8\n2026-07-01,.\n",
                        content_type="text/csv"))  # fmt: skip
    key = public_job.refresh_task({**NO_KEYS, "series": ["X"]}, no_progress)
    (found,) = public_job.brought(key)
    assert (found.asked, found.new, found.changed) == (1, 2, 0)
    assert {row.now for row in found.rows} == {"3.8", "."}
    assert {row.before for row in found.rows} == {""}


def test_a_stop_between_two_series_keeps_the_first(stand: Stand, ledger: Store) -> None:
    stand.at(CSV, Reply(b"observation_date,A\n2026-06-01,1.5\n", content_type="text/csv"))

    def progress(fraction: float, stage: str, rows: int | None = None) -> None:
        if stage == "fred:B":
            raise Cancelled("x")

    with pytest.raises(Cancelled):
        public_job.refresh_task({**NO_KEYS, "series": ["A", "B"]}, progress)
    kept = list_observations(ledger, source="fred")
    assert [(one.series, one.value) for one in kept] == [("A", Decimal("1.5"))]


def test_a_stop_ends_a_wait_before_the_next_try(stand: Stand) -> None:
    stand.at(CSV, Reply(b"", status=503))
    calls = 0

    def progress(fraction: float, stage: str, rows: int | None = None) -> None:
        nonlocal calls
        calls += stage == "fred:A"
        if calls > 2:
            raise Cancelled("x")

    with pytest.raises(Cancelled):
        public_job.refresh_task({**NO_KEYS, "series": ["A"]}, progress)
    assert len(stand.seen) == 1


def test_progress_names_the_source_and_only_grows(stand: Stand) -> None:
    stand.at(CSV, Reply(b"observation_date,A\n2026-06-01,1.5\n", content_type="text/csv"))
    said: list[tuple[float, str]] = []

    def progress(fraction: float, stage: str, rows: int | None = None) -> None:
        said.append((fraction, stage))

    public_job.refresh_task({**NO_KEYS, "series": ["A", "B"]}, progress)
    assert [stage for _, stage in said if stage.startswith("fred")][:2] == ["fred:A", "fred:B"]
    assert [fraction for fraction, _ in said] == sorted(fraction for fraction, _ in said)


def test_typed_keys_stay_out_of_the_job_table(stand: Stand, ledger: Store) -> None:
    keys = Keys(fred=SecretStr(CANARY))
    job_id = public_job.start_refresh(["fred"], Wanted(series=("X",)), keys, "me")
    job = rows.get_job(ledger, job_id, "me")
    assert CANARY not in str(job)
    assert stand.seen[0].query["api_key"] == [CANARY]
    public_job.forget_keys(job)
    assert held.held(job.params) is None


def test_keys_that_are_gone_with_their_server_are_said_to_be_gone() -> None:
    params: dict[str, Any] = {**NO_KEYS, "typed": True, "series": [], held.PARAM: None}
    with pytest.raises(SourceError) as refused:
        public_job.refresh_task(params, no_progress)
    assert refused.value.message.id == "public.keys_gone"


def test_a_later_job_waits_for_one_that_runs(
    stand: Stand, ledger: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = rows.JobRequest(kind=public_job.KIND, params={}, owner="other", runner="r", limit=9)
    other, _ = rows.add_job(ledger, request)
    attempt = rows.claim(ledger, other, "r", worker_pid=1)
    assert attempt is not None
    waited = 0

    def other_ends(_seconds: float) -> None:
        nonlocal waited
        waited += 1
        assert stand.seen == []
        rows.finish(ledger, other, attempt, "done")

    monkeypatch.setattr(public_job.time, "sleep", other_ends)
    stand.at(CSV, Reply(b"observation_date,A\n2026-06-01,1.5\n", content_type="text/csv"))
    public_job.refresh_task({**NO_KEYS, "series": ["A"]}, no_progress)
    assert waited == 1
    assert len(stand.seen) == 1
