"""Where uploads lie while they are read, and how what a closed browser left behind goes away."""

from __future__ import annotations

import math
import shutil
from datetime import datetime
from pathlib import Path
from tempfile import mkdtemp

from settings import current

_PREFIX = "upload-"


def uploads_dir() -> Path:
    """The folder of all uploads that are being read."""
    return current().data_dir / "uploads"


def new_folder() -> Path:
    """An empty folder for the files of one upload. OSError where the disk refuses."""
    root = uploads_dir()
    root.mkdir(parents=True, exist_ok=True)
    return Path(mkdtemp(prefix=_PREFIX, dir=root))


def forget_old(older_than: datetime) -> int:
    """Delete uploads untouched since `older_than` (UTC): their session is gone. How many."""
    old = [
        folder
        for folder in uploads_dir().glob(f"{_PREFIX}*")
        if _touched_s(folder) < older_than.timestamp()
    ]
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)
    return len(old)


def _touched_s(folder: Path) -> float:
    """When it was touched; never old where its session deletes it just now."""
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:
        return math.inf
