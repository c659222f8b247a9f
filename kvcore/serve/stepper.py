"""One step: what the scheduler planned is run through the model, and tokens are drawn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from kvcore.attention.runner import Runner
from kvcore.serve.sampling import draw_all
from kvcore.serve.scheduler import Plan, Scheduler
from kvcore.serve.sequence import Sequence

Emit = Callable[[Sequence, int], None]


class Stepper:
    """Not thread-safe: one caller steps. `emit(sequence, token)` hears of every token at once; the
    sequence's `reason` is set by then where it was the last one. If the model fails, nothing of
    that forward pass has happened and the next step tries it again."""

    def __init__(
        self, runner: Runner, scheduler: Scheduler, clock: Callable[[], float], emit: Emit
    ) -> None:
        self.runner, self.scheduler = runner, scheduler
        self._clock, self._emit = clock, emit

    def step(self) -> Plan:
        """Decode all that are ready, then go on with prompts."""
        plan = self.scheduler.plan(self._clock())
        if plan.decodes:
            self._take(plan.decodes, self._decode(plan.decodes))
        for sequence, count in plan.chunks:
            logits = self._prefill(sequence, count)
            if sequence.pending == 0:
                self._take([sequence], logits[None])
        return plan

    def _decode(self, sequences: list[Sequence]) -> Tensor:
        positions = torch.tensor([sequence.computed for sequence in sequences])
        tokens = torch.tensor([int(sequence.tokens[-1]) for sequence in sequences])
        tables = [torch.from_numpy(sequence.table) for sequence in sequences]
        logits = self.runner.decode(tokens, positions, tables)
        for sequence in sequences:
            self.scheduler.advance(sequence, 1)
        return logits

    def _prefill(self, sequence: Sequence, count: int) -> Tensor:
        start = sequence.computed
        chunk = sequence.tokens[start : start + count].astype(np.int64)
        table = torch.from_numpy(sequence.table)
        logits = self.runner.prefill(torch.from_numpy(chunk), start, table)
        self.scheduler.advance(sequence, count)
        return logits

    def _take(self, sequences: list[Sequence], logits: Tensor) -> None:
        """Draw the next token of each row, of all samples where a prompt has just been computed."""
        rows: list[int] = []
        everyone: list[Sequence] = []
        for row, sequence in enumerate(sequences):
            samples = (sequence, *self.scheduler.fork(sequence))
            everyone.extend(samples)
            rows.extend([row] * len(samples))
        if len(rows) > len(sequences):
            logits = logits[rows]
        drawn = draw_all([one.drawer for one in everyone], logits)
        now_s = self._clock()
        max_context = self.runner.shape.max_context
        for sequence, token in zip(everyone, drawn, strict=True):
            sequence.append(token)
            sequence.tally.token_at(sequence.sample, now_s)
            reason = sequence.request.end(token, sequence.length, max_context)
            if reason:
                self.scheduler.finish(sequence, reason)
            self._emit(sequence, token)
