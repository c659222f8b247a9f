"""A runner that runs each job where it is asked for: the shell, tests, and small work."""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Mapping
from typing import Any

from data_sources.store.engine import Store
from jobs import held
from jobs.runner import StoreRunner, carried
from jobs.tasks import path_of
from jobs.worker import Call, run_job
from settings import Settings

_live: set[str] = set()


def runner_name() -> str:
    """A new name that says which process on which host answers: 'host:pid:random'."""
    name = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex}"
    _live.add(name)
    return name


def retire(name: str) -> None:
    """The runner `name` of this process has stopped: others may take over its jobs."""
    _live.discard(name)


def is_gone(runner: str) -> bool:
    """The process of `runner` was on this host and has ended, or its runner has. A pid that came
    back (a container's 1) is told apart by the random part."""
    host, _, rest = runner.partition(":")
    pid = rest.partition(":")[0]
    if host != socket.gethostname() or not pid.isdigit():
        return False
    if int(pid) == os.getpid():
        return runner not in _live
    return not _alive(int(pid))


def _alive(pid: int) -> bool:
    if os.name == "nt":  # signal 0 is Ctrl-C there; the heartbeat decides alone
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class InlineRunner(StoreRunner):
    """See `Runner`. `submit` returns when the job has finished."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self.name = runner_name()

    def serves(self, store: Store) -> bool:
        """This runner works on `store`."""
        return self._store is store

    def submit(self, kind: str, params: Mapping[str, Any], owner: str) -> str:
        """See `Runner`."""
        path = path_of(kind)
        params = carried(params)
        job_id, new = self.queued(kind, params, owner)
        if new:
            call = Call(
                job_id=job_id,
                path=path,
                params=params,
                runner=self.name,
                timeout_s=self._settings.job_timeout_s,
                held=held.held(params),
            )
            run_job(self._store, call)
        return job_id
