"""Bringing a database to the newest schema at start, one process at a time."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from data_sources.store.tables import SCHEMA_REVISION
from messages.errors import DataError, Message

SCRIPTS = Path(__file__).parent / "migrations"
ADVISORY_LOCK = 0x6B766C6564676572  # "kvledger" in ASCII
VERSION_TABLE = "alembic_version"


def migrate(writer: Engine) -> None:
    """Upgrade the database behind `writer`; nothing happens where it is up to date.

    DataError when it belongs to a newer release. An existing SQLite file is copied first.
    """
    before = revision_of(writer)
    if before == SCHEMA_REVISION:
        return
    if before is not None and writer.dialect.name == "sqlite":
        _back_up(writer, before)
    with writer.connect() as connection:
        _foreign_keys(connection, "off")
        with connection.begin():
            _take_turn(connection)
            _upgrade(connection)
        _foreign_keys(connection, "on")


def revision_of(engine: Engine) -> str | None:
    """The schema revision that the database says it has; None for an empty one."""
    with engine.begin() as connection:
        return _revision(connection)


def _revision(connection: Connection) -> str | None:
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)


def _take_turn(connection: Connection) -> None:
    # SQLite's writer has begun IMMEDIATE and is alone already.
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(ADVISORY_LOCK)))


def _foreign_keys(connection: Connection, state: str) -> None:
    # Batch migrations drop and rename tables; the pragma does nothing inside a transaction.
    if connection.dialect.name == "sqlite":
        raw = connection.connection.dbapi_connection
        assert raw is not None  # noqa: S101
        with closing(raw.cursor()) as cursor:
            cursor.execute(f"PRAGMA foreign_keys={state}")


def _upgrade(connection: Connection) -> None:
    # Imported here: only a start that has to migrate pays for it.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    found = _revision(connection)
    if found is not None and found not in known:
        raise DataError(Message("store.newer_schema", {"found": found}))
    command.upgrade(config, "head")


def _back_up(writer: Engine, revision: str) -> None:
    copy = Path(f"{writer.url.database}.{revision}.backup")
    if copy.exists():
        return
    raw = writer.raw_connection()
    try:
        raw.cursor().execute("VACUUM INTO ?", (str(copy),))
    finally:
        raw.close()
