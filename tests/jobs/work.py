"""Small tasks that the tests run as jobs, in this process or in workers."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from jobs.progress import Progress
from messages.errors import DataError, Message, input_error

STAGES = ("read", "sort", "price", "save")


def count(params: dict[str, Any], progress: Progress) -> str:
    """Reports each of `n` steps; the result is their number."""
    for done in range(params["n"]):
        progress(done / params["n"], "count", rows=done)
        time.sleep(params.get("pause_s", 0))
    return str(params["n"])


def log_line(params: dict[str, Any], progress: Progress) -> str:
    """Appends its process id to a file: who ran, how often."""
    progress(0.5, "log")
    with Path(params["log"]).open("a") as file:
        file.write(f"{os.getpid()}\n")
    return "logged"


def stages(params: dict[str, Any], progress: Progress) -> str:
    """Goes through STAGES and waits in one of them until it is told to stop."""
    for number, stage in enumerate(STAGES):
        progress(number / len(STAGES), stage)
        while stage == params["wait_in"]:
            time.sleep(0.02)
            progress(number / len(STAGES), stage)
    return "not cancelled"


def refuse(params: dict[str, Any], progress: Progress) -> str:
    """Refuses its input."""
    raise input_error("traces.not_json", file=params["file"], line=7)


def bad_data(params: dict[str, Any], progress: Progress) -> str:
    """Finds damaged data."""
    raise DataError(Message("store.corrupt", {"file": "x"}))


def fall_over(params: dict[str, Any], progress: Progress) -> str:
    """Has a bug, with something in its words that no page may show."""
    raise RuntimeError("secret-canary")


def die(params: dict[str, Any], progress: Progress) -> str:
    """Kills its own process on the first `deaths` runs, then logs one line."""
    log_line(params, progress)
    runs = len(Path(params["log"]).read_text().splitlines())
    if runs <= params["deaths"]:
        os.kill(os.getpid(), signal.SIGKILL)
    return "survived"


def sleep_deaf(params: dict[str, Any], progress: Progress) -> str:
    """Says where it runs, then listens to nobody."""
    Path(params["log"]).write_text(str(os.getpid()))
    time.sleep(params["s"])
    return "slept"


def sleep_if_first(params: dict[str, Any], progress: Progress) -> str:
    """The first run waits to be killed, the second one ends."""
    log_line(params, progress)
    if len(Path(params["log"]).read_text().splitlines()) == 1:
        sleep_deaf({"log": params["pid"], "s": 60}, progress)
    return "resumed"


def hungry(params: dict[str, Any], progress: Progress) -> str:
    """Asks for more memory than a worker may have."""
    return str(len(bytearray(params["bytes"])))


def modules(params: dict[str, Any], progress: Progress) -> str:
    """Which of the named modules are loaded where it runs."""
    return ",".join(name for name in params["names"] if name in sys.modules)
