"""One decode step: by context, by batch, without a cache, by block size; the gather it avoids."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from kvcore.attention.runner import Runner
from kvcore.bench.context import (
    BLOCK_TOKENS,
    NO_MEMORY,
    TIME_BUDGET,
    Bench,
    missing,
)
from kvcore.model.dense import forward, head_logits
from kvcore.profile import CaseResult

BATCH_CONTEXT = 1024
BLOCK_SIZES = (8, 16, 32, 64, 128)


def step(runner: Runner, contexts: list[int]) -> Callable[[], torch.Tensor] | None:
    """A decode step of one sequence a context (the new token included) over scattered blocks.

    None where the runner has too few blocks.
    """
    counts = [-(-context // runner.block_tokens) for context in contexts]
    if sum(counts) > runner.blocks:
        return None
    order = torch.randperm(runner.blocks, generator=torch.Generator().manual_seed(1))
    tables = [part.to(torch.int32) for part in torch.split(order[: sum(counts)], counts)]
    tokens = torch.arange(len(contexts)) % runner.shape.vocab
    positions = torch.tensor([context - 1 for context in contexts])
    return lambda: runner.decode(tokens, positions, tables)


def decode(bench: Bench) -> Iterator[CaseResult]:
    """A step at batch 1 by context, then at one context by batch."""
    longest = bench.model.shape.max_context
    ones = [(context, 1) for context in bench.sizes.contexts]
    many = [(BATCH_CONTEXT, batch) for batch in bench.sizes.batches]
    for context, batch in ones + many:
        params = {"context_tokens": context, "batch": batch}
        run = step(bench.runner(), [context] * batch) if context <= longest else None
        if run is None or bench.budget.left_s <= 0:
            yield missing("decode", NO_MEMORY if run is None else TIME_BUDGET, **params)
        else:
            yield bench.row("decode", bench.time(run, repeats=4 * bench.sizes.repeats), **params)


def decode_no_cache(bench: Bench) -> Iterator[CaseResult]:
    """The next token when everything before it is computed again."""
    for context in bench.sizes.no_cache_contexts:
        if not bench.has_time(2 * bench.prefill_s(context)):
            yield missing("decode_no_cache", TIME_BUDGET, context_tokens=context)
            continue
        tokens = torch.tensor(bench.tokens(context), device=bench.device)

        def again(tokens: torch.Tensor = tokens) -> torch.Tensor:
            return head_logits(bench.model, forward(bench.model, tokens).hidden[-1])

        timing = bench.time(again, warm_up=0 if context > 1024 else 1)
        yield bench.row("decode_no_cache", timing, context_tokens=context)


def block_gather(bench: Bench) -> Iterator[CaseResult]:
    """Keys and values of one sequence brought together from scattered blocks, all layers.

    Bytes are those of the keys and values, counted once. This is what attention over blocks in
    place does not pay.
    """
    runner = bench.runner()
    if bench.model.shape.mla is not None:
        yield missing("block_gather", "a latent is not gathered by head", block_tokens=BLOCK_TOKENS)
        return
    for context in bench.sizes.contexts[:3]:
        count = -(-context // runner.block_tokens)
        params = {"context_tokens": context, "block_tokens": runner.block_tokens}
        if count > runner.blocks or bench.budget.left_s <= 0:
            yield missing(
                "block_gather", NO_MEMORY if count > runner.blocks else TIME_BUDGET, **params
            )
            continue
        order = torch.randperm(runner.blocks, generator=torch.Generator().manual_seed(2))[:count]
        table = order.to(bench.device)

        def gather(table: torch.Tensor = table, context: int = context) -> None:
            for layer in range(runner.shape.layers):
                for part in runner.kv.read(layer, context, table):
                    part.contiguous()

        size = context * runner.shape.kv_elements_per_token * runner.kv.dtype.itemsize
        yield bench.rate("block_gather", bench.time(gather), size, **params)


def block_size(bench: Bench) -> Iterator[CaseResult]:
    """A decode step at one context for every block length."""
    for size in BLOCK_SIZES:
        params = {"block_tokens": size, "context_tokens": BATCH_CONTEXT}
        if bench.budget.left_s <= 0:
            yield missing("block_size", TIME_BUDGET, **params)
            continue
        runner = bench.new_runner(2 * BATCH_CONTEXT // size, size)
        run = step(runner, [BATCH_CONTEXT])
        if run is not None:
            timing = bench.time(run, repeats=2 * bench.sizes.repeats)
            yield bench.row("block_size", timing, **params)
