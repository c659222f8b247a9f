"""Our replay and our curve against libCacheSim's LRU on the same trace, in pairs in one run.

libCacheSim (GPL-3) is no dependency: `pip install libcachesim` by hand. Both read the same binary
file of 64-bit ids from the same disk; ours makes the ids dense on the way. Without it ours alone
is timed. Then the peak memory of 240 million references, each replay in a process of its own.

    python -m benchmarks.replay [--references N]
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from econ import replay_kernels
from econ.curve import curve_of
from econ.replay import row_hits
from econ.replay_input import Blocks, dense

RUNS = 6
FACTOR = 5.0
SEED = 20261129
DOCUMENTS, DEEPEST = 60_000, 200
REQUESTS = (40_000, 90_000)  # about 4.6 and 10 million references
LARGE = 240_000_000
LIMIT_GB = 4.0
MEASURE = "--measure-memory"
SKEW = 0.9
RECORD = np.dtype([("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")])
MOONCAKE = Path("traces", "serving_prefix", "mooncake", "conversation_trace.jsonl")
SIZES = (0.02, 0.2, 0.5)  # of the footprint


def synthetic(requests: int) -> tuple[np.ndarray, np.ndarray]:
    """Requests that start with a document and go on alone: offsets and 64-bit ids."""
    made = np.random.default_rng(SEED)
    weights = 1 / np.arange(1, DOCUMENTS + 1) ** SKEW
    document = made.choice(DOCUMENTS, requests, p=weights / weights.sum())
    depth = made.integers(1, DEEPEST, DOCUMENTS)
    shared, own = depth[document], made.integers(1, 40, requests)
    offsets = np.concatenate(([0], np.cumsum(shared + own))).astype(np.int64)
    row_of = np.repeat(np.arange(requests), shared + own)
    place = np.arange(offsets[-1]) - offsets[row_of]
    inside = place < shared[row_of]
    chain = np.where(inside, document[row_of], DOCUMENTS + row_of) * 1_000 + place
    mixed = chain.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return offsets, (mixed >> np.uint64(1)).astype(np.int64)


def mooncake() -> tuple[np.ndarray, np.ndarray] | None:
    """The published conversation trace, where the reference files are."""
    root = os.environ.get("KVLEDGER_REFERENCE_DATA")
    if not root:
        return None
    from data_sources.traces.base import ReadOptions
    from jobs.reading import read_paths

    result = read_paths([Path(root) / MOONCAKE], ReadOptions(), lambda fraction, stage: None)
    prefix = result.workload.prefix
    assert prefix is not None
    return prefix.offsets, prefix.block_ids


def written(folder: Path, ids: np.ndarray) -> Path:
    """The references in libCacheSim's oracleGeneral layout, each of size 1."""
    records = np.zeros(len(ids), dtype=RECORD)
    records["time"], records["id"], records["size"] = np.arange(len(ids)) >> 8, ids, 1
    records["next"] = -2
    path = folder / "trace.oracleGeneral"
    records.tofile(path)
    return path


def opened(path: Path, offsets: np.ndarray) -> Blocks:
    """Our input from that file: ids made dense."""
    ids, space = dense(np.fromfile(path, dtype=RECORD)["id"].astype(np.int64))
    return _blocks(offsets, ids, space)


def _blocks(offsets: np.ndarray, ids: np.ndarray, space: int) -> Blocks:
    lengths = np.diff(offsets)
    return Blocks(
        offsets=offsets,
        ids=ids,
        id_space=space,
        look=lengths,
        file_blocks=lengths,
        input_tokens=lengths,
        block_tokens=1,
        arrival_s=np.zeros(len(lengths)),
    )


def theirs(path: Path, capacity: int) -> float:
    """libCacheSim's miss ratio."""
    import libcachesim

    reader = libcachesim.TraceReader(
        trace=str(path), trace_type=libcachesim.TraceType.ORACLE_GENERAL_TRACE
    )
    miss_ratio, _ = libcachesim.LRU(cache_size=capacity).process_trace(reader)
    return float(miss_ratio)


def seconds_of(call: Callable[[], object]) -> float:
    """Processor seconds of one call: what else runs on the machine does not count."""
    start = time.process_time()
    call()
    return time.process_time() - start


def paired(calls: dict[str, Callable[[], object]]) -> dict[str, list[float]]:
    """Seconds of each call, taken in turns so that a slow moment of the machine hits all, and each
    in every place of the turn: who comes after a large neighbour waits for its memory."""
    for call in calls.values():
        call()  # compiled, and in the disk's cache
    found: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    for turn in range(RUNS):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            found[name].append(seconds_of(calls[name]))
    return found


def same_ratio(path: Path, ids: np.ndarray, capacity: int) -> bool:
    """One reference a request: then both caches are the plain LRU, and must agree."""
    single = opened(path, np.arange(len(ids) + 1, dtype=np.int64))
    ours = 1 - int(row_hits(single, capacity, "lru").sum()) / len(ids)
    return abs(ours - theirs(path, capacity)) < 1e-6


