"""From the browser to a job: the bytes go to disk at once and leave the memory again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import streamlit as st

import settings
from data_sources.traces.base import ReadOptions
from data_sources.traces.formats import GENERIC, label
from data_sources.traces.registry import READERS
from jobs import flows
from jobs.spool import new_folder
from messages.errors import KvledgerError, Message
from ui import components, failures, state
from ui.numerals import md
from ui.words import say, t

_TURN = "_upload_turn"
_JOB = "_read_job"
_SPOOLED = "_spooled"
_REFUSAL = "_refusal"
CHUNK_BYTES = 1 << 20


def formats_note() -> None:
    """How many kinds of file are read, and what to do with the others."""
    components.note(t("ui.upload.formats", len(_formats())))


def formats_list(key: str) -> None:
    """Every kind of file that this installation reads, by its name."""
    with st.popover(
        t("ui.upload.which"), type="tertiary", icon=":material/list:", key=f"formats-{key}"
    ):
        names = sorted(map(say, _formats()), key=str.casefold)
        st.markdown("\n".join(f"- {md(name)}" for name in names))
        components.note(t("ui.upload.any_table"))


def _formats() -> list[Message]:
    return [label(format_id) for format_id in READERS if format_id not in GENERIC]


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
        max_upload_size=settings.current().max_upload_mb,
        help=t("ui.upload.help"),
    )
    if files:
        take(files)
        st.session_state[_TURN] = turn + 1
        st.rerun()


def take(files: Sequence[Upload]) -> None:
    """Copy the files to disk and start reading them; a disk that refuses is said in a sentence."""
    try:
        copied = spool(files)
    except OSError as error:
        why = error.strerror or type(error).__name__
        refuse(Message("ui.upload.disk", {"why": why}))
        return
    drop_files()  # those of an upload that was refused and that nobody mapped
    start(copied, ReadOptions())


def spool(files: Sequence[Upload]) -> list[tuple[str, Path]]:
    """Copy the files to disk under names of our own; the user's names stay text."""
    folder = new_folder()
    spooled = []
    for number, file in enumerate(files):
        path = folder / f"{number:04d}"
        file.seek(0)
        with path.open("wb") as target:
            while chunk := file.read(CHUNK_BYTES):
                target.write(chunk)
        spooled.append((file.name, path))
    return spooled


def start(files: list[tuple[str, Path]], options: ReadOptions) -> None:
    """Start reading; the session remembers the job and, until it is done, the files."""
    st.session_state.pop(_REFUSAL, None)
    st.session_state[_SPOOLED] = files
    try:
        st.session_state[_JOB] = flows.start_read(files, options, state.owner())
    except KvledgerError as error:
        refuse(error.message)


def running_job() -> str | None:
    """The job that reads the browser session's files, until its end has been seen."""
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
