"""Pages of OpenAI's organization usage API: sums by time bucket, not single requests.

Comes as a page, a list of pages, or a bare list of buckets. Reads and writes are inside
`input_tokens`; counts by kind (text, audio, image) are parts of the totals and are not added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.builder import clean_text
from data_sources.traces.usage import ASSUME_30M, Usage, counted, required_input, required_output
from data_sources.traces.usage_pages import Meaning, Result, read_pages
from data_sources.traces.values import text, tokens, utc_us

FORMAT = "openai_usage_api"
_WITHOUT_OUTPUT = ("embeddings", "moderations")
_MODES = {"default": "standard", "auto": "standard"}
_SUMMED = (
    "input_tokens",
    "output_tokens",
    "input_cached_tokens",
    "input_cache_write_tokens",
    "input_cache_write_12h_tokens",
    "input_uncached_tokens",
    "num_model_requests",
    "input_audio_tokens",
    "output_audio_tokens",
)


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All pages of `files` as one bucketed workload; a `base.Reader`."""
    return read_pages(files, options, progress, _MEANING)


_ABOUT = ("arrival_utc", "bucket_end_utc", "model", "mode", "project", "user", "api_key")


def _result_of(bucket: Mapping[str, Any], row: Mapping[str, Any]) -> Result:
    usage = _usage(row)
    fields = {
        **usage.fields(),
        "model": _name(row, "model"),
        "provider": "openai",
        "mode": _mode(row),
        "project": _name(row, "project_id"),
        "user": _name(row, "user_id"),
        "api_key": _name(row, "api_key_id"),
        "n_requests": tokens(row, "num_model_requests"),
        "granularity": "bucket",
        "arrival_utc": utc_us(bucket.get("start_time")),
        "bucket_end_utc": utc_us(bucket.get("end_time")),
    }
    counts = {key: tokens(row, key) for key in _SUMMED}
    sums = {key: count for key, count in counts.items() if count is not None}
    return Result(usage=usage, fields=fields, sums=sums)


def _name(row: Mapping[str, Any], key: str) -> str | None:
    found = text(row, key)
    return clean_text(found) if found else None


def _usage(row: Mapping[str, Any]) -> Usage:
    kind = str(row.get("object", ""))
    output = tokens(row, "output_tokens")
    if output is None and not any(name in kind for name in _WITHOUT_OUTPUT):
        output = required_output(row, "output_tokens")
    return counted(
        Usage(
            input_tokens=required_input(row, "input_tokens"),
            output_tokens=output or 0,
            cached_read_tokens=tokens(row, "input_cached_tokens"),
            cache_write_30m_tokens=tokens(row, "input_cache_write_tokens"),
            cache_write_12h_tokens=tokens(row, "input_cache_write_12h_tokens"),
            assumption=ASSUME_30M if tokens(row, "input_cache_write_tokens") else None,
        )
    )


def _mode(row: Mapping[str, Any]) -> str | None:
    """batch before the tier; None where the page was not grouped by either."""
    if row.get("batch") is True:
        return "batch"
    tier = text(row, "service_tier")
    return _MODES.get(tier, tier) if tier else None


_MEANING = Meaning(
    format_id=FORMAT,
    about=_ABOUT,
    is_empty=lambda row: not any(row.get(key) for key in _SUMMED),
    result_of=_result_of,
)
