"""What a case needs: model, device, sizes, a budget of time, and ways to say what it found."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import torch

from kvcore.attention.runner import Runner
from kvcore.bench.device import free_bytes, waiter
from kvcore.bench.measure import Timing, measure
from kvcore.model.weights import Model
from kvcore.profile import UNITS, CaseResult, Param
from kvcore.serve.engine import Engine
from kvcore.serve.request import Completion, Request
from kvcore.serve.runners import make_runner

BLOCK_TOKENS = 16
LONGEST_CONTEXT = 16_384
TIME_BUDGET = "time budget"
NO_MEMORY = "not enough memory"
PREFILL_GROWTH = 1.4
"""Prefill grows faster than its length: attention is quadratic."""
MEMORY_SHARE = 0.5
"""Part of the free memory that keys and values may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """What is tried, small before large: a small size says whether there is time for the next."""

    prompts: tuple[int, ...]
    contexts: tuple[int, ...]
    batches: tuple[int, ...]
    no_cache_contexts: tuple[int, ...]
    replies: tuple[int, ...]
    serve_prompt_tokens: int
    serve_requests: int
    pool_tokens: int
    repeats: int


QUICK_CPU = Sizes(
    prompts=(128, 512, 1024),
    contexts=(128, 1024, 4096),
    batches=(4, 8),
    no_cache_contexts=(128, 1024),
    replies=(1, 16, 48),
    serve_prompt_tokens=640,
    serve_requests=3,
    pool_tokens=8_192,
    repeats=5,
)
FULL_CPU = Sizes(
    prompts=(128, 512, 1024, 2048, 4096, 8192, 13_220),
    contexts=(128, 512, 1024, 2048, 4096, 8192, 13_216),
    batches=(2, 4, 8, 16),
    no_cache_contexts=(128, 1024, 4096),
    replies=(1, 16, 64, 256),
    serve_prompt_tokens=1280,
    serve_requests=8,
    pool_tokens=17_408,
    repeats=9,
)
CUDA = Sizes(
    prompts=(128, 512, 1024, 2048, 4096, 8192, 13_220),
    contexts=(128, 512, 1024, 2048, 4096, 8192, 13_216),
    batches=(8, 32, 64, 128, 256),
    no_cache_contexts=(128, 1024, 4096, 8192),
    replies=(1, 16, 64, 256, 1024),
    serve_prompt_tokens=1280,
    serve_requests=64,
    pool_tokens=600_000,
    repeats=15,
)


@dataclass(slots=True)
class Budget:
    """Seconds for the whole run and for the case that runs now."""

    total_s: float
    started_s: float = field(default_factory=time.perf_counter)
    case_ends_s: float = 0.0

    @property
    def elapsed_s(self) -> float:
        return time.perf_counter() - self.started_s

    def begin(self, share: float) -> None:
        """The next case may take this share (0..1) of what is left."""
        self.case_ends_s = self.elapsed_s + max(0.0, self.total_s - self.elapsed_s) * share

    @property
    def left_s(self) -> float:
        """Seconds that the case still has."""
        return max(0.0, self.case_ends_s - self.elapsed_s)


