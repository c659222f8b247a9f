"""Workloads come back exactly, belong to their owner, and go when they should."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings

from data_sources.store.engine import Store
from data_sources.store.files import open_folder
from data_sources.store.parquet import read_workload, write_workload
from data_sources.store.reports import delete_report, save_report
from data_sources.store.tables import source_file
from data_sources.store.tables import workload as workload_table
from data_sources.store.workloads import (
    collect,
    delete_workload,
    expire_unsaved,
    find_workload,
    list_workloads,
    load_workload,
    save_workload,
    sweep,
    touch_owner,
)
from econ.workload import Prefix, Text, Workload, digest
from messages.errors import DataError, InputError, NotFoundError, SourceError
from tests.data_sources.store.made import new_report, small_receipt, small_workload, workloads


def kept_files(store: Store) -> list[Path]:
    return sorted(path for path in Path(store.files_url).rglob("*") if path.is_file())


def assert_same(found: Workload, expected: Workload) -> None:
    for field in fields(Workload):
        if field.name not in ("columns", "prefix"):
            assert getattr(found, field.name) == getattr(expected, field.name), field.name
    assert list(found.columns) == list(expected.columns)
    for name, column in expected.columns.items():
        assert_same_column(found.columns[name], column)
    assert (found.prefix is None) == (expected.prefix is None)
    for field in fields(Prefix) if expected.prefix is not None else ():
        assert_same_column(getattr(found.prefix, field.name), getattr(expected.prefix, field.name))


def assert_same_column(found: Any, expected: Any) -> None:
    if isinstance(expected, Text):
        assert found.values == expected.values
        found, expected = found.codes, expected.codes
    if isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()
    else:
        assert found == expected


def test_a_workload_comes_back_with_its_receipt(store: Store) -> None:
    before, receipt = small_workload(), small_receipt()
    key = save_workload(store, before, receipt, "ann", stats={"rows": 3})
    after, found = load_workload(store, key, "ann")
    assert key == digest(before) == digest(after)
    assert_same(after, before)
    assert found == receipt
    assert find_workload(store, key, "ann").stats == {"rows": 3}


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(before=workloads())
def test_any_workload_comes_back_byte_for_byte(before: Workload, tmp_path: Path) -> None:
    folder = open_folder(str(tmp_path / "any"))
    after = read_workload(folder, write_workload(folder, before, digest(before)), before.name)
    assert_same(after, before)
    assert digest(after) == digest(before)


def test_more_rows_than_a_row_group_come_back(tmp_path: Path) -> None:
    rows = 1_000_003
    before = Workload(
        name="long",
        format="any",
        rows=rows,
        columns={
            "input_tokens": np.arange(rows),
            "arrival_utc": np.arange(rows).astype("M8[us]"),
            "model": Text(np.arange(rows, dtype=np.int32) % 3 - 1, ("a", "b")),
        },
        prefix=Prefix(
            offsets=np.arange(rows + 1), block_ids=np.arange(rows)[::-1].copy(), block_tokens=16
        ),
    )
    folder = open_folder(str(tmp_path))
    assert_same(read_workload(folder, write_workload(folder, before, "d"), "long"), before)


def test_workloads_are_kept_behind_any_fsspec_address() -> None:
    folder = open_folder("memory://kvledger-test/workloads")
    before = small_workload()
    key = write_workload(folder, before, digest(before))
    assert folder.complete(key)
    assert folder.keys() == [key]
    assert_same(read_workload(folder, key, before.name), before)
    folder.remove(key)
    assert folder.keys() == []


def test_an_address_without_its_package_is_said_so() -> None:
    with pytest.raises(SourceError) as caught:
        open_folder("nosuchscheme://bucket/x")
    assert caught.value.message.id == "store.no_file_system"
    assert caught.value.message.values == {"scheme": "nosuchscheme"}


def test_equal_content_is_kept_once_and_goes_with_its_last_owner(store: Store) -> None:
    key = save_workload(store, small_workload(), small_receipt(), "ann")
    once = kept_files(store)
    assert save_workload(store, small_workload(), small_receipt(), "bob") == key
    assert kept_files(store) == once
    delete_workload(store, key, "ann")
    assert kept_files(store) == once
    load_workload(store, key, "bob")
    delete_workload(store, key, "bob")
    assert kept_files(store) == []


def test_two_sessions_never_share_uploads_or_results(store: Store) -> None:
    key = save_workload(store, small_workload("ann.csv"), small_receipt("ann.csv"), "ann")
    with pytest.raises(NotFoundError):
        load_workload(store, key, "bob")
    assert list_workloads(store, "bob") == []
    with pytest.raises(NotFoundError):
        delete_workload(store, key, "bob")
    with pytest.raises(NotFoundError):
        save_report(store, new_report(key, owner="bob"))
    assert load_workload(store, key, "ann")[0].name == "ann.csv"


def test_private_names_stay_with_their_owner_though_the_digest_is_equal(store: Store) -> None:
    ann = save_workload(store, small_workload("a", ("s1", "s2", "s1")), small_receipt("a"), "ann")
    bob = save_workload(store, small_workload("b", ("x", "y", "x")), small_receipt("b"), "bob")
    assert ann == bob
    for owner, name, sessions in (("ann", "a", ("s1", "s2")), ("bob", "b", ("x", "y"))):
        found, receipt = load_workload(store, ann, owner)
        assert found.name == name
        assert found.text("session_id").values == sessions
        assert receipt.files[0].path == name
    keys = {find_workload(store, ann, owner).content_key for owner in ("ann", "bob")}
    assert len(keys) == 2


def test_a_saved_workload_is_seen_by_everyone_and_their_own_comes_first(store: Store) -> None:
    key = save_workload(store, small_workload("ann"), small_receipt(), "ann")
    save_report(store, new_report(key))
    assert load_workload(store, key, "bob")[0].name == "ann"
    save_workload(store, small_workload("bob"), small_receipt(), "bob")
    assert load_workload(store, key, "bob")[0].name == "bob"
    assert [record.name for record in list_workloads(store, "eve")] == ["ann"]


def test_a_second_upload_never_changes_what_was_saved(store: Store) -> None:
    """Saved with names replaced by numbers, then uploaded again with the names."""
    key = save_workload(store, small_workload("n", ("1", "2", "1")), small_receipt("n"), "ann")
    report = save_report(store, new_report(key)).summary.id
    again = small_workload("names", ("ann", "eve", "ann"))
    assert save_workload(store, again, small_receipt("names"), "ann") == key
    assert load_workload(store, key, "ann")[0].name == "names"
    for name, receipt in (load_workload(store, key, owner) for owner in ("bob", "eve")):
        assert name.text("session_id").values == ("1", "2")
        assert receipt.files[0].path == "n"
    delete_report(store, report, "ann")
    assert load_workload(store, key, "ann")[0].name == "names"
    assert len(list_workloads(store, "ann")) == 1
    with pytest.raises(NotFoundError):
        load_workload(store, key, "bob")
    assert len({path.parent for path in kept_files(store)}) == 1


def test_saving_again_replaces_the_owners_saved_workload(store: Store) -> None:
    for name in ("first", "second"):
        key = save_workload(store, small_workload(name), small_receipt(name), "ann")
        save_report(store, new_report(key))
    assert [record.name for record in list_workloads(store, "bob")] == ["second"]
    assert len({path.parent for path in kept_files(store)}) == 1


def test_a_second_upload_replaces_name_receipt_and_bytes(store: Store) -> None:
    key = save_workload(store, small_workload("old", ("p", "q", "p")), small_receipt("old"), "ann")
    files = kept_files(store)
    assert save_workload(store, small_workload("new"), small_receipt("new"), "ann") == key
    after, receipt = load_workload(store, key, "ann")
    assert (after.name, receipt.files[0].path) == ("new", "new")
    assert len(kept_files(store)) == len(files)
    with store.read() as connection:
        assert list(connection.scalars(sa.select(source_file.c.path))) == ["new"]


def test_names_that_no_database_likes_are_kept_as_given(store: Store) -> None:
    name = "../\x00\ud800 =1+1 ㍻‮.csv"
    key = save_workload(store, small_workload(name), small_receipt(name), "ann")
    after, receipt = load_workload(store, key, "ann")
    assert after.name == name
    assert receipt.files[0].path == name


def age(store: Store, **columns: Any) -> None:
    with store.write() as connection:
        connection.execute(sa.update(workload_table).values(**columns))


def test_unsaved_work_expires_and_saved_work_stays(store: Store) -> None:
    now = datetime.now(UTC)
    saved = save_workload(store, small_workload(), small_receipt(), "ann")
    save_report(store, new_report(saved))
    other = replace(small_workload(), granularity="bucket")
    gone = save_workload(store, other, small_receipt(), "ann")
    age(store, touched_utc=now - timedelta(hours=2))
    assert expire_unsaved(store, now - timedelta(hours=3)) == 0
    assert expire_unsaved(store, now - timedelta(hours=1)) == 1
    load_workload(store, saved, "bob")
    with pytest.raises(NotFoundError):
        load_workload(store, gone, "ann")
    assert len({path.parent for path in kept_files(store)}) == 1


def test_use_keeps_unsaved_work_alive(store: Store) -> None:
    now = datetime.now(UTC)
    key = save_workload(store, small_workload(), small_receipt(), "ann")
    age(store, touched_utc=now - timedelta(days=2))
    load_workload(store, key, "ann")
    assert expire_unsaved(store, now - timedelta(days=1)) == 0
    age(store, touched_utc=now - timedelta(days=2))
    touch_owner(store, "ann")
    assert expire_unsaved(store, now - timedelta(days=1)) == 0


def test_a_workload_under_a_saved_report_is_not_deleted(store: Store) -> None:
    key = save_workload(store, small_workload(), small_receipt(), "ann")
    save_report(store, new_report(key, number=1))
    save_report(store, new_report(key, number=2))
    with pytest.raises(InputError) as caught:
        delete_workload(store, key, "ann")
    assert (caught.value.message.id, caught.value.message.n) == ("store.workload_in_use", 2)
    load_workload(store, key, "bob")


@pytest.mark.parametrize("damage", ["truncated", "flipped", "missing part", "manifest"])
def test_damaged_files_are_said_to_be_damaged(tmp_path: Path, damage: str) -> None:
    folder = open_folder(str(tmp_path))
    key = write_workload(folder, small_workload(), "d")
    part = Path(folder.content(key, "rows.parquet"))
    data = part.read_bytes()
    if damage == "truncated":
        part.write_bytes(data[: len(data) // 2])
    elif damage == "flipped":
        part.write_bytes(data[:40] + bytes([data[40] ^ 0xFF]) + data[41:])
    elif damage == "missing part":
        part.unlink()
    else:
        Path(folder.content(key, "manifest.json")).write_text("{}")
    with pytest.raises(DataError) as caught:
        read_workload(folder, key, "day.csv")
    assert caught.value.message.values["name"] == "day.csv"


def test_leftovers_of_a_kill_are_swept_and_young_ones_left_alone(store: Store) -> None:
    folder = open_folder(store.files_url)
    key = save_workload(store, small_workload(), small_receipt(), "ann")
    old, young = Path(folder.path("tmp-1000-a")), Path(folder.path(f"tmp-{2**40}-b"))
    old.mkdir()
    young.mkdir()
    orphan = write_workload(folder, replace(small_workload(), format="orphan"), "d")
    sweep(store)
    assert (old.exists(), young.exists()) == (False, True)
    assert folder.complete(orphan)
    collect(store, [orphan])
    assert not folder.complete(orphan)
    assert folder.complete(find_workload(store, key, "ann").content_key)
