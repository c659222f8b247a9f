"""Containers and encodings: a `Source` becomes plain files whose text is UTF-8.

Order: empty, magic bytes (gzip, zip, Parquet, known binaries), byte order mark, strict UTF-8,
cp932, latin-1. Which one was used is kept, because a wrong guess shows only in names.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from data_sources.traces.base import Decoded, Source
from data_sources.traces.limits import BROWSER, Limits
from data_sources.traces.source import CHUNK_BYTES, new_file
from data_sources.traces.unpack import GZIP_MAGIC, ZIP_MAGICS, gunzip, unzip, zip_names
from messages.errors import InputError, input_error

PARQUET_MAGIC = b"PAR1"
LFS_PREFIX = b"version https://git-lfs.github.com/spec"
_OTHER_MAGICS = {
    b"ARROW1": "Arrow IPC",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!\x1a\x07": "RAR",
    b"SQLite format 3\x00": "SQLite",
    b"%PDF-": "PDF",
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"\x7fELF": "ELF",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "Microsoft Office",
}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16-be"),
)
_SNIFF_BYTES = 1 << 16
_TEXT_CONTROLS = frozenset(b"\t\n\r\f\x1b")
_MAX_CONTROL_SHARE = 0.01


def decode(source: Source, folder: Path, limits: Limits = BROWSER) -> list[Decoded]:
    """`source` as plain files, one a zip member; new files are written below `folder` only.

    InputError with one sentence when it is empty, broken, too large unpacked or not text; then
    nothing is left in `folder`.
    """
    work = Path(mkdtemp(dir=folder, prefix="decoded-"))
    try:
        files = _decoded(source, work, limits)
        return [replace(file, max_rows=limits.rows) for file in files]
    except BaseException:
        rmtree(work, ignore_errors=True)
        raise


def _decoded(source: Source, folder: Path, limits: Limits) -> list[Decoded]:
    head = _head(source.path)
    if not head:
        raise input_error("traces.empty_file", file=source.name)
    if head.startswith(GZIP_MAGIC):
        return [_plain(source, gunzip(source, folder, limits), folder)]
    if head.startswith(ZIP_MAGICS):
        return _zip_members(source, folder, limits)
    return [_plain(source, source.path, folder)]


def _zip_members(source: Source, folder: Path, limits: Limits) -> list[Decoded]:
    if "[Content_Types].xml" in zip_names(source.path):
        raise input_error("traces.spreadsheet", file=source.name)
    return [
        _plain(replace(source, name=name), path, folder)
        for name, path in unzip(source, folder, limits)
    ]


def _plain(source: Source, path: Path, folder: Path) -> Decoded:
    """A plain file: Parquet as it is, text as UTF-8 without a byte order mark."""
    head = _head(path)
    if not head:
        raise input_error("traces.empty_file", file=source.name)
    if head.startswith(PARQUET_MAGIC):
        return Decoded(source=source, path=path, encoding="binary")
    _refuse_known_binaries(source, head)
    for bom, name, codec in _BOMS:
        if head.startswith(bom):
            text = _transcoded(source, path, folder, codec, skip_bytes=len(bom))
            return _not_blank(Decoded(source=source, path=text, encoding=name))
    _refuse_control_bytes(source, head)
    if _is_utf8(path):
        return _not_blank(Decoded(source=source, path=path, encoding="utf-8"))
    try:
        text, name = _transcoded(source, path, folder, "cp932", skip_bytes=0), "cp932"
    except InputError:
        text, name = _transcoded(source, path, folder, "latin-1", skip_bytes=0), "latin-1"
    return _not_blank(Decoded(source=source, path=text, encoding=name))


def _refuse_known_binaries(source: Source, head: bytes) -> None:
    if head.startswith(LFS_PREFIX):
        size = next((ln[5:] for ln in head.splitlines() if ln.startswith(b"size ")), b"?")
        raise input_error(
            "traces.lfs_pointer", file=source.name, real_bytes=size.decode("ascii", "replace")
        )
    if head.startswith((GZIP_MAGIC, *ZIP_MAGICS)):
        raise input_error("traces.nested_archive", file=source.name)
    for magic, kind in _OTHER_MAGICS.items():
        if head.startswith(magic):
            raise input_error("traces.known_binary", file=source.name, kind=kind)


def _refuse_control_bytes(source: Source, head: bytes) -> None:
    nul = head.find(0)
    if nul >= 0:
        raise input_error("traces.binary", file=source.name, offset=nul)
    controls = [i for i, b in enumerate(head) if b < 32 and b not in _TEXT_CONTROLS]
    if len(controls) > _MAX_CONTROL_SHARE * len(head):
        raise input_error("traces.binary", file=source.name, offset=controls[0])


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in _chunks(path, 0):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _transcoded(source: Source, path: Path, folder: Path, codec: str, *, skip_bytes: int) -> Path:
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        with new_file(folder, "text-") as (out, text):
            for chunk in _chunks(path, skip_bytes):
                out.write(decoder.decode(chunk).encode("utf-8"))
            out.write(decoder.decode(b"", final=True).encode("utf-8"))
    except UnicodeError as error:
        raise input_error("traces.broken_text", file=source.name, encoding=codec) from error
    return text


def _not_blank(decoded: Decoded) -> Decoded:
    """Refuses a text that is nothing but blank lines."""
    for chunk in _chunks(decoded.path, 0):
        if chunk.strip():
            return decoded
    raise input_error("traces.empty_file", file=decoded.source.name)


def _chunks(path: Path, skip_bytes: int) -> Iterator[bytes]:
    with path.open("rb") as stream:
        stream.seek(skip_bytes)
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(_SNIFF_BYTES)
