"""Workloads: kept once by content, seen by their owner, by everyone only when saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from data_sources.store.engine import Store, disk_error, take_turn
from data_sources.store.files import STALE_S, open_folder
from data_sources.store.messages_json import receipt_from_json, receipt_to_json
from data_sources.store.tables import report as report_table
from data_sources.store.tables import source_file as file_table
from data_sources.store.tables import workload as table
from econ.receipt import Receipt
from econ.workload import Workload
from econ.workload import digest as digest_of
from messages.errors import InputError, KvledgerError, Message, NotFoundError

FILES_TURN = 1
"""Advisory lock: files are never deleted while a writer decides that they are there already."""

TOUCH_EVERY = timedelta(minutes=10)
ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadRecord:
    """One kept workload without its columns. `content_key` names the exact bytes: use it, not the
    digest, as a key of caches, because private names are not part of the digest."""

    digest: str
    owner: str
    content_key: str
    name: str
    format: str
    rows: int
    receipt: Receipt
    stats: Mapping[str, Any]
    saved: bool
    created_utc: datetime


def save_workload(
    store: Store,
    workload: Workload,
    receipt: Receipt,
    owner: str,
    stats: Mapping[str, Any] | None = None,
) -> str:
    """Keep `workload` for `owner` until the session ends; returns its digest.

    Whole or not at all. A second upload of the same digest by the same owner replaces name,
    receipt and bytes of the session's, never of a saved one. SourceError: disk full, read-only,
    database not reachable.
    """
    from data_sources.store.parquet import write_workload

    digest = digest_of(workload)
    folder = open_folder(store.files_url)
    values = {
        "digest": digest,
        "owner": owner,
        "name": workload.name,
        "format": workload.format,
        "rows": workload.rows,
        "receipt": receipt_to_json(receipt),
        "stats": dict(stats or {}),
    }
    for _ in range(ATTEMPTS):
        try:
            key = write_workload(folder, workload, digest)
        except OSError as error:
            raise _as_ours(error) from error
        with store.write() as connection:
            take_turn(connection, FILES_TURN)
            # Another process may have deleted equal content since it was found there.
            if not folder.complete(key):
                continue
            replaced = _upsert(connection, {**values, "content_key": key}, receipt)
        collect(store, replaced)
        return digest
    raise disk_error(OSError(), "workloads")


def load_workload(store: Store, digest: str, owner: str) -> tuple[Workload, Receipt]:
    """The workload and receipt that `owner` may see under `digest`: their session's, else one
    that they saved, else one that somebody saved.

    NotFoundError: none such, or somebody else's unsaved one. DataError: damaged files.
    """
    from data_sources.store.parquet import read_workload

    record = find_workload(store, digest, owner)
    workload = read_workload(open_folder(store.files_url), record.content_key, record.name)
    return workload, record.receipt


def find_workload(store: Store, digest: str, owner: str) -> WorkloadRecord:
    """The record behind `digest` for `owner`, without reading its files. NotFoundError if none."""
    mine = table.c.owner == owner
    query = (
        sa.select(table)
        .where(table.c.digest == digest, mine | table.c.saved)
        .order_by(mine.desc(), table.c.saved, table.c.id)
        .limit(1)
    )
    with store.read() as connection:
        row = connection.execute(query).first()
    if row is None:
        raise NotFoundError(Message("store.no_workload", {"digest": digest[:12]}))
    if row.owner == owner:
        _touch(store, row)
    return _record(row)


def list_workloads(store: Store, owner: str) -> list[WorkloadRecord]:
    """What `owner` may see: their own and all saved ones, newest first."""
    query = (
        sa.select(table)
        .where((table.c.owner == owner) | table.c.saved)
        .order_by(table.c.created_utc.desc(), table.c.id.desc())
    )
    with store.read() as connection:
        return [_record(row) for row in connection.execute(query)]


def touch_owner(store: Store, owner: str) -> None:
    """The owner's session is alive: their unsaved workloads start their lifetime anew."""
    with store.write() as connection:
        connection.execute(_now_touched(table.c.owner == owner))


def delete_workload(store: Store, digest: str, owner: str) -> None:
    """Delete for good what `owner` sees under `digest`: the row, and the files if nobody else
    has them. InputError while saved reports rest on it; NotFoundError if there is none."""
    record = find_workload(store, digest, owner)
    with store.write() as connection:
        if record.saved:
            _refuse_if_reported(connection, digest)
        connection.execute(sa.delete(table).where(_row_of(record)))
    collect(store, [record.content_key])
    forget_deleted(store)


def forget_deleted(store: Store) -> None:
    """Make deleted rows unreadable on disk: SQLite overwrites them, and its log is emptied."""
    if store.writer.dialect.name != "sqlite":
        return
    raw = store.writer.raw_connection()
    try:
        # Answers "busy" instead of failing while a reader is open; the next one empties it.
        raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        raw.close()


def expire_unsaved(store: Store, older_than: datetime) -> int:
    """Delete unsaved workloads not touched since `older_than` (UTC); returns how many."""
    old = ~table.c.saved & (table.c.touched_utc < older_than)
    with store.write() as connection:
        keys = _delete_rows(connection, old)
    collect(store, keys)
    if keys:
        forget_deleted(store)
    return len(keys)


