"""Reasons where the file says who starts like whom: observed tokens, or simulated by the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from econ.cache_kernel import LONG, SHORT, Points
from econ.miss_forks import NO_ROW, forks_of
from econ.miss_ledger import stored_behind
from econ.miss_parts import Kept, Part, conversations, workspaces
from econ.miss_runs import FACTS, Draft
from econ.own_settings import own_lifetimes, own_points
from econ.prompt_cache import NO_LIMIT, CacheTokens, Sim, placed, simulate, ttl_us
from econ.select import take_rows
from econ.structure import BoolArray, Structure, structure_of
from econ.workload import IntArray, Workload

OWN = "own"
LONGS, SHORTS = ("12h", "1h"), ("30m", "5m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Under which lifetime and placement requests are simulated. `lifetime` None: each row's own
    settings where the file has them, else the provider's default."""

    lifetime: str | None = None
    placement: str = "shared"


def fill_blocks(kept: Kept, rule: Rule, draft: Draft) -> Mapping[str, IntArray]:
    """Fill `draft` for every row; returns the prompt tokens by price bucket."""
    whole = _whole(kept.workload, np.zeros(kept.workload.rows, dtype=np.int64))
    everyone = np.arange(kept.workload.rows, dtype=np.int64)
    draft.put("switched", everyone, whole.tokens_at(whole.run(_sent(whole))))
    _changed(whole, kept.workload, draft)
    buckets: dict[str, IntArray] = {}
    for part in kept.parts:
        own = kept.workload
        if len(part.rows) != own.rows:
            own = take_rows(own, part.rows)
        isolation = workspaces(own, part.rules)
        alone = own is kept.workload and not isolation.any()
        structure = whole if alone else _whole(own, isolation)
        if kept.usage.observed:
            _observed(kept, part, own, structure, draft)
        else:
            for name, tokens in _simulated(part, own, structure, rule, draft).items():
                buckets.setdefault(name, np.zeros(kept.workload.rows, np.int64))[part.rows] = tokens
    return kept.usage.tokens if kept.usage.observed else buckets


def _whole(workload: Workload, isolation: IntArray) -> Structure:
    found = structure_of(workload, np.ones(workload.rows, dtype=np.bool_), isolation)
    if found is None:
        raise AssertionError("no prefix structure")
    return found


def _sent(structure: Structure) -> BoolArray:
    """Which prefixes an earlier row had already sent."""
    first = np.zeros(int(structure.node.max(initial=0)) + 1, dtype=np.int64)
    first[structure.node[::-1]] = structure.row_of[::-1]  # of equal ones the last stays: the first
    return np.asarray(first[structure.node] < structure.row_of)


def _changed(whole: Structure, workload: Workload, draft: Draft) -> None:
    """A conversation whose earlier requests are no prefix of this one, and where they part."""
    forks = forks_of(whole, conversations(workload, ("agent",)))
    follows = forks.parent != NO_ROW
    forked = follows & (forks.common < whole.whole[forks.parent])
    rows = np.flatnonzero(forked)
    longest = np.minimum(whole.prompt[forks.parent], whole.prompt)
    draft.put("prefix_changed", rows, longest[rows])
    draft.fork[rows] = whole.tokens_at(forks.common)[rows]


def _short(part: Part, structure: Structure, read: IntArray, sent: IntArray, draft: Draft) -> None:
    """Prompts below the least that is kept; and beginnings that are, of longer prompts."""
    least = part.rules.min_tokens
    whole = (structure.prompt < least) & (read == 0)
    draft.put(
        "below_minimum",
        part.rows,
        np.where(whole, structure.prompt, np.where(sent < least, sent, 0)),
    )


def _simulated(
    part: Part, workload: Workload, structure: Structure, rule: Rule, draft: Draft
) -> Mapping[str, IntArray]:
    rules = part.rules
    sent = structure.tokens_at(structure.run(_sent(structure)))
    base = Sim(placement="all", min_tokens=rules.min_tokens, by_workspace=rules.by_workspace)
    if not rules.lifetimes:
        found = simulate(structure, replace(base, step_tokens=rules.step_tokens))
        whole = simulate(structure, replace(base, min_tokens=0))
        _short(part, structure, found.read, sent, draft)
        least = draft.reach["below_minimum"][part.rows]  # a hit comes in whole steps, too
        draft.put("below_minimum", part.rows, np.maximum(least, whole.read))
        draft.put("not_yet_readable", part.rows, sent)
        return {"read": found.read, "uncached": found.uncached}
    sim, points, short, long = _plan(part, workload, structure, rule, base)
    found = simulate(structure, sim, points)
    points = placed(structure, sim) if points is None else points
    _short(part, structure, found.read, sent, draft)
    lifetimes = (ttl_us(sim.lifetime), ttl_us(sim.long_lifetime or sim.lifetime))
    _stored(part, structure, points, found.read, lifetimes, draft)
    draft.put("no_breakpoint", part.rows, sent)
    return _priced(found, short, long)


