"""How full a memory really is when sequences of real lengths pass through it.

All requests wait in line from the start; every step gives each running sequence one token. No
forward pass: only room is found, filled and given back, and every count is read from the allocator.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from kvcore.blocks.memories import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy:
    """Ratios 0..1. `waste_at_end`: places reserved and not filled over places reserved, summed over
    sequences when they end, the best moment of each; `mean_request_waste` the plain mean of their
    ratios. `mean_waste`: the same over all steps. `stranded`: mean share of the memory that was
    free, enough for the next in line, and too scattered for it. `mean_running`: sequences at once.
    `refused`: longer than the memory or its regions can hold."""

    requests: int
    refused: int
    preemptions: int
    steps: int
    waste_at_end: float
    mean_request_waste: float
    mean_waste: float
    stranded: float
    mean_running: float
    most_running: int


@dataclass(slots=True)
class _Run:
    """One request on its way: `prompt_tokens` grows by what was generated before a pre-emption."""

    number: int
    prompt_tokens: int
    reply_tokens: int
    started: int = 0
    starts: int = 0  # events of an earlier start mean nothing any more


@dataclass(slots=True)
class _Counts:
    refused: int = 0
    preemptions: int = 0
    reserved_at_end: int = 0
    filled_at_end: int = 0
    request_wastes: list[float] = field(default_factory=list)
    reserved_steps: int = 0
    filled_steps: int = 0
    stranded_steps: int = 0
    running_steps: int = 0
    most_running: int = 0


class _Server:
    """The line, the running sequences, and the next step at which one of them needs something."""

    def __init__(self, memory: Memory, prompts: Sequence[int], replies: Sequence[int]) -> None:
        self.memory = memory
        pairs = zip(prompts, replies, strict=True)
        self.line = deque(_Run(at, int(p), int(r)) for at, (p, r) in enumerate(pairs))
        self.running: dict[int, _Run] = {}
        self.events: list[tuple[int, int, int]] = []  # step, number, start
        self.now = 0
        self.filled = 0
        self.counts = _Counts()

    def run(self) -> None:
        """Until all have ended."""
        self._let_in()
        while self.running:
            step, number, start = heapq.heappop(self.events)
            run = self.running.get(number)
            if run is None or run.starts != start:
                continue
            self._advance(step - self.now)
            self._serve(run)
            self._let_in()

    def _let_in(self) -> None:
        """First come, first served: who does not fit keeps all behind it waiting."""
        while self.line:
            run = self.line[0]
            if not self._can_ever(run):
                self.line.popleft()
                self.counts.refused += 1
            elif self.memory.start(run.number, run.prompt_tokens, run.reply_tokens):
                self.line.popleft()
                run.started, run.starts = self.now, run.starts + 1
                self.running[run.number] = run
                self.filled += run.prompt_tokens
                self._expect(run)
            else:
                break
        self.counts.most_running = max(self.counts.most_running, len(self.running))

    def _can_ever(self, run: _Run) -> bool:
        needed = self.memory.needed(run.prompt_tokens, run.reply_tokens)
        return max(needed, run.prompt_tokens + run.reply_tokens) <= self.memory.places

    def _expect(self, run: _Run) -> None:
        """The step at which it ends, or has filled its room and needs one more place."""
        room = self.memory.room(run.number) - run.prompt_tokens
        step = run.started + min(room, run.reply_tokens)
        heapq.heappush(self.events, (step, run.number, run.starts))

    def _advance(self, steps: int) -> None:
        if not steps:
            return
        counts, running = self.counts, len(self.running)
        free = self.memory.free_places
        counts.reserved_steps += (self.memory.places - free) * steps
        counts.filled_steps += self.filled * steps + running * steps * (steps - 1) // 2
        counts.running_steps += running * steps
        if self.line:
            run = self.line[0]
            if self.memory.needed(run.prompt_tokens, run.reply_tokens) <= free:
                counts.stranded_steps += free * steps
        self.filled += running * steps
        self.now += steps

    def _serve(self, run: _Run) -> None:
        if self.now - run.started >= run.reply_tokens:
            self._end(run)
        else:
            while run.number in self.running and not self.memory.grow(run.number):
                self._preempt()
            if run.number in self.running:
                self._expect(run)

    def _end(self, run: _Run) -> None:
        counts = self.counts
        room, filled = self.memory.room(run.number), run.prompt_tokens + run.reply_tokens
        counts.reserved_at_end += room
        counts.filled_at_end += filled
        counts.request_wastes.append(1 - filled / room)
        self._leave(run)

    def _preempt(self) -> None:
        """The one that came last gives its room and goes back to the head of the line; what it has
        generated is computed again with its prompt."""
        run = self.running[next(reversed(self.running))]
        self._leave(run)
        done = self.now - run.started
        run.prompt_tokens += done
        run.reply_tokens -= done
        self.line.appendleft(run)
        self.counts.preemptions += 1

    def _leave(self, run: _Run) -> None:
        self.memory.stop(run.number)
        del self.running[run.number]
        self.filled -= run.prompt_tokens + self.now - run.started


def serve(memory: Memory, prompt_tokens: Sequence[int], reply_tokens: Sequence[int]) -> Occupancy:
    """Pass all requests (two sequences of equal length, tokens, prompts >= 1) through the memory,
    which must be empty. Ratios are 0 where nothing was served."""
    server = _Server(memory, prompt_tokens, reply_tokens)
    server.run()
    counts, steps = server.counts, max(server.now, 1)
    served = counts.request_wastes
    return Occupancy(
        requests=len(prompt_tokens),
        refused=counts.refused,
        preemptions=counts.preemptions,
        steps=server.now,
        waste_at_end=1 - counts.filled_at_end / counts.reserved_at_end if served else 0.0,
        mean_request_waste=sum(served) / len(served) if served else 0.0,
        mean_waste=_share(counts.reserved_steps - counts.filled_steps, counts.reserved_steps),
        stranded=counts.stranded_steps / (steps * memory.places),
        mean_running=counts.running_steps / steps,
        most_running=counts.most_running,
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
