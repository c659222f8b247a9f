"""What the server does when it starts and ends: the ledger, the pool, and warm imports.

`start()` returns quickly; everything that no first page waits for happens in a thread. Without it
(the shell, tests) jobs run inline.
"""

from __future__ import annotations

import importlib
import logging
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import settings as settings_module
from data_sources.store.engine import Store, close_current_store, current_store
from data_sources.store.jobs import expire_jobs
from data_sources.store.workloads import expire_unsaved, sweep
from jobs.inline import InlineRunner
from jobs.local import LocalRunner
from jobs.runner import Runner
from jobs.spool import forget_old
from messages.errors import KvledgerError
from settings import Settings

log = logging.getLogger(__name__)

WARM_MODULES = ("pandas", "plotly.graph_objects", "pyarrow.parquet")
WORKERS_AFTER_S = 4.0
TIDY_EVERY_S = 600.0
ROOMS = ("app", "pages", "ui", "jobs", "data_sources", "econ", "price_tables")

Warm = Callable[[], object]


@dataclass(slots=True)
class _Running:
    runner: LocalRunner
    ended: threading.Event
    background: threading.Thread


_lock = threading.Lock()
_running: _Running | None = None
_inline: InlineRunner | None = None


def start(warm: Sequence[Warm] = (), later: Sequence[Warm] = ()) -> None:
    """Open and migrate the ledger, start the pool; then, in a thread, take over lost jobs, expire
    what is old, warm the imports and call each of `warm`; each of `later` once workers are there
    to take jobs. A second start changes nothing.

    Raises InputError for a bad setting, SourceError or DataError when the ledger cannot be used.
    """
    global _running
    settings = settings_module.current()
    _log_at(settings.log_level)
    for name in settings_module.unknown_names():
        log.warning("%s is set but is no setting", name)
    with _lock:
        if _running is not None:
            return
        store = current_store()
        expire_jobs(store, _session_began(settings))  # nobody waits for those: not to be resumed
        runner = LocalRunner(store, settings)
        runner.start()
        ended = threading.Event()
        background = threading.Thread(
            target=_background, args=(store, runner, ended, warm, later), name="warm", daemon=True
        )
        _running = _Running(runner=runner, ended=ended, background=background)
        background.start()


def stop() -> None:
    """End pool and threads and close the ledger. What was unfinished is taken up at next start."""
    global _running, _inline
    with _lock:
        running, _running, _inline = _running, None, None
    if running is None:
        return
    running.ended.set()
    running.runner.stop()
    running.background.join()
    close_current_store()


@asynccontextmanager
async def lifespan(_app: Any) -> AsyncIterator[dict[str, Any]]:
    """`st.App("ui/router.py", lifespan=lifespan)`."""
    start()
    try:
        yield {}
    finally:
        stop()


def current_runner() -> Runner:
    """The pool where the server has started one, else a runner that works in place."""
    global _inline
    with _lock:
        if _running is not None:
            return _running.runner
        store = current_store()
        if _inline is None or not _inline.serves(store):
            _inline = InlineRunner(store, settings_module.current())
        return _inline


def pool_started() -> bool:
    """For the readiness probe: the server's pool stands."""
    return _running is not None


def tidy(store: Store) -> None:
    """Delete what has outlived its session: unsaved workloads, old jobs, leftovers of kills."""
    old = _session_began(settings_module.current())
    forget_old(old)
    expire_unsaved(store, old)
    expire_jobs(store, old)
    sweep(store)
    from jobs import shelf  # knows the example, which no first page should wait for here

    shelf.close_gone(store)


def _session_began(settings: Settings) -> datetime:
    return datetime.now(UTC) - timedelta(seconds=settings.session_ttl_s)


def _log_at(level: str) -> None:
    # Ours at the level that was asked for; what libraries tell stays at warnings.
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for room in ROOMS:
        logging.getLogger(room).setLevel(level)


def _background(
    store: Store,
    runner: LocalRunner,
    ended: threading.Event,
    warm: Sequence[Warm],
    later: Sequence[Warm],
) -> None:
    _warm(ended, warm)
    # The first page comes first: workers import what it needs the processor for.
    if not ended.wait(WORKERS_AFTER_S):
        runner.warm()
        _call(ended, later)
    while not ended.is_set():
        try:
            tidy(store)
        except (KvledgerError, OSError) as error:
            # Nothing is lost by tidying later: another process may tidy the same files just now.
            log.warning("not tidied: %s", error)
        ended.wait(TIDY_EVERY_S)


def _warm(ended: threading.Event, warm: Sequence[Warm]) -> None:
    def imports() -> None:
        for name in WARM_MODULES:
            importlib.import_module(name)

    _call(ended, (imports, *warm))


def _call(ended: threading.Event, calls: Sequence[Warm]) -> None:
    try:
        for call in calls:
            if not ended.is_set():
                call()
    except Exception:
        # The page that needs it meets the same error and shows it; the server goes on.
        log.exception("not everything was warmed")
