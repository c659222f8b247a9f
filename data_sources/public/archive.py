"""Reading a ZIP of a stranger: how many files, how long, how much packed, and never to disk."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from messages.errors import DataError, Message

MOST_FILES = 5_000
MOST_PLAIN_BYTES = 512_000_000
MOST_ONE_BYTES = 128_000_000
BOM_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of an archive; `name` is its path inside."""

    name: str
    content: bytes


def members(content: bytes, name: str, wanted: Callable[[str], bool]) -> Iterator[Member]:
    """The files of a ZIP whose path is `wanted`, in the archive's order. DataError naming `name`
    where it is damaged, encrypted or unpacks to too much."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError, OSError):
        raise _damaged(name) from None
    with archive:
        files = [info for info in archive.infolist() if not info.is_dir()]
        if len(files) > MOST_FILES:
            raise _too_much(name)
        left = MOST_PLAIN_BYTES
        for info in files:
            if wanted(info.filename):
                plain = _read(archive, info, min(left, MOST_ONE_BYTES), name)
                left -= len(plain)
                yield Member(name=info.filename, content=plain)


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int, name: str) -> bytes:
    # What the directory says of the size may be a lie: the cap holds while reading.
    if info.file_size > most:
        raise _too_much(name)
    try:
        with archive.open(info) as file:
            plain = file.read(most + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError,
            ValueError):  # fmt: skip
        raise _damaged(name) from None
    if len(plain) > most:
        raise _too_much(name)
    return plain


def _damaged(name: str) -> DataError:
    return DataError(Message("public.bad_zip", {"name": name}))


def _too_much(name: str) -> DataError:
    return DataError(
        Message("public.zip_too_large", {"name": name, "limit_mb": MOST_PLAIN_BYTES // 1_000_000})
    )


def text_of(content: bytes) -> str:
    """Text in UTF-16 with its mark, UTF-8 or Shift-JIS, whichever fits; what fits none is marked
    with replacement characters."""
    if content.startswith(BOM_UTF16):
        return content.decode("utf-16", errors="replace")
    for encoding in ("utf-8-sig", "cp932"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return content.decode("utf-8", errors="replace")
