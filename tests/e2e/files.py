"""The files that the browser tests drop in, with sums worked by hand."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Any

COLUMNS = (
    "start_utc",
    "model",
    "session_id",
    "team",
    "input_tokens",
    "cached_read_tokens",
    "cache_write_5m_tokens",
    "output_tokens",
)
FIRST_DAY = datetime(2026, 11, 2, 9, tzinfo=UTC)
SECOND_DAY = FIRST_DAY + timedelta(days=1)


def two_days(shift_min: int = 0) -> bytes:
    """300 requests of claude-opus-5 (USD per million: input 5, write 6.25, read 0.50, output 25).

    2 November, team search: 100 x (1,000 new, 20,000 written, 500 out) = 14.25 USD, 11.75 without
    caching; 100 x (1,000 new, 20,000 read, 500 out) = 2.75 USD, 11.75 without.
    3 November, team review: 100 x (10,000 new, 90,000 read, 1,000 out) = 12.00 USD, 52.50 without.
    In all: billed 29.00, without caching 76.00, saved 47.00; on the first day 17.00, 23.50, 6.50.
    `shift_min` later in the day it is another workload with the same sums.
    """
    kinds = (
        (FIRST_DAY, "search", 21_000, 0, 20_000, 500),
        (FIRST_DAY + timedelta(hours=1), "search", 21_000, 20_000, 0, 500),
        (SECOND_DAY, "review", 100_000, 90_000, 0, 1_000),
    )
    rows = [
        (
            start + timedelta(minutes=shift_min, seconds=20 * turn),
            team,
            prompt,
            read,
            written,
            out,
            turn,
        )
        for start, team, prompt, read, written, out in kinds
        for turn in range(100)
    ]
    return text(
        [at.strftime("%Y-%m-%dT%H:%M:%SZ"), "claude-opus-5", f"s{turn % 5}", team, a, b, c, d]
        for at, team, a, b, c, d, turn in rows
    )


def one_loss() -> bytes:
    """Ten prompts of 100,000 tokens written and never read: billed 6.25, without caching 5.00."""
    return text(
        [f"2026-11-05T1{turn}:00:00Z", "claude-opus-5", f"x{turn}", "", 100_000, 0, 100_000, 0]
        for turn in range(10)
    )


def without_cache_columns() -> bytes:
    """Two requests of 500,000 tokens: 5.00 USD of input; what was cached is not in the file."""
    lines = ["start_utc,model,input_tokens,output_tokens"]
    lines += [f"2026-11-06T1{turn}:00:00Z,claude-opus-5,500000,0" for turn in range(2)]
    return ("\n".join(lines) + "\n").encode()


def text(rows: Any) -> bytes:
    """A CSV file with the columns above."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    return out.getvalue().encode()
