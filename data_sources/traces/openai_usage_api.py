"""Pages of OpenAI's organization usage API: sums by time bucket, not single requests.

Comes as a page, a list of pages, or a bare list of buckets. Reads and writes are inside
`input_tokens`; counts by kind (text, audio, image) are parts of the totals and are not added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.builder import Builder, clean_text
from data_sources.traces.follow import Follow
from data_sources.traces.json_text import Line, records
from data_sources.traces.tally import RowRejectedError, Tally
from data_sources.traces.usage import ASSUME_30M, Usage, counted, required_input, required_output
from data_sources.traces.values import text, tokens, utc_us
from messages.errors import Message

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
    log = _Log()
    follow = Follow(files, progress)
    for file in files:
        log.record = 0
        for line in follow.lines(file, records(file)):
            log.take(file.source.name, line)
    builder, sums = log.built()
    workload = builder.workload(
        name=files[0].source.name,
        format_id=FORMAT,
        format_stats={**log.counts, **sums},
        options=options,
        granularity="bucket",
    )
    return ReadResult(workload=workload, receipt=log.tally.receipt(files, FORMAT, builder.rows))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """One result of a bucket, fit to be billed."""

    usage: Usage
    fields: Mapping[str, Any]
    sums: Mapping[str, int]


class _Log:
    """Results by what they are about: a bucket that comes again replaces its earlier state,
    because pages overlap and the newest bucket still grows."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.counts = Counter({"buckets": 0, "results": 0})
        self.results: dict[tuple[Any, ...], _Result] = {}
        self.record = 0

    def take(self, file: str, line: Line) -> None:
        """One top-level record: a page or a bucket."""
        if line.problem is not None:
            self.tally.reject(file, line.number, line.problem)
            return
        buckets = list(_buckets(line.value))
        if not buckets:
            self.tally.ignore("no_usage")
        for bucket in buckets:
            self._bucket(file, bucket)

    def _bucket(self, file: str, bucket: Mapping[str, Any]) -> None:
        self.counts["buckets"] += 1
        results = bucket.get("results")
        rows = [r for r in results if isinstance(r, Mapping)] if isinstance(results, list) else []
        if not rows:
            self.tally.ignore("empty_bucket")
        twins: Counter[tuple[Any, ...]] = Counter()
        for row in rows:
            self.counts["results"] += 1
            self.record += 1
            try:
                self._result(bucket, row, twins)
            except RowRejectedError as error:
                self.tally.reject(file, self.record, error.reason)

    def _result(
        self, bucket: Mapping[str, Any], row: Mapping[str, Any], twins: Counter[tuple[Any, ...]]
    ) -> None:
        if not any(row.get(key) for key in _SUMMED):
            self.tally.ignore("empty_bucket")
            return
        found = _result_of(bucket, row)
        about = tuple(found.fields.get(key) for key in _ABOUT)
        twins[about] += 1  # two results of one bucket that look alike are two results
        key = (*about, twins[about])
        if key in self.results:
            self.tally.collapse("same_bucket")
        self.results[key] = found

    def built(self) -> tuple[Builder, Counter[str]]:
        """The rows and the sums of what was kept."""
        builder, sums = Builder(), Counter[str]()
        for result in self.results.values():
            builder.add(**result.fields)
            sums.update(result.sums)
            if result.usage.cache_write_30m_tokens:
                self.tally.assume(ASSUME_30M)
            if result.fields["arrival_utc"] is None:
                self.tally.assume(Message("traces.assume.no_time"))
        return builder, sums


_ABOUT = ("arrival_utc", "bucket_end_utc", "model", "mode", "project", "user", "api_key")


def _result_of(bucket: Mapping[str, Any], row: Mapping[str, Any]) -> _Result:
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
    return _Result(usage=usage, fields=fields, sums=sums)


def _name(row: Mapping[str, Any], key: str) -> str | None:
    found = text(row, key)
    return clean_text(found) if found else None


def _buckets(value: Any) -> Iterator[Mapping[str, Any]]:
    """The buckets of a page, of a list of pages, or the bucket itself."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, Mapping):
                yield from _buckets(item)
    elif isinstance(value, Mapping) and isinstance(value.get("data"), list):
        yield from (item for item in value["data"] if isinstance(item, Mapping))
    elif isinstance(value, Mapping) and "results" in value:
        yield value


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
        )
    )


def _mode(row: Mapping[str, Any]) -> str | None:
    """batch before the tier; None where the page was not grouped by either."""
    if row.get("batch") is True:
        return "batch"
    tier = text(row, "service_tier")
    return _MODES.get(tier, tier) if tier else None
