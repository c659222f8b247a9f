"""What a workload amounts to, and what `inspect` prints of a read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from data_sources.traces.base import ReadResult
from econ.receipt import Receipt
from econ.workload import WRITE_COLUMNS, Workload
from messages.errors import Message

Say = Callable[[Message], str]


def stats(workload: Workload) -> dict[str, Any]:
    """Counts of the whole workload, keys as in the shell's `inspect`; unknown is None.

    `rows` is the number of data rows of the file where its reader states one (an export with
    blank rows has more of them than requests), else the rows kept; likewise `models`. Ratios
    and block statistics are made elsewhere.
    """
    found: dict[str, Any] = {
        "rows": workload.format_stats.get("rows", workload.rows),
        "total_input_tokens": _total(workload, "input_tokens"),
        "total_output_tokens": _total(workload, "output_tokens"),
        "cached_read_tokens": _total(workload, "cached_read_tokens"),
    }
    for name in WRITE_COLUMNS:
        found[name] = _total(workload, name)
    found["duration_s"] = _duration_s(workload)
    found["models"] = workload.format_stats.get("models", _rows_by_model(workload))
    found["sessions"] = _distinct(workload, "session_id")
    return found


def format_stats(workload: Workload) -> dict[str, Any]:
    """What the reader counted beside `stats`, under the format's own names."""
    return {k: v for k, v in workload.format_stats.items() if k not in ("rows", "models")}


def inspect_json(result: ReadResult, block_stats: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """The `inspect` object of the shell. `block_stats` are joined into `stats`; where the reader
    counted one of them itself, in the file's own meaning of an id, its count stands."""
    workload = result.workload
    own = {key: workload.format_stats[key] for key in block_stats if key in workload.format_stats}
    return {
        "format": workload.format,
        "files": [
            {"path": f.path, "sha256": f.sha256, "format": f.format, "encoding": f.encoding}
            for f in result.receipt.files
        ],
        "receipt": receipt_json(result.receipt, say),
        "stats": {**stats(workload), **block_stats, **own},
        "format_stats": {k: v for k, v in format_stats(workload).items() if k not in own},
    }


def receipt_json(receipt: Receipt, say: Say) -> dict[str, Any]:
    """The receipt in words of one language."""
    return {
        "rows_read": receipt.rows_read,
        "rows_kept": receipt.rows_kept,
        "rows_collapsed": receipt.rows_collapsed,
        "rows_rejected": receipt.rows_rejected,
        "rows_ignored": receipt.rows_ignored,
        "rejected": [
            {"file": line.file, "line": line.line, "reason": say(line.reason)}
            for line in receipt.rejected
        ],
        "rejected_by_reason": {
            _plain_id(reason): rows for reason, rows in receipt.rejected_by_reason.items()
        },
        "ignored": [{"reason": say(g.reason), "rows": g.rows} for g in receipt.ignored],
        "assumptions": [say(message) for message in receipt.assumptions],
    }


def _plain_id(reason_id: str) -> str:
    """The last part of a reason's id: stable for machines, readable for people."""
    return reason_id.rsplit(".", 1)[-1]


def _total(workload: Workload, column: str) -> int | None:
    if not workload.has(column):
        return None if workload.rows or column.startswith("cache") else 0
    return int(workload.counts(column).sum())


def _duration_s(workload: Workload) -> float | None:
    arrivals = workload.floats("arrival_s")
    known = arrivals[~np.isnan(arrivals)]
    return round(float(known.max() - known.min()), 6) if len(known) else None


def _rows_by_model(workload: Workload) -> dict[str, int] | None:
    if not workload.has("model"):
        return None
    models = workload.text("model")
    counts = np.bincount(models.codes[models.codes >= 0], minlength=len(models.values))
    return {name: rows for name, rows in zip(models.values, counts.tolist(), strict=True) if rows}


def _distinct(workload: Workload, column: str) -> int | None:
    if not workload.has(column):
        return None
    codes = workload.text(column).codes
    return len(np.unique(codes[codes >= 0]))
