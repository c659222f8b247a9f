"""What a replay works on: the block ids of a workload under one rule set and one scope.

Rules 'trace': ids as written, a partial last block is a block, a fully known prompt hits in full.
Rules 'engine': only whole blocks are kept, and at least one token of every prompt is computed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from econ.prefix_stats import block_rows
from econ.replay_names import SCOPES, Rules, Scope
from econ.workload import FloatArray, IntArray, Prefix, Workload
from messages.errors import InputError, Message

US_PER_S = 1_000_000
DENSE_FACTOR = 4
"""Ids below this multiple of the entries are used as they are: an array over them stays small."""
MOST_DENSE = (1 << 31) - 1
Ids: TypeAlias = npt.NDArray[np.int32]
"""Four bytes an entry: most of what a replay holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """Request i looks up `look[i]` and leaves `offsets[i]:offsets[i+1]` of `ids`; ids lie in
    0..`id_space`-1. `file_blocks` and the token counts are the file's own: denominators do not
    change with the rules. `block_tokens` is one int, or one size per entry of `ids`."""

    offsets: IntArray
    ids: Ids
    id_space: int
    look: IntArray
    file_blocks: IntArray
    input_tokens: IntArray
    block_tokens: int | IntArray
    arrival_s: FloatArray

    @property
    def total_blocks(self) -> int:
        """Blocks of all requests as the file has them."""
        return int(self.file_blocks.sum())

    @property
    def total_tokens(self) -> int:
        """Prompt tokens of all requests."""
        return int(self.input_tokens.sum())

    @property
    def footprint(self) -> int:
        """Distinct blocks: a cache of this size never drops one."""
        seen = np.zeros(self.id_space, dtype=np.bool_)
        seen[self.ids] = True
        return int(seen.sum())

    @property
    def longest(self) -> int:
        """Blocks of the longest request."""
        return int(np.diff(self.offsets).max(initial=0))

    def tokens_of(self, hit_blocks: IntArray) -> IntArray:
        """Prompt tokens in the first `hit_blocks` blocks of each request."""
        if isinstance(self.block_tokens, int):
            return np.minimum(hit_blocks * self.block_tokens, self.input_tokens)
        ends = np.concatenate(([0], np.cumsum(self.block_tokens, dtype=np.int64)))
        starts = self.offsets[:-1]
        return np.asarray(ends[starts + hit_blocks] - ends[starts])

    def arrival_us(self) -> IntArray:
        """Arrivals in whole microseconds, so that a limit is compared exactly. InputError where a
        request has no time."""
        if np.isnan(self.arrival_s).any():
            raise InputError(Message("replay.no_times"))
        return np.asarray(np.rint(self.arrival_s * US_PER_S).astype(np.int64))


def blocks_of(workload: Workload, rules: Rules = "trace", scope: Scope = "file") -> Blocks:
    """The blocks of a workload. InputError where it has no block ids, or no column for `scope`."""
    prefix = workload.prefix
    if prefix is None or not len(prefix.block_ids):
        raise InputError(Message("replay.no_blocks", {"name": workload.name}))
    ids, id_space = _scoped(workload, prefix, scope)
    asked = Blocks(
        offsets=prefix.offsets.astype(np.int64, copy=False),
        ids=ids,
        id_space=id_space,
        look=np.diff(prefix.offsets),
        file_blocks=np.diff(prefix.offsets),
        input_tokens=workload.counts("input_tokens"),
        block_tokens=prefix.block_tokens,
        arrival_s=workload.floats("arrival_s"),
    )
    return asked if rules == "trace" else _engine(asked, prefix)


def scopes_of(workload: Workload) -> tuple[Scope, ...]:
    """The scopes that this workload has columns for, 'file' first."""
    several = len(np.unique(workload.text("model").codes)) > 1
    named: dict[Scope, bool] = {
        "file": True,
        "model": several,
        "team": workload.has("team"),
        "user": workload.has("user"),
    }
    return tuple(scope for scope in SCOPES if named[scope])


def _scoped(workload: Workload, prefix: Prefix, scope: Scope) -> tuple[Ids, int]:
    """Ids that are equal only inside one scope. A team's or a user's scope is inside one model
    too: what one model has computed is of no use to another."""
    ids, id_space = dense(prefix.block_ids)
    for name in {"file": (), "model": ("model",)}.get(scope, ("model", scope)):
        if name == scope and not workload.has(name):
            raise InputError(Message("replay.no_scope", {"name": workload.name, "column": name}))
        codes = workload.text(name).codes.astype(np.int64) + 1
        groups = int(codes.max(initial=0)) + 1
        if groups > 1:
            ids, id_space = dense(ids.astype(np.int64) * groups + codes[block_rows(prefix)])
    return ids, id_space


def dense(values: IntArray) -> tuple[Ids, int]:
    """Whole numbers from 0 that are equal where `values` are, and how many there may be. Small
    ones stay as they are."""
    if not len(values):
        return values.astype(np.int32), 0
    least, most = int(values.min()), int(values.max())
    if least >= 0 and most < min(DENSE_FACTOR * len(values), MOST_DENSE):
        return values.astype(np.int32), most + 1
    from econ import replay_numbering

    return replay_numbering.numbered(values)


def _engine(asked: Blocks, prefix: Prefix) -> Blocks:
    row_of = block_rows(prefix)
    most = np.maximum(asked.input_tokens - 1, 0)
    if not isinstance(asked.block_tokens, int):
        ends = np.cumsum(asked.block_tokens, dtype=np.int64)
        before = np.concatenate(([0], ends))[asked.offsets[:-1]]
        fits = ends - before[row_of] <= most[row_of]
        look = np.bincount(row_of[fits], minlength=len(most)).astype(np.int64)
        return replace(asked, look=look)
    whole = np.minimum(asked.file_blocks, asked.input_tokens // asked.block_tokens)
    place = np.arange(len(row_of), dtype=np.int64) - asked.offsets[row_of]
    return replace(
        asked,
        offsets=np.concatenate(([0], np.cumsum(whole))).astype(np.int64),
        ids=asked.ids[place < whole[row_of]],
        look=np.minimum(whole, most // asked.block_tokens),
    )
