"""Small results that were computed from a workload, kept beside its files and gone with them.

They can be computed again at any time, so a disk that refuses is no error.
"""

from __future__ import annotations

import logging
from typing import IO

from data_sources.store.engine import Store
from data_sources.store.files import open_folder

log = logging.getLogger(__name__)


def keep_computed(store: Store, key: str, name: str, text: str) -> None:
    """Keep `text` under the plain file name `name` with the content `key` (64 hex digits)."""
    folder = open_folder(store.files_url)
    try:
        with folder.staging() as staged:
            folder.write(f"{staged}/{name}", lambda file: _write(file, text))
            folder.add(staged, key, name)
    except OSError as error:
        log.warning("a computed result was not kept: %s", type(error).__name__)


def _write(file: IO[bytes], text: str) -> None:
    file.write(text.encode())


def computed(store: Store, key: str, name: str) -> str | None:
    """What was kept under `name`; None where there is nothing, or it cannot be read."""
    folder = open_folder(store.files_url)
    try:
        return bytes(folder.fs.cat_file(folder.content(key, name))).decode()
    except (OSError, UnicodeDecodeError):
        return None
