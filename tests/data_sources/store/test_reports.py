"""A saved report reopens to the same numbers; nobody's is lost, none is there twice."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
import sqlalchemy as sa

from data_sources.store.engine import Store
from data_sources.store.reports import (
    delete_report,
    get_report,
    list_reports,
    rename_report,
    save_report,
)
from data_sources.store.secret import installation_secret
from data_sources.store.tables import report as report_table
from data_sources.store.workloads import list_workloads, load_workload, save_workload
from messages.errors import NotFoundError
from tests.data_sources.store.made import new_report, small_receipt, small_workload


@pytest.fixture
def digest(store: Store) -> str:
    return save_workload(store, small_workload(), small_receipt(), "ann")


def test_a_report_reopens_as_it_was_saved(store: Store, digest: str) -> None:
    saved = save_report(store, new_report(digest, note="for\n the board 理事会"))
    again = get_report(store, saved.summary.id)
    assert again == saved
    assert again.report["no_cache_usd"] == Decimal("2.32654")
    assert again.report["x"] == 0.1
    assert again.summary.note == "for\n the board 理事会"
    assert again.summary.created_utc.utcoffset().total_seconds() == 0  # type: ignore[union-attr]


def test_the_same_id_is_one_report_and_the_first_stays(store: Store, digest: str) -> None:
    first = save_report(store, new_report(digest))
    second = save_report(store, new_report(digest, name="Tuesday"))
    assert second == first
    assert [summary.name for summary in list_reports(store)] == ["Monday"]


def test_the_newest_comes_first_and_everyone_sees_all(store: Store, digest: str) -> None:
    for number in range(1, 4):
        save_report(store, new_report(digest, number=number))
    assert [int(summary.id, 16) for summary in list_reports(store)] == [3, 2, 1]
    assert [int(summary.id, 16) for summary in list_reports(store, limit=1)] == [3]


def test_a_report_can_be_renamed(store: Store, digest: str) -> None:
    saved = save_report(store, new_report(digest))
    rename_report(store, saved.summary.id, "Friday", "late")
    assert get_report(store, saved.summary.id).summary.name == "Friday"
    with pytest.raises(NotFoundError):
        rename_report(store, "f" * 64, "x", "")


def test_a_report_without_its_workload_is_refused(store: Store) -> None:
    with pytest.raises(NotFoundError) as caught:
        save_report(store, new_report("0" * 64))
    assert caught.value.message.id == "store.no_workload"
    assert list_reports(store) == []


def test_deleting_the_last_report_deletes_the_workload_of_others(store: Store, digest: str) -> None:
    one = save_report(store, new_report(digest, number=1)).summary.id
    two = save_report(store, new_report(digest, number=2)).summary.id
    delete_report(store, one, "bob")
    load_workload(store, digest, "bob")
    delete_report(store, two, "bob")
    assert list_workloads(store, "ann") == []
    assert [p for p in Path(store.files_url).rglob("*") if p.is_file()] == []
    with pytest.raises(NotFoundError):
        delete_report(store, two, "bob")


def test_deleting_my_last_report_leaves_my_workload_with_my_session(
    store: Store, digest: str
) -> None:
    delete_report(store, save_report(store, new_report(digest)).summary.id, "ann")
    assert not list_workloads(store, "ann")[0].saved
    assert list_workloads(store, "bob") == []


def test_what_is_deleted_is_gone_from_the_disk(tmp_path: Path) -> None:
    from data_sources.store.engine import open_store
    from settings import Settings

    store = open_store(Settings(data_dir=tmp_path))
    key = save_workload(store, small_workload(), small_receipt(), "ann")
    canary = "canary-of-a-deleted-note"
    saved = save_report(store, new_report(key, note=canary))
    held = b"".join(path.read_bytes() for path in tmp_path.glob("ledger.sqlite*"))
    assert canary.encode() in held
    delete_report(store, saved.summary.id, "ann")
    held = b"".join(path.read_bytes() for path in tmp_path.glob("ledger.sqlite*"))
    assert canary.encode() not in held
    store.close()


def test_a_damaged_row_is_said_to_be_damaged(store: Store, digest: str) -> None:
    from messages.errors import DataError

    saved = save_report(store, new_report(digest))
    with store.write() as connection:
        connection.execute(sa.text('UPDATE report SET report = \'{"$decimal": "x"\''))
    with pytest.raises(DataError) as caught:
        get_report(store, saved.summary.id)
    assert caught.value.message.id == "store.bad_json"


def test_reading_cannot_write(store: Store, digest: str) -> None:
    from messages.errors import SourceError

    save_report(store, new_report(digest))
    with pytest.raises(SourceError), store.read() as connection:
        connection.execute(sa.delete(report_table))
    assert len(list_reports(store)) == 1


def test_the_installation_has_one_secret(store: Store) -> None:
    secret = installation_secret(store)
    assert len(secret) == 32
    assert installation_secret(store) == secret
