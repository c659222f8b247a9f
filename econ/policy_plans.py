"""Which policies and placements apply to one model on one workload, and how each is simulated.

A plan has two simulations: the best case and the worst that the provider's promises leave open.
Where everything is promised they are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from econ.cache_rules import CacheRules
from econ.prompt_cache import NO_LIMIT, Sim
from messages.errors import Message

POLICIES = (
    "none", "as-billed", "own", "automatic", "5m", "1h", "30m", "12h",
    "mixed", "implicit", "explicit", "keep-alive",
)  # fmt: skip
PLACEMENTS = ("shared", "end", "end-block", "every", "bound")
LEVER_PLACEMENTS = frozenset({"every", "bound"})
"""Shown, but never what is best reachable: no client can follow them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What the workload says. `source`: blocks, messages, named, sessions or observed; '' = too
    little for any cache. `own`: lifetime names in the rows' own settings, None = not said."""

    source: str
    several_sessions: bool = False
    own: frozenset[str] | None = None
    answers_timed: bool = True
    several_models: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One policy at one placement. `short` and `long`: whose write prices the two lifetimes have.
    `extra`: '', 'pings' or 'objects', which cost more than tokens of the prompts."""

    policy: str
    placement: str | None
    low: Sim
    high: Sim
    short: str | None = None
    long: str | None = None
    extra: str = ""
    notes: tuple[Message, ...] = ()


def plans_of(
    rules: CacheRules,
    kind: Kind,
    batch: bool,
    policies: Sequence[str] = (),
    placements: Sequence[str] = (),
) -> list[Plan]:
    """The plans that apply; only those of `policies` and `placements` where these are given."""
    if not kind.source or (batch and rules.batch is False):
        return []
    found = list(_plans(rules, kind, policies, placements))
    if policies:
        found = [plan for plan in found if plan.policy in policies]
    if batch:
        found = [_in_batch(plan) for plan in found if not plan.extra]
    return [_noted(plan, rules, kind) for plan in found]


def _plans(
    rules: CacheRules, kind: Kind, policies: Sequence[str], placements: Sequence[str]
) -> Iterator[Plan]:
    if rules.implicit and (not placements or "implicit" in policies):  # it has no placement
        yield _implicit(rules)
    if rules.explicit and not placements and kind.source in ("blocks", "messages", "named"):
        yield Plan(
            policy="explicit", placement="shared", low=_sim(rules, "shared"),
            high=_sim(rules, "shared"), extra="objects",
            notes=(Message("policies.objects"),),
        )  # fmt: skip
    if not rules.lifetimes:
        return
    if kind.source in ("sessions", "observed"):
        yield from _of_turns(rules, kind, placements)
    else:
        yield from _at_breakpoints(rules, kind, placements)


def _at_breakpoints(rules: CacheRules, kind: Kind, placements: Sequence[str]) -> Iterator[Plan]:
    default = rules.lifetimes[0]
    if not placements:
        yield _plan(rules, "automatic", "end", default)
        if kind.own is not None and kind.own <= set(rules.lifetimes):
            yield _two_lifetimes(rules, "own")
        if kind.several_sessions and len(rules.lifetimes) > 1:
            yield _two_lifetimes(rules, "mixed")
        if rules.refresh:
            plan = _plan(rules, "keep-alive", "shared", default)
            yield replace(plan, extra="pings", notes=(*plan.notes, Message("policies.pings")))
    for lifetime in rules.lifetimes:
        if not placements and kind.source != "named":
            yield _between(rules, kind, lifetime)
        for placement in placements or _all_placements(kind):
            if placement in _all_placements(kind):
                yield _plan(rules, lifetime, placement, lifetime)


def _all_placements(kind: Kind) -> tuple[str, ...]:
    return (
        PLACEMENTS if kind.source == "blocks" else tuple(p for p in PLACEMENTS if p != "end-block")
    )


def _sim(rules: CacheRules, placement: str, lifetime: str = NO_LIMIT) -> Sim:
    return Sim(
        placement=placement,
        lifetime=lifetime,
        min_tokens=rules.min_tokens,
        lookback=rules.lookback,
        by_workspace=rules.by_workspace,
    )


def _ends(rules: CacheRules, sim: Sim) -> tuple[Sim, Sim]:
    """Best and worst case of a lifetime: one that is only a minimum may last, and where it is not
    established that a read restarts it, it may not."""
    low, high = sim, sim
    if rules.outlives(sim.lifetime):
        low = replace(sim, lifetime=NO_LIMIT, long_lifetime=sim.long_lifetime and NO_LIMIT)
    if rules.refresh is None:
        high = replace(sim, refresh=False)
    return low, high


def _plan(rules: CacheRules, policy: str, placement: str, lifetime: str) -> Plan:
    low, high = _ends(rules, _sim(rules, placement, lifetime))
    notes = (Message(f"policies.placement_{placement.replace('-', '_')}"),)
    return Plan(policy=policy, placement=placement, low=low, high=high, short=lifetime, notes=notes)


def _between(rules: CacheRules, kind: Kind, lifetime: str) -> Plan:
    """Nobody named the prefix: between the bound and a breakpoint at the end of every prompt."""
    worst = "end-block" if kind.source == "blocks" else "end"
    low, _ = _ends(rules, _sim(rules, "bound", lifetime))
    _, high = _ends(rules, _sim(rules, worst, lifetime))
    notes = (Message("policies.placement_open"),)
    return Plan(policy=lifetime, placement=None, low=low, high=high, short=lifetime, notes=notes)


def _two_lifetimes(rules: CacheRules, policy: str) -> Plan:
    short, long = rules.lifetimes[0], rules.lifetimes[-1]
    sim = replace(_sim(rules, policy, short), long_lifetime=long)
    low, high = _ends(rules, sim)
    notes = (Message(f"policies.{policy}"),)
    return Plan(
        policy=policy, placement=None, low=low, high=high, short=short, long=long, notes=notes
    )


def _implicit(rules: CacheRules) -> Plan:
    low = replace(_sim(rules, "all"), step_tokens=rules.step_tokens, lookback=None)
    high = _sim(rules, "none")
    notes = (Message("policies.not_promised"),)
    return Plan(policy="implicit", placement=None, low=low, high=high, notes=notes)


def _of_turns(rules: CacheRules, kind: Kind, placements: Sequence[str]) -> Iterator[Plan]:
    """Two bounds of what may be shared; the breakpoint is at the end, or where the log's was."""
    if placements and "end" not in placements:
        return
    note = "policies.turns_observed" if kind.source == "observed" else "policies.turns_sessions"
    names = [("automatic", rules.lifetimes[0])] if kind.source == "sessions" else []
    for policy, lifetime in [*names, *((name, name) for name in rules.lifetimes)]:
        low, _ = _ends(rules, _sim(rules, "most", lifetime))
        _, high = _ends(rules, _sim(rules, "least", lifetime))
        placement = "end" if kind.source == "sessions" else None
        yield Plan(
            policy=policy, placement=placement, low=low, high=high, short=lifetime,
            notes=(Message(note),),
        )  # fmt: skip


def _in_batch(plan: Plan) -> Plan:
    """Hits in a batch are best effort: from all of them to none, with every write paid."""
    low = replace(plan.low, lifetime=NO_LIMIT, long_lifetime=plan.low.long_lifetime and NO_LIMIT)
    high = plan.high if plan.policy == "implicit" else replace(plan.high, never_hits=True)
    return replace(plan, low=low, high=high, notes=(*plan.notes, Message("policies.batch")))


def _noted(plan: Plan, rules: CacheRules, kind: Kind) -> Plan:
    notes = list(plan.notes)
    if plan.short is not None and rules.outlives(plan.short):
        notes.append(Message("policies.lifetime_is_minimum"))
    if plan.short is not None and rules.refresh is None:
        notes.append(Message("policies.refresh_not_known"))
    if rules.lookback is not None and kind.source in ("blocks", "named"):
        notes.append(Message("policies.lookback_not_counted"))
    if not kind.answers_timed:
        notes.append(Message("policies.answers_at_once"))
    if kind.several_models:
        notes.append(Message("policies.shared_across_models"))
    return replace(plan, notes=tuple(notes))
