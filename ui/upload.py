"""From the browser to a job: the bytes go to disk at once and leave the memory again."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import streamlit as st

from data_sources.traces.base import ReadOptions
from jobs import flows
from messages.errors import KvledgerError, Message
from settings import current
from ui import failures, state
from ui.words import t

_TURN = "_upload_turn"
_JOB = "_read_job"
_SPOOLED = "_spooled"
_REFUSAL = "_refusal"
CHUNK_BYTES = 1 << 20


class Upload(Protocol):
    """What the uploader hands over: a name that the client chose, and the bytes."""

    name: str

    def seek(self, offset: int, /) -> int: ...

    def read(self, size: int = -1, /) -> bytes: ...


def uploader(key: str, label: str) -> None:
    """The place to drop files. A drop starts a job; the widget is then replaced by an empty one,
    so that Streamlit lets go of the bytes."""
    turn = st.session_state.get(_TURN, 0)
    files = st.file_uploader(
        label,
        accept_multiple_files=True,
        key=f"{key}-{turn}",
        help=t("ui.upload.help"),
    )
    if files:
        start(spool(files), ReadOptions())
        st.session_state[_TURN] = turn + 1
        st.rerun()


def spool(files: Sequence[Upload]) -> list[tuple[str, Path]]:
    """Copy the files to disk under names of our own; the user's names stay text."""
    root = current().data_dir / "uploads"
    root.mkdir(parents=True, exist_ok=True)
    forget_old(root)
    folder = Path(tempfile.mkdtemp(prefix="upload-", dir=root))
    spooled = []
    for number, file in enumerate(files):
        path = folder / f"{number:04d}"
        file.seek(0)
        with path.open("wb") as target:
            while chunk := file.read(CHUNK_BYTES):
                target.write(chunk)
        spooled.append((file.name, path))
    return spooled


def forget_old(root: Path) -> None:
    """Delete what sessions left behind that ended while their files were being read."""
    oldest_s = time.time() - current().session_ttl_s
    for folder in root.glob("upload-*"):
        if folder.stat().st_mtime < oldest_s:
            shutil.rmtree(folder, ignore_errors=True)


def start(files: list[tuple[str, Path]], options: ReadOptions) -> None:
    """Start reading; the session remembers the job and, until it is done, the files."""
    st.session_state.pop(_REFUSAL, None)
    st.session_state[_SPOOLED] = files
    try:
        st.session_state[_JOB] = flows.start_read(files, options, state.owner())
    except KvledgerError as error:
        refuse(error.message)


def running_job() -> str | None:
    """The job that reads this session's files, until its end has been seen."""
    return st.session_state.get(_JOB)


def spooled() -> list[tuple[str, Path]]:
    """The files of the last upload, while they are still on disk."""
    return list(st.session_state.get(_SPOOLED, ()))


def finished() -> None:
    """The job's end has been seen."""
    st.session_state.pop(_JOB, None)


def refuse(message: Message | None) -> None:
    """Remember why the last upload was not taken, until the next one."""
    st.session_state[_REFUSAL] = message


def say_refusal(on_failure: Callable[[], None]) -> None:
    """Show why the last upload was not taken, and what `on_failure` offers."""
    if _REFUSAL in st.session_state:
        failures.show_message(st.session_state[_REFUSAL])
        on_failure()


def drop_files() -> None:
    """Delete the spooled files: they are read, or not wanted."""
    for _, path in st.session_state.pop(_SPOOLED, ()):
        shutil.rmtree(Path(path).parent, ignore_errors=True)
