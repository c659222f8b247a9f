"""Readers called as the product calls them: decoded by the real decoder, from files on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from data_sources.traces.base import Decoded, ReadOptions, ReadResult, Source, no_progress
from data_sources.traces.decode import decode

ReadFiles = Callable[..., ReadResult]


def decoded(path: Path, folder: Path) -> list[Decoded]:
    """The file as the readers get it."""
    data = path.read_bytes()
    source = Source(
        name=path.name,
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        size_bytes=len(data),
    )
    return decode(source, folder)


@pytest.fixture
def read_files(tmp_path: Path) -> ReadFiles:
    """read_files('plain_csv', path, ..., **options) -> the reader's result."""
    folder = tmp_path / "decoded"
    folder.mkdir()

    def read(module: str, *paths: Path, **options: object) -> ReadResult:
        files = [file for path in paths for file in decoded(path, folder)]
        reader = import_module(f"data_sources.traces.{module}").read
        result: ReadResult = reader(files, ReadOptions(**options), no_progress)
        return result

    return read


@pytest.fixture
def read_text(tmp_path: Path, read_files: ReadFiles) -> ReadFiles:
    """read_text('plain_csv', text, ..., **options): each text or bytes as one file."""

    def read(module: str, *texts: str | bytes, **options: object) -> ReadResult:
        paths = []
        for number, text in enumerate(texts, start=1):
            path = tmp_path / f"file{number}.txt"
            path.write_bytes(text.encode() if isinstance(text, str) else text)
            paths.append(path)
        return read_files(module, *paths, **options)

    return read
