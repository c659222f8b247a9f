"""The first requests of a block-id trace, scaled to this device, with the forward pass: what the
prefix cache saves here, measured with and without it in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kvcore.blocks.replay import replay_hits, trace_pool
from kvcore.errors import KvcoreError
from kvcore.serve.engine import Engine
from kvcore.serve.request import Request

IntArray = npt.NDArray[np.int64]
EngineMaker = Callable[..., Engine]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockTrace:
    """Request i has the prompt blocks `block_ids[offsets[i]:offsets[i + 1]]` of `block_tokens`
    tokens, the last one partial where `prompt_tokens[i]` says so. Equal ids are equal content
    behind equal content."""

    offsets: IntArray
    block_ids: IntArray
    prompt_tokens: IntArray
    block_tokens: int

    def first(self, requests: int) -> BlockTrace:
        """The first so many requests, or all where there are fewer."""
        offsets = self.offsets[: requests + 1]
        return BlockTrace(
            offsets=offsets,
            block_ids=self.block_ids[offsets[0] : offsets[-1]],
            prompt_tokens=self.prompt_tokens[: len(offsets) - 1],
            block_tokens=self.block_tokens,
        )

    def ids_of(self, row: int) -> list[int]:
        """The block ids of one request."""
        start, end = self.offsets[row : row + 2] - self.offsets[0]
        ids: list[int] = self.block_ids[start:end].tolist()
        return ids

    @property
    def footprint(self) -> int:
        """Distinct blocks: a pool of this size never gives one up."""
        return len(np.unique(self.block_ids))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedRequest:
    """One request as it was run: scaled prompt tokens, hit blocks in the engine and in the pool
    alone, and both times to first token, measured, in seconds."""

    prompt_tokens: int
    hit_blocks: int
    pool_hit_blocks: int
    hit_tokens: int
    cold_ttft_s: float
    warm_ttft_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadReplay:
    """`scale`: tokens of the trace for one token here. `cold_s` and `warm_s` are sums of measured
    times to first token without and with the prefix cache."""

    scale: float
    block_tokens: int
    blocks: int
    requests: tuple[ReplayedRequest, ...]

    @property
    def hit_blocks(self) -> int:
        """Blocks found in the pool."""
        return sum(row.hit_blocks for row in self.requests)

    @property
    def prompt_tokens(self) -> int:
        """Scaled prompt tokens of all requests."""
        return sum(row.prompt_tokens for row in self.requests)

    @property
    def hit_tokens(self) -> int:
        """Scaled prompt tokens found in the pool."""
        return sum(row.hit_tokens for row in self.requests)

    @property
    def hits_equal_pool_alone(self) -> bool:
        """Every request hit what the replay without a forward pass hits."""
        return all(row.hit_blocks == row.pool_hit_blocks for row in self.requests)

    @property
    def cold_s(self) -> float:
        """Seconds to first tokens, nothing reused."""
        return sum(row.cold_ttft_s for row in self.requests)

    @property
    def warm_s(self) -> float:
        """Seconds to first tokens with the prefix cache."""
        return sum(row.warm_ttft_s for row in self.requests)

    @property
    def saved_s(self) -> float:
        """Measured seconds that the prefix cache saved; negative where it cost more."""
        return self.cold_s - self.warm_s


def scaled_requests(trace: BlockTrace, block_tokens: int, vocab: int) -> list[Request]:
    """The requests with every whole block of the trace as one of `block_tokens` tokens here; a
    partial last block stays partial. The tokens of a block follow from its id alone."""
    if block_tokens < 2:
        raise KvcoreError(
            "engine.scaled_block",
            "A scaled block needs 2 tokens or more, not {block_tokens}: a partial one must exist.",
            {"block_tokens": block_tokens},
        )
    scale = trace.block_tokens / block_tokens
    requests = []
    for row, prompt_tokens in enumerate(trace.prompt_tokens.tolist()):
        ids = trace.ids_of(row)
        whole = min(len(ids), prompt_tokens // trace.block_tokens)
        rest = prompt_tokens - whole * trace.block_tokens
        tail = min(-int(-rest // scale), block_tokens - 1)
        last = ids[whole] if whole < len(ids) else -1 - row  # tokens that no id stands for
        blocks = [_tokens(block, block_tokens, vocab) for block in (*ids[:whole], last)]
        length = whole * block_tokens + tail
        tokens = tuple(np.concatenate(blocks)[:length].tolist())
        # Without a partial block a second token makes the engine take the block that others take
        # for theirs: it then gives up exactly what the pool alone gives up.
        new = 1 if tail else 2
        requests.append(Request(id=str(row), tokens=tokens, max_new_tokens=new))
    return requests


def replay_workload(
    trace: BlockTrace,
    make_engine: EngineMaker,
    *,
    vocab: int,
    block_tokens: int = 16,
    blocks: int | None = None,
    progress: Progress | None = None,
) -> WorkloadReplay:
    """Run every request of the trace alone, in order, without and with the prefix cache in turn.

    `make_engine(blocks=, block_tokens=, prefix_cache=)` makes the two engines. The pool has
    `blocks` blocks for whole blocks, None for the trace's footprint, and one more for the partial
    last block, which the pool alone leaves out. `progress(done, all)` is called after each request.
    """
    capacity = trace.footprint if blocks is None else blocks
    requests = scaled_requests(trace, block_tokens, vocab)
    longest = max(len(request.tokens) for request in requests)
    alone = replay_hits(
        trace.offsets - trace.offsets[0],
        trace.block_ids,
        trace.prompt_tokens,
        trace.block_tokens,
        trace_pool(capacity),
    )
    sizes: dict[str, Any] = {"block_tokens": block_tokens}
    rows = []
    with (
        make_engine(blocks=longest // block_tokens + 1, prefix_cache=False, **sizes) as cold,
        make_engine(blocks=capacity + 1, prefix_cache=True, **sizes) as warm,
    ):
        for number, request in enumerate(requests):
            rows.append(_pair(cold, warm, request, int(alone[number]), number % 2 == 1))
            if progress is not None:
                progress(number + 1, len(requests))
    return WorkloadReplay(
        scale=trace.block_tokens / block_tokens,
        block_tokens=block_tokens,
        blocks=capacity,
        requests=tuple(rows),
    )


def _pair(
    cold: Engine, warm: Engine, request: Request, pool_hit_blocks: int, warm_first: bool
) -> ReplayedRequest:
    """Both engines on the same request; who goes first alternates."""
    reports = {}
    for engine in (warm, cold) if warm_first else (cold, warm):
        reports[engine] = engine.run_all([request])[0].report
    hit_tokens = reports[warm].hit_tokens
    return ReplayedRequest(
        prompt_tokens=len(request.tokens),
        hit_blocks=hit_tokens // warm.pool.block_tokens,
        pool_hit_blocks=pool_hit_blocks,
        hit_tokens=hit_tokens,
        cold_ttft_s=reports[cold].ttft_s or 0.0,
        warm_ttft_s=reports[warm].ttft_s or 0.0,
    )


def _tokens(block: int, count: int, vocab: int) -> IntArray:
    """The tokens that stand for a block id: equal for equal ids, on every machine."""
    sign = 0 if block >= 0 else 1
    return np.random.default_rng((sign, abs(block))).integers(0, vocab, count)
