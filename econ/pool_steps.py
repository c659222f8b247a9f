"""A workload's first requests through the engine's own block pool, every change of it kept.

The pool, its index and its eviction are those of kvcore; only the tokens are stand-ins: a workload
never holds text, so each block id stands for numbers of its own. Nothing is computed and nothing is
timed.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from econ.workload import Workload
from kvcore.blocks.hashing import chain
from kvcore.blocks.identity import Identity
from kvcore.blocks.pool import BlockPool
from kvcore.blocks.state import FINDABLE, REFS

POOL_BLOCKS = 32
REQUESTS = 20
RUNS_S = 20.0
"""How long a request runs where the workload does not say when it finished."""
BLANK = -1
KNUTH = 2_654_435_761  # spreads ids over the 32 bits of a token

Kind = Literal["arrive", "wait", "publish", "end"]
Tokens = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One event and the pool behind it. `request` counts from 1. `blocks` are those it touched.

    arrive: of `needs` blocks `hits` were found; `evicted` findable ones were given up for the rest.
    wait: no room; `free` blocks are free. publish: its whole blocks can be found. end: it lets go.
    `state`, one a block: -1 blank, 0 findable and held by nobody, n held by n requests.
    """

    kind: Kind
    request: int
    prompt_tokens: int
    needs: int
    hits: int
    evicted: int
    free: int
    blocks: tuple[int, ...]
    state: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolStory:
    """The steps in their order, the size of the pool and of a block in tokens."""

    blocks: int
    block_tokens: int
    steps: tuple[Step, ...]


@dataclass(slots=True)
class _Sequence:
    """A request on its way: its tokens, the names of its whole blocks, and what it holds."""

    number: int
    tokens: Tokens
    runs_s: float
    names: npt.NDArray[np.uint8]
    table: npt.NDArray[np.int32] | None = None


def record(workload: Workload, requests: int = REQUESTS, blocks: int = POOL_BLOCKS) -> PoolStory:
    """The story of the first `requests` requests that have block ids; none where none has.

    A block is the smallest power of two of tokens, 16 at least, at which every request fits the
    pool: then several stand side by side, some wait, and some blocks are given up for others.
    """
    prompts = list(_prompts(workload, requests))
    longest = max((len(tokens) for _, tokens, _, _ in prompts), default=0)
    block_tokens = _block_tokens(longest, blocks)
    root = Identity(model="story", kv_dtype="none").root()
    waiting = [
        (
            arrives_s,
            _Sequence(
                number=number,
                tokens=tokens,
                runs_s=runs_s,
                names=chain(root, tokens, block_tokens),
            ),
        )
        for number, tokens, arrives_s, runs_s in prompts
    ]
    pool = BlockPool(blocks, block_tokens)
    return PoolStory(blocks=blocks, block_tokens=block_tokens, steps=tuple(_run(pool, waiting)))


def _block_tokens(longest: int, blocks: int) -> int:
    size = 16
    while longest > size * blocks:
        size *= 2
    return size


def _prompts(workload: Workload, requests: int) -> Iterator[tuple[int, Tokens, float, float]]:
    """(number from 1, tokens, when it arrives, how long it runs) of the first requests."""
    prefix = workload.prefix
    if prefix is None:
        return
    arrives, finished = workload.floats("arrival_s"), workload.floats("finished_s")
    inputs, taken = workload.counts("input_tokens"), 0
    for row in range(workload.rows):
        first, last = int(prefix.offsets[row]), int(prefix.offsets[row + 1])
        if first == last:
            continue
        sizes = prefix.block_tokens
        lengths = np.full(last - first, sizes) if isinstance(sizes, int) else sizes[first:last]
        tokens = _stand_ins(prefix.block_ids[first:last], lengths)
        if isinstance(sizes, int):  # the last block of a prompt may be partial
            tokens = tokens[: int(inputs[row])]
        taken += 1
        arrives_s = float(arrives[row]) if np.isfinite(arrives[row]) else float(taken)
        runs_s = float(finished[row] - arrives[row])
        yield taken, tokens, arrives_s, runs_s if runs_s > 0 else RUNS_S
        if taken == requests:
            return


def _stand_ins(ids: npt.NDArray[np.int64], lengths: npt.NDArray[Any]) -> Tokens:
    parts = [
        (np.arange(length, dtype=np.uint64) + np.uint64((int(i) * KNUTH) % (1 << 32)))
        for i, length in zip(ids, lengths, strict=True)
    ]
    return np.concatenate(parts).astype(np.uint32)


def _run(pool: BlockPool, arrivals: list[tuple[float, _Sequence]]) -> Iterator[Step]:
    """Requests arrive, are computed at once, run, and end; who finds no room waits in line."""
    order = 0
    events: list[tuple[float, int, str, _Sequence]] = []
    for at_s, sequence in arrivals:
        heapq.heappush(events, (at_s, order, "arrive", sequence))
        order += 1
    line: list[_Sequence] = []
    while events:
        at_s, _, kind, sequence = heapq.heappop(events)
        if kind == "end":
            yield _end(pool, sequence)
        else:
            line.append(sequence)
        while line:
            step = _admit(pool, line[0])
            if step.kind == "arrive" or (kind == "arrive" and line[-1] is sequence):
                yield step
            if step.kind == "wait":
                break
            begun = line.pop(0)
            yield _publish(pool, begun)
            heapq.heappush(events, (at_s + begun.runs_s, order, "end", begun))
            order += 1


def _admit(pool: BlockPool, sequence: _Sequence) -> Step:
    size, length = pool.block_tokens, len(sequence.tokens)
    needs, before = -(-length // size), pool.evictions
    admitted = pool.admit(sequence.names, sequence.tokens, length - 1, needs)
    if admitted is None:
        return _step(pool, "wait", sequence, needs=needs)
    sequence.table = admitted.table
    given_up = pool.evictions - before
    return _step(pool, "arrive", sequence, needs=needs, hits=admitted.hit_blocks, evicted=given_up)


def _publish(pool: BlockPool, sequence: _Sequence) -> Step:
    if sequence.table is not None:
        pool.publish(sequence.table, sequence.names, sequence.tokens)
    return _step(pool, "publish", sequence, needs=len(sequence.names))


def _end(pool: BlockPool, sequence: _Sequence) -> Step:
    if sequence.table is not None:
        pool.release(sequence.table)
    return _step(pool, "end", sequence, needs=len(sequence.names))


def _step(
    pool: BlockPool, kind: Kind, sequence: _Sequence, *, needs: int, hits: int = 0, evicted: int = 0
) -> Step:
    rows = pool.state.links[: pool.blocks]
    state = np.where(rows[:, REFS] > 0, rows[:, REFS], np.where(rows[:, FINDABLE] > 0, 0, BLANK))
    table = () if sequence.table is None else tuple(int(block) for block in sequence.table)
    return Step(
        kind=kind,
        request=sequence.number,
        prompt_tokens=len(sequence.tokens),
        needs=needs,
        hits=hits,
        evicted=evicted,
        free=pool.free_blocks,
        blocks=table,
        state=tuple(int(value) for value in state),
    )


def story_to_json(story: PoolStory) -> dict[str, Any]:
    """Plain JSON values."""
    return asdict(story)


def story_from_json(data: Any) -> PoolStory:
    """What `story_to_json` gave. ValueError, KeyError or TypeError for anything else."""
    steps = [
        Step(**{**row, "blocks": tuple(row["blocks"]), "state": tuple(row["state"])})
        for row in data["steps"]
    ]
    return PoolStory(
        blocks=int(data["blocks"]), block_tokens=int(data["block_tokens"]), steps=tuple(steps)
    )
