"""The schema: migrations give exactly the tables of the code, on both databases."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import StatementError

from data_sources.store import engine as engine_module
from data_sources.store import migrate as migrate_module
from data_sources.store.engine import Store, current_store, open_store
from data_sources.store.messages_json import (
    dumps,
    loads,
    message_from_json,
    message_to_json,
    receipt_from_json,
    receipt_to_json,
)
from data_sources.store.migrate import SCRIPTS, revision_of
from data_sources.store.tables import SCHEMA_REVISION, installation, metadata, report
from messages.errors import DataError, InputError, Message, SourceError
from settings import Settings, using
from tests.data_sources.store.made import small_receipt

ROOT = Path(__file__).resolve().parents[3]


def scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    return ScriptDirectory.from_config(config)


def test_migrations_and_tables_do_not_differ(store: Store) -> None:
    with store.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_the_code_names_the_newest_migration(store: Store) -> None:
    assert scripts().get_heads() == [SCHEMA_REVISION]
    assert revision_of(store.writer) == SCHEMA_REVISION


def test_migration_from_every_release_on_sqlite_and_postgres(
    ledger_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for script in reversed(list(scripts().walk_revisions())):
        monkeypatch.setattr(migrate_module, "SCHEMA_REVISION", script.revision)
        store = open_store(ledger_settings)
        store.close()
    monkeypatch.undo()
    store = open_store(ledger_settings)
    assert revision_of(store.writer) == SCHEMA_REVISION
    store.close()


def test_an_old_ledger_is_copied_before_it_is_changed(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    store = open_store(settings)
    with store.write() as connection:
        connection.execute(sa.insert(installation).values(key="k", value="kept"))
    migrate_module._back_up(store.writer, "v0000")
    store.close()
    copy = sa.create_engine(f"sqlite:///{tmp_path / 'ledger.sqlite.v0000.backup'}")
    with copy.connect() as connection:
        assert connection.scalar(sa.text("SELECT value FROM installation")) == "kept"
    copy.dispose()


def test_times_keep_their_moment_and_naive_ones_are_refused(store: Store) -> None:
    tokyo = datetime(2026, 2, 28, 23, 59, 59, 123456, tzinfo=timezone(timedelta(hours=9)))
    values = {
        "id": "1" * 64,
        "workload_digest": "2" * 64,
        "params": {},
        "report": {},
        "name": "",
        "note": "",
        "method_version": 1,
        "price_book_version": "",
        "owner": "ann",
    }
    with store.write() as connection:
        connection.execute(sa.insert(report).values(**values, created_utc=tokyo))
    with store.read() as connection:
        found = connection.scalar(sa.select(report.c.created_utc))
    assert found == tokyo
    assert found.tzinfo is UTC
    naive = sa.insert(report).values(**values, created_utc=datetime(2026, 1, 1))  # noqa: DTZ001
    with pytest.raises(StatementError, match="naive"), store.write() as connection:
        connection.execute(naive)


def test_sqlite_has_the_pragmas_that_keep_it_safe(tmp_path: Path) -> None:
    store = open_store(Settings(data_dir=tmp_path))
    expected = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 5000,
        "secure_delete": 1,
    }
    with store.write() as connection:
        for pragma, value in expected.items():
            assert connection.scalar(sa.text(f"PRAGMA {pragma}")) == value, pragma
    with store.read() as connection:
        assert connection.scalar(sa.text("PRAGMA query_only")) == 1
    assert tmp_path.joinpath("ledger.sqlite").exists()
    store.close()


def test_a_new_folder_is_for_its_user_alone(tmp_path: Path) -> None:
    store = open_store(Settings(data_dir=tmp_path / "new"))
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0
    store.close()


def test_the_process_has_one_store_for_its_settings(tmp_path: Path) -> None:
    with using(Settings(data_dir=tmp_path / "a")):
        first = current_store()
        assert current_store() is first
    with using(Settings(data_dir=tmp_path / "b")):
        assert current_store() is not first
    engine_module.close_current_store()


def test_a_database_that_does_not_answer_is_named_without_its_password() -> None:
    url = "postgresql://me:hunter2@127.0.0.1:1/ledger"
    with pytest.raises(SourceError) as caught:
        open_store(Settings(database_url=url))
    assert caught.value.message.values == {"file": "127.0.0.1", "found": "OperationalError"}
    assert "hunter2" not in str(caught.value)


def test_a_url_that_is_none_is_a_bad_setting() -> None:
    with pytest.raises(InputError) as caught:
        open_store(Settings(database_url="postgresql://host:port/x"))
    assert caught.value.message.values["name"] == "KVLEDGER_DATABASE_URL"


def test_importing_the_store_is_light() -> None:
    code = "import sys, data_sources.store.reports, data_sources.store.jobs; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    heavy = {"pandas", "pyarrow", "alembic", "streamlit", "torch", "plotly", "fsspec", "yaml"}
    assert heavy & set(done.stdout.split()) == set()


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters())
    | st.decimals(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=3)
        | st.builds(Message, st.text(max_size=9), st.dictionaries(st.text(max_size=5), inner))
    ),
    max_leaves=12,
)


def typed(value: object) -> object:
    """The value with its types spelled out: 1 == 1.0 == True must not pass for each other."""
    if isinstance(value, list | tuple):
        return type(value), [typed(item) for item in value]
    if isinstance(value, dict):
        return dict, [(typed(k), typed(v)) for k, v in value.items()]
    if isinstance(value, Message):
        return Message, value.id, typed(dict(value.values)), value.n
    return type(value), str(value) if isinstance(value, Decimal | float) else value


@given(value=PLAIN)
def test_any_plain_value_survives_json(value: object) -> None:
    text = dumps(value)
    text.encode()
    assert "\x00" not in text
    assert typed(loads(text)) == typed(value)


def test_keys_that_look_like_tags_are_only_keys() -> None:
    for value in ({"$decimal": "1"}, {"$map": 1}, {"$x": {"$tuple": []}}, {1: "a", "1": "b"}):
        assert loads(dumps(value)) == value


def test_numpy_scalars_are_stored_as_numbers_and_other_things_refused() -> None:
    assert loads(dumps({"n": np.int64(2**60), "r": np.float64(0.1)})) == {"n": 2**60, "r": 0.1}
    with pytest.raises(TypeError, match="set cannot be stored"):
        dumps({1, 2})


def test_messages_and_receipts_survive_json() -> None:
    message = Message("a.b", {"cost": Decimal("1.230"), "inner": Message("c", {}, 2)}, 5)
    assert message_from_json(message_to_json(message)) == message
    assert str(message_from_json(message_to_json(message)).values["cost"]) == "1.230"
    assert receipt_from_json(receipt_to_json(small_receipt())) == small_receipt()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"$message": []}', '{"$decimal": "x"}'])
def test_damaged_json_is_a_data_error(text: str) -> None:
    for read in (message_from_json, receipt_from_json):
        with pytest.raises(DataError):
            read(text)
