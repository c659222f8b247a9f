"""A fleet on the Mooncake trace: one configuration, then 200 of them on two processes.

    python -m benchmarks.fleet

Needs KVLEDGER_REFERENCE_DATA. Elapsed seconds from the workload in memory to the latencies, hits
lost to separate caches included; the loop is compiled beforehand, as the server does when it
starts, and its compile time is told apart.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from econ.fleet_names import ROUTINGS
from econ.fleet_setup import FleetAsked
from econ.fleet_study import FleetStudy
from econ.workload import Workload
from jobs.fleet_flows import served

MOONCAKE = Path("traces", "serving_prefix", "mooncake", "conversation_trace.jsonl")
ONE_S, MANY_S, MANY, PROCESSES, RUNS = 2.0, 60.0, 200, 2, 5
BASE = FleetAsked(
    model="llama-3.1-70b", device="h200-sxm", tensor_parallel=2, quantization="fp8",
    kv_dtype="fp8", replicas=(4,), routings=("prefix-affine",),
)  # fmt: skip
DEVICES = ("h100-sxm", "h200-sxm", "b200-sxm", "b300-sxm", "mi355x")
REPLICAS = (1, 2, 3, 4, 6, 8, 12)


def configurations() -> list[FleetAsked]:
    """`MANY` different fleets: devices x replicas x routing x KV type."""
    found = [
        replace(BASE, device=device, replicas=(n,), routings=(routing,), kv_dtype=kv)
        for kv in ("fp8", "bf16")
        for device in DEVICES
        for n in REPLICAS
        for routing in ROUTINGS
    ]
    return found[:MANY]


@lru_cache(maxsize=1)
def trace() -> Workload:
    """The published conversation trace."""
    from data_sources.traces.base import ReadOptions
    from jobs.reading import read_paths

    path = Path(os.environ["KVLEDGER_REFERENCE_DATA"]) / MOONCAKE
    return read_paths([path], ReadOptions(), lambda fraction, stage: None).workload


def one(asked: FleetAsked) -> FleetStudy:
    """One configuration, from the workload on."""
    return served(trace(), asked, compare=False)


def warm() -> None:
    """The trace read and the loop compiled in this process."""
    one(BASE)


def main() -> int:
    """Print the table; 0 where both targets are met."""
    if "KVLEDGER_REFERENCE_DATA" not in os.environ:
        print("KVLEDGER_REFERENCE_DATA is not set: nothing to measure")
        return 0
    trace()
    start = time.perf_counter()
    warm()
    first_s = time.perf_counter() - start
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        found = one(BASE)
        times.append(time.perf_counter() - start)
    asked = configurations()
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(PROCESSES, mp_context=spawn, initializer=warm) as pool:
        list(pool.map(one, asked[:PROCESSES]))  # both are up and warm
        start = time.perf_counter()
        many = list(pool.map(one, asked, chunksize=5))
        many_s = time.perf_counter() - start
    one_s = statistics.median(times)
    full = sum(row.saturated for study in many for row in study.results)
    print(f"machine: {platform.machine()}, {os.cpu_count()} processors, Python {sys.version[:6]}")
    print(f"requests {found.requests:,}; the first run took {first_s:.2f} s (compiled or loaded)")
    print(f"one configuration: {one_s:.3f} s (fastest {min(times):.3f}), at most {ONE_S} s")
    print(
        f"{len(many)} configurations on {PROCESSES} processes: {many_s:.1f} s, at most {MANY_S} s"
    )
    print(f"of them saturated: {full}; load of the machine {os.getloadavg()[0]:.1f}")
    return int(one_s > ONE_S or many_s > MANY_S)


if __name__ == "__main__":
    sys.exit(main())
