"""How long a million usage rows take to price, each with its own date and its own length."""

from __future__ import annotations

import os
import platform
import statistics
import sys
import time
from datetime import UTC, datetime

import numpy as np

from econ.billing import BillingOptions, bill
from econ.workload import Text, Workload
from price_tables.load import load_book

ROWS = 1_000_000
RUNS = 5
LIMIT_S = 2.0
SEED = 20261129
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
DAYS = 330
# A long-prompt tier and several price changes; five makers; hours that cost double.
MODELS = ("claude-opus-5", "gpt-5.6-sol", "gemini-2.5-pro", "claude-haiku-5-5", "deepseek-flash")


def usage(models: tuple[str, ...]) -> Workload:
    """`ROWS` rows over eleven months, up to 400,000 prompt tokens, half of them read."""
    made = np.random.default_rng(SEED)
    prompt = made.integers(1_000, 400_000, ROWS)
    offsets = np.sort(made.integers(0, DAYS * 86_400 * 1_000_000, ROWS))
    columns = {
        "model": Text(made.integers(0, len(models), ROWS).astype(np.int32), models),
        "arrival_utc": np.datetime64(FIRST.replace(tzinfo=None), "us") + offsets,
        "input_tokens": prompt,
        "cached_read_tokens": prompt // 2,
        "output_tokens": made.integers(1, 5_000, ROWS),
    }
    return Workload(name="benchmark", format="benchmark", rows=ROWS, columns=columns)


def measured(models: tuple[str, ...]) -> list[float]:
    """Seconds of each run, the book already loaded."""
    book, workload = load_book(), usage(models)
    seconds = []
    for _ in range(RUNS):
        start = time.perf_counter()
        found = bill(workload, book, BillingOptions())
        seconds.append(time.perf_counter() - start)
    amount = found.billed.amount
    print(f"   {', '.join(models)}: {amount.low_usd:,.2f} to {amount.high_usd:,.2f} USD")
    return seconds


def main() -> int:
    """Prints the table; 1 if a median is above the limit."""
    print(f"{ROWS:,} rows, {os.cpu_count()} CPUs, {platform.machine()}, numpy {np.__version__}")
    failed = False
    for models in (MODELS[:1], MODELS):
        seconds = measured(models)
        median = statistics.median(seconds)
        failed |= median > LIMIT_S
        print(
            f"{len(models)} model(s): median {median:.3f} s of {RUNS} "
            f"({min(seconds):.3f} to {max(seconds):.3f}), {ROWS / median:,.0f} rows/s, "
            f"limit {LIMIT_S} s"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
