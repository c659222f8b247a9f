"""The slow, obvious queue in plain Python: what `econ.fleet_kernel` is held against.

One replica is an object, a cache is a list in the order in which blocks were left, a step is one
token: each rule of `econ.fleet` stands here once, with no index and no shortcut but the runs of
equal decode steps, which are part of the definition.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from econ.fleet_input import Requests
from econ.fleet_kernel import AFFINE_SHARE, AHEAD_RATIO, AHEAD_REQUESTS, RUN_STEPS
from econ.fleet_names import Routing
from econ.fleet_steps import StepTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What became of a request: seconds of its first and last token, hit tokens, replica."""

    first_s: float
    finish_s: float
    hit_tokens: int
    replica: int


@dataclass(slots=True, kw_only=True)
class Replica:
    """One engine: who waits, who is read, who is answered, and what is kept."""

    asked: Requests
    table: StepTable
    capacity: int
    most: int
    budget: int
    clock: float = 0.0
    step: int = 0
    waiting: list[int] = field(default_factory=list)
    reading: tuple[int, int] | None = None
    answering: dict[int, int] = field(default_factory=dict)  # request: step of its last token
    started: dict[int, int] = field(default_factory=dict)  # request: step of its first token
    users: dict[int, int] = field(default_factory=dict)
    kept: list[int] = field(default_factory=list)
    hits: dict[int, int] = field(default_factory=dict)
    first: dict[int, float] = field(default_factory=dict)
    finish: dict[int, float] = field(default_factory=dict)
    busy_prefill_s: float = 0.0
    busy_decode_s: float = 0.0

    @property
    def open(self) -> int:
        """Requests that wait, are read or are answered."""
        return len(self.waiting) + (self.reading is not None) + len(self.answering)

    def blocks(self, row: int) -> list[int]:
        """The blocks of a request."""
        start, end = self.asked.offsets[row], self.asked.offsets[row + 1]
        return [int(block) for block in self.asked.ids[start:end]]

    def size(self, blocks: list[int]) -> int:
        """Their tokens."""
        return sum(int(self.asked.id_tokens[block]) for block in blocks)

    def pinned(self) -> int:
        """Tokens that running requests hold."""
        running = [*self.answering, *([self.reading[0]] if self.reading else []), *self.ready]
        alone = sum(int(self.asked.private_tokens[row]) for row in running)
        return alone + self.size([block for block, count in self.users.items() if count])

    ready: list[int] = field(default_factory=list)

    def enter(self, row: int) -> bool:
        """Room for a request, if there is room."""
        blocks = self.blocks(row)
        new = [block for block in blocks if not self.users.get(block)]
        alone = int(self.asked.private_tokens[row])
        if self.pinned() + alone + self.size(new) > self.capacity:
            return False
        hit = 0
        for block in blocks[: int(self.asked.look[row])]:
            if not self.users.get(block) and block not in self.kept:
                break
            hit += self.size([block])
        self.hits[row] = hit // self.asked.block_tokens * self.asked.block_tokens
        for block in blocks:
            self.users[block] = self.users.get(block, 0) + 1
            if block in self.kept:
                self.kept.remove(block)
        while self.pinned() + alone + self.size(self.kept) > self.capacity:
            self.kept.pop(0)
        return True

    def leave(self, row: int) -> None:
        """A request is answered: what nobody else uses may go, its last block first."""
        for block in reversed(self.blocks(row)):
            self.users[block] -= 1
            if not self.users[block]:
                self.kept.append(block)

    def advance(self, until: float) -> None:
        """One step with prompts in it, or a run of decode steps."""
        batch, total = len(self.answering), self.context()
        chunk_s, taken = 0.0, 0
        self.ready = []
        left = self.budget - batch
        while left > 0:
            if self.reading is None:
                full = batch + len(self.ready) >= self.most
                if not self.waiting or full or not self.enter(self.waiting[0]):
                    break
                row = self.waiting.pop(0)
                self.reading = (row, self.hits[row])
            row, done = self.reading
            take = min(left, int(self.asked.prompt_tokens[row]) - done)
            chunk_s += self.prompt_s(done + take) - self.prompt_s(done)
            left, taken, done = left - take, taken + take, done + take
            self.reading = (row, done)
            if done < self.asked.prompt_tokens[row]:
                break
            self.ready.append(row)
            self.reading = None
        steps, decode_s = 1, self.decode_s(batch, total)
        if not taken and not self.ready:
            steps = min(RUN_STEPS, min(self.answering.values()) - self.step)
            if decode_s > 0 and (until - self.clock) / decode_s < steps:
                steps = max(1, math.ceil((until - self.clock) / decode_s))
            decode_s = steps * self.decode_s(batch, total + batch * (steps - 1) / 2)
        elif not batch and taken:
            chunk_s = max(chunk_s, self.decode_s(1, 0.0))
        self.step += steps
        self.clock += chunk_s + decode_s
        self.busy_prefill_s += chunk_s
        self.busy_decode_s += decode_s
        for row in sorted(self.answering, key=lambda row: (self.answering[row], row)):
            if self.answering[row] <= self.step:
                del self.answering[row]
                self.finish[row] = self.clock
                self.leave(row)
        for row in self.ready:
            self.first[row] = self.clock
            if self.asked.output_tokens[row] == 1:
                self.finish[row] = self.clock
                self.leave(row)
            else:
                self.started[row] = self.step
                self.answering[row] = self.step + int(self.asked.output_tokens[row]) - 1
        self.ready = []

    def context(self) -> float:
        """Tokens of all sequences in decode."""
        return sum(
            int(self.asked.prompt_tokens[row]) + 1 + self.step - self.started[row]
            for row in self.answering
        )

    def prompt_s(self, tokens: int) -> float:
        """Seconds of a prompt from nothing."""
        return float(self.table.prompt_s(np.array([tokens]))[0])

    def decode_s(self, batch: int, total: float) -> float:
        """Seconds of one decode step."""
        return self.table.step_s(batch, total / batch) if batch else 0.0


