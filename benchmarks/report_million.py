"""What a million requests cost in seconds: read, report, another period, the charts' series."""

from __future__ import annotations

import cProfile
import csv
import os
import platform
import pstats
import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import settings
from data_sources.store.engine import close_current_store
from data_sources.traces.base import ReadOptions
from econ.report import Rate, ReportParams
from jobs import flows

REQUESTS = 1_000_000
START = datetime(2026, 10, 1, tzinfo=UTC)
OWNER = "benchmark"
MODELS = ("claude-opus-5", "claude-opus-5-5", "claude-sonnet-5", "gpt-5.6-sol", "claude-haiku-4-5")
TEAMS = ("search", "support", "research", "platform")
HEADER = (
    "start_utc,session_id,model,team,user,"
    "input_tokens,cached_read_tokens,cache_write_5m_tokens,output_tokens"
)


def write_csv(path: Path, requests: int = REQUESTS) -> None:
    """A month of `requests` requests of five models, four teams, 400 users, 50 a session."""
    made = random.Random(20261001)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(HEADER.split(","))
        for number in range(requests):
            read, written = made.randrange(0, 90_000), made.randrange(0, 4_000)
            model = MODELS[number // 50 % len(MODELS)]
            rows.writerow(
                (
                    (START + timedelta(seconds=number * 2.5)).isoformat(timespec="milliseconds"),
                    f"s{number // 50}",
                    model,
                    TEAMS[number % len(TEAMS)],
                    f"user{made.randrange(400)}",
                    made.randrange(1, 3_000) + read + (written if "claude" in model else 0),
                    read,
                    written if "claude" in model else "",
                    made.randrange(1, 2_000),
                )
            )


def timed(what: str, call: Callable[[], Any], profiled: bool = False) -> Any:
    """The result of `call`; its seconds are printed, and where they went if `profiled`."""
    profile = cProfile.Profile()
    start, busy = time.perf_counter(), time.process_time()
    if profiled:
        profile.enable()
    result = call()
    profile.disable()
    seconds, processor = time.perf_counter() - start, time.process_time() - busy
    print(f"{what:<32} {seconds:9.2f} {processor:9.2f}", flush=True)
    if profiled:
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)
    return result


def main(words: list[str]) -> int:
    """Prints seconds; `--profile` prints where they go as well."""
    profiled = "--profile" in words
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{REQUESTS:,} requests, {os.cpu_count()} processors, {platform.platform()}{load}")
    print(f"{'seconds':<32}   elapsed processor")
    with tempfile.TemporaryDirectory(prefix="kvledger-bench-", ignore_cleanup_errors=True) as name:
        own = settings.read_settings(data_dir=Path(name) / "data")
        with settings.using(own):
            run(Path(name) / "million.csv", profiled)
            close_current_store()
    return 0


def run(path: Path, profiled: bool) -> None:
    """Every step that a browser session takes, in its order."""
    write_csv(path)
    files = [("million.csv", path)]
    job_id = timed("read and keep", partial(flows.start_read, files, ReadOptions(), OWNER))
    workload_id = str(flows.job(job_id, OWNER).result_id)
    timed("open again", partial(flows.workload_info, workload_id, OWNER))
    flows.book()  # the server has read its prices before anyone asks
    whole = ReportParams()
    period = ReportParams(since=date(2026, 10, 3), until=date(2026, 10, 20))
    yen = Rate(currency="JPY", per_usd=Decimal(150), date=None, source="user")
    for words, params in (
        ("report", whole),
        ("the same report again", whole),
        ("report in JPY", replace(whole, rates=(yen,))),
        ("report by days of Tokyo", replace(whole, tz="Asia/Tokyo")),
        ("report of another period", period),
        ("report of a third period", ReportParams(since=date(2026, 10, 10))),
    ):
        timed(words, partial(flows.report, workload_id, params, OWNER), profiled)
    timed("series", partial(flows.workload_series, workload_id, whole, OWNER), profiled)
    timed("series of another period", partial(flows.workload_series, workload_id, period, OWNER))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
