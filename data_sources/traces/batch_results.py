"""Result files of the OpenAI and Anthropic batch APIs: replies at the batch price, in any order.

Rows that failed, expired or were cancelled carry no usage and are counted as such.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from data_sources.traces.api_replies import ReplyLog
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.follow import Follow
from data_sources.traces.json_text import records
from data_sources.traces.values import zone

OPENAI = "openai_batch_output"
ANTHROPIC = "anthropic_batch_results"


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All batch results of `files` as one workload; a `base.Reader`."""
    log = ReplyLog(zone(options.tz), mode="batch")
    anthropic = False
    follow = Follow(files, progress)
    for file in files:
        for line in follow.lines(file, records(file)):
            if isinstance(line.value, Mapping) and _is_question(line.value):
                log.tally.ignore("batch_question")
                continue
            anthropic = anthropic or (isinstance(line.value, Mapping) and "result" in line.value)
            log.take(file.source.name, line, without_usage="failed")
    format_id = ANTHROPIC if anthropic else OPENAI
    kept = [reply.usage for reply in log.replies.values()]
    builder = log.built()
    receipt = log.tally.receipt(files, format_id, builder.rows)
    counts: dict[str, Any] = _anthropic_counts(kept) if anthropic else _openai_counts(kept)
    workload = builder.workload(
        name=files[0].source.name,
        format_id=format_id,
        format_stats={"rows": receipt.rows_read, **counts},
        options=options,
    )
    return ReadResult(workload=workload, receipt=receipt)


def _is_question(row: Mapping[str, Any]) -> bool:
    """A row of the batch's input file: its answer, which counts, has a row of its own."""
    return "body" in row and "response" not in row and "result" not in row


def _anthropic_counts(kept: Sequence[Any]) -> dict[str, int]:
    read = sum(u.cached_read_tokens or 0 for u in kept)
    writes = sum((u.cache_write_5m_tokens or 0) + (u.cache_write_1h_tokens or 0) for u in kept)
    return {
        "succeeded": len(kept),
        "input_tokens": sum(u.input_tokens for u in kept) - read - writes,
        "cache_creation_input_tokens": writes,
        "cache_read_input_tokens": read,
        "output_tokens": sum(u.output_tokens for u in kept),
    }


def _openai_counts(kept: Sequence[Any]) -> dict[str, int]:
    writes = sum((u.cache_write_30m_tokens or 0) + (u.cache_write_12h_tokens or 0) for u in kept)
    return {
        "rows_with_usage": len(kept),
        "prompt_tokens": sum(u.input_tokens for u in kept),
        "cached_tokens": sum(u.cached_read_tokens or 0 for u in kept),
        "cache_write_tokens": writes,
        "completion_tokens": sum(u.output_tokens for u in kept),
    }
