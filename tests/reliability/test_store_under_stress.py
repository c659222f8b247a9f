"""Parallel writers, kills, full disks, read-only folders, damaged files, hostile names."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from data_sources.store.engine import open_store
from data_sources.store.files import safe_join
from data_sources.store.reports import get_report, list_reports, save_report
from data_sources.store.workloads import list_workloads, load_workload, save_workload
from econ.workload import digest
from messages.catalogue import LANGUAGES, say
from messages.errors import DataError, InputError, KvledgerError, Message, SourceError
from settings import Settings
from tests.data_sources.store.made import new_report, small_receipt, small_workload

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 120
POSIX = pytest.mark.skipif(os.name == "nt", reason="signals, users and mounts of Unix")


def python(code: str, *arguments: str, **options: object) -> subprocess.Popen[str]:
    """A second process that runs `code` on the project."""
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )


def said(process: subprocess.Popen[str]) -> str:
    words, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, words
    return words


COUNT = """
import sys
import sqlalchemy as sa
from data_sources.store.engine import open_store
from data_sources.store.tables import installation
from settings import Settings
store = open_store(Settings(data_dir=sys.argv[1]))
for _ in range(int(sys.argv[2])):
    with store.write() as connection:
        value = int(connection.scalar(sa.select(installation.c.value)))
        connection.execute(sa.update(installation).values(value=str(value + 1)))
print("done")
"""

SAVE_SAME = """
import sys
from data_sources.store.engine import open_store
from data_sources.store.reports import save_report
from data_sources.store.workloads import save_workload
from settings import Settings
from tests.data_sources.store.made import new_report, small_receipt, small_workload
store = open_store(Settings(data_dir=sys.argv[1]))
for number in range(1, 16):
    key = save_workload(store, small_workload(), small_receipt(), sys.argv[2])
    save_report(store, new_report(key, owner=sys.argv[2], number=number))
print("done")
"""


def test_parallel_writers_never_see_locked(tmp_path: Path) -> None:
    """Read-modify-write in 4 processes: with a deferred begin most of them fail as locked."""
    store = open_store(Settings(data_dir=tmp_path))
    with store.write() as connection:
        connection.execute(sa.text("INSERT INTO installation VALUES ('count', '0')"))
    processes = [python(COUNT, str(tmp_path), "100") for _ in range(4)]
    assert [said(process) for process in processes] == ["done\n"] * 4
    with store.read() as connection:
        assert connection.scalar(sa.text("SELECT value FROM installation")) == "400"
    store.close()


def test_threads_of_one_server_never_see_locked(tmp_path: Path) -> None:
    store = open_store(Settings(data_dir=tmp_path))
    with store.write() as connection:
        connection.execute(sa.text("INSERT INTO installation VALUES ('count', '0')"))

    def add_one(_: int) -> None:
        with store.write() as connection:
            value = int(connection.scalar(sa.text("SELECT value FROM installation")))
            connection.execute(sa.text("UPDATE installation SET value = :v"), {"v": value + 1})
        list_reports(store)

    with ThreadPoolExecutor(60) as threads:
        list(threads.map(add_one, range(600)))
    with store.read() as connection:
        assert connection.scalar(sa.text("SELECT value FROM installation")) == "600"
    store.close()


def test_first_starts_at_the_same_time_migrate_once(tmp_path: Path) -> None:
    code = COUNT.replace("for _ in range(int(sys.argv[2])):", "if False:")
    processes = [python(code, str(tmp_path), "0") for _ in range(4)]
    assert [said(process) for process in processes] == ["done\n"] * 4


def test_parallel_saves_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    store = open_store(Settings(data_dir=tmp_path))
    processes = [python(SAVE_SAME, str(tmp_path), f"owner{n}") for n in range(3)]
    assert [said(process) for process in processes] == ["done\n"] * 3
    assert sorted(int(summary.id, 16) for summary in list_reports(store)) == list(range(1, 16))
    for number in range(3):
        load_workload(store, digest(small_workload()), f"owner{number}")
    store.close()


SAVE_FOREVER = """
import sys
from data_sources.store.engine import open_store
from data_sources.store.reports import save_report
from data_sources.store.workloads import save_workload
from settings import Settings
from tests.data_sources.store.made import new_report, small_receipt, small_workload
from dataclasses import replace
store = open_store(Settings(data_dir=sys.argv[1]))
number = int(sys.argv[2])
while True:
    number += 1
    workload = replace(small_workload(), format=f"f{number}")
    key = save_workload(store, workload, small_receipt(), "ann")
    save_report(store, new_report(key, number=number))
    print(number, flush=True)