def compared(name: str, offsets: np.ndarray, ids: np.ndarray, folder: Path) -> bool:
    """One table; True where both targets are met."""
    path = written(folder, ids)
    footprint = opened(path, offsets).footprint
    print(f"{name}: {len(offsets) - 1:,} requests, {len(ids):,} references, {footprint:,} distinct")
    fits = True
    has_rival = _has_rival()
    for share in SIZES:
        size = max(1, int(footprint * share))
        calls: dict[str, Callable[[], object]] = {
            "replay": lambda size=size: row_hits(opened(path, offsets), size, "lru-leaf"),
            "curve": lambda: curve_of(opened(path, offsets)),
        }
        if has_rival:
            calls["libcachesim"] = lambda size=size: theirs(path, size)
        fits &= _told(size, len(ids), paired(calls))
        if has_rival:
            agreed = same_ratio(path, ids, size)
            fits &= agreed
            print(f"     plain LRU: {'equal' if agreed else 'DIFFERENT'} hit ratios")
    return fits


def _has_rival() -> bool:
    try:
        import libcachesim  # noqa: F401
    except ImportError:
        print("   libcachesim is not installed: ours alone")
        return False
    return True


def _told(size: int, references: int, seconds: dict[str, list[float]]) -> bool:
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    for name, times in seconds.items():
        rate = references / medians[name] / 1e6
        print(
            f"   {size:>9,} blocks  {name:<12} median {medians[name] * 1e3:8.1f} ms "
            f"({min(times) * 1e3:.1f} to {max(times) * 1e3:.1f})  {rate:6.1f} M references/s"
        )
    if "libcachesim" not in medians:
        return True
    replay, curve = (medians["libcachesim"] / medians[name] for name in ("replay", "curve"))
    print(
        f"     replay {replay:.1f} x libCacheSim (target {FACTOR:g} x), "
        f"all capacities {curve:.1f} x one of its (target 1 x)"
    )
    return replay >= FACTOR and curve >= 1


def many(references: int) -> tuple[np.ndarray, np.ndarray]:
    """As `synthetic`, 120 ids a request, made in place: this process' memory is measured."""
    made = np.random.default_rng(SEED)
    rows, part = references // 120, 10_000
    document = made.zipf(1.3, rows) % 200_000
    ids = np.empty((rows, 120), dtype=np.int64)
    for first in range(0, rows, part):
        here = slice(first, min(first + part, rows))
        ids[here, :100] = document[here, None] * 1_000 + np.arange(100)
        alone = 200_000 + np.arange(here.start, here.stop)
        ids[here, 100:] = alone[:, None] * 1_000 + np.arange(20)
    flat = ids.reshape(-1)
    flat *= np.int64(-0x61C8864680B583EB)
    flat >>= 1
    return np.arange(rows + 1, dtype=np.int64) * 120, flat


def measure_memory(what: str, references: int) -> None:
    """Print time and peak memory of one replay; meant for a process of its own."""
    offsets, raw = many(references)
    start = time.perf_counter()
    ids, space = dense(raw)
    blocks = _blocks(offsets, ids, space)
    if what == "replay":
        hits = int(row_hits(blocks, space // 10, "lru-leaf").sum())
    else:
        hits = int(curve_of(blocks).hit_blocks[-1])
    took = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(
        f"{what}: {len(raw):,} references, {space:,} distinct, {hits:,} hits, {took:.0f} s, "
        f"{peak:.2f} GB at the peak, their {raw.nbytes / 1e9:.2f} GB of 64-bit ids included "
        f"(target {LIMIT_GB:g} GB)",
        flush=True,
    )


def main() -> int:
    """Prints the tables; 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--references", type=int, default=LARGE)
    parser.add_argument(MEASURE, choices=("replay", "curve"), dest="measure")
    given = parser.parse_args()
    if given.measure:
        measure_memory(given.measure, given.references)
        return 0
    compiled = "compiled" if replay_kernels.NJIT is not None else "NOT compiled"
    print(f"{os.cpu_count()} CPUs, {platform.machine()}, loops {compiled}, medians of {RUNS}")
    traces: dict[str, tuple[np.ndarray, np.ndarray] | None] = {
        f"synthetic documents, {n:,} requests": synthetic(n) for n in REQUESTS
    }
    traces["Mooncake conversation"] = mooncake()
    fits = True
    with tempfile.TemporaryDirectory() as folder:
        for name, trace in traces.items():
            if trace is not None:
                fits &= compared(name, *trace, Path(folder))
    size = ("--references", str(given.references))
    for what in ("replay", "curve") if given.references else ():
        command = [sys.executable, "-m", "benchmarks.replay", MEASURE, what, *size]
        subprocess.run(command, check=True)
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
