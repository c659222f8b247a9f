"""Pages of a vendor's usage API: sums by time bucket, several results in each.

Comes as a page, a list of pages, or a bare list of buckets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.builder import Builder
from data_sources.traces.follow import Follow
from data_sources.traces.json_text import Line, records
from data_sources.traces.tally import RowRejectedError, Tally
from data_sources.traces.usage import Usage
from messages.errors import Message

JsonObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One result of a bucket, fit to be billed."""

    usage: Usage
    fields: Mapping[str, Any]
    sums: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """How one vendor's results are read. `about`: the fields that tell results of equal buckets
    apart; `is_empty`: a result that counts nothing."""

    format_id: str
    about: tuple[str, ...]
    is_empty: Callable[[JsonObject], bool]
    result_of: Callable[[JsonObject, JsonObject], Result]


def read_pages(
    files: Sequence[Decoded], options: ReadOptions, progress: Progress, meaning: Meaning
) -> ReadResult:
    """All pages of `files` as one bucketed workload."""
    log = PageLog(meaning)
    follow = Follow(files, progress)
    for file in files:
        log.record = 0
        for line in follow.lines(file, records(file)):
            log.take(file.source.name, line)
    builder, sums = log.built()
    workload = builder.workload(
        name=files[0].source.name,
        format_id=meaning.format_id,
        format_stats={**log.counts, **sums},
        options=options,
        granularity="bucket",
    )
    receipt = log.tally.receipt(files, meaning.format_id, builder.rows)
    return ReadResult(workload=workload, receipt=receipt)


class PageLog:
    """Results by what they are about: a bucket that comes again replaces its earlier state,
    because pages overlap and the newest bucket still grows."""

    def __init__(self, meaning: Meaning) -> None:
        self.tally = Tally()
        self.counts = Counter({"buckets": 0, "results": 0})
        self._meaning = meaning
        self.results: dict[tuple[Any, ...], Result] = {}
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
        if self._meaning.is_empty(row):
            self.tally.ignore("empty_bucket")
            return
        found = self._meaning.result_of(bucket, row)
        about = tuple(found.fields.get(key) for key in self._meaning.about)
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
            if result.usage.assumption is not None:
                self.tally.assume(result.usage.assumption)
            if result.fields["arrival_utc"] is None:
                self.tally.assume(Message("traces.assume.no_time"))
        return builder, sums


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
    elif isinstance(value, Mapping) and "uncached_input_tokens" in value:
        yield {**value, "results": [value]}  # a result on its own, with the bucket's times or none
