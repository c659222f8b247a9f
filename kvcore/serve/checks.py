"""What can never run is refused when it is submitted, in one sentence with the numbers."""

from __future__ import annotations

from dataclasses import dataclass

from kvcore.errors import KvcoreError
from kvcore.serve.request import Request

HIGHEST_PRIORITY = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What the engine has: sizes in tokens and blocks, `vocab` token ids from 0."""

    blocks: int
    block_tokens: int
    max_context: int
    max_batch: int
    vocab: int


def check(request: Request, bounds: Bounds) -> None:
    """KvcoreError where the request can never be answered in full on this engine."""
    _check_numbers(request, bounds)
    _check_tokens(request, bounds)
    _check_room(request, bounds)


def longest_tokens(request: Request, bounds: Bounds) -> int:
    """Tokens whose keys and values are held when its longest answer ends: the last generated
    token is never computed."""
    return min(len(request.tokens) + request.max_new_tokens, bounds.max_context) - 1


def _most(high: float) -> str | int:
    return "any number" if high == float("inf") else int(high)


def _check_numbers(request: Request, bounds: Bounds) -> None:
    sampling = request.sampling
    ranges: tuple[tuple[str, float, float, float], ...] = (
        ("max_new_tokens", request.max_new_tokens, 1, float("inf")),
        ("samples", request.samples, 1, bounds.max_batch),
        ("priority", request.priority, 0, HIGHEST_PRIORITY),
        ("temperature", sampling.temperature, 0, float("inf")),
        ("seed", sampling.seed, 0, float("inf")),
    )
    for field, value, low, high in ranges:
        if not low <= value <= high:
            raise KvcoreError(
                "engine.request_value",
                "{field} is {value}; this engine takes {low} to {high}.",
                {"field": field, "value": value, "low": low, "high": _most(high)},
            )
    if not 0 < sampling.top_p <= 1:
        raise KvcoreError(
            "engine.request_top_p",
            "top_p is {value}; it must be above 0 and at most 1.",
            {"value": sampling.top_p},
        )


def _check_tokens(request: Request, bounds: Bounds) -> None:
    if not request.tokens:
        raise KvcoreError("engine.empty_prompt", "The prompt has no token; it needs at least one.")
    outside = next((token for token in request.tokens if not 0 <= token < bounds.vocab), None)
    if outside is not None:
        raise KvcoreError(
            "engine.unknown_token",
            "Token id {token} is outside the model's vocabulary of {vocab}.",
            {"token": outside, "vocab": bounds.vocab},
        )


def _check_room(request: Request, bounds: Bounds) -> None:
    prompt = len(request.tokens)
    if prompt >= bounds.max_context:
        raise KvcoreError(
            "engine.prompt_beyond_context",
            "The prompt has {prompt} tokens; the model's context of {context} leaves no answer.",
            {"prompt": prompt, "context": bounds.max_context},
        )
    need = -(-longest_tokens(request, bounds) // bounds.block_tokens)
    if need > bounds.blocks:
        raise KvcoreError(
            "engine.beyond_pool",
            "The request needs {need} blocks of {block_tokens} tokens (prompt {prompt}, at most "
            "{new} new); the pool has {blocks}.",
            {
                "need": need,
                "block_tokens": bounds.block_tokens,
                "prompt": prompt,
                "new": request.max_new_tokens,
                "blocks": bounds.blocks,
            },
        )
