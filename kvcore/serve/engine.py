"""The engine: one model, one pool of blocks, many requests. Submit and cancel from any thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from kvcore.blocks.identity import Identity
from kvcore.blocks.policies import EvictionPolicy
from kvcore.blocks.pool import BlockPool
from kvcore.serve.checks import Bounds, check
from kvcore.serve.desk import Answer, Desk, OnToken, StreamedToken
from kvcore.serve.request import Completion, Request
from kvcore.serve.runners import make_runner
from kvcore.serve.scheduler import Limits, Scheduler
from kvcore.serve.sequence import Sequence
from kvcore.serve.stepper import Stepper

if TYPE_CHECKING:
    import torch

    from kvcore.attention.runner import Runner
    from kvcore.model.weights import Model


class RunnerMaker(Protocol):
    """What makes the runner of an engine: `make_runner`, or a test's own."""

    def __call__(
        self,
        model: Model,
        device: str,
        *,
        blocks: int,
        block_tokens: int,
        kv_dtype: torch.dtype | None,
    ) -> Runner: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReport:
    """What one step did: sequences decoded, prompt tokens computed, sequences let in and
    pre-empted, and whether some request has not ended."""

    decoded: int
    prompt_tokens: int
    admitted: int
    preempted: int
    busy: bool


class Engine:
    """Answers requests with one model over `blocks` blocks of `block_tokens` tokens.

    Any thread may submit, cancel, stream and ask for results; one at a time steps, and a reader
    steps where nobody else does. Leaving the context closes it. A step takes at most
    `chunk_tokens` tokens through the model and `max_batch` sequences run at once. With
    `prefix_cache` off no block is ever found again. `clock` gives seconds.
    """

    def __init__(
        self,
        model: Model,
        *,
        blocks: int,
        block_tokens: int = 16,
        device: str = "cpu",
        chunk_tokens: int = 512,
        max_batch: int = 16,
        prefix_cache: bool = True,
        policy: str | EvictionPolicy = "lru-leaf",
        kv_dtype: torch.dtype | None = None,
        runner_maker: RunnerMaker = make_runner,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.model, self._clock = model, clock
        self.pool = BlockPool(blocks, block_tokens, policy=policy, clock=clock)
        self.runner = runner_maker(
            model, device, blocks=blocks, block_tokens=block_tokens, kv_dtype=kv_dtype
        )
        self._bounds = Bounds(
            blocks=blocks,
            block_tokens=block_tokens,
            max_context=model.shape.max_context,
            max_batch=max_batch,
            vocab=model.shape.vocab,
        )
        self._desk = Desk()
        self._stepping = Lock()  # held by the one thread that steps; guards what is below
        self._scheduler = Scheduler(
            self.pool,
            Limits(chunk_tokens=chunk_tokens, max_batch=max_batch, prefix_cache=prefix_cache),
            copy_block=self.runner.copy_block,
            root_of=self._root,
        )
        self._stepper = Stepper(self.runner, self._scheduler, clock, self._heard)
        self._failures: list[Exception] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def busy(self) -> bool:
        """Some request has not ended."""
        return self._desk.busy

    def submit(self, request: Request, on_token: OnToken | None = None) -> str:
        """Put a request in the line; its id. `on_token` is called for every token by the thread
        that steps and must not wait for the engine; what it raises cancels the request and comes
        out of `step` or of whoever reads this request. KvcoreError where the request can never be
        answered in full, its id is in use, or the engine is closed."""
        return self._submit(request, on_token).request.id

    def cancel(self, request_id: str) -> bool:
        """End a request: no stream gives a token of it from now on, and its blocks are free at the
        latest when the step that is running ends. False where none with this id is answered."""
        answer = self._desk.find(request_id)
        return answer is not None and self._cancel(answer)

    def step(self) -> StepReport:
        """One step: let in, decode, compute prompts, hand tokens out. Waits while another thread
        steps."""
        with self._stepping:
            self._failures.clear()
            report = self._step()
            failures = list(self._failures)
        self._sweep()
        if failures:
            raise failures[0]
        return report

    def stream(self, request_id: str) -> Iterator[StreamedToken]:
        """The tokens of a request as they come, to its end, for one reader. A stream that is
        closed before that cancels the request. KvcoreError where none with this id is answered."""
        answer = self._desk.answer(request_id)
        return self._stream(answer)

    def result(self, request_id: str) -> Completion:
        """The completion of a request, stepping until it is there; handed out once. KvcoreError
        where there is none with this id, or no longer."""
        kept = self._desk.kept(request_id)
        return kept or self._finish(self._desk.answer(request_id))

    def run_all(self, requests: Iterable[Request]) -> list[Completion]:
        """Submit all, step until all have ended; completions in the order of the requests."""
        answers = [self._submit(request, None) for request in requests]
        return [self._finish(answer) for answer in answers]

    def close(self) -> None:
        """Cancel everything and free all blocks. More than once is allowed."""
        self._desk.close()
        with self._stepping:
            self._drop_cancelled()

    def _submit(self, request: Request, on_token: OnToken | None) -> Answer:
        check(request, self._bounds)
        arrival_s = self._clock() if request.arrival_s is None else request.arrival_s
        return self._desk.take_in(request, arrival_s, on_token)

    def _cancel(self, answer: Answer) -> bool:
        done = self._desk.cancel(answer)
        self._sweep()
        return done

    def _stream(self, answer: Answer) -> Iterator[StreamedToken]:
        try:
            more = True
            while more:
                fresh, more = self._desk.read(answer)
                yield from fresh
                if more:
                    self._step_or_wait(answer)
            if answer.failure:
                raise answer.failure
        finally:
            self._cancel(answer)

    def _finish(self, answer: Answer) -> Completion:
        while answer.completion is None:
            self._step_or_wait(answer)
        self._desk.kept(answer.request.id)
        if answer.failure:
            raise answer.failure
        return answer.completion

    def _step_or_wait(self, answer: Answer) -> None:
        """Step if nobody does; otherwise wait for the other thread's step."""
        if not self._stepping.acquire(blocking=False):
            self._desk.wait(answer)
            return
        try:
            if answer.completion is None:
                self._step()
        finally:
            self._stepping.release()
            self._sweep()

    def _step(self) -> StepReport:
        self._drop_cancelled()
        plan = self._stepper.step()
        return StepReport(
            decoded=len(plan.decodes),
            prompt_tokens=sum(count for _, count in plan.chunks),
            admitted=plan.admitted,
            preempted=plan.preempted,
            busy=self._desk.busy,
        )

    def _sweep(self) -> None:
        """Free what has been cancelled, unless a thread steps: it does so when it is done."""
        while self._desk.has_cancelled and self._stepping.acquire(blocking=False):
            try:
                self._drop_cancelled()
            finally:
                self._stepping.release()

    def _drop_cancelled(self) -> None:
        for sequence in self._desk.arrived():
            self._scheduler.add(sequence)
        for answer in self._desk.cancelled():
            dropped = self._scheduler.of_request(answer.request.id)
            for sequence in dropped:
                self._scheduler.finish(sequence, "cancelled")
            self._desk.end(answer, dropped)

    def _heard(self, sequence: Sequence, token: int) -> None:
        answer = self._desk.heard(sequence, token)
        if answer is None or answer.on_token is None:
            return
        try:
            answer.on_token(StreamedToken(sequence.sample, token))
        except Exception as error:  # the others' tokens of this step must still arrive
            answer.failure = error
            self._failures.append(error)
            self._cancel(answer)

    def _root(self, salt: str) -> bytes:
        """Where the hash chains of one salt start: all that decides what a block's KV are."""
        kv_dtype = str(self.runner.kv.dtype)
        return Identity(model=self.model.name, kv_dtype=kv_dtype, salt=salt).root()
