"""Contiguous reservation against paging in equal memory: waste, sequences, tokens a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kvcore.bench.cases.decode import BLOCK_SIZES, step
from kvcore.bench.context import BLOCK_TOKENS, NO_MEMORY, TIME_BUDGET, Bench, counted, missing
from kvcore.bench.lengths import AZURE_2023_CONVERSATION
from kvcore.blocks.memories import Blocks, Memory, Regions
from kvcore.blocks.occupancy import Occupancy, serve
from kvcore.profile import CaseResult, Param

REGION_TOKENS = 8192
LENGTHS = "Azure 2023 conversation, every 151st request"
PROMPTS = [prompt for prompt, _ in AZURE_2023_CONVERSATION]
REPLIES = [reply for _, reply in AZURE_2023_CONVERSATION]


def allocation(bench: Bench) -> Iterator[CaseResult]:
    """What the allocators count when the same requests pass through the same number of places.

    ``block_waste``: places reserved and never filled / places reserved, each sequence at its end.
    ``admitted``: sequences that run at once, mean over all steps. ``admitted_rate``: tokens a
    second of decode steps with that many sequences of these lengths, timed on this device.
    """
    places = bench.runner().blocks * BLOCK_TOKENS
    size = places * bench.block_bytes // BLOCK_TOKENS
    shared: dict[str, Param] = {"memory_bytes": size, "lengths": LENGTHS}
    ways: list[tuple[dict[str, Param], Callable[[], Memory]]] = [
        (
            {"allocation": "contiguous", "max_tokens": REGION_TOKENS},
            lambda: Regions(places, REGION_TOKENS),
        ),
        ({"allocation": "paged", "block_tokens": 16}, lambda: Blocks(places, 16)),
    ]
    for params, memory in ways:
        found = serve(memory(), PROMPTS, REPLIES)
        if found.refused == found.requests:
            yield missing("admitted", NO_MEMORY, **params, **shared)
            continue
        yield counted("block_waste", found.waste_at_end, **params, **shared)
        yield counted(
            "admitted", found.mean_running, **params, **shared, stranded_ratio=found.stranded
        )
        yield _rate(bench, found, params | shared)
    for block in BLOCK_SIZES:
        if block != BLOCK_TOKENS:
            found = serve(Blocks(places, block), PROMPTS, REPLIES)
            params = {"allocation": "paged", "block_tokens": block}
            yield counted("block_waste", found.waste_at_end, **params, **shared)


def _rate(bench: Bench, found: Occupancy, params: dict[str, Param]) -> CaseResult:
    """Decode steps with the mean number of sequences, each half way through its reply."""
    running = max(1, round(found.mean_running))
    if bench.budget.left_s <= 0:
        return missing("admitted_rate", TIME_BUDGET, **params, sequences=running)
    lengths = [prompt + reply // 2 for prompt, reply in AZURE_2023_CONVERSATION]
    contexts = (lengths * (running // len(lengths) + 1))[:running]
    longest = bench.model.shape.max_context
    run = step(bench.runner(), contexts) if max(contexts) <= longest else None
    while run is None and len(contexts) > 1:  # these few may be longer than the mean
        contexts = sorted(contexts)[:-1]
        run = step(bench.runner(), contexts) if max(contexts) <= longest else None
    if run is None:
        return missing("admitted_rate", NO_MEMORY, **params, sequences=running)
    timing = bench.time(run)
    return bench.rate("admitted_rate", timing, len(contexts), **params, sequences=len(contexts))