@dataclass(slots=True, kw_only=True)
class Bench:
    """Handed to every case."""

    model: Model
    device: torch.device
    sizes: Sizes
    quick: bool
    budget: Budget
    prefill_seen: tuple[int, float] | None = None
    _runner: Runner | None = None
    _number: int = 0

    @property
    def block_bytes(self) -> int:
        """Bytes of the keys and values of one block."""
        per_token = self.model.shape.kv_elements_per_token * self.model.weight_dtype.itemsize
        return per_token * BLOCK_TOKENS

    def blocks_that_fit(self, wanted_tokens: int) -> int:
        """Blocks for so many tokens, fewer where half of the free memory does not hold them."""
        room = int(free_bytes(self.device) * MEMORY_SHARE)
        return max(1, min(-(-wanted_tokens // BLOCK_TOKENS), room // self.block_bytes))

    def prefill_s(self, tokens: int) -> float:
        """A guess of a cold prefill, from the last that was seen; 0 before any. For room only."""
        if self.prefill_seen is None:
            return 0.0
        count, seconds = self.prefill_seen
        return float(seconds * (tokens / count) ** (PREFILL_GROWTH if tokens > count else 1.0))

    def has_time(self, expected_s: float) -> bool:
        """Whether what is expected to take so long still fits the case's time."""
        return 0.0 < self.budget.left_s >= expected_s

    def runner(self) -> Runner:
        """The runner that most cases share; its keys and values are whatever the last case left."""
        if self._runner is None:
            blocks = self.blocks_that_fit(self.sizes.pool_tokens)
            self._runner = self.new_runner(blocks, BLOCK_TOKENS)
        return self._runner

    def new_runner(self, blocks: int, block_tokens: int) -> Runner:
        """A runner with random keys and values, so that no time depends on zeros."""
        device = str(self.device)
        runner = make_runner(self.model, device, blocks=blocks, block_tokens=block_tokens)
        for tensor in filter(torch.is_floating_point, runner.kv.tensors.values()):
            for layer in tensor:
                layer.normal_(std=0.5)
        return runner

    def engine(self, *, prefix_cache: bool = True, max_batch: int = 16) -> Engine:
        """An engine with an empty pool over the shared runner."""
        runner = self.runner()

        def shared(*_args: object, **_options: object) -> Runner:
            return runner

        return Engine(
            self.model,
            blocks=runner.blocks,
            block_tokens=runner.block_tokens,
            device=str(self.device),
            chunk_tokens=1024 if self.device.type == "cpu" else 8192,
            max_batch=max_batch,
            prefix_cache=prefix_cache,
            runner_maker=shared,
        )

    def warm_up(self) -> None:
        """Compiles what is compiled at its first use, so that no case pays for it."""
        engine = self.engine()
        for _ in ("cold", "warm"):
            self.serve(engine, tuple(range(1, 2 * BLOCK_TOKENS + 2)), 2)

    def tokens(self, count: int) -> tuple[int, ...]:
        """A prompt that shares no block with any other."""
        self._number += 1
        generator = torch.Generator().manual_seed(self._number)
        drawn = torch.randint(0, self.model.shape.vocab, (count,), generator=generator)
        return tuple(drawn.tolist())

    def serve(
        self, engine: Engine, tokens: tuple[int, ...], new: int = 1, salt: str = ""
    ) -> Completion:
        """One request alone, greedy, `new` tokens."""
        self._number += 1
        request = Request(id=str(self._number), tokens=tokens, max_new_tokens=new, salt=salt)
        return engine.run_all([request])[0]

    def time(
        self,
        run: Callable[[], object],
        *,
        repeats: int | None = None,
        warm_up: int = 1,
        before: Callable[[], object] | None = None,
    ) -> Timing:
        """Times ``run`` on this device within what the case has left."""
        return measure(
            run,
            repeats=repeats or self.sizes.repeats,
            warm_up=warm_up,
            before=before,
            budget_s=self.budget.left_s,
            sync=waiter(self.device),
        )

    def row(self, case: str, timing: Timing, *, per: float = 1.0, **params: Param) -> CaseResult:
        """A case of seconds, each divided by ``per``."""
        values = tuple(seconds / per for seconds in timing.seconds)
        return result(case, replace(timing, seconds=values), **params)

    def rate(self, case: str, timing: Timing, amount: float, **params: Param) -> CaseResult:
        """A case of ``amount`` a second."""
        values = tuple(amount / seconds for seconds in timing.seconds)
        return result(case, replace(timing, seconds=values), **params)


def result(case: str, values: Timing, **params: Param) -> CaseResult:
    """A measured figure; ``values`` are in the case's unit."""
    return CaseResult(
        case=case,
        params=params,
        unit=UNITS[case],
        median=values.median_s,
        spread=values.spread_s,
        n=len(values.seconds),
        cpu_share=values.cpu_share,
        contended=values.contended,
    )


def counted(case: str, value: float, **params: Param) -> CaseResult:
    """A figure that is counted or computed, not timed; ratios to six digits."""
    value = round(value, 6) if UNITS[case] == "ratio" else value
    return CaseResult(
        case=case, params=params, unit=UNITS[case], median=value, spread=None, n=1,
        cpu_share=None, contended=None,
    )  # fmt: skip


def missing(case: str, reason: str, **params: Param) -> CaseResult:
    """A figure that was not taken, and why."""
    return CaseResult(
        case=case, params={**params, "not_measured": reason}, unit=UNITS[case], median=None,
        spread=None, n=0, cpu_share=None, contended=None,
    )  # fmt: skip
