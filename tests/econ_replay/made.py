"""Small workloads with block ids, and strategies that make many."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from econ.replay_input import Blocks, blocks_of
from econ.replay_names import Rules
from econ.workload import Prefix, Text, Workload

Rows = list[list[int]]


def made(
    rows: Sequence[Sequence[int]],
    *,
    block_tokens: int | Sequence[int] = 1,
    input_tokens: Sequence[int] | None = None,
    times_s: Sequence[float] | None = None,
    **text: Sequence[str | None],
) -> Workload:
    """One request a row of ids; prompts as long as their blocks; arrivals a second apart."""
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    ids = np.asarray([block for row in rows for block in row], dtype=np.int64)
    if isinstance(block_tokens, int):
        sizes: int | np.ndarray = block_tokens
        lengths = [len(row) * block_tokens for row in rows]
    else:
        sizes = np.asarray(block_tokens, dtype=np.int64)
        ends = np.concatenate(([0], np.cumsum(sizes)))
        lengths = (ends[offsets[1:]] - ends[offsets[:-1]]).tolist()
    given = range(len(rows)) if times_s is None else times_s
    columns = {
        "arrival_s": np.asarray(given, dtype=np.float64),
        "input_tokens": np.asarray(input_tokens or lengths, dtype=np.int64),
        **{name: Text.of(values) for name, values in text.items()},
    }
    return Workload(
        name="made",
        format="made",
        rows=len(rows),
        columns=columns,
        prefix=Prefix(offsets=offsets, block_ids=ids, block_tokens=sizes),
    )


def rows_of(blocks: Blocks) -> Rows:
    """The ids of each request as lists."""
    ends = blocks.offsets.tolist()
    return [blocks.ids[a:b].tolist() for a, b in pairwise(ends)]


@st.composite
def conversations(draw: st.DrawFn) -> Rows:
    """Rows that walk down one tree: an id stands for itself and all ids in front of it."""
    known: dict[tuple[int, ...], int] = {}
    rows = []
    for _ in range(draw(st.integers(1, 14))):
        path = tuple(draw(st.lists(st.integers(0, 2), min_size=1, max_size=6)))
        chains = [path[: at + 1] for at in range(len(path))]
        rows.append([known.setdefault(chain, len(known)) for chain in chains])
    return rows


anything = st.lists(st.lists(st.integers(0, 7), min_size=0, max_size=6), min_size=1, max_size=14)
"""Rows of bare ids: the same id may follow different ones, and stand in a row twice."""


@st.composite
def workloads(draw: st.DrawFn, rows: st.SearchStrategy[Rows] = anything) -> Workload:
    """Rows with block sizes, prompt lengths and rising times, equal times among them."""
    drawn = draw(rows)
    entries = sum(map(len, drawn))
    if not entries:
        drawn, entries = [[0]], 1
    gaps = draw(st.lists(st.integers(0, 4), min_size=len(drawn), max_size=len(drawn)))
    times = np.cumsum(gaps).tolist()
    if draw(st.booleans()):
        sizes = draw(st.lists(st.integers(1, 9), min_size=entries, max_size=entries))
        return made(drawn, block_tokens=sizes, times_s=times)
    short = draw(st.lists(st.integers(0, 3), min_size=len(drawn), max_size=len(drawn)))
    lengths = [max(4 * len(row) - less, 1) for row, less in zip(drawn, short, strict=True)]
    return made(drawn, block_tokens=4, input_tokens=lengths, times_s=times)


def input_of(workload: Workload, rules: Rules = "trace") -> Blocks:
    """The blocks of a workload in one scope."""
    return blocks_of(workload, rules)
