"""What one provider cache does with every request of a trace: tokens read, written, ordinary.

A simulation is a placement and lifetimes, under one model's rules. It gives tokens, never money:
prices are put to them afterwards, so models with the same rules share one simulation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from econ.cache_kernel import FOREVER_US, LONG, SHORT, Points, hits
from econ.cache_rules import LIFETIME_S
from econ.cache_runs import gaps_hit, paid_runs
from econ.structure import Structure
from econ.turns import Turns
from econ.usage import SECOND_US
from econ.workload import IntArray

NO_LIMIT = "unlimited"
"""A lifetime: the entry lives on inside the trace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sim:
    """One simulation. `placement`: shared, end, end-block, every, bound, own, mixed, none or all
    ('all': every block boundary readable, writes free); for turns most, least or all.
    `lifetime` and `long_lifetime` by name, or NO_LIMIT. `never_hits`: everything is written and
    nothing read. `uses_to_pay`: of `bound`, the smallest run of uses whose write pays.
    """

    placement: str
    lifetime: str = NO_LIMIT
    long_lifetime: str | None = None
    min_tokens: int = 0
    step_tokens: int = 1
    lookback: int | None = None
    refresh: bool = True
    never_hits: bool = False
    uses_to_pay: int | None = None
    by_workspace: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheTokens:
    """Prompt tokens a row in disjoint buckets; `read + short + long + uncached` is the prompt."""

    read: IntArray
    short: IntArray
    long: IntArray
    uncached: IntArray


def simulate(structure: Structure | Turns, sim: Sim, own: Points | None = None) -> CacheTokens:
    """The buckets of every row of `structure` under `sim`. `own`: each row's own breakpoints, for
    the placement of that name."""
    if sim.placement == "none" or (sim.placement == "bound" and sim.never_hits):
        return _nothing(structure)
    if isinstance(structure, Turns):
        return _of_turns(structure, sim)
    if sim.placement == "all":
        return _readable_everywhere(structure, sim)
    if sim.placement == "bound":
        return _bound(structure, sim)
    if sim.placement == "every":
        return _every(structure, sim)
    points = own if sim.placement == "own" else placed(structure, sim)
    if points is None:
        return _nothing(structure)
    return _at_points(structure, sim, points)


def placed(structure: Structure, sim: Sim) -> Points:
    """Where the placement sets breakpoints."""
    lengths = np.diff(structure.offsets)
    if sim.placement == "end":
        return Points.one(lengths)
    if sim.placement == "end-block":
        return Points.one(structure.whole)
    if sim.placement == "mixed":
        return _mixed(structure)
    return Points.one(structure.shared_blocks())


def ttl_us(lifetime: str | None) -> int:
    """A lifetime's name in microseconds."""
    if lifetime is None or lifetime == NO_LIMIT:
        return FOREVER_US
    return LIFETIME_S[lifetime] * SECOND_US


def other_sessions_blocks(structure: Structure) -> IntArray:
    """The longest run of whole blocks that a request of another session also starts with; rows
    without a session are a session each."""
    rows, session = structure.row_of, structure.session
    own = np.where(session >= 0, session, session.max(initial=0) + 1 + np.arange(structure.rows))
    whole = np.flatnonzero(structure.place < structure.whole[rows])
    nodes, sessions = structure.node[whole], own[rows[whole]]
    size = int(structure.node.max(initial=0)) + 1
    lowest = np.full(size, np.iinfo(np.int64).max)
    highest = np.full(size, -1, dtype=np.int64)
    np.minimum.at(lowest, nodes, sessions)
    np.maximum.at(highest, nodes, sessions)
    known = np.zeros(len(structure.node), dtype=np.bool_)
    known[whole] = lowest[nodes] != highest[nodes]
    return structure.run(known)


def _mixed(structure: Structure) -> Points:
    """The long lifetime after what other sessions share, the short one after what any shares."""
    long = other_sessions_blocks(structure)
    short = np.maximum(structure.shared_blocks(), long)
    pairs = np.stack((long, short), axis=1)
    wanted = np.stack((long > 0, short > long), axis=1)
    counts = wanted.sum(axis=1)
    return Points(
        offsets=np.concatenate((np.zeros(1, np.int64), np.cumsum(counts))),
        after=pairs[wanted],
        slot=np.broadcast_to(np.array([LONG, SHORT]), pairs.shape)[wanted],
    )


