"""Requests to one source keep their distance, whoever in this process asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cache

from data_sources.public.hosts import PACES


class Pacer:
    """Gives each group of hosts its turns, one after another."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._next: dict[str, float] = {}

    def wait(self, host: str, sleep: Callable[[float], None]) -> None:
        """Sleep until it is this caller's turn. KeyError for a host that is not known."""
        pace = PACES[host]
        with self._lock:
            now = self._clock()
            turn = max(now, self._next.get(pace.group, now))
            self._next[pace.group] = turn + pace.interval_s
        if turn > now:
            sleep(turn - now)


@cache
def shared_pacer() -> Pacer:
    """The process's one pacer: several pages together keep to the limits."""
    return Pacer()
