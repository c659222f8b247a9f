"""Uploads and paths become a `Source`: bytes on disk under a name of our own, with their digest.

The name that the user gave is only ever text: it is never part of a path that is written.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, BinaryIO

from data_sources.traces.base import Source
from data_sources.traces.limits import BROWSER, Limits
from messages.errors import InputError, input_error

CHUNK_BYTES = 1 << 20
SHOWN_NAME_CHARS = 200


def shown_name(name: str) -> str:
    """`name` fit to be shown: no control or direction-changing characters, bounded length."""
    kept = "".join(c if unicodedata.category(c)[0] != "C" else "�" for c in name)
    if len(kept) > SHOWN_NAME_CHARS:
        kept = kept[: SHOWN_NAME_CHARS - 1] + "…"
    return kept.strip() or "?"


@contextmanager
def new_file(folder: Path, prefix: str) -> Iterator[tuple[IO[bytes], Path]]:
    """A new file in `folder` to write to; it is removed again when writing it fails."""
    out = NamedTemporaryFile(dir=folder, prefix=prefix, delete=False)  # noqa: SIM115
    path = Path(out.name)
    try:
        with out:
            yield out, path
    except BaseException:
        path.unlink(missing_ok=True)  # after it is closed: some systems hold open files
        raise


def spool(name: str, stream: BinaryIO, folder: Path, limits: Limits = BROWSER) -> Source:
    """Copies `stream` into `folder` under a name of our own. InputError above the byte limit;
    then nothing is left in `folder`."""
    sha = hashlib.sha256()
    size = 0
    label = shown_name(name)
    with new_file(folder, "source-") as (out, path):
        for chunk in _chunks(stream):
            size += len(chunk)
            if size > limits.upload_bytes:
                raise too_large(label, size, limits)
            sha.update(chunk)
            out.write(chunk)
    return Source(name=label, path=path, sha256=sha.hexdigest(), size_bytes=size)


def open_path(path: Path, name: str | None = None, limits: Limits = BROWSER) -> Source:
    """A `Source` for a file that already lies on this machine; it is read where it is.

    `name` is what to call it, the path as given by default. InputError when there is no such
    file or it is larger than the limit.
    """
    label = shown_name(name if name is not None else str(path))
    try:
        if not path.is_file():
            raise input_error("traces.no_such_file", file=label)
        size = path.stat().st_size
        if size > limits.upload_bytes:
            raise too_large(label, size, limits)
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256")
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise input_error("traces.no_such_file", file=label) from error
    return Source(name=label, path=path, sha256=digest.hexdigest(), size_bytes=size)


def too_large(file: str, size_bytes: int, limits: Limits) -> InputError:
    """The refusal of a file above the byte limit."""
    return input_error(
        "traces.too_large", file=file, found_bytes=size_bytes, limit_bytes=limits.upload_bytes
    )


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK_BYTES):
        yield chunk
