"""Pages of Anthropic's Admin usage report (`usage_report/messages`): sums by time bucket.

Uncached input, reads and both kinds of writes are four disjoint counts; the whole prompt is their
sum. https://docs.anthropic.com/en/api/admin-api/usage-cost/get-messages-usage-report
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.builder import clean_text
from data_sources.traces.console_csv import is_long
from data_sources.traces.usage import Usage, counted, required_output
from data_sources.traces.usage_pages import Meaning, Result, read_pages
from data_sources.traces.values import mapping, text, tokens, utc_us
from messages.errors import Message

FORMAT = "anthropic_usage_report"
_UNSAID_GEO = frozenset({"not_available", "unknown"})


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All pages of `files` as one bucketed workload; a `base.Reader`."""
    return read_pages(files, options, progress, _MEANING)


def _result_of(bucket: Mapping[str, Any], row: Mapping[str, Any]) -> Result:
    uncached, read, write_5m, write_1h = _inputs(row)
    geo = text(row, "inference_geo")
    usage = counted(
        Usage(
            input_tokens=uncached + read + write_5m + write_1h,
            output_tokens=required_output(row, "output_tokens"),
            cached_read_tokens=read,
            cache_write_5m_tokens=write_5m,
            cache_write_1h_tokens=write_1h,
            assumption=None if geo else Message("serving.no_inference_geo"),
        )
    )
    window = text(row, "context_window")
    long_context = is_long(window) if window else None
    fields = {
        **usage.fields(),
        "model": _name(row, "model"),
        "provider": "anthropic",
        "surface": "us" if geo == "us" else "global",
        "mode": text(row, "speed") if text(row, "speed") == "fast" else text(row, "service_tier"),
        "geo": None if geo in _UNSAID_GEO else geo,
        "workspace": _name(row, "workspace_id"),
        "api_key": _name(row, "api_key_id"),
        "long_context": long_context,
        "granularity": "bucket",
        "arrival_utc": utc_us(bucket.get("starting_at")),
        "bucket_end_utc": utc_us(bucket.get("ending_at")),
    }
    sums = {
        "uncached_input_tokens": uncached,
        "cache_read_input_tokens": read,
        "write_5m": write_5m,
        "write_1h": write_1h,
        "output_tokens": usage.output_tokens,
    }
    return Result(usage=usage, fields=fields, sums=sums)


def _inputs(row: Mapping[str, Any]) -> tuple[int, int, int, int]:
    """(uncached, read, written for 5 minutes, for 1 hour); null counts as none."""
    split = mapping(row, "cache_creation")
    found = (
        tokens(row, "uncached_input_tokens"),
        tokens(row, "cache_read_input_tokens"),
        tokens(split, "ephemeral_5m_input_tokens"),
        tokens(split, "ephemeral_1h_input_tokens"),
    )
    return tuple(count or 0 for count in found)  # type: ignore[return-value]


def _is_empty(row: Mapping[str, Any]) -> bool:
    """Nothing is counted; a value that is no count is no reason to pass over the row."""
    split = mapping(row, "cache_creation")
    names = ("uncached_input_tokens", "cache_read_input_tokens", "output_tokens")
    counts = [row.get(name) for name in names]
    counts += [split.get(f"ephemeral_{ttl}_input_tokens") for ttl in ("5m", "1h")]
    return not any(counts)


def _name(row: Mapping[str, Any], key: str) -> str | None:
    found = text(row, key)
    return clean_text(found) if found else None


_MEANING = Meaning(
    format_id=FORMAT,
    about=(
        "arrival_utc", "bucket_end_utc", "model", "mode", "geo", "long_context", "workspace",
        "api_key",
    ),
    is_empty=_is_empty,
    result_of=_result_of,
)  # fmt: skip