"""


@POSIX
@pytest.mark.parametrize(
    "rounds",
    [
        20,
        pytest.param(
            500,
            marks=pytest.mark.skipif(
                not os.environ.get("LONG_TESTS"),
                reason="500 rounds only with LONG_TESTS",
            ),
        ),
    ],
)
def test_kill9_loses_no_acknowledged_run(tmp_path: Path, rounds: int) -> None:
    """What a writer said it saved is there; what is there was tried; all of it can be read."""
    settings = Settings(data_dir=tmp_path)
    open_store(settings).close()
    acknowledged: set[int] = set()
    for number in range(rounds):
        writer = python(SAVE_FOREVER, str(tmp_path), str(number * 10_000))
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(0.013 * (number % 7))  # die at another moment each time
        writer.send_signal(signal.SIGKILL)
        rest, _ = writer.communicate(timeout=LIMIT_S)
        acknowledged |= {int(line) for line in (first + rest).splitlines()}
    store = open_store(settings)
    stored = {int(summary.id, 16) for summary in list_reports(store, limit=10**6)}
    assert acknowledged
    assert acknowledged <= stored
    assert len(stored - acknowledged) <= rounds  # at most one a kill was written but not yet said
    for summary in list_reports(store, limit=10**6):
        assert get_report(store, summary.id).report == new_report("").report
        load_workload(store, summary.workload_digest, "bob")
    with store.read() as connection:
        assert connection.scalar(sa.text("PRAGMA integrity_check")) == "ok"
    store.close()


def words_of(error: KvledgerError, *expected: str) -> None:
    """The error can be said in both languages, with its file's base name and no path."""
    for language in LANGUAGES:
        words = say(language, error.message)
        assert all(part in words for part in expected), words
        assert error.message.id not in words
        assert "/" not in words.replace("sqlite:///", ""), words


FULL = """
import sys
from data_sources.store.engine import open_store
from data_sources.store.reports import save_report
from data_sources.store.workloads import save_workload
from messages.errors import SourceError
from settings import Settings
from tests.data_sources.store.made import new_report, small_receipt, small_workload
import numpy as np
from dataclasses import replace
settings = Settings(data_dir=sys.argv[1])
store = open_store(settings)
saved = []
try:
    for number in range(1, 10_000):
        noise = np.random.default_rng(number).integers(0, 2**62, 3_000)
        offsets = np.array([0, 1, 2, 3_000])
        prefix = replace(small_workload().prefix, block_ids=noise, offsets=offsets)
        workload = replace(small_workload(), prefix=prefix)
        key = save_workload(store, workload, small_receipt(), "ann")
        save_report(store, new_report(key, number=number, note="x" * 5_000))
        saved.append(number)
except SourceError as error:
    print(error.message.id, error.message.values["file"], len(saved))
"""


@POSIX
def test_disk_full_gives_a_clear_error_and_keeps_what_was_saved(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(small)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("no right to mount a small disk")
    try:
        message, file, count = said(python(FULL, str(small / "ledger"))).split()
        assert message == "store.disk_full"
        assert file in ("workloads", "ledger.sqlite")
        words_of(SourceError(_message(message, file)), file)
        store = open_store(Settings(data_dir=small / "ledger"))
        assert len(list_reports(store)) == int(count) > 3
        for summary in list_reports(store):
            load_workload(store, summary.workload_digest, "ann")
        store.close()
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


def _message(message_id: str, file: str) -> Message:
    return Message(message_id, {"file": file})


@POSIX
def test_a_file_size_limit_while_writing_files_is_a_full_disk(tmp_path: Path) -> None:
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))\n"
    ignore = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    code = FULL.replace("saved = []", "saved = []\n" + limited + ignore)
    message, _, count = said(python(code, str(tmp_path))).split()
    assert message in ("store.disk_full", "store.disk_failed")
    assert int(count) < 20


READ_ONLY = """
import os
import sys
import fsspec.implementations.local
import data_sources.store.parquet
from data_sources.store.engine import open_store
from data_sources.store.workloads import save_workload
from messages.errors import KvledgerError
from settings import Settings
from tests.data_sources.store.made import small_receipt, small_workload
if os.geteuid() == 0:  # root may write everywhere: go on as nobody
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    store = open_store(Settings(data_dir=sys.argv[1]))
    save_workload(store, small_workload(), small_receipt(), "ann")
    print("saved")
except KvledgerError as error:
    print(error.message.id, error.message.values["file"])
"""


