"""Reasons for misses: every prompt token that was not read from a cache, why, and what it cost.

    penalty = missed tokens x (price paid - price of a read)

over the requests that have a price for both; what was paid is the price of the bucket in which the
token was billed. Tokens and dollars of the reasons add up exactly to those of all misses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from econ.bill_sheet import Bill
from econ.billing import Pricing
from econ.miss_blocks import OWN, Rule, fill_blocks
from econ.miss_logs import LONGEST_FIRST, fill_logs
from econ.miss_parts import Kept, kept_rows
from econ.miss_runs import Bounds, Draft, Run, runs_of
from econ.money import INT64_MAX, MoneyArray
from econ.own_settings import own_lifetimes
from econ.structure import has_structure
from econ.workload import IntArray, Workload
from messages.errors import InputError, Message
from price_tables.book import PriceBook

OBSERVED_BLOCKS, OBSERVED_LOG, SIMULATED = "observed_blocks", "observed_log", "simulated"
SOURCES = (OBSERVED_BLOCKS, OBSERVED_LOG, SIMULATED)
PLACEMENTS = ("shared", "end", "end-block")
LIFETIMES = (OWN, "5m", "1h", "30m", "12h", "unlimited")


@dataclass(frozen=True, slots=True, kw_only=True)
class Costed:
    """A run with its tokens and what they cost over reading: 1e-13 USD a row."""

    run: Run
    tokens: IntArray
    e13: MoneyArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """All runs of the kept rows. `source`: one of SOURCES. `lifetime`, `placement`: under what a
    trace was simulated, None where the file says what happened."""

    kept: Kept
    source: str
    bounds: Bounds
    read: IntArray
    runs: tuple[Costed, ...]
    lifetime: str | None
    placement: str | None


def refusal(workload: Workload) -> Message | None:
    """Why the misses of this workload have no reasons; None where they have."""
    if workload.granularity == "bucket" or bool((workload.ints("n_requests") > 1).any()):
        return Message("misses.needs_requests")
    if not workload.observed and not has_structure(workload):
        return Message("misses.needs_cache_or_structure")
    return None


def missed_of(
    workload: Workload, bill: Bill, book: PriceBook, pricing: Pricing, rule: Rule
) -> Missed:
    """The misses of every priced request of `bill`, the bill of `workload`. InputError where the
    file says too little, or no request has a price for reading."""
    refused = refusal(workload)
    if refused is None and bool(bill.usage.is_bucket.any()):
        refused = Message("misses.needs_requests")
    if refused is not None:
        raise InputError(refused)
    kept = kept_rows(workload, bill, book, pricing)
    if not len(kept.origin):
        raise InputError(Message("misses.nothing_priced"))
    draft = Draft(rows=kept.workload.rows)
    source = SIMULATED
    buckets: Mapping[str, IntArray] = kept.usage.tokens
    if kept.usage.observed and kept.workload.prefix is None:
        source = OBSERVED_LOG
        fill_logs(kept, draft)
    else:
        source = OBSERVED_BLOCKS if kept.usage.observed else SIMULATED
        buckets = fill_blocks(kept, rule, draft)
    bounds = draft.done()
    read = buckets.get("read", np.zeros(kept.usage.rows, dtype=np.int64))
    return Missed(
        kept=kept,
        source=source,
        bounds=bounds,
        read=read,
        runs=_costed(kept, buckets, runs_of(bounds, read, kept.usage.prompt)),
        lifetime=_lifetime(kept, rule) if source == SIMULATED else None,
        placement=_placement(kept, rule) if source == SIMULATED else None,
    )


def _own(kept: Kept, rule: Rule) -> bool:
    return rule.lifetime in (None, OWN) and own_lifetimes(kept.workload) is not None


def _lifetime(kept: Kept, rule: Rule) -> str | None:
    """The lifetime that was simulated; None where no payee sells any."""
    sold = [part.rules.lifetimes for part in kept.parts if part.rules.lifetimes]
    if not sold:
        return None
    if _own(kept, rule):
        return OWN
    return rule.lifetime if rule.lifetime not in (None, OWN) else sold[0][0]


def _placement(kept: Kept, rule: Rule) -> str | None:
    return None if _lifetime(kept, rule) in (None, OWN) else rule.placement


def _costed(kept: Kept, buckets: Mapping[str, IntArray], runs: list[Run]) -> tuple[Costed, ...]:
    """Prompt order: what was read, what was written, the longest lifetime first, and the rest."""
    rows = kept.usage.rows
    names = [f"write_{name}" for name in LONGEST_FIRST if f"write_{name}" in buckets]
    dearest = max(int(p.max(initial=0)) for part in kept.parts for p in part.prices.values())
    longest = int(kept.usage.prompt.max(initial=0))
    money: type[np.int64] | type[object] = np.int64
    if dearest * longest > INT64_MAX:
        money = object
    prices = {name: np.zeros(rows, dtype=money) for name in ("read", "uncached", *names)}
    for part in kept.parts:
        for name, column in prices.items():
            column[part.rows] = np.maximum(part.prices[name], 0)
    start = buckets.get("read", np.zeros(rows, dtype=np.int64))
    places = []
    for name in (*names, "uncached"):
        end = start + buckets[name]
        places.append((start, end, prices[name] - prices["read"]))
        start = end
    found = []
    for run in runs:
        e13: MoneyArray = np.zeros(rows, dtype=money)
        if bool((run.end == run.start).all()):
            continue
        for start, end, over in places:
            both = np.minimum(run.end, end) - np.maximum(run.start, start)
            e13 = e13 + np.maximum(both, 0) * over
        found.append(Costed(run=run, tokens=run.tokens, e13=e13))
    return tuple(found)
