"""Starting and stopping the server's parts again and again leaves nothing behind."""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
from pathlib import Path

import pytest

from data_sources.store.engine import open_store
from jobs import lifespan
from jobs.spawn import NAME
from settings import Settings, using

FDS = Path("/proc/self/fd")


def open_files() -> int:
    gc.collect()
    return len(os.listdir(FDS))


@pytest.mark.skipif(not FDS.is_dir(), reason="counts open files in /proc")
def test_restart_fifty_times_leaks_no_threads_or_fds(tmp_path: Path) -> None:
    with using(Settings(data_dir=tmp_path)):
        open_store(Settings(data_dir=tmp_path)).close()
        lifespan.start()  # the first start imports what stays
        lifespan.stop()
        threads, files = threading.active_count(), open_files()
        for _ in range(50):
            lifespan.start()
            assert lifespan.pool_started()
            lifespan.stop()
        assert threading.active_count() <= threads
        assert open_files() <= files
    assert [c for c in multiprocessing.active_children() if c.name.startswith(NAME)] == []
