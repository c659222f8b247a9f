"""What there is to bill: a workload's rows as token buckets, moments and who bills them.

Uncached = input - read - writes, never negative. A row that says nothing of the cache has all its
prompt in `uncached`. Times are int64 microseconds since 1970 UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from econ.workload import CACHE_COLUMNS, WRITE_COLUMNS, IntArray, Workload

BoolArray = npt.NDArray[np.bool_]

WRITE_BUCKETS = tuple(
    column.removeprefix("cache_").removesuffix("_tokens") for column in WRITE_COLUMNS
)
PROMPT_BUCKETS = ("uncached", "read", *WRITE_BUCKETS)

NO_TIME = np.iinfo(np.int64).min
SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Per row. `tokens` has 'uncached' and 'output' always, the cache buckets where the file has
    them; `prompt` is their sum without output.

    `since_us`, `until_us`: the moments that decide the price, half-open; one microsecond apart for
    a single request. NO_TIME where the row has no date. `clock_us`, `clock_until_us`: likewise for
    peak hours, which the completion of a request decides.
    `is_bucket`: a sum over requests; `long_context` 1 yes, 0 no, -1 not said.
    `counted`: input and output are there; `consistent`: the parts fit into the total.
    `says_cache`: the row says what the cache did. `says_requests`: it says how many requests it is;
    `requests` is 0 where it does not.
    """

    rows: int
    prompt: IntArray
    tokens: Mapping[str, IntArray]
    requests: IntArray
    says_requests: BoolArray
    since_us: IntArray
    until_us: IntArray
    clock_us: IntArray
    clock_until_us: IntArray
    is_bucket: BoolArray
    long_context: IntArray
    counted: BoolArray
    consistent: BoolArray
    failed: BoolArray
    says_cache: BoolArray
    observed: bool

    @property
    def dated(self) -> BoolArray:
        """Rows with a real UTC time."""
        return np.asarray(self.since_us != NO_TIME)


def usage_of(workload: Workload) -> Usage:
    """The billable view of `workload`."""
    prompt, output = workload.ints("input_tokens"), workload.ints("output_tokens")
    cached = _cache_buckets(workload)
    uncached = np.maximum(prompt, 0) - sum(cached.values(), np.zeros(workload.rows, np.int64))
    is_bucket = _buckets(workload) & (workload.ints("n_requests") != 1)
    since, until = _moments(workload, is_bucket)
    clock, clock_until = _clock(workload, is_bucket, since, until)
    return Usage(
        rows=workload.rows,
        prompt=np.maximum(prompt, 0),
        tokens={"uncached": np.maximum(uncached, 0), **cached, "output": np.maximum(output, 0)},
        requests=workload.requests(),
        says_requests=workload.says_requests(),
        since_us=since,
        until_us=until,
        clock_us=clock,
        clock_until_us=clock_until,
        is_bucket=is_bucket,
        long_context=workload.ints("long_context"),
        counted=(prompt >= 0) & (output >= 0),
        consistent=uncached >= 0,
        failed=workload.ints("failed") == 1,
        says_cache=_says_cache(workload),
        observed=workload.observed,
    )


def _cache_buckets(workload: Workload) -> dict[str, IntArray]:
    columns = {"read": "cached_read_tokens", **dict(zip(WRITE_BUCKETS, WRITE_COLUMNS, strict=True))}
    return {
        bucket: workload.counts(column)
        for bucket, column in columns.items()
        if workload.has(column)
    }


def _says_cache(workload: Workload) -> BoolArray:
    says = np.zeros(workload.rows, dtype=np.bool_)
    for column in CACHE_COLUMNS:
        if workload.has(column):
            says |= workload.ints(column) >= 0
    return says


def _buckets(workload: Workload) -> BoolArray:
    rows = np.full(workload.rows, workload.granularity == "bucket")
    said = workload.text("granularity")
    if "bucket" in said.values:
        rows |= said.codes == said.values.index("bucket")
    return np.asarray(rows | (workload.ints("n_requests") > 1))


def _moments(workload: Workload, is_bucket: BoolArray) -> tuple[IntArray, IntArray]:
    since = _us(workload, "arrival_utc")
    until = since + (since != NO_TIME)
    end = _us(workload, "bucket_end_utc")
    return since, np.where(is_bucket & (end > since) & (since != NO_TIME), end, until)


def _clock(
    workload: Workload, is_bucket: BoolArray, since: IntArray, until: IntArray
) -> tuple[IntArray, IntArray]:
    if not workload.has("finished_s"):
        return since, until
    finished = workload.floats("finished_s")
    known = ~np.isnan(finished) & ~is_bucket & (since != NO_TIME)
    delay = np.rint(np.where(known, finished, 0.0) * SECOND_US).astype(np.int64)
    return since + delay, until + delay


def _us(workload: Workload, column: str) -> IntArray:
    times = workload.times(column)
    return np.where(np.isnat(times), NO_TIME, times.astype(np.int64))


def requests_in(usage: Usage, rows: BoolArray | IntArray) -> int | None:
    """Requests of `rows` (a mask or positions); None where one of them does not say."""
    return int(usage.requests[rows].sum()) if bool(usage.says_requests[rows].all()) else None


def take(usage: Usage, rows: npt.NDArray[np.int64] | slice) -> Usage:
    """The rows at `rows` (positions); a full slice gives `usage` itself."""
    if isinstance(rows, slice) and rows == slice(None):
        return usage
    arrays = {
        f.name: getattr(usage, f.name)[rows]
        for f in fields(usage)
        if f.name not in ("rows", "tokens", "observed")
    }
    tokens = {bucket: counts[rows] for bucket, counts in usage.tokens.items()}
    return Usage(rows=len(arrays["prompt"]), tokens=tokens, observed=usage.observed, **arrays)
