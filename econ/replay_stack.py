"""One pass for all capacities: how large a least-recently-used cache every block needed.

The recency order does not depend on the capacity, so a block is resident at its request exactly
where its place in that order is within the capacity (Mattson, Gecsei, Slutz, Traiger 1970).
Compiled like `econ.replay_kernels`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from econ.replay_input import Ids
from econ.replay_kernels import Touches, compiled, untouched
from econ.workload import FloatArray, IntArray

SPAN, SPAN_SHIFT = 64, 6
"""Touches under one leaf of the tree of sums; inside a leaf they are counted one by one."""

Tree = npt.NDArray[np.int32]
Marks = npt.NDArray[np.uint8]
Steps = npt.NDArray[np.uint16]


@compiled
def _add(tree: Tree, leaf: int, delta: int) -> None:
    at = leaf + 1
    while delta != 0 and at < len(tree):
        tree[at] += delta
        at += at & -at


@compiled
def _older(tree: Tree, marks: Marks, place: int) -> int:
    """Blocks whose last touch was before `place`."""
    total = 0
    at = place >> SPAN_SHIFT
    for mark in range(at << SPAN_SHIFT, place):
        total += marks[mark]
    while at > 0:
        total += tree[at]
        at -= at & -at
    return total


@compiled
def _touch(tree: Tree, marks: Marks, last: Touches, ids: Ids, now: int, tail_first: bool) -> int:
    """Touch `ids` from the time `now` on; returns how many were new. Sums are passed up once for
    each leaf of the tree, not for each touch."""
    new = leaf = delta = 0
    for step in range(len(ids)):
        block = ids[len(ids) - 1 - step] if tail_first else ids[step]
        place = last[block]
        last[block] = now + step
        if place < 0:
            new += 1
        elif place < now:  # otherwise it was touched in this request and has no mark yet
            if place >> SPAN_SHIFT != leaf:
                _add(tree, leaf, delta)
                leaf, delta = place >> SPAN_SHIFT, 0
            marks[place] = 0
            delta -= 1
    _add(tree, leaf, delta)
    leaf, delta = now >> SPAN_SHIFT, 0
    for step in range(len(ids)):
        block = ids[len(ids) - 1 - step] if tail_first else ids[step]
        if last[block] == now + step:
            if (now + step) >> SPAN_SHIFT != leaf:
                _add(tree, leaf, delta)
                leaf, delta = (now + step) >> SPAN_SHIFT, 0
            marks[now + step] = 1
            delta += 1
    _add(tree, leaf, delta)
    return new


def needed_capacity(
    offsets: IntArray, ids: Ids, id_space: int, look: IntArray, tail_first: bool,
    file_blocks: IntArray, block_tokens: int, sizes: IntArray, input_tokens: IntArray,
    asked: IntArray,
) -> tuple[IntArray, IntArray, FloatArray]:  # fmt: skip
    """Hit blocks, hit tokens and the sum of request ratios that each capacity of `asked` (rising)
    adds to the one before. `sizes` has one size an entry, or is empty: then every block has
    `block_tokens`, the last one what is left of the prompt."""
    step = np.zeros(id_space + 1, dtype=np.uint16)
    np.add.at(step, asked[asked < id_space] + 1, 1)
    np.cumsum(step, out=step)
    marks = np.zeros(len(ids) + SPAN, dtype=np.uint8)
    last = untouched(len(ids), id_space)
    return _needed_capacity(
        offsets, ids, look, tail_first, file_blocks, block_tokens, sizes, input_tokens,
        step, len(asked), marks, last,
    )  # fmt: skip


@compiled
def _needed_capacity(
    offsets: IntArray, ids: Ids, look: IntArray, tail_first: bool, file_blocks: IntArray,
    block_tokens: int, sizes: IntArray, input_tokens: IntArray, step: Steps, steps: int,
    marks: Marks, last: Touches,
) -> tuple[IntArray, IntArray, FloatArray]:  # fmt: skip
    """Blocks that were touched one after the other need capacities that differ by one, so that one
    question to the tree serves the run of a whole conversation. `step` is the first capacity asked
    for that is as large as a number of blocks; `steps` where none is."""
    blocks = np.zeros(steps + 1, dtype=np.int64)
    tokens = np.zeros(steps + 1, dtype=np.int64)
    ratios = np.zeros(steps + 1, dtype=np.float64)
    tree = np.zeros((len(ids) >> SPAN_SHIFT) + 2, dtype=np.int32)
    live = now = 0
    for row in range(len(offsets) - 1):
        first, end = offsets[row], offsets[row + 1]
        place = before = -1
        rank = needed = 0
        for at in range(first, first + look[row]):
            place = last[ids[at]]
            if place < 0:
                break
            if at > first and -1 <= place - before <= 1:
                rank += before - place
            else:
                rank = live - _older(tree, marks, place)
            before = place
            needed = max(needed, rank)
            bin_of = step[needed]
            blocks[bin_of] += 1
            if len(sizes):
                tokens[bin_of] += sizes[at]
            else:
                rest = input_tokens[row] - (at - first) * block_tokens
                tokens[bin_of] += max(0, min(block_tokens, rest))
            ratios[bin_of] += 1.0 / file_blocks[row]
        live += _touch(tree, marks, last, ids[first:end], now, tail_first)
        now += end - first
    return blocks[:steps], tokens[:steps], ratios[:steps]
