"""A large model by a few of its own layers: one and several are timed, the whole is a line.

Embedding, head and every layer cost what they cost in the whole model, because their sizes are the
model's own; time(L) = time(1) + (L - 1) (time(k) - time(1)) / (k - 1). The small bundled model is
never stretched to a large one's size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from kvcore.attention.runner import Runner
from kvcore.bench.cases.decode import step
from kvcore.bench.context import BLOCK_TOKENS, NO_MEMORY, TIME_BUDGET, Bench, counted, missing
from kvcore.bench.device import free_bytes
from kvcore.errors import KvcoreError
from kvcore.model.shape import ModelShape
from kvcore.model.weights import Model
from kvcore.profile import CaseResult, Param

MOST_LAYERS = 4
WEIGHTS_SHARE = 0.4
CHUNK_TOKENS = 1024
GROWTH = 1.4


def layers_that_fit(shape: ModelShape, dtype: torch.dtype, device: torch.device) -> int:
    """How many layers to run: up to 4, their weights at most 0.4 of the free memory.

    Raises KvcoreError where not even two fit: one alone cannot be told from the head.
    """
    room = free_bytes(device) * WEIGHTS_SHARE
    for layers in range(min(MOST_LAYERS, shape.layers), 1, -1):
        need = shape.with_layers(layers).parameters * dtype.itemsize
        if need <= room:
            return layers
    raise KvcoreError(
        "kvcore.layers_do_not_fit",
        "Two layers of {model} need {need} bytes; {room} of this device's memory may be used.",
        {
            "model": shape.name,
            "need": shape.with_layers(2).parameters * dtype.itemsize,
            "room": int(room),
        },
    )


def few_layers(bench: Bench, whole_layers: int) -> Iterator[CaseResult]:
    """Prefill by prompt length and decode by context and batch, measured and extrapolated."""
    some = len(bench.model.weights.layers)
    runners = {count: _runner(bench, count) for count in (1, some)}
    seen: tuple[int, float] | None = None
    for count in bench.sizes.prompts:
        expected = 0.0 if seen is None else 3 * seen[1] * (count / seen[0]) ** GROWTH
        if count > runners[some].blocks * BLOCK_TOKENS or expected > bench.budget.left_s:
            yield missing("layers_prefill", TIME_BUDGET, prompt_tokens=count)
            continue
        times = {}
        for layers, runner in runners.items():
            row = _prefill(bench, runner, layers, count)
            times[layers] = row.median or 0.0
            yield row
        seen = (count, times[some])
        yield _whole("ttft_cold", times, whole_layers, prompt_tokens=count)
    ones = [(context, 1) for context in bench.sizes.contexts]
    for context, batch in ones + [(1024, batch) for batch in bench.sizes.batches]:
        params = {"context_tokens": context, "batch": batch}
        runs = {layers: step(runner, [context] * batch) for layers, runner in runners.items()}
        times = {}
        for layers, run in runs.items():
            if run is None or bench.budget.left_s <= 0:
                reason = NO_MEMORY if run is None else TIME_BUDGET
                yield missing("layers_decode", reason, **params, layers=layers)
                continue
            timing = bench.time(run, repeats=2 * bench.sizes.repeats)
            times[layers] = timing.median_s
            yield bench.row("layers_decode", timing, **params, layers=layers)
        if len(times) == len(runs):
            yield _whole("decode", times, whole_layers, **params)


def _runner(bench: Bench, layers: int) -> Runner:
    whole = bench.model
    part = Model(
        shape=whole.shape.with_layers(layers),
        weights=replace(whole.weights, layers=whole.weights.layers[:layers]),
        tokenizer=None,
        name=whole.name,
        source=whole.source,
        weight_dtype=whole.weight_dtype,
        is_random=True,
    )
    blocks = bench.blocks_that_fit(min(bench.sizes.pool_tokens, 64_000))
    return replace(bench, model=part).new_runner(blocks, BLOCK_TOKENS)


def _prefill(bench: Bench, runner: Runner, layers: int, count: int) -> CaseResult:
    tokens = torch.tensor(bench.tokens(count))
    table = torch.arange(-(-count // BLOCK_TOKENS), dtype=torch.int32)

    def run() -> None:
        for start in range(0, count, CHUNK_TOKENS):
            runner.prefill(tokens[start : start + CHUNK_TOKENS], start, table)

    timing = bench.time(run, repeats=3, warm_up=1 if count <= CHUNK_TOKENS else 0)
    return bench.row("layers_prefill", timing, layers=layers, prompt_tokens=count)


def _whole(case: str, times: dict[int, float], whole_layers: int, **params: Param) -> CaseResult:
    one, some = min(times), max(times)
    a_layer = max(0.0, times[some] - times[one]) / (some - one)
    value = times[one] + (whole_layers - one) * a_layer
    return counted(
        case, value, **params, layers=whole_layers, layers_measured=some, basis="extrapolated"
    )
