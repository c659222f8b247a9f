"""The shell's door for tests: files written by hand, commands run in this process or another."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import cli

ROOT = Path(__file__).parents[1]
PATIENCE_S = 120


@dataclass(frozen=True, slots=True)
class Said:
    """How a command ended and what it said."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON: it must be nothing else."""
        return json.loads(self.out)

    @property
    def sentence(self) -> str:
        """The one line on standard error of a refusal that said nothing on standard output."""
        assert self.out == ""
        (line,) = self.err.splitlines()
        return line


def shell(*words: object) -> Said:
    """Run one command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = cli.main([str(word) for word in words])
        except SystemExit as ended:  # argparse: help and wrong usage
            status = int(ended.code or 0)
    return Said(status, out.getvalue(), err.getvalue())


def report(*words: object) -> dict[str, Any]:
    """What `report … --json` prints; it must succeed."""
    said = shell("report", *words, "--json")
    assert said.status == 0, said.err
    found: dict[str, Any] = said.json
    return found


def process(*words: object, **environment: str) -> Said:
    """Run `python cli.py …` as a process of its own, as a user does."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "cli.py"), *map(str, words)],
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
        env={**os.environ, **environment},
    )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


def plain_csv(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    """A table with the columns of all `rows`; what a row does not say is empty."""
    columns = dict.fromkeys(name for row in rows for name in row)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(columns))
        table.writeheader()
        table.writerows(rows)
    return path


def jsonl(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """One JSON object a line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def groups(found: Mapping[str, Any], by: str) -> dict[str, dict[str, Any]]:
    """The groups of one kind by their key."""
    return {row["key"]: row for row in found["groups"] if row["by"] == by}


def usd(amount: str) -> Decimal:
    """Money as the shell prints it: a decimal string, never a float, never an exponent."""
    assert isinstance(amount, str)
    assert set(amount) <= set("-0123456789.")
    return Decimal(amount)


def two_sessions_csv(folder: Path) -> Path:
    """Demand 17: A writes 100,000 tokens at 1 h, pauses 20 min, reads; B writes them twice at
    5 min."""
    size = 100_000
    rows = [
        {"session_id": "A", "start_utc": "2026-11-01T10:00:00Z", "cache_write_1h_tokens": size},
        {"session_id": "A", "start_utc": "2026-11-01T10:20:00Z", "cached_read_tokens": size},
        {"session_id": "B", "start_utc": "2026-11-01T10:00:00Z", "cache_write_5m_tokens": size},
        {"session_id": "B", "start_utc": "2026-11-01T10:20:00Z", "cache_write_5m_tokens": size},
    ]
    common = {"model": "claude-opus-5", "input_tokens": size, "output_tokens": 0}
    return plain_csv(folder / "sessions.csv", [{**common, **row} for row in rows])
