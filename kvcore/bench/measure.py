"""Timing: median, spread, repeats, the share of its processors that this process got.

The share is processor time / (processor time + time spent ready but waiting for a processor), over
all threads of the process, as Linux counts them for each thread (first two figures of
``/proc/<pid>/task/<tid>/schedstat``, nanoseconds; kernel documentation, sched-stats). Sleeping and
serial parts do not lower it; other programs do. Elsewhere it is the main thread's processor time /
wall time, which a device that computes by itself also lowers: there no share is given for it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

CONTENDED_BELOW = 0.9
MAX_ROUNDS = 1_000

_TASKS = Path("/proc/self/task")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Seconds of each repeat and the process' share of its processors over all of them."""

    seconds: tuple[float, ...]
    cpu_share: float | None

    @property
    def median_s(self) -> float:
        return statistics.median(self.seconds)

    @property
    def spread_s(self) -> float | None:
        """Interquartile range in seconds; None for fewer than two repeats."""
        return interquartile_range(self.seconds)

    @property
    def contended(self) -> bool | None:
        """Others took more than a tenth of the processors; None where it cannot be known."""
        return None if self.cpu_share is None else self.cpu_share < CONTENDED_BELOW


def interquartile_range(values: tuple[float, ...]) -> float | None:
    """Third minus first quartile, by linear interpolation; None for fewer than two values."""
    if len(values) < 2:
        return None
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return high - low


@dataclass(slots=True)
class ShareMeter:
    """Adds up what the threads of this process got and what they waited for."""

    device_computes: bool = False
    got_s: float = 0.0
    wanted_s: float = 0.0
    _before: dict[str, tuple[int, int]] = field(default_factory=dict)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Counts while the block runs."""
        self._before, wall, own = _thread_times(), time.perf_counter(), time.thread_time()
        try:
            yield
        finally:
            after = _thread_times()
            if after:
                for thread, (run_ns, wait_ns) in after.items():
                    run_0, wait_0 = self._before.get(thread, (0, 0))
                    self.got_s += (run_ns - run_0) / 1e9
                    self.wanted_s += (run_ns - run_0 + wait_ns - wait_0) / 1e9
            elif not self.device_computes:
                self.got_s += time.thread_time() - own
                self.wanted_s += time.perf_counter() - wall

    @property
    def share(self) -> float | None:
        """0..1, or None where nothing was counted."""
        return round(min(1.0, self.got_s / self.wanted_s), 6) if self.wanted_s > 0 else None


def measure(
    run: Callable[[], object],
    *,
    repeats: int = 5,
    warm_up: int = 1,
    budget_s: float = float("inf"),
    before: Callable[[], object] | None = None,
    sync: Callable[[], None] | None = None,
) -> Timing:
    """Times ``run`` ``repeats`` times, fewer where ``budget_s`` would be passed, at least once.

    ``before`` runs untimed ahead of every call; ``sync`` waits for the device before each reading
    of the clock. The first ``warm_up`` calls are not counted.
    """
    wait = sync or _nothing
    meter = ShareMeter(device_computes=sync is not None)
    started, seconds = time.perf_counter(), []
    for number in range(-warm_up, min(repeats, MAX_ROUNDS)):
        if before is not None:
            before()
        wait()
        with meter.running() if number >= 0 else _quiet():
            start = time.perf_counter()
            run()
            wait()
            took = time.perf_counter() - start
        if number >= 0:
            seconds.append(took)
        if seconds and time.perf_counter() - started + took > budget_s:
            break
    return Timing(seconds=tuple(seconds), cpu_share=meter.share)


def _thread_times() -> dict[str, tuple[int, int]]:
    """Thread id -> (ns on a processor, ns ready and waiting); empty where the system has none."""
    times = {}
    try:
        for task in _TASKS.iterdir():
            run_ns, wait_ns, _ = (task / "schedstat").read_text().split()
            times[task.name] = (int(run_ns), int(wait_ns))
    except (OSError, ValueError):
        return {}
    return times


@contextmanager
def _quiet() -> Iterator[None]:
    yield


def _nothing() -> None:
    return None
