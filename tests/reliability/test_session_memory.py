"""Memory of sessions: what they opened is bounded while they live, and gone when they end."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from data_sources.store.engine import Store, close_current_store, current_store
from data_sources.store.tables import workload as table
from data_sources.store.workloads import save_workload
from econ.report import ReportParams
from econ.workload import IntArray, Text
from jobs import flows, lifespan, reporting, shelf
from settings import Settings, using
from tests.data_sources.store.made import small_receipt, small_workload

SESSIONS = 20
ROWS = 20_000
Seen = weakref.ref[IntArray]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Store]:
    with using(Settings(data_dir=tmp_path)):
        yield current_store()
        close_current_store()


def upload(store: Store, owner: str, number: int) -> str:
    """A workload of `owner`, whose content nobody else has."""
    made = replace(
        small_workload(f"{owner}.csv"),
        rows=ROWS,
        prefix=None,
        columns={
            "input_tokens": np.full(ROWS, 1_000 + number),
            "cached_read_tokens": np.full(ROWS, 500),
            "output_tokens": np.full(ROWS, 10),
            "model": Text.of(["claude-opus-5"] * ROWS),
        },
    )
    return save_workload(store, made, small_receipt(), owner)


def looked_at(workload_id: str, owner: str) -> Seen:
    """What a page does with it: open it and make its report. Only a weak hold is left."""
    assert flows.report(workload_id, ReportParams(), owner).rows
    return weakref.ref(shelf.opened(workload_id, owner).workload.columns["input_tokens"])


def alive(seen: list[Seen]) -> int:
    gc.collect()
    return sum(one() is not None for one in seen)


def end_sessions(store: Store) -> None:
    """Nobody has touched anything for two days; the server tidies."""
    with store.write() as connection:
        long_ago = datetime.now(UTC) - timedelta(days=2)
        connection.execute(sa.update(table).values(touched_utc=long_ago))
    lifespan.tidy(store)


def test_session_memory_returns_after_ttl(ledger: Store) -> None:
    """Twenty sessions: never more frames than the shelf holds, and none once they have ended."""
    owners = [f"session-{n}" for n in range(SESSIONS)]
    ids = [upload(ledger, owner, n) for n, owner in enumerate(owners)]
    seen: list[Seen] = []
    for workload_id, owner in zip(ids, owners, strict=True):
        seen.append(looked_at(workload_id, owner))
        assert alive(seen) <= shelf.OPEN_WORKLOADS + reporting.KEPT_BILLS  # a bill holds its rows
    end_sessions(ledger)
    assert alive(seen) == 0


def test_one_session_that_ends_takes_nothing_of_another(ledger: Store) -> None:
    gone, stays = upload(ledger, "gone", 1), upload(ledger, "stays", 2)
    first, second = looked_at(gone, "gone"), looked_at(stays, "stays")
    with ledger.write() as connection:
        long_ago = datetime.now(UTC) - timedelta(days=2)
        old = sa.update(table).where(table.c.owner == "gone").values(touched_utc=long_ago)
        connection.execute(old)
    lifespan.tidy(ledger)
    assert (alive([first]), alive([second])) == (0, 1)


def test_a_deleted_workload_is_gone_at_once(ledger: Store) -> None:
    workload_id = upload(ledger, "ann", 3)
    seen = looked_at(workload_id, "ann")
    flows.delete_workload(workload_id, "ann")
    assert alive([seen]) == 0