def sweep(store: Store) -> None:
    """Throw away files that no row names and that are older than an hour: left by a kill."""
    folder = open_folder(store.files_url)
    folder.sweep_staging()
    collect(store, [key for key in folder.keys() if folder.age_s(key) > STALE_S])  # noqa: SIM118


def release(connection: Connection, digest: str, owner: str) -> list[str]:
    """The last report on `digest` is gone: `owner`'s saved workload becomes the session's again,
    everybody else's is deleted. Returns content keys to collect after the commit."""
    saved = (table.c.digest == digest) & table.c.saved
    mine = table.c.owner == owner
    in_session = sa.select(table.c.id).where(table.c.digest == digest, mine, ~table.c.saved)
    goes = saved if connection.execute(in_session).first() else saved & ~mine
    keys = _delete_rows(connection, goes)
    connection.execute(_now_touched(saved & mine).values(saved=False))
    return keys


def keep(connection: Connection, digest: str, owner: str) -> list[str]:
    """A report is being saved: the workload of `owner`'s session is saved with it, in place of
    one that they saved before. Without one in the session, a saved one must be there already:
    NotFoundError. Returns content keys to collect after the commit."""
    mine = (table.c.digest == digest) & (table.c.owner == owner)
    in_session = mine & ~table.c.saved
    if connection.execute(sa.select(table.c.id).where(in_session)).first() is not None:
        keys = _delete_rows(connection, mine & table.c.saved)
        connection.execute(sa.update(table).where(in_session).values(saved=True))
        return keys
    saved = sa.select(table.c.id).where(table.c.digest == digest, table.c.saved)
    if connection.execute(saved).first() is None:
        raise NotFoundError(Message("store.no_workload", {"digest": digest[:12]}))
    return []


def _delete_rows(connection: Connection, which: sa.ColumnElement[bool]) -> list[str]:
    deleted = sa.delete(table).where(which).returning(table.c.content_key)
    return [str(key) for key in connection.scalars(deleted)]


def _row_of(record: WorkloadRecord) -> sa.ColumnElement[bool]:
    return sa.and_(
        table.c.digest == record.digest,
        table.c.owner == record.owner,
        table.c.saved == record.saved,
    )


def _upsert(connection: Connection, values: dict[str, Any], receipt: Receipt) -> list[str]:
    mine = sa.and_(
        table.c.digest == values["digest"], table.c.owner == values["owner"], ~table.c.saved
    )
    now = datetime.now(UTC)
    old = connection.execute(sa.select(table.c.id, table.c.content_key).where(mine)).first()
    if old is None:
        new = {**values, "saved": False, "created_utc": now, "touched_utc": now}
        row_id = connection.execute(sa.insert(table).values(new).returning(table.c.id)).scalar_one()
    else:
        row_id = old.id
        connection.execute(sa.update(table).where(mine).values(**values, touched_utc=now))
        connection.execute(sa.delete(file_table).where(file_table.c.workload_id == row_id))
    files = [
        {
            "workload_id": row_id,
            "position": position,
            "path": file.path,
            "sha256": file.sha256,
            "format": file.format,
            "encoding": file.encoding,
        }
        for position, file in enumerate(receipt.files)
    ]
    if files:
        connection.execute(sa.insert(file_table), files)
    changed = old is not None and old.content_key != values["content_key"]
    return [old.content_key] if old is not None and changed else []


def collect(store: Store, content_keys: Iterable[str]) -> None:
    """Delete those files that no row names any more."""
    folder = open_folder(store.files_url)
    for key in set(content_keys):
        with store.write() as connection:
            take_turn(connection, FILES_TURN)
            query = sa.select(table.c.id).where(table.c.content_key == key).limit(1)
            if connection.execute(query).first() is None:
                try:
                    folder.remove(key)
                except OSError as error:
                    raise disk_error(error, "workloads") from error


def _refuse_if_reported(connection: Connection, digest: str) -> None:
    count = sa.select(sa.func.count()).where(report_table.c.workload_digest == digest)
    reports = connection.scalar(count) or 0
    if reports:
        raise InputError(Message("store.workload_in_use", {}, reports))


def _touch(store: Store, row: Row[Any]) -> None:
    if datetime.now(UTC) - row.touched_utc > TOUCH_EVERY:
        with store.write() as connection:
            connection.execute(_now_touched(table.c.id == row.id))


def _now_touched(where: sa.ColumnElement[bool]) -> sa.Update:
    return sa.update(table).where(where).values(touched_utc=datetime.now(UTC))


def _record(row: Row[Any]) -> WorkloadRecord:
    return WorkloadRecord(
        digest=row.digest,
        owner=row.owner,
        content_key=row.content_key,
        name=row.name,
        format=row.format,
        rows=row.rows,
        receipt=receipt_from_json(row.receipt),
        stats=row.stats,
        saved=row.saved,
        created_utc=row.created_utc,
    )


def _as_ours(error: OSError) -> KvledgerError:
    return error if isinstance(error, KvledgerError) else disk_error(error, "workloads")
