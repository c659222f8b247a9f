"""Reasons where a log says what was read and written, but not what its prompts hold."""

from __future__ import annotations

import numpy as np

from econ.cache_rules import LIFETIME_S
from econ.miss_chains import Calls, left_by
from econ.miss_parts import Kept, conversations, workspaces
from econ.miss_runs import FACTS, Draft
from econ.structure import times_us
from econ.turns import NO_ROW, previous_rows
from econ.usage import SECOND_US
from econ.workload import IntArray

LONGEST_FIRST = ("12h", "1h", "30m", "5m")


def fill_logs(kept: Kept, draft: Draft) -> None:
    """Fill `draft` for every row of an observed log."""
    usage, workload = kept.usage, kept.workload
    rows = np.arange(usage.rows, dtype=np.int64)
    zero = np.zeros(usage.rows, dtype=np.int64)
    read = usage.tokens.get("read", zero)
    writes = [usage.tokens.get(f"write_{name}", zero) for name in LONGEST_FIRST]
    written = sum(writes, zero)
    minimum, automatic, isolation = _rules(kept, written)
    chain = conversations(workload, ("agent",), kept.payee_code, isolation)
    chain = np.where(usage.says_cache, chain, -1)
    now, begun = times_us(workload)
    lifetimes = [LIFETIME_S[name] * SECOND_US for name in LONGEST_FIRST]
    used = [ttl for ttl, tokens in zip(lifetimes, writes, strict=True) if tokens.any()]
    left = left_by(
        Calls(
            chain=chain, now_us=now, begun_us=begun, prompt=usage.prompt, read=read, writes=writes,
            ttl_us=lifetimes, automatic=automatic, shortest_us=min(used, default=min(lifetimes)),
        )
    )  # fmt: skip
    continued = left.before >= 0
    shrunk = continued & (left.before > usage.prompt)
    grown = continued & ~shrunk
    small = (usage.prompt < minimum) & (read == 0)
    draft.put("below_minimum", rows, np.where(small, usage.prompt, 0))
    draft.put("open", rows, np.where(grown, np.maximum(left.alive, left.open), 0))
    draft.put("not_yet_readable", rows, np.where(grown, left.parallel, 0))
    draft.put("expired", rows, np.where(grown, left.expired, 0))
    draft.put("no_breakpoint", rows, np.where(grown & (automatic == 0), left.held, 0))
    draft.put("prefix_changed", rows, np.where(shrunk, left.held, 0))
    draft.put("switched", rows, _elsewhere(kept, chain, read + written, automatic))
    draft.late_us[:] = left.late_us
    draft.fork[:] = np.where(shrunk & (left.held > read), read, -1)
    unknown = np.where(continued, np.minimum(left.before, usage.prompt), 0)
    draft.put("unknown", rows, np.where(chain < 0, usage.prompt, unknown))
    draft.fact[:] = np.where(grown & (left.open > read), _fact("promise"), _fact("prompts"))
    draft.fact[chain < 0] = _fact("sessions")
    draft.fact[~usage.says_cache] = _fact("not_said")


def _fact(name: str) -> int:
    return FACTS.index(name)


def _rules(kept: Kept, written: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Of each row: the least that is kept, 1 where prompts are stored by themselves, and what
    isolates the cache."""
    minimum = np.zeros(kept.workload.rows, dtype=np.int64)
    automatic, isolation = minimum.copy(), minimum.copy()
    for part in kept.parts:
        minimum[part.rows] = part.rules.min_tokens
        isolation[part.rows] = workspaces(kept.workload, part.rules)[part.rows]
        if part.rules.implicit:
            by_itself = not part.rules.lifetimes or written[part.rows] == 0
            automatic[part.rows] = by_itself
    return minimum, automatic, isolation


def _elsewhere(kept: Kept, chain: IntArray, stored: IntArray, automatic: IntArray) -> IntArray:
    """Tokens that the conversation's previous request left in another model's or workspace's
    cache, at most the prompt."""
    workload, prompt = kept.workload, kept.usage.prompt
    before = previous_rows(workload, ("session_id", "agent"))
    switched = (before != NO_ROW) & (chain >= 0) & (chain != chain[before]) & (chain[before] >= 0)
    held = np.where(automatic == 1, prompt, stored)
    return np.where(switched, np.minimum(held[before], prompt), 0)