@pytest.fixture
def open_folder_of_ours() -> Iterator[Path]:
    """Not tmp_path, whose parents another user may not enter."""
    folder = Path(tempfile.mkdtemp(prefix="kvledger-read-only-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@POSIX
@pytest.mark.parametrize(
    ("what", "file"),
    [
        ("new folder", "ledger.sqlite"),
        ("old ledger", "ledger.sqlite"),
        ("workloads", "workloads"),
    ],
)
def test_read_only_directory_gives_a_clear_error(
    open_folder_of_ours: Path, what: str, file: str
) -> None:
    data = open_folder_of_ours / "ledger"
    if what == "new folder":
        open_folder_of_ours.chmod(0o555)
    else:
        open_store(Settings(data_dir=data)).close()
        writable = what == "workloads"
        for path in data.iterdir():
            path.chmod(0o666 if writable else 0o444)
        data.chmod(0o777 if writable else 0o555)
    if what == "workloads":
        (data / "workloads").mkdir()
        (data / "workloads").chmod(0o555)
    assert said(python(READ_ONLY, str(data))).split() == ["store.read_only", file]
    words_of(SourceError(_message("store.read_only", file)), file)


@pytest.mark.parametrize("damage", ["noise", "text", "middle", "other database"])
def test_a_damaged_ledger_gives_a_clear_error(tmp_path: Path, damage: str) -> None:
    settings = Settings(data_dir=tmp_path)
    path = settings.sqlite_path
    store = open_store(settings)
    for number in range(1, 30):
        key = save_workload(store, small_workload(f"{number}"), small_receipt(), f"o{number}")
        save_report(store, new_report(key, owner=f"o{number}", number=number, note="n" * 3000))
    store.close()
    data = path.read_bytes()
    if damage == "noise":
        path.write_bytes(os.urandom(8192))
    elif damage == "text":
        path.write_text("this is no database, " * 500)
    elif damage == "middle":
        path.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))
    else:
        path.unlink()
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE alembic_version (version_num TEXT)")
            other.execute("INSERT INTO alembic_version VALUES ('ffff')")
        other.close()
    for leftover in tmp_path.glob("ledger.sqlite-*"):
        leftover.unlink()
    with pytest.raises(DataError) as caught:  # noqa: PT012  # a database is read page by page
        store = open_store(settings)
        list_workloads(store, "o1")
    if damage == "other database":
        assert caught.value.message.id == "store.newer_schema"
    else:
        assert caught.value.message.id == "store.corrupt"
        words_of(caught.value, "ledger.sqlite")


def test_a_ledger_that_stays_locked_gives_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from data_sources.store import engine

    monkeypatch.setattr(engine, "BUSY_TIMEOUT_MS", 50)
    store = open_store(Settings(data_dir=tmp_path))
    holder = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(SourceError) as caught:
        save_workload(store, small_workload(), small_receipt(), "ann")
    assert caught.value.message.id == "store.locked"
    words_of(caught.value, "ledger.sqlite")
    holder.execute("ROLLBACK")
    holder.close()
    save_workload(store, small_workload(), small_receipt(), "ann")
    store.close()


HOSTILE = [
    "",
    ".",
    "..",
    "../x",
    "../../etc/passwd.csv",
    "a/../../x",
    "a/..",
    "./x",
    "a//b",
    "/etc/passwd",
    "//server/share",
    "~/../x/",
    "a/",
    "\\x",
    "..\\x",
    "\\\\server\\share\\x",
    "\\\\?\\C:\\x",
    "C:\\x",
    "C:x",
    "c:/x",
    "file:///etc/passwd",
    "x:stream",
    "nul\x00.csv",
    "\x00",
    "line\nbreak",
    "tab\tname",
    "\x7f",
    "\x85",
    "CON",
    "con.csv",
    "PRN",
    "aux.txt",
    "NUL",
    "COM1",
    "com9.csv",
    "LPT1.parquet",
    "a/nul/b",
    "COM¹",
    "trailing.",
    "trailing ",
    "star*",
    "what?",
    "pipe|",
    'quote"',
    "<tag>",
    "n" * 300,
    "あ" * 100,
    "\ud800",
]


@pytest.mark.parametrize("name", HOSTILE, ids=[ascii(name[:20]) for name in HOSTILE])
def test_hostile_names_never_leave_the_folder(tmp_path: Path, name: str) -> None:
    assert len(HOSTILE) >= 40
    with pytest.raises(InputError) as caught:
        safe_join(tmp_path, name)
    assert caught.value.message.id == "store.bad_name"


@pytest.mark.parametrize("name", ["a", "a.csv", "ab/cd.parquet", "使用量 2026.csv", "n" * 255])
def test_plain_names_stay_usable(tmp_path: Path, name: str) -> None:
    assert safe_join(tmp_path, name) == tmp_path.resolve() / name


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path)
    with pytest.raises(InputError):
        safe_join(inside, "link/secret")
    with pytest.raises(InputError):
        safe_join(inside, "link")


@given(name=st.text(max_size=40))
def test_any_name_is_inside_or_refused(name: str) -> None:
    root = Path("/tmp/kvledger-no-such-root")
    try:
        found = safe_join(root, name)
    except InputError:
        return
    assert found != root.resolve()
    assert found.is_relative_to(root.resolve())
