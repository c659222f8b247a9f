"""Four writers and kills, the same on SQLite and on PostgreSQL."""

from __future__ import annotations

import signal
import subprocess
import time

import pytest
import sqlalchemy as sa

from data_sources.store.engine import open_store
from data_sources.store.migrate import revision_of
from data_sources.store.reports import get_report, list_reports
from data_sources.store.tables import SCHEMA_REVISION
from data_sources.store.workloads import load_workload
from settings import Settings
from tests.data_sources.store.made import new_report, small_workload
from tests.reliability.test_store_under_stress import LIMIT_S, POSIX, python, said

WRITERS = 4
EACH = 15
KILLS = 4

OPEN = """
import sys
from dataclasses import replace
import sqlalchemy as sa
from data_sources.store.engine import open_store, take_turn
from data_sources.store.reports import save_report
from data_sources.store.tables import installation
from data_sources.store.workloads import save_workload
from settings import Settings
from tests.data_sources.store.made import new_report, small_receipt, small_workload
store = open_store(Settings(data_dir=sys.argv[1], database_url=sys.argv[2] or None))
first, many = int(sys.argv[3]), int(sys.argv[4])
"""

COUNT = """
for _ in range(many):
    with store.write() as connection:
        take_turn(connection, 99)
        value = int(connection.scalar(sa.select(installation.c.value)))
        connection.execute(sa.update(installation).values(value=str(value + 1)))
"""

SAVE = """
for number in range(first + 1, first + many + 1):
    workload = replace(small_workload(), format=f"f{number}")
    key = save_workload(store, workload, small_receipt(), "ann")
    save_report(store, new_report(key, number=number))
    print(number, flush=True)
"""


def started(settings: Settings, code: str, first: int, many: int) -> subprocess.Popen[str]:
    """A process that writes on the ledger of `settings`. The URL has no password here."""
    url = settings.database_url.get_secret_value() if settings.database_url else ""
    return python(OPEN + code, str(settings.data_dir), url, str(first), str(many))


def test_four_starts_at_the_same_time_migrate_once(ledger_settings: Settings) -> None:
    for process in [started(ledger_settings, "", 0, 0) for _ in range(WRITERS)]:
        assert said(process) == ""
    store = open_store(ledger_settings)
    assert revision_of(store.writer) == SCHEMA_REVISION
    store.close()


def test_four_writers_lose_no_step_of_one_count(ledger_settings: Settings) -> None:
    store = open_store(ledger_settings)
    with store.write() as connection:
        connection.execute(sa.text("INSERT INTO installation VALUES ('count', '0')"))
    for process in [started(ledger_settings, COUNT, 0, 50) for _ in range(WRITERS)]:
        assert said(process) == ""
    with store.read() as connection:
        assert connection.scalar(sa.text("SELECT value FROM installation")) == "200"
    store.close()


def test_four_writers_lose_no_report_and_double_none(ledger_settings: Settings) -> None:
    open_store(ledger_settings).close()
    processes = [started(ledger_settings, SAVE, n * 1_000, EACH) for n in range(WRITERS)]
    told = {int(line) for process in processes for line in said(process).splitlines()}
    store = open_store(ledger_settings)
    stored = [int(row.id, 16) for row in list_reports(store, limit=10**6)]
    assert len(stored) == WRITERS * EACH
    assert set(stored) == told
    store.close()


def test_four_writers_of_the_same_content_keep_it_once(ledger_settings: Settings) -> None:
    same = SAVE.replace('f"f{number}"', '"same"')
    for process in [started(ledger_settings, same, 0, EACH) for _ in range(WRITERS)]:
        assert len(said(process).splitlines()) == EACH
    store = open_store(ledger_settings)
    rows = list_reports(store, limit=10**6)
    assert sorted(int(row.id, 16) for row in rows) == list(range(1, EACH + 1))
    assert len({row.workload_digest for row in rows}) == 1
    assert load_workload(store, rows[0].workload_digest, "ann")[0].rows == small_workload().rows
    store.close()


@POSIX
@pytest.mark.parametrize("others", [0, 3])
def test_a_killed_writer_loses_nothing_that_it_said_was_saved(
    ledger_settings: Settings, others: int
) -> None:
    """Kills at other moments each time, alone and beside three writers that go on."""
    open_store(ledger_settings).close()
    beside = [started(ledger_settings, SAVE, (n + 1) * 10**6, EACH) for n in range(others)]
    told: set[int] = set()
    for number in range(KILLS):
        writer = started(ledger_settings, SAVE, number * 1_000, 900)
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(0.017 * (number % 5))
        writer.send_signal(signal.SIGKILL)
        rest, _ = writer.communicate(timeout=LIMIT_S)
        told |= {int(line) for line in (first + rest).splitlines()}
    for process in beside:
        told |= {int(line) for line in said(process).splitlines()}
    store = open_store(ledger_settings)
    rows = list_reports(store, limit=10**6)
    stored = {int(row.id, 16) for row in rows}
    assert told <= stored
    assert len(stored - told) <= KILLS  # at most one a kill was written but not yet said
    assert len(told) >= KILLS + others * EACH
    for row in rows:
        assert get_report(store, row.id).report == new_report("").report
        load_workload(store, row.workload_digest, "bob")
    store.close()
