"""How long a CSV of 1.4 million requests takes to become a workload, beside pandas.read_csv.

Both read the same file alternately in one run; the ratio of the medians is what counts, because
the machine may be busy. Afterwards ten million requests are read in a fresh process and its peak
memory is printed.

    python -m benchmarks.read_csv [--rows N] [--large N] [--runs N]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pacsv

from data_sources.traces.base import Decoded, ReadOptions, ReadResult, Source, no_progress
from data_sources.traces.plain_csv import read

ROWS, LARGE_ROWS, RUNS = 1_400_000, 10_000_000, 5
PART_ROWS = 1_000_000
LIMIT = 2.0
UNQUOTED = pacsv.WriteOptions(quoting_style="none", quoting_header="none")
MEASURE = "--measure-memory"


def write_requests(path: Path, rows: int, seed: int = 7) -> None:
    """A plain CSV of `rows` requests in time order: sessions, three models, cache columns."""
    rng = np.random.default_rng(seed)
    writer = None
    for first in range(0, rows, PART_ROWS):
        table = _requests(rng, first, min(PART_ROWS, rows - first))
        writer = writer or pacsv.CSVWriter(path, table.schema, write_options=UNQUOTED)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _requests(rng: np.random.Generator, first: int, rows: int) -> pa.Table:
    shared, fresh = rng.integers(0, 20_000, rows), rng.integers(1, 4_000, rows)
    models = np.array(["claude-opus-5", "claude-haiku-4-5", "gpt-5.6-luna"])
    return pa.table(
        {
            "start_s": np.round((first + np.sort(rng.random(rows) * rows)) * 0.3, 3),
            "session_id": pa.array(np.char.add("s-", rng.integers(0, 50_000, rows).astype(str))),
            "model": pa.array(models[rng.integers(0, 3, rows)]),
            "input_tokens": shared + fresh,
            "shared_prefix_tokens": shared,
            "fresh_tokens": fresh,
            "output_tokens": rng.integers(0, 900, rows),
            "cached_read_tokens": shared // 2,
            "ttl": pa.array(np.array(["5m", "1h"])[rng.integers(0, 2, rows)]),
        }
    )


def read_workload(path: Path) -> ReadResult:
    """The file as a workload with its receipt."""
    source = Source(name=path.name, path=path, sha256="", size_bytes=path.stat().st_size)
    file = Decoded(source=source, path=path, encoding="utf-8")
    return read([file], ReadOptions(), no_progress)


def seconds(what: Callable[[], object]) -> tuple[float, float]:
    """(wall-clock, processor) seconds of one call, all threads together."""
    wall, processor = time.perf_counter(), time.process_time()
    what()
    return time.perf_counter() - wall, time.process_time() - processor


def compare(path: Path, runs: int) -> None:
    """Print the medians of `runs` alternating pairs and their ratio. Processor time tells how
    much of a wall-clock ratio is a busy machine's."""
    read_workload(path)
    pairs = [
        (seconds(lambda: pd.read_csv(path)), seconds(lambda: read_workload(path)))
        for _ in range(runs)
    ]
    print(f"{'':18}{'wall s':>8}{'processor s':>13}   medians of {runs}")
    medians = [
        [statistics.median(pair[who][clock] for pair in pairs) for clock in (0, 1)]
        for who in (0, 1)
    ]
    for name, (wall, processor) in zip(("pandas.read_csv", "kvledger"), medians, strict=True):
        print(f"{name:18}{wall:8.2f}{processor:13.2f}")
    ratios = [ours / theirs for theirs, ours in zip(*medians, strict=True)]
    print(f"{'ratio':18}{ratios[0]:8.2f}{ratios[1]:13.2f}   wanted: at most {LIMIT}")


def measure_memory(path: Path) -> None:
    """Print what reading `path` costs in memory; meant for a process of its own."""
    result = read_workload(path)
    assert result.workload.rows == result.receipt.rows_read
    held = sum(column.nbytes for column in _arrays(result)) / 1e9
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(f"{result.workload.rows:,} requests: {held:.2f} GB held, {peak:.2f} GB at the peak")


def _arrays(result: ReadResult) -> list[np.ndarray]:
    columns = result.workload.columns.values()
    return [getattr(column, "codes", column) for column in columns]


def main() -> None:
    """Generate, compare, and measure a large file in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--large", type=int, default=LARGE_ROWS)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument(MEASURE, type=Path, default=None, dest="measure")
    given = parser.parse_args()
    if given.measure:
        measure_memory(given.measure)
        return
    with tempfile.TemporaryDirectory(prefix="kvledger-benchmark-") as folder:
        path = Path(folder) / "requests.csv"
        write_requests(path, given.rows)
        print(f"{given.rows:,} rows, {path.stat().st_size / 1e6:.0f} MB")
        compare(path, given.runs)
        if given.large:
            write_requests(path, given.large)
            command = [sys.executable, "-m", "benchmarks.read_csv", MEASURE, str(path)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