def _at_points(structure: Structure, sim: Sim, points: Points) -> CacheTokens:
    entry = structure.offsets[points.row_of] + points.after - 1
    # The very end of a prompt lies behind what no id covers: that is written too, read by nobody.
    to_end = sim.placement == "end"
    ends = structure.prompt[points.row_of] if to_end else structure.ends[entry]
    points = points.kept(ends >= max(sim.min_tokens, 1))
    read = np.zeros(structure.rows, dtype=np.int64)
    if not sim.never_hits:
        blocks = hits(
            structure,
            points,
            ttl_us=(ttl_us(sim.lifetime), ttl_us(sim.long_lifetime or sim.lifetime)),
            lookback=sim.lookback if structure.message_blocks else None,
            refresh=sim.refresh,
        )
        read = structure.tokens_at(blocks)
    return _billed(structure, points, read, to_end)


def _billed(structure: Structure, points: Points, read: IntArray, to_end: bool) -> CacheTokens:
    """Read A, write B - A at the long lifetime, C - B at the short one, the rest is ordinary.
    `to_end`: breakpoints are at the end of their prompts."""
    rows = points.row_of
    long = np.zeros(structure.rows, dtype=np.int64)
    last = np.zeros(structure.rows, dtype=np.int64)
    is_long = points.slot == LONG
    np.maximum.at(long, rows[is_long], points.after[is_long])
    np.maximum.at(last, rows, points.after)
    b = np.maximum(read, structure.tokens_at(long))
    written = structure.tokens_at(last)
    c = np.maximum(b, np.where(last > 0, structure.prompt, 0) if to_end else written)
    return CacheTokens(read=read, long=b - read, short=c - b, uncached=structure.prompt - c)


def _of_turns(turns: Turns, sim: Sim) -> CacheTokens:
    """Read what the previous request stored; the rest up to the breakpoint is written anew."""
    least = max(sim.min_tokens, 1)
    carried = turns.least if sim.placement == "least" else turns.most
    alive = (turns.gap_us >= 0) & (turns.gap_us < ttl_us(sim.lifetime)) & (not sim.never_hits)
    read = np.where(alive, carried, 0)
    if sim.placement == "all":
        read -= read % sim.step_tokens
        return _read_alone(turns, np.where(read >= least, read, 0))
    stored = np.where(turns.stored >= least, turns.stored, 0)
    read = np.where(read >= least, np.minimum(read, stored), 0)
    zero = np.zeros(turns.rows, dtype=np.int64)
    short = stored - read
    return CacheTokens(read=read, short=short, long=zero, uncached=turns.prompt - stored)


def _nothing(structure: Structure | Turns) -> CacheTokens:
    zero = np.zeros(structure.rows, dtype=np.int64)
    return CacheTokens(read=zero, short=zero, long=zero, uncached=structure.prompt)


def _read_alone(structure: Structure | Turns, read: IntArray) -> CacheTokens:
    zero = np.zeros(structure.rows, dtype=np.int64)
    return CacheTokens(read=read, short=zero, long=zero, uncached=structure.prompt - read)


def _readable_everywhere(structure: Structure, sim: Sim) -> CacheTokens:
    read = structure.tokens_at(structure.run(gaps_hit(structure, ttl_us(sim.lifetime))))
    read -= read % sim.step_tokens
    return _read_alone(structure, np.where(read >= max(sim.min_tokens, 1), read, 0))


def _every(structure: Structure, sim: Sim) -> CacheTokens:
    read = np.zeros(structure.rows, dtype=np.int64)
    if not sim.never_hits:
        read = structure.tokens_at(structure.run(gaps_hit(structure, ttl_us(sim.lifetime))))
        read = np.where(read >= max(sim.min_tokens, 1), read, 0)
    written = structure.tokens_at(np.diff(structure.offsets))
    written = np.where(written >= max(sim.min_tokens, 1), written, 0)
    zero = np.zeros(structure.rows, dtype=np.int64)
    short = np.maximum(written - read, 0)
    return CacheTokens(read=read, short=short, long=zero, uncached=structure.prompt - read - short)


def _bound(structure: Structure, sim: Sim) -> CacheTokens:
    """Block by block: written once and read for the rest of a run where that pays."""
    writes, reads = paid_runs(structure, ttl_us(sim.lifetime), sim.uses_to_pay)
    place, offsets = structure.place, structure.offsets
    size = structure.ends - np.where(place > 0, np.roll(structure.ends, 1), 0)
    columns = []
    for chosen in (writes, reads):
        running = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.where(chosen, size, 0))))
        columns.append(running[offsets[1:]] - running[offsets[:-1]])
    short, read = columns
    zero = np.zeros(structure.rows, dtype=np.int64)
    return CacheTokens(read=read, short=short, long=zero, uncached=structure.prompt - read - short)
