"""Gzip and zip, unpacked under a running cap on bytes and on the ratio."""

from __future__ import annotations

import errno
import gzip
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from data_sources.traces.base import Source
from data_sources.traces.limits import Limits
from data_sources.traces.source import CHUNK_BYTES, new_file, shown_name
from messages.errors import InputError, input_error

GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
_DISK_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_ARCHIVER_DEBRIS = ("__MACOSX/",)  # resource forks that macOS adds; never data


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


@dataclass(slots=True)
class _Meter:
    """Counts unpacked bytes and refuses above the limits, before they are written."""

    name: str
    packed_bytes: int
    limits: Limits
    unpacked_bytes: int = 0

    def add(self, size_bytes: int) -> None:
        self.unpacked_bytes += size_bytes
        if self.unpacked_bytes > self.limits.unpacked_bytes:
            raise input_error(
                "traces.unpacks_too_large",
                file=self.name,
                found_bytes=self.unpacked_bytes,
                limit_bytes=self.limits.unpacked_bytes,
            )
        ratio = self.unpacked_bytes // max(1, self.packed_bytes)
        if self.unpacked_bytes > self.limits.ratio_floor_bytes and ratio > self.limits.unpack_ratio:
            raise input_error(
                "traces.unpack_ratio",
                file=self.name,
                found_ratio=ratio,
                limit_ratio=self.limits.unpack_ratio,
            )


def gunzip(source: Source, folder: Path, limits: Limits) -> Path:
    """The plain bytes of a gzip file, all its members joined, as a new file in `folder`."""
    meter = _Meter(source.name, source.size_bytes, limits)
    try:
        with gzip.open(source.path, "rb") as packed:
            return _written(folder, _metered(packed, meter))
    except EOFError as error:
        raise input_error(
            "traces.truncated_gzip", file=source.name, unpacked_bytes=meter.unpacked_bytes
        ) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise input_error("traces.broken_gzip", file=source.name) from error


def unzip(source: Source, folder: Path, limits: Limits) -> Iterator[tuple[str, Path]]:
    """(shown name, file in `folder`) of every data member; names inside are only text."""
    try:
        with zipfile.ZipFile(source.path) as archive:
            members = _data_members(archive, source, limits)
            meter = _Meter(source.name, source.size_bytes, limits)
            for member in members:
                label = shown_name(f"{source.name}/{member.filename}")
                if member.flag_bits & 0x1:
                    raise input_error("traces.zip_encrypted", file=label)
                with archive.open(member) as packed:
                    yield label, _written(folder, _metered(packed, meter))
    except InputError:
        raise
    except OSError as error:
        if error.errno in _DISK_FAULTS:
            raise
        raise input_error("traces.broken_zip", file=source.name) from error
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        OverflowError,
    ) as error:
        raise input_error("traces.broken_zip", file=source.name) from error


def zip_names(path: Path) -> list[str]:
    """Names inside a zip file, empty when it cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return []


def _data_members(
    archive: zipfile.ZipFile, source: Source, limits: Limits
) -> list[zipfile.ZipInfo]:
    members = [
        m
        for m in archive.infolist()
        if not m.is_dir() and not m.filename.startswith(_ARCHIVER_DEBRIS)
    ]
    if len(members) > limits.zip_members:
        raise input_error(
            "traces.zip_members",
            file=source.name,
            found=len(members),
            limit=limits.zip_members,
        )
    if not members:
        raise input_error("traces.zip_empty", file=source.name)
    return sorted(members, key=lambda m: m.filename)


def _metered(packed: _Readable, meter: _Meter) -> Iterator[bytes]:
    while chunk := packed.read(CHUNK_BYTES):
        meter.add(len(chunk))
        yield chunk


def _written(folder: Path, chunks: Iterator[bytes]) -> Path:
    with new_file(folder, "plain-") as (out, path):
        for chunk in chunks:
            out.write(chunk)
    return path
