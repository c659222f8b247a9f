"""Generation without any KV cache, to compare with: each token computes the whole sequence."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import torch

from kvcore.model.dense import forward, head_logits
from kvcore.model.weights import Model
from kvcore.serve.checks import Bounds, check
from kvcore.serve.request import Completion, FinishReason, Request, Sample, Tally
from kvcore.serve.sampling import Drawer


def run_without_cache(
    model: Model,
    requests: Iterable[Request],
    clock: Callable[[], float] = time.perf_counter,
) -> list[Completion]:
    """The answers that an engine gives to these requests, one request after the other, in their
    order. A request waits from its arrival until those before it are done. KvcoreError where one
    can never be answered."""
    start_s = clock()
    return [_answer(model, request, start_s, clock) for request in requests]


def _answer(
    model: Model, request: Request, start_s: float, clock: Callable[[], float]
) -> Completion:
    context = model.shape.max_context
    check(
        request,
        Bounds(
            blocks=context,
            block_tokens=1,
            max_context=context,
            max_batch=request.samples,
            vocab=model.shape.vocab,
        ),
    )
    tally = Tally(arrival_s=start_s if request.arrival_s is None else request.arrival_s)
    tally.looked_up(0, clock())
    samples = tuple(_sample(model, request, n, tally, clock) for n in range(request.samples))
    return Completion(id=request.id, samples=samples, report=tally.report(request))


def _sample(
    model: Model, request: Request, number: int, tally: Tally, clock: Callable[[], float]
) -> Sample:
    drawer = Drawer(request.sampling, number)
    tokens = list(request.tokens)
    reason: FinishReason | None = None
    while reason is None:
        hidden = forward(model, torch.tensor(tokens)).hidden[-1]
        tally.computed_tokens += len(tokens)
        tokens.append(drawer.draw(head_logits(model, hidden)))
        tally.token_at(number, clock())
        reason = request.end(tokens[-1], len(tokens), model.shape.max_context)
    return Sample(tokens=tuple(tokens[len(request.tokens) :]), reason=reason)