def simulate(
    asked: Requests, table: StepTable, *, replicas: int, routing: Routing, capacity_tokens: int,
    max_sequences: int, budget_tokens: int,
) -> list[Served]:  # fmt: skip
    """Serve the requests. What cannot fit into an empty replica is at replica -1."""
    fleet = [
        Replica(
            asked=asked, table=table, capacity=capacity_tokens, most=max_sequences,
            budget=budget_tokens,
        )
        for _ in range(replicas)
    ]  # fmt: skip
    at: list[int] = []
    home: dict[int, int] = {}
    for row, arrival in enumerate(asked.arrival_s.tolist()):
        _until(fleet, arrival)
        blocks = fleet[0].blocks(row)
        if fleet[0].size(blocks) + asked.private_tokens[row] > capacity_tokens:
            at.append(-1)
            continue
        chosen = _routed(fleet, routing, row, blocks[: int(asked.look[row])], home)
        home.update(dict.fromkeys(blocks, chosen))
        replica = fleet[chosen]
        if not replica.open:
            replica.clock = max(replica.clock, arrival)
        replica.waiting.append(row)
        at.append(chosen)
    _until(fleet, math.inf)
    nothing = Served(first_s=math.nan, finish_s=math.nan, hit_tokens=0, replica=-1)
    return [
        nothing
        if r < 0
        else Served(
            first_s=fleet[r].first[row], finish_s=fleet[r].finish[row],
            hit_tokens=fleet[r].hits[row], replica=r,
        )
        for row, r in enumerate(at)
    ]  # fmt: skip


def _until(fleet: list[Replica], time_s: float) -> None:
    for replica in fleet:
        while replica.clock < time_s and replica.open:
            replica.advance(time_s)


def _routed(
    fleet: list[Replica], routing: Routing, row: int, blocks: list[int], home: dict[int, int]
) -> int:
    if routing == "round-robin":
        return row % len(fleet)
    counts = [replica.open for replica in fleet]
    least = counts.index(min(counts))
    too_far = max(counts) - min(counts) > AHEAD_REQUESTS
    if routing == "least-loaded" or (too_far and max(counts) > AHEAD_RATIO * min(counts)):
        return least
    known = []
    for block in blocks:
        if block not in home:
            break
        known.append(block)
    enough = fleet[0].size(known) >= AFFINE_SHARE * int(fleet[0].asked.prompt_tokens[row])
    return home[known[-1]] if known and enough else least
