"""Who starts like whom, in the form that the simulated caches read: one node for each prefix.

Every row has the prefixes that end at its block boundaries; equal prefixes of one scope are one
node, whoever has them. Times are int64 microseconds; only their differences matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from econ.prefix_stats import block_rows, block_sizes, chain_numbers
from econ.usage import SECOND_US
from econ.workload import IntArray, Prefix, Workload, first_appearance

BoolArray = npt.NDArray[np.bool_]
DENSE_FACTOR = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """Row i has the prefixes `offsets[i]:offsets[i+1]` of `node` (numbers from 0, equal = the same
    prefix) and `ends` (its tokens). `whole[i]` leading blocks of it are whole: a partial last block
    is never shared. `session` -1 = none. `named`: the file names its shared prefix, which is the
    first `whole[i]` blocks. `message_blocks`: look-back counts these blocks.
    """

    rows: int
    offsets: IntArray
    node: IntArray
    ends: IntArray
    whole: IntArray
    prompt: IntArray
    now_us: IntArray
    begun_us: IntArray
    session: IntArray
    named: bool
    message_blocks: bool
    memo: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    """What was worked out once: a cache, never part of what a structure is."""

    @property
    def row_of(self) -> IntArray:
        """The row of every entry."""
        if "row_of" not in self.memo:
            lengths = np.diff(self.offsets)
            self.memo["row_of"] = np.repeat(np.arange(self.rows, dtype=np.int64), lengths)
        found: IntArray = self.memo["row_of"]
        return found

    @property
    def place(self) -> IntArray:
        """How many blocks of its row come before every entry."""
        if "place" not in self.memo:
            count = np.arange(len(self.node), dtype=np.int64)
            self.memo["place"] = count - self.offsets[self.row_of]
        found: IntArray = self.memo["place"]
        return found

    def run(self, known: BoolArray) -> IntArray:
        """How many leading entries of each row are `known`."""
        unknown = np.append(np.flatnonzero(~known), len(known))
        first = unknown[np.searchsorted(unknown, self.offsets[:-1])]
        return np.asarray(np.minimum(first, self.offsets[1:]) - self.offsets[:-1])

    def tokens_at(self, blocks: IntArray) -> IntArray:
        """Prompt tokens in the first `blocks` blocks of each row; 0 for none."""
        if not len(self.ends):
            return np.zeros(self.rows, dtype=np.int64)
        last = np.maximum(self.offsets[:-1] + blocks - 1, 0)
        return np.where(blocks > 0, self.ends[np.minimum(last, len(self.ends) - 1)], 0)

    def shared_blocks(self) -> IntArray:
        """The longest run of whole blocks that another request of the scope also starts with;
        where the file names its prefix, that."""
        if self.named:
            return self.whole
        if "shared" not in self.memo:
            whole = self.place < self.whole[self.row_of]
            uses = np.bincount(self.node[whole], minlength=int(self.node.max(initial=0)) + 1)
            self.memo["shared"] = self.run(whole & (uses[self.node] > 1))
        found: IntArray = self.memo["shared"]
        return found


def structure_of(workload: Workload, rows: BoolArray, isolation: IntArray) -> Structure | None:
    """The structure of `rows` (a mask), isolated by the numbers of `isolation` (one a row of the
    workload). None where the file does not say who starts like whom."""
    if workload.prefix is not None:
        return _of_blocks(workload, workload.prefix, rows, isolation)
    if workload.has("shared_prefix_tokens"):
        return _of_named(workload, rows, isolation)
    return None


def has_structure(workload: Workload) -> bool:
    """Whether the file says who starts like whom."""
    return workload.prefix is not None or workload.has("shared_prefix_tokens")


def times_us(workload: Workload) -> tuple[IntArray, IntArray]:
    """When each request arrived and began to be answered. Without arrivals: all at once, in order;
    an empty `response_s` counts as 0 seconds."""
    arrival = np.nan_to_num(workload.floats("arrival_s"), nan=0.0)
    response = np.maximum(np.nan_to_num(workload.floats("response_s"), nan=0.0), 0.0)
    now = np.rint(arrival * SECOND_US).astype(np.int64)
    return now, now + np.rint(response * SECOND_US).astype(np.int64)


def scoped(nodes: IntArray, scopes: IntArray) -> IntArray:
    """One number for each pair of a node and a scope."""
    if not len(scopes) or bool((scopes == scopes[0]).all()):
        return nodes
    pairs = nodes * (int(scopes.max()) + 1) + scopes
    return np.asarray(np.unique(pairs, return_inverse=True)[1].reshape(-1), dtype=np.int64)


def _of_blocks(
    workload: Workload, prefix: Prefix, rows: BoolArray, isolation: IntArray
) -> Structure:
    row_of = block_rows(prefix)
    sizes = block_sizes(workload, prefix)
    ends = np.cumsum(sizes)
    before = np.concatenate(([0], ends))[prefix.offsets[:-1]]
    full = np.ones(len(sizes), dtype=np.bool_)
    if isinstance(prefix.block_tokens, int):
        full = sizes >= prefix.block_tokens
    lengths = np.diff(prefix.offsets)
    unfull = np.append(np.flatnonzero(~full), len(full))
    first = unfull[np.searchsorted(unfull, prefix.offsets[:-1])]
    whole = np.minimum(first, prefix.offsets[1:]) - prefix.offsets[:-1]
    keep = rows[row_of]
    return _structure(
        workload,
        rows,
        lengths=lengths[rows],
        node=scoped(chain_numbers(prefix), isolation[row_of])[keep],
        ends=(ends - before[row_of])[keep],
        whole=whole[rows],
        named=False,
        message_blocks=prefix.message_blocks,
    )


def _of_named(workload: Workload, rows: BoolArray, isolation: IntArray) -> Structure:
    """A named prefix of several lengths is cut at each of them, and what is fresh is its own."""
    shared = np.minimum(workload.counts("shared_prefix_tokens"), workload.counts("input_tokens"))
    prompt = workload.counts("input_tokens")
    names = workload.text("prefix_id").codes.astype(np.int64) + 1
    owner = scoped(names, isolation)
    order = np.lexsort((shared, owner))
    order = order[shared[order] > 0]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (np.diff(owner[order]) != 0) | (np.diff(shared[order]) != 0)
    cut = order[new]  # one row for each (prefix, length)
    first = np.searchsorted(owner[cut], owner)  # cuts are sorted by owner, then by length
    cut_of = np.zeros(workload.rows, dtype=np.int64)
    cut_of[order] = np.cumsum(new) - 1
    segments = np.where(shared > 0, cut_of - first + 1, 0)
    fresh = (prompt > shared).astype(np.int64)
    lengths = (segments + fresh)[rows]
    row_of = np.repeat(np.flatnonzero(rows), lengths)
    starts = np.concatenate(([0], np.cumsum(lengths)))
    place = np.arange(int(lengths.sum()), dtype=np.int64) - np.repeat(starts[:-1], lengths)
    inside = place < segments[row_of]
    number = np.minimum(first[row_of] + place, max(len(cut) - 1, 0))
    size = shared[cut] if len(cut) else np.zeros(1, dtype=np.int64)
    return _structure(
        workload,
        rows,
        lengths=lengths,
        node=np.where(inside, number, len(cut) + row_of),
        ends=np.where(inside, size[number], prompt[row_of]),
        whole=segments[rows],
        named=True,
        message_blocks=False,
    )


def _dense(node: IntArray) -> IntArray:
    """The same nodes with small numbers, so that a table by node stays small."""
    if not len(node) or int(node.max()) < DENSE_FACTOR * len(node):
        return node
    return first_appearance(node)


def _structure(
    workload: Workload,
    rows: BoolArray,
    *,
    lengths: IntArray,
    node: IntArray,
    ends: IntArray,
    whole: IntArray,
    named: bool,
    message_blocks: bool,
) -> Structure:
    now, begun = times_us(workload)
    return Structure(
        rows=int(rows.sum()),
        offsets=np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths))),
        node=_dense(node),
        ends=ends,
        whole=whole,
        prompt=workload.counts("input_tokens")[rows],
        now_us=now[rows],
        begun_us=begun[rows],
        session=workload.text("session_id").codes.astype(np.int64)[rows],
        named=named,
        message_blocks=message_blocks,
    )
