"""Containers and encodings: the same rows come out of every one, or one sentence does."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from data_sources.traces.decode import decode
from data_sources.traces.limits import Limits
from data_sources.traces.source import shown_name, spool
from messages.errors import InputError
from tests.data_sources.traces.helpers import source

TEXT = '{"model": "名前", "n": 1}\r\n{"model": "é", "n": 2}\r\n'


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def packed(data: bytes) -> bytes:
    """Gzip without the clock in it: the names of tests are made of these bytes."""
    return gzip.compress(data, mtime=0)


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        (TEXT.encode(), "utf-8"),
        (TEXT.encode("utf-8-sig"), "utf-8-sig"),
        (TEXT.encode("utf-16"), "utf-16"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "utf-16"),
        (packed(TEXT.encode()), "utf-8"),
        (packed(TEXT.encode()[:20]) + packed(TEXT.encode()[20:]), "utf-8"),
        (packed(TEXT.encode("utf-16")), "utf-16"),
    ],
)
def test_text_is_utf8_without_a_mark_whatever_it_was(
    tmp_path: Path, raw: bytes, encoding: str
) -> None:
    [decoded] = decode(source(tmp_path, "a.jsonl", raw), tmp_path)
    assert decoded.encoding == encoding
    assert decoded.path.read_bytes() == TEXT.encode()


@pytest.mark.parametrize(
    ("text", "encoding"), [("日時,モデル,入力\n1,2,3\n", "cp932"), ("naïve,Ünit\n1,2\n", "latin-1")]
)
def test_old_encodings_are_tried_in_order(tmp_path: Path, text: str, encoding: str) -> None:
    [decoded] = decode(source(tmp_path, "a.csv", text.encode(encoding)), tmp_path)
    assert decoded.encoding == encoding
    assert decoded.path.read_text("utf-8") == text


def test_every_member_of_a_zip_is_a_file_named_inside(tmp_path: Path) -> None:
    raw = zipped(**{"b/second": b"y,z\n1,2\n", "a": b'{"x":1}\n', "__MACOSX/junk": b"\0"})
    files = decode(source(tmp_path, "up.zip", raw), tmp_path)
    assert [f.source.name for f in files] == ["up.zip/a", "up.zip/b/second"]
    assert files[0].path.read_bytes() == b'{"x":1}\n'


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 56000000\n"
GOOD_GZIP = gzip.compress(TEXT.encode() * 50)

REFUSED = {
    "nothing": (b"", "empty_file"),
    "blank lines": (b" \r\n\n\t\n", "empty_file"),
    "only a mark": (b"\xef\xbb\xbf", "empty_file"),
    "blank inside gzip": (gzip.compress(b""), "empty_file"),
    "pointer": (LFS, "lfs_pointer"),
    "cut gzip": (GOOD_GZIP[:-9], "truncated_gzip"),
    "bad gzip": (GOOD_GZIP[:-8] + bytes(8), "broken_gzip"),
    "gzip magic only": (b"\x1f\x8b\x08\x00junkjunkjunk", None),
    "zip magic only": (b"PK\x03\x04 and nothing else", "broken_zip"),
    "empty zip": (zipped(), "zip_empty"),
    "zip of folders": (zipped(**{"a/": b""}), "zip_empty"),
    "gzip in gzip": (gzip.compress(GOOD_GZIP), "nested_archive"),
    "zip in zip": (zipped(a=zipped(b=b"1,2\n")), "nested_archive"),
    "workbook": (zipped(**{"[Content_Types].xml": b"<x/>"}), "spreadsheet"),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "known_binary"),
    "database": (b"SQLite format 3\x00" + bytes(100), "known_binary"),
    "arrow": (b"ARROW1\x00\x00", "known_binary"),
    "zstandard": (b"\x28\xb5\x2f\xfd" + bytes(20), "known_binary"),
    "nul bytes": (b"a,b\n1,\x002\n", "binary"),
    "control bytes": (bytes(range(1, 9)) * 50, "binary"),
    "half utf-16": (b"\xff\xfea\x00b", "broken_text"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_text_is_refused_and_leaves_nothing(tmp_path: Path, case: str) -> None:
    raw, reason = REFUSED[case]
    given = source(tmp_path, "up.bin", raw)
    work = tmp_path / "work"
    work.mkdir()
    with pytest.raises(InputError) as caught:
        decode(given, work)
    assert reason is None or caught.value.message.id == f"traces.{reason}"
    assert str(caught.value.message.values["file"]).startswith("up.bin")
    assert list(work.iterdir()) == []


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    raw = bytearray(zipped(a=b"1,2\n3,4\n"))
    raw[6] |= 1  # the flag in the local header
    central = raw.index(b"PK\x01\x02")
    raw[central + 8] |= 1
    with pytest.raises(InputError) as caught:
        decode(source(tmp_path, "a.zip", bytes(raw)), tmp_path)
    assert caught.value.message.id == "traces.zip_encrypted"


def test_an_upload_above_the_limit_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        spool("big", io.BytesIO(b"x" * 3_000), tmp_path, Limits(upload_bytes=1_000))
    assert caught.value.message.values["limit_bytes"] == 1_000
    assert caught.value.message.values["found_bytes"] == 3_000
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("usage.csv", "usage.csv"),
        ("../../etc/passwd.csv", "../../etc/passwd.csv"),
        ("a\x00b", "a�b"),
        ("invoice\u202egpj.exe", "invoice�gpj.exe"),
        ("x" * 300, "x" * 199 + "…"),
        ("\ud800.csv", "�.csv"),
        ("", "?"),
    ],
)
def test_a_name_is_only_text_to_be_shown(tmp_path: Path, name: str, shown: str) -> None:
    assert shown_name(name) == shown
    given = spool(name, io.BytesIO(b"1,2\n"), tmp_path)
    assert given.name == shown
    assert given.path.parent == tmp_path