def _plan(
    part: Part, workload: Workload, structure: Structure, rule: Rule, base: Sim
) -> tuple[Sim, Points | None, str, str]:
    """The simulation, own breakpoints, and the names of both lifetimes' prices."""
    rules = part.rules
    first, last = rules.lifetimes[0], rules.lifetimes[-1]
    sim = replace(base, placement=rule.placement, lookback=rules.lookback)
    own = own_lifetimes(workload)
    wanted = rule.lifetime
    if wanted in (None, OWN) and own is not None and own <= set(rules.lifetimes):
        sim = replace(sim, placement=OWN, lifetime=first, long_lifetime=last)
        return sim, own_points(workload), first, last
    if wanted == NO_LIMIT:
        return replace(sim, lifetime=NO_LIMIT), None, first, last
    lifetime = wanted if wanted in rules.lifetimes else first
    return replace(sim, lifetime=lifetime), None, lifetime, last


def _priced(found: CacheTokens, short: str, long: str) -> Mapping[str, IntArray]:
    tokens = {"read": found.read, "uncached": found.uncached, f"write_{short}": found.short}
    if found.long.any():
        tokens[f"write_{long}"] = found.long
    return tokens


def _observed(
    kept: Kept, part: Part, workload: Workload, structure: Structure, draft: Draft
) -> None:
    usage = kept.usage
    read = usage.tokens.get("read", np.zeros(usage.rows, np.int64))[part.rows]
    sent = structure.tokens_at(structure.run(_sent(structure)))
    silent = ~usage.says_cache[part.rows]
    _short(part, structure, read, sent, draft)
    draft.fact[part.rows] = FACTS.index("prompts")
    if not part.rules.lifetimes:
        begun = simulate(structure, Sim(placement="all", by_workspace=part.rules.by_workspace)).read
        draft.put("open", part.rows, begun)
        draft.put("not_yet_readable", part.rows, sent)
        draft.fact[part.rows] = FACTS.index("promise")
    else:
        points = own_points(workload) or _written(kept, part, structure, read)
        lifetimes = (ttl_us(part.rules.lifetimes[0]), ttl_us(part.rules.lifetimes[-1]))
        _stored(part, structure, points, read, lifetimes, draft)
        draft.put("no_breakpoint", part.rows, sent)
    draft.put("unknown", part.rows[silent], structure.prompt[silent])
    draft.fact[part.rows[silent]] = FACTS.index("not_said")


def _stored(
    part: Part,
    structure: Structure,
    points: Points,
    read: IntArray,
    lifetimes: tuple[int, int],
    draft: Draft,
) -> None:
    entry = structure.offsets[points.row_of] + points.after - 1
    points = points.kept(structure.ends[entry] >= max(part.rules.min_tokens, 1))
    found = stored_behind(
        structure,
        points,
        _blocks_in(structure, read),
        ttl_us=lifetimes,
        lookback=part.rules.lookback if structure.message_blocks else None,
        refresh=part.rules.refresh is not False,
    )
    for name, blocks in (
        ("evicted", found.alive),
        ("not_yet_readable", found.parallel),
        ("look_back", found.back),
        ("expired", found.expired),
    ):
        draft.put(name, part.rows, structure.tokens_at(blocks))
    draft.late_us[part.rows] = found.late_us


def _written(kept: Kept, part: Part, structure: Structure, read: IntArray) -> Points:
    """Breakpoints as the written tokens show them: the long lifetime's first."""
    usage, zero = kept.usage, np.zeros(len(part.rows), np.int64)
    longs = sum((_of(usage.tokens, f"write_{n}", part.rows) for n in LONGS), zero)
    shorts = sum((_of(usage.tokens, f"write_{n}", part.rows) for n in SHORTS), zero)
    ends = np.stack((read + longs, read + longs + shorts), axis=1)
    after = np.stack([_blocks_in(structure, ends[:, at]) for at in range(2)], axis=1)
    wanted = np.stack((longs > 0, shorts > 0), axis=1) & (after > 0)
    return Points(
        offsets=np.concatenate((np.zeros(1, np.int64), np.cumsum(wanted.sum(axis=1)))),
        after=after[wanted],
        slot=np.broadcast_to(np.array([LONG, SHORT]), after.shape)[wanted],
    )


def _of(tokens: Mapping[str, IntArray], name: str, rows: IntArray) -> IntArray:
    found = tokens.get(name)
    return np.zeros(len(rows), np.int64) if found is None else found[rows]


def _blocks_in(structure: Structure, tokens: IntArray) -> IntArray:
    """How many leading blocks of each row end within its first `tokens`; all of them where those
    are the whole prompt."""
    size = int(max(structure.ends.max(initial=0), structure.prompt.max(initial=0))) + 1
    keys = structure.row_of * size + np.minimum(structure.ends, size - 1)
    wanted = np.arange(structure.rows) * size + np.minimum(tokens, size - 1)
    found = np.searchsorted(keys, wanted, side="right") - structure.offsets[:-1]
    blocks = np.diff(structure.offsets)
    return np.asarray(np.where(tokens >= structure.prompt, blocks, found))
