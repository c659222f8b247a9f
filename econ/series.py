"""Small series for charts: arrivals, prompt and answer lengths, hit ratio over time.

Everything is a tuple of at most 500 plain numbers, or None where the file does not say. `rows`
chooses rows (True = counted), as a period filter does; None counts all.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np

from econ.prefix_stats import ideal_hit_tokens
from econ.timeline import Mask, Timeline, timeline
from econ.workload import IntArray, Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBins:
    """When the bins of a series start and how wide they are.

    `starts_s`: seconds since 1970 (UTC) where `starts_utc` is given, else since the first
    request. `rows_without_time` are in no bin. `buckets`: rows are sums over a stretch of time and
    count where that stretch begins.
    """

    bin_s: int
    starts_s: tuple[int, ...]
    starts_utc: tuple[datetime, ...] | None
    rows_without_time: int
    buckets: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalSeries:
    """Requests and tokens by bin. `requests` is None where no row tells how many it stands for;
    `rows_without_count` rows do not tell."""

    time: TimeBins
    rows: tuple[int, ...]
    requests: tuple[int, ...] | None
    rows_without_count: int
    input_tokens: tuple[int, ...]
    output_tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioSeries:
    """Token hit ratio (0..1) by bin: hit_tokens / prompt_tokens, None where no prompt was counted.

    `kind`: 'observed' = reads as billed; 'ideal' = what an unlimited cache would have known.
    `rows` is n: the rows that were counted.
    """

    kind: Literal["observed", "ideal"]
    time: TimeBins
    ratio: tuple[float | None, ...]
    hit_tokens: tuple[int, ...]
    prompt_tokens: tuple[int, ...]
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthHistogram:
    """Requests by length in doubling bins: `low_tokens[i]` <= length < `high_tokens[i]`.

    `requests_counted` of the requests have a length of their own; rows that are sums over several
    requests have none and are in `rows_left_out`, as rows without the column are. Percentiles are
    lengths that occurred (nearest rank).
    """

    low_tokens: tuple[int, ...]
    high_tokens: tuple[int, ...]
    requests: tuple[int, ...]
    requests_counted: int
    rows_left_out: int
    mean_tokens: float | None
    median_tokens: int | None
    p95_tokens: int | None
    max_tokens: int | None


def arrivals(workload: Workload, rows: Mask | None = None) -> ArrivalSeries | None:
    """Requests and tokens over time; None where no row has a time."""
    chosen = _chosen(workload, rows)
    line = timeline(workload, chosen)
    if line is None:
        return None
    counted = _tells_requests(workload)
    known = bool((counted & chosen).any())
    return ArrivalSeries(
        time=_time_bins(workload, line, chosen),
        rows=line.sums(np.ones(workload.rows, dtype=np.int64), chosen),
        requests=line.sums(workload.requests(), chosen) if known else None,
        rows_without_count=int((chosen & ~counted).sum()),
        input_tokens=line.sums(workload.counts("input_tokens"), chosen),
        output_tokens=line.sums(workload.counts("output_tokens"), chosen),
    )


def hit_ratio_over_time(workload: Workload, rows: Mask | None = None) -> RatioSeries | None:
    """Observed reads / (uncached + reads + writes) over time, from the rows that say both.

    None where the file has no read column or no row has a time.
    """
    if not workload.has("cached_read_tokens"):
        return None
    read_tokens = workload.ints("cached_read_tokens")
    return _ratio_series(workload, "observed", read_tokens, _chosen(workload, rows))


def ideal_hit_ratio_over_time(workload: Workload, rows: Mask | None = None) -> RatioSeries | None:
    """What an unlimited cache would have known, over time. Rows that are not chosen still fill
    the cache. None without prefix structure or where no row has a time."""
    hit_tokens = ideal_hit_tokens(workload)
    if hit_tokens is None:
        return None
    return _ratio_series(workload, "ideal", hit_tokens, _chosen(workload, rows))


def _ratio_series(
    workload: Workload, kind: Literal["observed", "ideal"], hit_tokens: IntArray, chosen: Mask
) -> RatioSeries | None:
    line = timeline(workload, chosen)
    if line is None:
        return None
    prompt_tokens = workload.ints("input_tokens")
    counted = chosen & (prompt_tokens >= 0) & (hit_tokens >= 0)
    hits, prompts = line.sums(hit_tokens, counted), line.sums(prompt_tokens, counted)
    return RatioSeries(
        kind=kind,
        time=_time_bins(workload, line, chosen),
        ratio=tuple(h / p if p else None for h, p in zip(hits, prompts, strict=True)),
        hit_tokens=hits,
        prompt_tokens=prompts,
        rows=line.sums(np.ones(workload.rows, dtype=np.int64), counted),
    )


def input_lengths(workload: Workload, rows: Mask | None = None) -> LengthHistogram:
    """How long prompts are, cached part included."""
    return _lengths(workload, "input_tokens", _chosen(workload, rows))


def output_lengths(workload: Workload, rows: Mask | None = None) -> LengthHistogram:
    """How long answers are."""
    return _lengths(workload, "output_tokens", _chosen(workload, rows))


def _lengths(workload: Workload, column: str, chosen: Mask) -> LengthHistogram:
    values = workload.ints(column)
    counted = chosen & (values >= 0) & (workload.requests() == 1)
    lengths = values[counted]
    low, high, requests = _doubling_bins(lengths)
    median, p95 = _percentiles(lengths)
    return LengthHistogram(
        low_tokens=low,
        high_tokens=high,
        requests=requests,
        requests_counted=len(lengths),
        rows_left_out=int((chosen & ~counted).sum()),
        mean_tokens=int(lengths.sum()) / len(lengths) if len(lengths) else None,
        median_tokens=median,
        p95_tokens=p95,
        max_tokens=int(lengths.max()) if len(lengths) else None,
    )


def _doubling_bins(
    lengths: IntArray,
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Bins [0, 1), [1, 2), [2, 4), [4, 8) ... from the shortest to the longest length."""
    if not len(lengths):
        return (), (), ()
    exponents = np.frexp(lengths.astype(np.float64))[1]
    counts = np.bincount(exponents)
    used = range(int(exponents.min()), len(counts))
    low = tuple(0 if e == 0 else 2 ** (e - 1) for e in used)
    return low, tuple(2**e for e in used), tuple(int(counts[e]) for e in used)


def _percentiles(lengths: IntArray) -> tuple[int | None, int | None]:
    if not len(lengths):
        return None, None
    median, p95 = np.quantile(lengths, [0.5, 0.95], method="inverted_cdf")
    return int(median), int(p95)


def _chosen(workload: Workload, rows: Mask | None) -> Mask:
    return np.ones(workload.rows, dtype=np.bool_) if rows is None else rows


def _tells_requests(workload: Workload) -> Mask:
    """Rows that stand for a known number of requests."""
    if workload.granularity != "bucket":
        return np.ones(workload.rows, dtype=np.bool_)
    return np.asarray(workload.ints("n_requests") >= 0)


def _time_bins(workload: Workload, line: Timeline, chosen: Mask) -> TimeBins:
    return TimeBins(
        bin_s=line.bin_s,
        starts_s=line.starts_s(),
        starts_utc=line.starts_utc(),
        rows_without_time=int((chosen & (line.of_row < 0)).sum()),
        buckets=workload.granularity == "bucket",
    )
