"""What one look at a workload's misses shows: sums by reason, model and session, and examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from econ.miss_runs import CHANGEABLE, FACTS, REASONS
from econ.misses import OBSERVED_LOG, SIMULATED, Costed, Missed
from econ.money import MoneyArray, total
from econ.usage import SECOND_US
from econ.workload import IntArray, Workload

EXAMPLES_A_REASON = 8
EXAMPLES_A_GROUP = 4
MOST_GROUPS = 40
NAMED = 3
"""What to change is said of so many reasons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonSum:
    """One reason: in how many requests, tokens, and 1e-13 USD over reading them."""

    reason: str
    requests: int
    tokens: int
    e13: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MissExample:
    """One run: `row` counts from 1 in the order of time; `start` prompt tokens lie before it.
    `at_utc` ISO 8601, None where undated; `late_s` of an expired entry; `fork` tokens that still
    agree where the prompt was changed."""

    row: int
    request_id: str | None
    session: str | None
    model: str
    at_utc: str | None
    arrival_s: float
    reason: str
    start: int
    tokens: int
    late_s: float | None
    fork: int | None
    e13: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MissGroup:
    """The misses of one model or session; `examples` are its dearest runs."""

    by: str
    key: str
    requests: int
    prompt_tokens: int
    tokens: int
    e13: int
    reasons: tuple[ReasonSum, ...]
    examples: tuple[MissExample, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MissStudy:
    """`requests` were looked at, `left_out` have no price for what they used or for reading it.
    `reasons` in the order of REASONS, those that occur. `lacking`: what the file would have to say,
    with unexplained tokens. `late_s`: of the expired, the middle and the longest wait too long.
    `groups_left`: sessions that are not shown, by count and 1e-13 USD. `notes`: names of what is
    assumed."""

    source: str
    lifetime: str | None
    placement: str | None
    notes: tuple[str, ...]
    requests: int
    left_out: int
    prompt_tokens: int
    read_tokens: int
    tokens: int
    e13: int
    reasons: tuple[ReasonSum, ...]
    lacking: tuple[tuple[str, int], ...]
    late_s: tuple[float, float] | None
    groups: tuple[MissGroup, ...]
    groups_left: tuple[int, int]
    examples: tuple[MissExample, ...]

    def dearest(self) -> tuple[ReasonSum, ...]:
        """The reasons that can be changed and cost most, at most three."""
        found = [one for one in self.reasons if one.reason in CHANGEABLE and one.e13 > 0]
        return tuple(sorted(found, key=lambda one: -one.e13)[:NAMED])


def study_of(missed: Missed) -> MissStudy:
    """Everything that is shown of `missed`."""
    kept, runs = missed.kept, missed.runs
    reasons = _sums(runs, None)
    unexplained = _tokens(runs, "unexplained", kept.usage.rows)
    lacking = [
        (fact, count)
        for number, fact in enumerate(FACTS)
        if fact and (count := int(unexplained[missed.bounds.fact == number].sum()))
    ]
    groups, left = _groups(missed)
    return MissStudy(
        source=missed.source,
        lifetime=missed.lifetime,
        placement=missed.placement,
        notes=_notes(missed),
        requests=kept.usage.rows,
        left_out=kept.rows_all - kept.usage.rows,
        prompt_tokens=int(kept.usage.prompt.sum()),
        read_tokens=int(missed.read.sum()),
        tokens=sum(one.tokens for one in reasons),
        e13=sum(one.e13 for one in reasons),
        reasons=reasons,
        lacking=tuple(lacking),
        late_s=_late(missed),
        groups=groups,
        groups_left=left,
        examples=tuple(
            example
            for one in reasons
            for example in _examples(missed, None, EXAMPLES_A_REASON, one.reason)
        ),
    )


def _notes(missed: Missed) -> tuple[str, ...]:
    """What the reasons rest on, by name."""
    kept = missed.kept
    rules = [part.rules for part in kept.parts]
    prefix = kept.workload.prefix
    counted = prefix is not None and prefix.message_blocks
    found = {
        "by_lengths": missed.source == OBSERVED_LOG,
        "best_case": missed.source == SIMULATED and any(not r.lifetimes for r in rules),
        "hindsight": missed.placement == "shared",
        "answers_at_once": not kept.workload.has("response_s"),
        "lookback_not_counted": any(r.lookback is not None for r in rules) and not counted,
        "batch": any(part.batch for part in kept.parts),
    }
    return tuple(name for name, holds in found.items() if holds)


def _tokens(runs: Sequence[Costed], reason: str, rows: int) -> IntArray:
    zero = np.zeros(rows, dtype=np.int64)
    return sum((one.tokens for one in runs if one.run.reason == reason), zero)


def _sums(runs: Sequence[Costed], rows: IntArray | None) -> tuple[ReasonSum, ...]:
    """Over the rows at these positions, all where None."""
    found = []
    for reason in REASONS:
        own = [one for one in runs if one.run.reason == reason]
        if not own:
            continue
        whole = slice(None) if rows is None else rows
        counts = sum((one.tokens[whole] for one in own[1:]), own[0].tokens[whole])
        e13 = sum((one.e13[whole] for one in own[1:]), own[0].e13[whole])
        tokens = int(counts.sum())
        if tokens:
            requests = int((counts > 0).sum())
            found.append(ReasonSum(reason=reason, requests=requests, tokens=tokens, e13=total(e13)))
    return tuple(found)


def _late(missed: Missed) -> tuple[float, float] | None:
    late = missed.bounds.late_us[_tokens(missed.runs, "expired", missed.kept.usage.rows) > 0]
    if not len(late):
        return None
    return float(np.median(late)) / SECOND_US, float(late.max()) / SECOND_US


def _groups(missed: Missed) -> tuple[tuple[MissGroup, ...], tuple[int, int]]:
    """Every model, and the sessions that lost most."""
    kept = missed.kept
    groups = []
    for part in kept.parts:
        groups.append(_group(missed, "model", part.payee.name, part.rows))
    groups.sort(key=lambda one: -one.e13)
    sessions = kept.workload.text("session_id")
    codes = sessions.codes.astype(np.int64)
    known = np.flatnonzero(codes >= 0)
    if not len(known):
        return tuple(groups), (0, 0)
    rough = np.zeros(len(sessions.values))
    for one in missed.runs:
        rough += np.bincount(
            codes[known], weights=one.e13[known].astype(np.float64), minlength=len(rough)
        )
    used = np.unique(codes[known])
    order = used[np.argsort(-rough[used], kind="stable")]
    by_session = np.argsort(codes, kind="stable")
    firsts = np.searchsorted(codes[by_session], order, side="left")
    lasts = np.searchsorted(codes[by_session], order, side="right")
    for code, first, last in list(zip(order, firsts, lasts, strict=True))[:MOST_GROUPS]:
        rows = np.sort(by_session[first:last])
        groups.append(_group(missed, "session", sessions.values[code], rows))
    rest = np.isin(codes, order[MOST_GROUPS:])
    left = sum(total(one.e13[rest]) for one in missed.runs) if len(order) > MOST_GROUPS else 0
    return tuple(groups), (max(len(order) - MOST_GROUPS, 0), left)


def _group(missed: Missed, by: str, key: str, rows: IntArray) -> MissGroup:
    reasons = _sums(missed.runs, rows)
    return MissGroup(
        by=by,
        key=key,
        requests=len(rows),
        prompt_tokens=int(missed.kept.usage.prompt[rows].sum()),
        tokens=sum(one.tokens for one in reasons),
        e13=sum(one.e13 for one in reasons),
        reasons=reasons,
        examples=tuple(_examples(missed, rows, EXAMPLES_A_GROUP)),
    )


def _examples(
    missed: Missed, rows: IntArray | None, most: int, reason: str | None = None
) -> list[MissExample]:
    """The dearest runs of these rows, of one reason where it is named; the earlier of equals."""
    found: list[tuple[int, int, Costed]] = []
    for one in missed.runs:
        if reason is not None and one.run.reason != reason:
            continue
        tokens, e13 = one.tokens, one.e13
        at = np.flatnonzero(tokens > 0) if rows is None else rows[tokens[rows] > 0]
        found += [(-int(e13[row]), row, one) for row in _dearest(e13, at, most).tolist()]
    found.sort(key=lambda one: one[:2])
    return [_example(missed, row, one) for _, row, one in found[:most]]


def _dearest(e13: MoneyArray, rows: IntArray, most: int) -> IntArray:
    """At least `most` of the rows, the dearest among them, the earlier of equals first."""
    if len(rows) > most:
        values = e13[rows]
        limit = np.partition(values, len(values) - most)[len(values) - most]
        above, equal = rows[values > limit], rows[values == limit][:most]
        rows = np.sort(np.concatenate((above, equal)))
    return rows


def _example(missed: Missed, row: int, one: Costed) -> MissExample:
    kept, reason = missed.kept, one.run.reason
    workload = kept.workload
    moment, arrival = _at(workload, row)
    late, fork = int(missed.bounds.late_us[row]), int(missed.bounds.fork[row])
    return MissExample(
        row=int(kept.origin[row]) + 1,
        request_id=_text(missed, "request_id", row),
        session=_text(missed, "session_id", row),
        model=kept.parts[int(kept.payee_code[row])].payee.name,
        at_utc=moment,
        arrival_s=arrival,
        reason=reason,
        start=int(one.run.start[row]),
        tokens=int(one.run.tokens[row]),
        late_s=late / SECOND_US if reason == "expired" else None,
        fork=fork if reason == "prefix_changed" and fork >= 0 else None,
        e13=int(one.e13[row]),
    )


def _at(workload: Workload, row: int) -> tuple[str | None, float]:
    """When a row came: ISO 8601, None where undated; seconds since the first, 0 where not said."""
    moment, arrival = None, 0.0
    if "arrival_utc" in workload.columns:
        known = workload.times("arrival_utc")[row]
        moment = None if np.isnat(known) else f"{np.datetime_as_string(known, unit='ms')}Z"
    if "arrival_s" in workload.columns:
        arrival = float(np.nan_to_num(workload.floats("arrival_s")[row]))
    return moment, arrival


def _text(missed: Missed, name: str, row: int) -> str | None:
    if name not in missed.kept.workload.columns:
        return None
    column = missed.kept.workload.text(name)
    code = int(column.codes[row])
    return None if code < 0 else column.values[code]
