"""Anthropic's prompt-cache rules, simulated slowly and obviously: faster code is compared with it.

The rules, each stated once (sources: the provider's prompt-caching page):

* A prefix is written only where the request sets a breakpoint, and only if it holds at least the
  model's minimum of tokens; a shorter one is not cached, silently.
* A request reads the longest stored prefix that one of its breakpoints finds: each looks at its own
  position and back, 20 positions including itself. A position is one message block; a run of
  tool_use blocks counts once and so does a run of tool_result blocks, so the caller hands over
  blocks in which such runs are already one.
* An entry lives from the start of the request that wrote or last read it; a request that starts
  exactly at the limit misses. It can be read once the writer's answer began, so requests sent
  together all write. Requests at the same moment are served in file order.
* Each breakpoint restarts the lifetime of the entry that it finds, and of no other: shorter entries
  inside a prefix that was read go on ageing.
* A breakpoint inside what was read leaves an entry there without a charge, because nothing new is
  stored. It lives no longer than the entry that was read.
* One request with both lifetimes: A = highest hit, B = highest one-hour breakpoint after A,
  C = last breakpoint. A is read, B - A written for an hour, C - B for five minutes, the rest is
  ordinary input.
* Entries of another scope (workspace and model) are never seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TypeAlias

from messages.errors import input_error

FIVE_MINUTES_S = 300
ONE_HOUR_S = 3600
LIFETIMES_S = (FIVE_MINUTES_S, ONE_HOUR_S)
MAX_BREAKPOINTS = 4
LOOKBACK_POSITIONS = 20
MICROSECONDS = 1_000_000

Scope: TypeAlias = Hashable
Block: TypeAlias = tuple[int, int]
"""(block id, tokens): equal ids at equal places are equal text."""
Breakpoint: TypeAlias = tuple[int, int]
"""(after so many blocks, lifetime in seconds)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleRequest:
    """One request as its sender made it.

    `arrival_s` and `response_s` (arrival to first token) in seconds; `blocks` in prompt order;
    `breakpoints` in prompt order, at most four, one-hour ones first; `scope` is what isolates
    caches, such as (workspace, model). `tail_tokens` come after the last block: a breakpoint
    there writes them too, and no id says who could read them.
    """

    arrival_s: float
    response_s: float = 0.0
    scope: Scope = ""
    blocks: tuple[Block, ...]
    breakpoints: tuple[Breakpoint, ...] = ()
    min_cacheable_tokens: int = 0
    tail_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleResult:
    """The prompt of one request in four disjoint buckets of tokens."""

    read: int
    write_5m: int
    write_1h: int
    uncached: int

    @property
    def prompt(self) -> int:
        """All prompt tokens."""
        return self.read + self.write_5m + self.write_1h + self.uncached


@dataclass(slots=True)
class _Entry:
    """A stored prefix of one lifetime. Times in microseconds."""

    started_us: int
    readable_us: int


@dataclass(slots=True)
class _Cache:
    """Every prefix ever seen as a node of a tree, and what is stored at each, by lifetime."""

    nodes: dict[tuple[Hashable, int], int] = field(default_factory=dict)
    entries: dict[int, dict[int, _Entry]] = field(default_factory=dict)

    def path(self, request: OracleRequest) -> list[int]:
        """The node of each prefix; path[n] is the prefix of n blocks, path[0] no prefix."""
        path = [-1]
        parent: Hashable = ("scope", request.scope)
        for block_id, _ in request.blocks:
            node = self.nodes.setdefault((parent, block_id), len(self.nodes))
            path.append(node)
            parent = node
        return path

    def alive(self, node: int, now_us: int) -> list[tuple[int, _Entry]]:
        """(lifetime, entry) of what is stored at `node` and has not expired."""
        stored = self.entries.get(node)
        if stored is None:
            return []
        return [
            (ttl_s, entry)
            for ttl_s, entry in stored.items()
            if now_us - entry.started_us < ttl_s * MICROSECONDS
        ]

    def readable(self, node: int, now_us: int) -> bool:
        """A living entry at `node` whose writer had begun to answer."""
        return any(entry.readable_us <= now_us for _, entry in self.alive(node, now_us))

    def touch(self, node: int, now_us: int) -> None:
        """What was read starts its lifetime anew."""
        for _, entry in self.alive(node, now_us):
            if entry.readable_us <= now_us:
                entry.started_us = now_us

    def write(self, node: int, ttl_s: int, now_us: int, readable_us: int) -> None:
        """Stores an entry; one that other requests are still writing stays readable as early."""
        for living_ttl_s, entry in self.alive(node, now_us):
            if living_ttl_s == ttl_s:
                readable_us = min(readable_us, entry.readable_us)
        self.entries.setdefault(node, {})[ttl_s] = _Entry(now_us, readable_us)


