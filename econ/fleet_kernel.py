"""The queue's loop, compiled by numba where it is installed. Held against `econ.fleet_oracle`.

Import this module only where a fleet is simulated. What a replica does is written in `econ.fleet`.
A replica's whole numbers lie in a row of `state`, its seconds in a row of `spent`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from econ.replay_input import Ids
from econ.replay_kernels import compiled
from econ.workload import FloatArray, IntArray

ROUND_ROBIN, LEAST_LOADED, PREFIX_AFFINE = 0, 1, 2
RUN_STEPS = 32
AFFINE_SHARE = 0.5
AHEAD_REQUESTS, AHEAD_RATIO = 32, 1.5

PINNED, KEPT, BATCH, CONTEXT, STEP, HEAD, TAIL, CURRENT, DONE, OPEN = range(10)
CLOCK, PREFILL, DECODE = range(3)
Links = npt.NDArray[np.int32]


@compiled
def simulate(
    arrival: FloatArray, prompt: IntArray, output: IntArray, offsets: IntArray, ids: Ids,
    id_tokens: IntArray, look: IntArray, private: IntArray, block_tokens: int,
    replicas: int, routing: int, capacity: int, most: int, budget: int, computed: bool,
    contexts: FloatArray, decode: FloatArray, spacing: float, prefill: FloatArray,
    first: FloatArray, finish: FloatArray, hits: IntArray, at: IntArray,
) -> FloatArray:  # fmt: skip
    """Fill `first`, `finish` (seconds), `hits` (tokens) and `at` (replica; -1: does not fit at
    all) of each request; returns the busy seconds of each replica, prefill and decode apart.
    `computed`: prompts arrive with their KV, as in a decode pool."""
    rows, blocks = len(arrival), len(id_tokens)
    state = np.zeros((replicas, 10), dtype=np.int64)
    state[:, HEAD] = -1
    state[:, TAIL] = -1
    state[:, CURRENT] = -1
    spent = np.zeros((replicas, 3), dtype=np.float64)
    newer = np.full((replicas, blocks + 1), -1, dtype=np.int32)
    older = np.full((replicas, blocks + 1), -1, dtype=np.int32)
    newer[:, blocks] = blocks
    older[:, blocks] = blocks
    users = np.zeros((replicas, blocks), dtype=np.int32)
    behind = np.full(rows, -1, dtype=np.int64)
    heap = np.zeros((replicas, most + 1), dtype=np.int64)
    home = np.full(blocks, -1, dtype=np.int32)
    for row in range(rows + 1):
        until = arrival[row] if row < rows else np.inf
        for r in range(replicas):
            while spent[r, CLOCK] < until and state[r, OPEN] > 0:
                _advance(
                    r, until, prompt, output, offsets, ids, id_tokens, look, private, block_tokens,
                    capacity, most, budget, computed, contexts, decode, spacing, prefill,
                    state, spent, newer, older, users, behind, heap, first, finish, hits,
                )  # fmt: skip
        if row == rows:
            break
        needed = private[row]
        for place in range(offsets[row], offsets[row + 1]):
            needed += id_tokens[ids[place]]
        if needed > capacity:
            at[row] = -1
            continue
        r = _routed(row, routing, prompt, offsets, ids, id_tokens, look, state, home)
        at[row] = r
        for place in range(offsets[row], offsets[row + 1]):
            home[ids[place]] = r
        if state[r, OPEN] == 0:
            spent[r, CLOCK] = max(spent[r, CLOCK], arrival[row])
        state[r, OPEN] += 1
        if state[r, HEAD] < 0:
            state[r, HEAD] = row
        else:
            behind[state[r, TAIL]] = row
        state[r, TAIL] = row
    return spent


@compiled
def _routed(
    row: int, routing: int, prompt: IntArray, offsets: IntArray, ids: Ids, id_tokens: IntArray,
    look: IntArray, state: IntArray, home: Links,
) -> int:  # fmt: skip
    replicas = len(state)
    if routing == ROUND_ROBIN:
        return row % replicas
    least, most_open = 0, state[0, OPEN]
    for r in range(1, replicas):
        if state[r, OPEN] < state[least, OPEN]:
            least = r
        most_open = max(most_open, state[r, OPEN])
    if routing == LEAST_LOADED:
        return least
    fewest = state[least, OPEN]
    if most_open - fewest > AHEAD_REQUESTS and most_open > AHEAD_RATIO * fewest:
        return least
    known, target = 0, least
    for place in range(offsets[row], offsets[row] + look[row]):
        block = ids[place]
        if home[block] < 0:
            break
        known += id_tokens[block]
        target = home[block]
    return target if known >= AFFINE_SHARE * prompt[row] else least


@compiled
def _advance(
    r: int, until: float, prompt: IntArray, output: IntArray, offsets: IntArray, ids: Ids,
    id_tokens: IntArray, look: IntArray, private: IntArray, block_tokens: int, capacity: int,
    most: int, budget: int, computed: bool, contexts: FloatArray, decode: FloatArray,
    spacing: float, prefill: FloatArray, state: IntArray, spent: FloatArray, newer: Links,
    older: Links, users: Links, behind: IntArray, heap: IntArray, first: FloatArray,
    finish: FloatArray, hits: IntArray,
) -> None:  # fmt: skip
    """One step with prompts in it, or a run of equal decode steps."""
    own = state[r]
    batch = own[BATCH]
    left, chunk_s, taken = budget - batch, 0.0, 0
    ready = np.empty(most, dtype=np.int64)
    done = 0
    while left > 0:
        if own[CURRENT] < 0:
            row = own[HEAD]
            if row < 0 or batch + done >= most or not _enter(
                row, offsets, ids, id_tokens, look, private, block_tokens, capacity, own,
                newer[r], older[r], users[r], hits,
            ):  # fmt: skip
                break
            own[CURRENT] = row
            own[DONE] = prompt[row] if computed else hits[row]
            own[HEAD] = behind[row]
        row = own[CURRENT]
        take = min(left, prompt[row] - own[DONE])
        chunk_s += _prompt_s(own[DONE] + take, spacing, prefill) - _prompt_s(
            own[DONE], spacing, prefill
        )
        own[DONE] += take
        left -= take
        taken += take
        if own[DONE] < prompt[row]:
            break
        ready[done] = row
        done += 1
        own[CURRENT] = -1
    steps = 1
    decode_s = _decode_s(batch, own[CONTEXT], contexts, decode)
    if taken == 0 and done == 0:
        steps = min(RUN_STEPS, (heap[r, 1] >> 32) - own[STEP])
        if decode_s > 0 and (until - spent[r, CLOCK]) / decode_s < steps:
            steps = max(1, int(np.ceil((until - spent[r, CLOCK]) / decode_s)))
        middle = own[CONTEXT] + batch * (steps - 1) / 2
        decode_s = steps * _decode_s(batch, middle, contexts, decode)
    elif batch == 0 and taken > 0:
        chunk_s = max(chunk_s, _decode_s(1, 0.0, contexts, decode))
    own[STEP] += steps
    own[CONTEXT] += batch * steps
    spent[r, CLOCK] += chunk_s + decode_s
    spent[r, PREFILL] += chunk_s
    spent[r, DECODE] += decode_s
    while own[BATCH] > 0 and (heap[r, 1] >> 32) <= own[STEP]:
        row = _pop(heap[r], own[BATCH])
        own[BATCH] -= 1
        own[CONTEXT] -= prompt[row] + output[row]
        finish[row] = spent[r, CLOCK]
        _leave(row, offsets, ids, id_tokens, private, own, newer[r], older[r], users[r])
    for place in range(done):
        row = ready[place]
        first[row] = spent[r, CLOCK]
        if output[row] == 1:
            finish[row] = spent[r, CLOCK]
            _leave(row, offsets, ids, id_tokens, private, own, newer[r], older[r], users[r])
            continue
        own[BATCH] += 1
        own[CONTEXT] += prompt[row] + 1
        _push(heap[r], own[BATCH], ((own[STEP] + output[row] - 1) << 32) + row)


@compiled
def _enter(
    row: int, offsets: IntArray, ids: Ids, id_tokens: IntArray, look: IntArray, private: IntArray,
    block_tokens: int, capacity: int, own: IntArray, newer: Links, older: Links, users: Links,
    hits: IntArray,
) -> bool:  # fmt: skip
    """Give the request its room, if what runs leaves it: idle blocks go, oldest first."""
    start, end, ring = offsets[row], offsets[row + 1], len(users)
    needed = own[PINNED] + private[row]
    for place in range(start, end):
        if users[ids[place]] == 0:
            needed += id_tokens[ids[place]]
    if needed > capacity:
        return False
    hit, place = 0, start
    while place < start + look[row]:
        block = ids[place]
        if users[block] == 0 and newer[block] < 0:
            break
        hit += id_tokens[block]
        place += 1
    hits[row] = hit // block_tokens * block_tokens
    own[PINNED] += private[row]
    for place in range(start, end):
        block = ids[place]
        if users[block] == 0:
            own[PINNED] += id_tokens[block]
            if newer[block] >= 0:
                own[KEPT] -= id_tokens[block]
                newer[older[block]] = newer[block]
                older[newer[block]] = older[block]
                newer[block] = -1
        users[block] += 1
    while own[PINNED] + own[KEPT] > capacity:
        oldest = newer[ring]
        own[KEPT] -= id_tokens[oldest]
        newer[ring] = newer[oldest]
        older[newer[oldest]] = ring
        newer[oldest] = -1
    return True


@compiled
def _leave(
    row: int, offsets: IntArray, ids: Ids, id_tokens: IntArray, private: IntArray, own: IntArray,
    newer: Links, older: Links, users: Links,
) -> None:  # fmt: skip
    """The request is answered: its blocks stay until room is needed, the last ones oldest."""
    ring = len(users)
    own[OPEN] -= 1
    own[PINNED] -= private[row]
    for place in range(offsets[row + 1] - 1, offsets[row] - 1, -1):
        block = ids[place]
        users[block] -= 1
        if users[block] == 0:
            own[PINNED] -= id_tokens[block]
            own[KEPT] += id_tokens[block]
            newest = older[ring]
            older[block], newer[block] = newest, ring
            newer[newest], older[ring] = block, block


@compiled
def _prompt_s(tokens: int, spacing: float, prefill: FloatArray) -> float:
    place = tokens / spacing
    low = min(int(place), len(prefill) - 2)
    return float(prefill[low] + (prefill[low + 1] - prefill[low]) * (place - low))


@compiled
def _decode_s(batch: int, total: float, contexts: FloatArray, decode: FloatArray) -> float:
    """One step of `batch` sequences with `total` tokens in all."""
    if batch == 0:
        return 0.0
    mean, high = total / batch, 1
    while high < len(contexts) - 1 and contexts[high] < mean:
        high += 1
    share = (mean - contexts[high - 1]) / (contexts[high] - contexts[high - 1])
    low = decode[batch, high - 1]
    return float(low + (decode[batch, high] - low) * min(share, 1.0))


@compiled
def _push(heap: IntArray, size: int, value: int) -> None:
    """Into a heap of `size` values, the new one included, from index 1 on."""
    place = size
    while place > 1 and heap[place // 2] > value:
        heap[place] = heap[place // 2]
        place //= 2
    heap[place] = value


@compiled
def _pop(heap: IntArray, size: int) -> int:
    """Take the least of `size` values; its lower half is the request."""
    least, last, place = heap[1], heap[size], 1
    while 2 * place < size:
        child = 2 * place
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = last
    return int(least & 0xFFFFFFFF)
