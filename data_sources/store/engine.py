"""Opening the store: one engine that writes, one that only reads, and the errors they give.

SQLite: WAL, a busy timeout, and every writer begins IMMEDIATE. Without the last, a reader that
turns writer fails at once with "locked", whatever the timeout. PostgreSQL runs the same code.
"""

from __future__ import annotations

import errno
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

import settings as settings_module
from data_sources.store.migrate import migrate
from messages.errors import DataError, KvledgerError, Message, SourceError, input_error
from settings import Settings

BUSY_TIMEOUT_MS = 5_000
CONNECTIONS = 20  # of each kind; a server answers many sessions from threads of one process
LOCK_SPACE = 0x6B766C  # "kvl": other programs in the same PostgreSQL have other numbers
CORRUPT = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
READ_ONLY = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
DISK_FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
READ_ONLY_ERRNOS = (errno.EACCES, errno.EPERM, errno.EROFS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """An open ledger. `label` is its short name for messages: a file's base name or a host."""

    writer: Engine
    reader: Engine
    files_url: str
    label: str

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One write transaction, alone from its first statement; committed at the end, undone by
        an exception. SourceError or DataError when the database refuses."""
        with store_errors(self.label), self.writer.begin() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One read transaction over one moment of the data; writing in it fails."""
        with store_errors(self.label), self.reader.connect() as connection:
            yield connection

    def close(self) -> None:
        """Give all connections back."""
        self.writer.dispose()
        self.reader.dispose()


def open_store(settings: Settings) -> Store:
    """Open the ledger of `settings`, made and migrated where needed.

    SourceError: the folder or database cannot be used. DataError: it is no ledger of ours.
    """
    url = _url(settings)
    if url.get_backend_name() != "sqlite":
        label = url.host or url.database or "database"
        writer = _postgres_engine(url, read_only=False)
        reader = _postgres_engine(url, read_only=True)
    else:
        path = Path(url.database or "")
        label = path.name
        with store_errors(label):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _turn_wal_on(path)
        writer = _sqlite_engine(url, begin="BEGIN IMMEDIATE", pragmas=("secure_delete=on",))
        reader = _sqlite_engine(url, begin="BEGIN", pragmas=("query_only=on",))
    store = Store(writer=writer, reader=reader, files_url=settings.files_url, label=label)
    with store_errors(label):
        migrate(writer)
    return store


_lock = threading.Lock()
_opened: tuple[Settings, Store] | None = None


def current_store() -> Store:
    """The process's one store for the current settings, opened at first use."""
    global _opened
    settings = settings_module.current()
    with _lock:
        if _opened is None or _opened[0] != settings:
            if _opened is not None:
                _opened[1].close()
            _opened = (settings, open_store(settings))
        return _opened[1]


def close_current_store() -> None:
    """Close what `current_store` opened; the next call opens it again."""
    global _opened
    with _lock:
        if _opened is not None:
            _opened[1].close()
        _opened = None


def _url(settings: Settings) -> URL:
    try:
        url = make_url(settings.store_url)
    except (SQLAlchemyError, ValueError):
        raise input_error(
            "settings.bad_value",
            name="KVLEDGER_DATABASE_URL",
            found="***",
            expected=settings_module.allowed("database_url"),
        ) from None
    if url.get_backend_name() == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    return url


def _turn_wal_on(path: Path) -> None:
    # Once, before anybody writes: changing the mode under a writer can itself fail as "locked".
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_MS / 1000)
    try:
        connection.execute("PRAGMA journal_mode=wal")
    finally:
        connection.close()


def _sqlite_engine(url: URL, *, begin: str, pragmas: tuple[str, ...]) -> Engine:
    engine = sa.create_engine(
        url,
        connect_args={"timeout": BUSY_TIMEOUT_MS / 1000},
        pool_size=CONNECTIONS,
        max_overflow=CONNECTIONS,
        pool_timeout=BUSY_TIMEOUT_MS / 1000,
    )
    common = ("foreign_keys=on", "synchronous=full", f"busy_timeout={BUSY_TIMEOUT_MS}")

    def on_connect(connection: Any, _record: Any) -> None:
        # None stops the driver from beginning transactions of its own, deferred ones.
        connection.isolation_level = None
        for pragma in (*common, *pragmas):
            connection.execute(f"PRAGMA {pragma}")

    def on_begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    sa.event.listen(engine, "connect", on_connect)
    sa.event.listen(engine, "begin", on_begin)
    return engine


def _postgres_engine(url: URL, *, read_only: bool) -> Engine:
    options = "-c timezone=UTC" + (" -c default_transaction_read_only=on" if read_only else "")
    try:
        return sa.create_engine(
            url,
            pool_pre_ping=True,
            isolation_level="REPEATABLE READ" if read_only else "READ COMMITTED",
            connect_args={"options": options, "connect_timeout": 5},
        )
    except ModuleNotFoundError:
        raise SourceError(Message("store.no_driver", {"package": "psycopg[binary]"})) from None


def take_turn(connection: Connection, turn: int) -> None:
    """Wait until no other transaction holds `turn`; held to the end of this one. On SQLite every
    writer is alone already."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK_SPACE, turn)))


@contextmanager
def store_errors(label: str) -> Iterator[None]:
    """Database and disk errors as SourceError or DataError that name `label`, never a path."""
    try:
        yield
    except KvledgerError:
        raise
    except (DBAPIError, sqlite3.Error) as error:
        raise _database_error(error, label) from error
    except sa.exc.TimeoutError as error:
        raise SourceError(Message("store.locked", {"file": label})) from error
    except OSError as error:
        raise disk_error(error, label) from error


def _database_error(error: DBAPIError | sqlite3.Error, label: str) -> KvledgerError:
    origin = error.orig if isinstance(error, DBAPIError) else error
    # The low byte is the primary code; extended codes say where, which a reader cannot use.
    code = getattr(origin, "sqlite_errorcode", 0) & 0xFF
    values = {"file": label}
    if code in CORRUPT:
        return DataError(Message("store.corrupt", values))
    if code == sqlite3.SQLITE_FULL:
        return SourceError(Message("store.disk_full", values))
    if code in READ_ONLY:
        return SourceError(Message("store.read_only", values))
    if code in LOCKED:
        return SourceError(Message("store.locked", values))
    if code == sqlite3.SQLITE_IOERR:
        return SourceError(Message("store.disk_failed", values))
    return SourceError(Message("store.failed", {**values, "found": type(origin).__name__}))


def disk_error(error: OSError, label: str) -> SourceError:
    """A file system error as one sentence about `label`."""
    if error.errno in DISK_FULL_ERRNOS:
        return SourceError(Message("store.disk_full", {"file": label}))
    if error.errno in READ_ONLY_ERRNOS:
        return SourceError(Message("store.read_only", {"file": label}))
    return SourceError(Message("store.disk_failed", {"file": label}))