def simulate(
    requests: Sequence[OracleRequest], *, lookback_positions: int | None = LOOKBACK_POSITIONS
) -> list[OracleResult]:
    """The buckets of every request, in the order given; requests are served by arrival.

    `lookback_positions`: None for workloads whose blocks are not message blocks, which look-back
    cannot cut. Raises InputError for breakpoints that the provider refuses.
    """
    cache = _Cache()
    results: list[OracleResult | None] = [None] * len(requests)
    for row in sorted(range(len(requests)), key=lambda row: requests[row].arrival_s):
        _check(requests[row], row)
        results[row] = _serve(cache, _visit(cache, requests[row]), lookback_positions)
    return [result for result in results if result is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Visit:
    """One request at the cache: tree nodes and token counts of its prefixes, by blocks."""

    path: list[int]
    ends: list[int]
    tail: int
    points: list[Breakpoint]
    now_us: int
    begun_us: int

    def written_to(self, after: int) -> int:
        """Tokens up to a breakpoint after `after` blocks; the last one covers the tail too."""
        return self.ends[after] + (self.tail if after == len(self.ends) - 1 and after else 0)


def _visit(cache: _Cache, request: OracleRequest) -> _Visit:
    ends = list(accumulate((tokens for _, tokens in request.blocks), initial=0))
    now_us = round(request.arrival_s * MICROSECONDS)
    visit = _Visit(
        path=cache.path(request),
        ends=ends,
        tail=request.tail_tokens,
        points=[],
        now_us=now_us,
        begun_us=now_us + round(request.response_s * MICROSECONDS),
    )
    least = request.min_cacheable_tokens
    points = [p for p in request.breakpoints if visit.written_to(p[0]) >= least]
    return replace(visit, points=points)


def _serve(cache: _Cache, visit: _Visit, lookback: int | None) -> OracleResult:
    found = [_find(cache, visit, after, lookback) for after, _ in visit.points]
    for position in set(found) - {0}:
        cache.touch(visit.path[position], visit.now_us)
    hit = max(found, default=0)
    _store(cache, visit, hit)
    return _bill(visit, hit)


def _find(cache: _Cache, visit: _Visit, after: int, lookback: int | None) -> int:
    """The longest readable prefix that a breakpoint after `after` blocks finds; 0 for none."""
    lowest = 1 if lookback is None else max(1, after - lookback + 1)
    for position in range(after, lowest - 1, -1):
        if cache.readable(visit.path[position], visit.now_us):
            return position
    return 0


def _store(cache: _Cache, visit: _Visit, hit: int) -> None:
    """What a request that read `hit` blocks leaves behind at its breakpoints."""
    for after, ttl_s in visit.points:
        node = visit.path[after]
        if after > hit:
            cache.write(node, ttl_s, visit.now_us, visit.begun_us)
        elif not cache.alive(node, visit.now_us):
            living = cache.alive(visit.path[hit], visit.now_us)
            longest_s = max(living_s for living_s, _ in living)
            cache.write(node, min(ttl_s, longest_s), visit.now_us, visit.now_us)


def _bill(visit: _Visit, hit: int) -> OracleResult:
    """The mixed-lifetime rule; with one lifetime, or none, it is the plain one."""
    hour = max((after for after, ttl_s in visit.points if ttl_s == ONE_HOUR_S), default=0)
    last = max((after for after, _ in visit.points), default=0)
    a = visit.ends[hit]
    b = max(a, visit.written_to(hour))
    c = max(b, visit.written_to(last))
    prompt = visit.ends[-1] + visit.tail
    return OracleResult(read=a, write_1h=b - a, write_5m=c - b, uncached=prompt - c)


def _check(request: OracleRequest, row: int) -> None:
    """Refuses what the provider answers with HTTP 400, and breakpoints outside the prompt."""
    places = [after for after, _ in request.breakpoints]
    lifetimes = [ttl_s for _, ttl_s in request.breakpoints]
    in_order = places == sorted(set(places)) and lifetimes == sorted(lifetimes, reverse=True)
    inside = all(1 <= after <= len(request.blocks) for after in places)
    known = all(ttl_s in LIFETIMES_S for ttl_s in lifetimes)
    if in_order and inside and known and len(places) <= MAX_BREAKPOINTS:
        return
    found = ", ".join(f"{after} ({ttl_s} s)" for after, ttl_s in request.breakpoints)
    raise input_error("oracle.breakpoints", row=row + 1, blocks=len(request.blocks), found=found)


def whole_prompt(requests: Iterable[OracleRequest], ttl_s: int) -> list[OracleRequest]:
    """Placement `end`: one breakpoint at the prompt's very end (what automatic caching does)."""
    return [replace(r, breakpoints=((len(r.blocks), ttl_s),) if r.blocks else ()) for r in requests]


def shared_prefix(
    requests: Sequence[OracleRequest], ttl_s: int, *, whole_block_tokens: int = 0
) -> list[OracleRequest]:
    """Placement `shared`: one breakpoint after the longest run of leading whole blocks that any
    other request of the scope, earlier or later, also starts with. Hindsight.

    `whole_block_tokens`: a block of fewer tokens is partial and is not shared (block traces);
    0 = every block is whole (message blocks).
    """
    tree = _Cache()
    paths = [tree.path(request)[1:] for request in requests]
    whole = [_whole_blocks(request, whole_block_tokens) for request in requests]
    uses = Counter(node for path, n in zip(paths, whole, strict=True) for node in path[:n])
    placed = []
    for request, path, n in zip(requests, paths, whole, strict=True):
        run = sum(1 for node in path[:n] if uses[node] > 1)
        placed.append(replace(request, breakpoints=((run, ttl_s),) if run else ()))
    return placed


def _whole_blocks(request: OracleRequest, whole_block_tokens: int) -> int:
    """How many leading blocks are whole."""
    partial = (n for n, (_, tokens) in enumerate(request.blocks) if tokens < whole_block_tokens)
    return next(partial, len(request.blocks))
