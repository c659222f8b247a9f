"""Sizes that a captured step can have, and the graphs that replay it.

A CUDA graph replays the launches of one step without the host (some 300 launches a step of a
30-layer model otherwise cost more than the work itself at batch 1). A graph has fixed sizes, so
batch and table width are rounded up to powers of two and one graph is kept for each pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

SMALLEST_WIDTH = 8
WARM_UP_STEPS = 3


class StepInputs(NamedTuple):
    """One decode step of B sequences on the device.

    ``tokens, positions [B]`` int64; ``tables [B, W]`` int32. Rows past the real batch repeat the
    first: they compute the same values and write them to the same place.
    """

    tokens: torch.Tensor
    positions: torch.Tensor
    tables: torch.Tensor


Step = Callable[[StepInputs], torch.Tensor]


def next_power_of_two(count: int) -> int:
    """The least power of two that is not below ``count`` (at least 1)."""
    return 1 << max(0, count - 1).bit_length()


def padded_inputs(
    tokens: torch.Tensor,
    positions: torch.Tensor,
    tables: Sequence[torch.Tensor],
    block_tokens: int,
) -> StepInputs:
    """The step in host memory, batch and width rounded up; no entry past a context is copied."""
    batch = len(tables)
    needed = [int(place) // block_tokens + 1 for place in positions.tolist()]
    width = max(SMALLEST_WIDTH, next_power_of_two(max(needed)))
    rows = next_power_of_two(batch)
    padded = torch.zeros(rows, width, dtype=torch.int32)
    for row, (table, count) in enumerate(zip(tables, needed, strict=True)):
        padded[row, :count] = table[:count]
    padded[batch:] = padded[0]
    first = torch.zeros(rows, dtype=torch.int64)
    first[:batch] = torch.arange(batch)
    return StepInputs(tokens.cpu()[first], positions.cpu()[first], padded)


class Direct:
    """Runs the step as it is: where there are no graphs."""

    def __init__(self, step: Step, device: torch.device) -> None:
        self._step, self._device = step, device

    def run(self, inputs: StepInputs) -> torch.Tensor:
        """Logits ``[B, V]`` on the device."""
        return self._step(StepInputs(*(part.to(self._device) for part in inputs)))


class Graphs:
    """Captures the step once for every size and replays it from then on."""

    def __init__(self, step: Step, device: torch.device) -> None:
        self._step, self._device = step, device
        self._kept: dict[
            tuple[int, int], tuple[torch.cuda.CUDAGraph, StepInputs, torch.Tensor]
        ] = {}
        self._pool: Any = None

    def run(self, inputs: StepInputs) -> torch.Tensor:
        """Logits ``[B, V]`` on the device, a copy of what the next replay will overwrite."""
        rows, width = inputs.tables.shape
        if (rows, width) not in self._kept:
            self._kept[rows, width] = self._capture(inputs)
        graph, held, logits = self._kept[rows, width]
        for ours, theirs in zip(held, inputs, strict=True):
            ours.copy_(theirs)
        graph.replay()
        return logits.clone()

    def _capture(self, inputs: StepInputs) -> tuple[torch.cuda.CUDAGraph, StepInputs, torch.Tensor]:
        held = StepInputs(*(part.to(self._device) for part in inputs))
        aside = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream(self._device))
        with torch.cuda.stream(aside):
            for _ in range(WARM_UP_STEPS):  # compiles the kernels; capturing forbids it
                self._step(held)
        torch.cuda.current_stream(self._device).wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            logits = self._step(held)
        self._pool = graph.pool()
        return graph, held, logits
