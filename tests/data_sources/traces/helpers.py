"""What the tests of the trace readers share: files made of bytes, and a read of them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from data_sources.traces.base import ReadOptions, ReadResult, Source
from data_sources.traces.read import read
from data_sources.traces.source import spool
from econ.workload import Workload

DATA = Path(__file__).resolve().parents[2] / "data" / "traces"


def source(folder: Path, name: str, content: bytes | str) -> Source:
    """An upload of these bytes under this name."""
    raw = content.encode() if isinstance(content, str) else content
    return spool(name, io.BytesIO(raw), folder)


def jsonl(rows: Iterable[Any]) -> str:
    """One JSON value a line."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def read_text(
    folder: Path, content: bytes | str, name: str = "upload.jsonl", **options: Any
) -> ReadResult:
    """The read of one upload."""
    return read([source(folder, name, content)], ReadOptions(**options))


def read_rows(folder: Path, rows: Iterable[Any], **options: Any) -> ReadResult:
    """The read of one JSON Lines upload."""
    return read_text(folder, jsonl(rows), **options)


def table(workload: Workload, *columns: str) -> list[tuple[Any, ...]]:
    """The rows of some columns: texts and counts, None where empty."""
    found = []
    for name in columns:
        column = workload.columns.get(name)
        if column is None:
            found.append([None] * workload.rows)
        elif hasattr(column, "decode"):
            found.append(column.decode())
        else:
            found.append([None if value == -1 else value for value in column.tolist()])
    return list(zip(*found, strict=True)) if found else []


def counts(result: ReadResult) -> tuple[int, int, int, int, int]:
    """(read, kept, collapsed, rejected, ignored)."""
    receipt = result.receipt
    return (
        receipt.rows_read,
        receipt.rows_kept,
        receipt.rows_collapsed,
        receipt.rows_rejected,
        receipt.rows_ignored,
    )


def reasons(result: ReadResult) -> list[tuple[int, str]]:
    """(line, reason id) of every listed rejection."""
    return [(line.line, line.reason.id) for line in result.receipt.rejected]


def assumed(result: ReadResult) -> set[str]:
    """The ids of the assumptions made, without their room."""
    return {m.id.removeprefix("traces.assume.") for m in result.receipt.assumptions}


def claude_row(
    message_id: str,
    usage: Mapping[str, Any] | None,
    *,
    second: int = 0,
    model: str = "claude-opus-5",
    **more: Any,
) -> dict[str, Any]:
    """An assistant row as Claude Code writes it."""
    return {
        "type": "assistant",
        "sessionId": "session-1",
        "timestamp": f"2026-10-07T00:00:{second:02d}.000Z",
        "message": {"id": message_id, "role": "assistant", "model": model, "usage": usage},
        **more,
    }


def claude_usage(
    uncached: int, output: int, *, read: int = 0, write_5m: int = 0, write_1h: int = 0
) -> dict[str, Any]:
    """A usage object as Anthropic writes it."""
    return {
        "input_tokens": uncached,
        "cache_creation_input_tokens": write_5m + write_1h,
        "cache_read_input_tokens": read,
        "output_tokens": output,
        "service_tier": "standard",
        "cache_creation": {
            "ephemeral_5m_input_tokens": write_5m,
            "ephemeral_1h_input_tokens": write_1h,
        },
    }
