"""Worker processes that start clean and end with their parent.

Streamlit makes the running page script `__main__`; a spawned child would run that script again.
Children of `WorkerContext` are not told about `__main__`: tasks are found by import path.
"""

from __future__ import annotations

import logging
import multiprocessing
import multiprocessing.connection
import multiprocessing.spawn
import os
import signal
import threading
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any

import settings as settings_module
from settings import Settings

NAME = "kvledger-worker-"


class WorkerProcess(SpawnProcess):
    """A spawned process whose name marks it as ours."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.name = NAME + self.name


class WorkerContext(SpawnContext):
    """The spawn context for `ProcessPoolExecutor(mp_context=)`."""

    Process = WorkerProcess


_preparation_data = multiprocessing.spawn.get_preparation_data


def _without_main(name: str) -> dict[str, Any]:
    data = _preparation_data(name)
    if name.startswith(NAME):
        data.pop("init_main_from_name", None)
        data.pop("init_main_from_path", None)
    return data


# There is no hook for this; processes of others keep the original behaviour.
multiprocessing.spawn.get_preparation_data = _without_main


def initialise(settings: Settings) -> None:
    """First call in a new worker: settings, limits, and what most tasks import."""
    # Ctrl-C reaches the whole group; the parent alone decides how to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    settings_module.use(settings)
    logging.basicConfig(level=settings.log_level)
    _end_with_parent()
    _limit_memory(settings.worker_memory_mb)
    import numpy  # noqa: F401
    import pandas  # noqa: F401


def _end_with_parent() -> None:
    # A killed server leaves its pool waiting for work forever otherwise.
    parent = multiprocessing.parent_process()
    if parent is not None:
        watch = threading.Thread(target=_exit_after, args=(parent.sentinel,), daemon=True)
        watch.start()


def _exit_after(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


def _limit_memory(megabytes: int) -> None:
    if not megabytes:
        return
    try:
        import resource
    except ImportError:  # not on Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = megabytes * 1_000_000
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
