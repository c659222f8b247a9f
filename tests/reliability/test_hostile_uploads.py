"""Uploads are hostile until read: names, sizes, bombs. Refusals name the limit and the value."""

from __future__ import annotations

import gzip
import io
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from data_sources.traces.base import ReadResult
from data_sources.traces.limits import BROWSER, Limits
from data_sources.traces.read import read
from data_sources.traces.source import spool
from messages.catalogue import LANGUAGES, say
from messages.errors import InputError, SourceError

HOSTILE_NAMES = (
    "../../etc/passwd.csv",
    "..\\..\\windows\\system32\\x.csv",
    "/etc/shadow",
    "C:\\x.csv",
    "\\\\server\\share\\x.csv",
    "a\x00.csv",
    "n" * 300 + ".csv",
    "gnp\u202e.csv",
    "CON",
    "<img src=x onerror=alert(1)>.csv",
    "=cmd|' /C calc'!A0.csv",
    " ",
    "\ud800",
)
ROW = b'{"model": "gpt-6-luna", "object": "response", "usage": {"input_tokens": 1, '
REPLY = ROW + b'"output_tokens": 1}}\n'

SMALL = Limits(
    upload_bytes=100_000,
    unpacked_bytes=200_000,
    unpack_ratio=20,
    ratio_floor_bytes=50_000,
    zip_members=3,
)


def zip_of(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


BOMBS: dict[str, tuple[Callable[[], bytes], Limits, str, int]] = {
    "too many bytes": (lambda: b"a,b\n" * 30_000, SMALL, "too_large", SMALL.upload_bytes),
    "gzip ratio": (lambda: gzip.compress(bytes(190_000)), SMALL, "unpack_ratio", 20),
    "zip ratio": (lambda: zip_of({"a": bytes(190_000)}), SMALL, "unpack_ratio", 20),
    "gzip size": (
        lambda: gzip.compress(bytes(250_000)),
        Limits(unpacked_bytes=200_000, ratio_floor_bytes=10**9),
        "unpacks_too_large",
        200_000,
    ),
    "zip size over members": (
        lambda: zip_of({"a": b"1,2\n" * 30_000, "b": b"1,2\n" * 30_000}),
        Limits(unpacked_bytes=200_000, ratio_floor_bytes=10**9),
        "unpacks_too_large",
        200_000,
    ),
    "zip members": (lambda: zip_of({str(n): b"1,2" for n in range(4)}), SMALL, "zip_members", 3),
    "columns": (
        lambda: ",".join(f"c{n}" for n in range(90)).encode() + b"\n",
        BROWSER,
        "too_many_columns",
        BROWSER.columns,
    ),
    "real ratio": (
        lambda: gzip.compress(bytes(BROWSER.ratio_floor_bytes + 2**21)),
        BROWSER,
        "unpack_ratio",
        BROWSER.unpack_ratio,
    ),
}


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_upload_names_and_bombs_are_refused_with_limits_named__names(
    tmp_path: Path, name: str
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    for content in (REPLY, zip_of({name.replace("\ud800", "d").strip() or "x": REPLY})):
        upload = spool(name, io.BytesIO(content), inside)
        assert upload.path.parent == inside
        result = read([upload])
        assert result.receipt.rows_kept == 1
        shown = result.receipt.files[0].path
        assert shown.isprintable() or shown == " "
        assert len(shown) <= 200
    assert [p.name for p in tmp_path.iterdir()] == ["inside"], "nothing beside the folder"


@pytest.mark.parametrize("case", BOMBS)
def test_hostile_upload_names_and_bombs_are_refused_with_limits_named(
    tmp_path: Path, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    build, limits, reason, limit = BOMBS[case]
    scratch, uploads = tmp_path / "scratch", tmp_path / "uploads"
    scratch.mkdir()
    uploads.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    with pytest.raises(InputError) as caught:
        read([spool("bomb", io.BytesIO(build()), uploads, limits)], limits=limits)
    message = caught.value.message
    assert message.id == f"traces.{reason}"
    named = {key: value for key, value in message.values.items() if key.startswith("limit")}
    found = {key: value for key, value in message.values.items() if key.startswith("found")}
    assert list(named.values()) == [limit]
    assert all(isinstance(value, int) and value > limit for value in found.values())
    assert found
    for language in LANGUAGES:
        assert f"{limit:,}" in say(language, message)
    assert list(scratch.iterdir()) == [], "no unpacked file is left behind"


def test_a_line_deeper_or_longer_than_any_reader_is_rejected_alone(tmp_path: Path) -> None:
    deep = b'{"usage": ' * 3_000 + b"\n"
    digits = b'{"usage": {"input_tokens": ' + b"9" * 5_000 + b"}}\n"
    result = read([spool("a.jsonl", io.BytesIO(REPLY + deep + digits + REPLY), tmp_path)])
    assert result.receipt.rows_rejected == 2
    assert [line.line for line in result.receipt.rejected] == [2, 3]


def test_two_uploads_read_at_once_never_mix(tmp_path: Path) -> None:
    results: dict[int, ReadResult] = {}

    def go(number: int) -> None:
        row = REPLY.replace(b'"input_tokens": 1', b'"input_tokens": %d' % number)
        upload = spool("same name", io.BytesIO(gzip.compress(row * number)), tmp_path)
        results[number] = read([upload])

    threads = [threading.Thread(target=go, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, result in results.items():
        assert result.workload.ints("input_tokens").tolist() == [number] * number
    assert len(results) == 8


def test_a_full_disk_is_a_clear_error_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource")
    scratch, uploads = tmp_path / "scratch", tmp_path / "uploads"
    scratch.mkdir()
    uploads.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    sources = [
        spool("a.gz", io.BytesIO(gzip.compress(REPLY * 20_000)), uploads),
        spool("a.zip", io.BytesIO(zip_of({"a": REPLY * 20_000})), uploads),
    ]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for source in sources:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
        try:
            with pytest.raises(SourceError) as caught:
                read([source])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert caught.value.message.id == "traces.disk"
        assert list(scratch.iterdir()) == []
