"""A model small enough to be obvious: the next token is a function of every token read back through
the block table. A wrong table, a block shared that should not be, or a stale one changes it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from kvcore.serve.engine import Engine
from kvcore.serve.request import Request

VOCAB = 97
CONTEXT = 200
BLOCK_TOKENS = 4


@dataclass
class TinyShape:
    """What the engine asks of a shape."""

    max_context: int = CONTEXT
    vocab: int = VOCAB


@dataclass
class TinyModel:
    """What the engine asks of a model."""

    name: str = "tiny"
    shape: TinyShape = field(default_factory=TinyShape)


class TinyRunner:
    """Keeps the token itself where a model keeps keys and values."""

    def __init__(
        self, model: Any, device: str, *, blocks: int, block_tokens: int, **_: Any
    ) -> None:
        self.shape, self.blocks, self.block_tokens = model.shape, blocks, block_tokens
        self.kv = SimpleNamespace(dtype=torch.int64)
        self.data = np.full((blocks, block_tokens), -1, dtype=np.int64)
        self.prefilled: list[int] = []
        self.batches: list[int] = []
        self.fails = False

    def copy_block(self, source: int, destination: int) -> None:
        self.data[destination] = self.data[source]

    def prefill(self, tokens: torch.Tensor, start: int, table: torch.Tensor) -> torch.Tensor:
        self._may_fail()
        self.prefilled.append(len(tokens))
        for place, token in enumerate(tokens.tolist(), start):
            self._write(place, token, table)
        return self._logits(start + len(tokens), table)

    def decode(
        self, tokens: torch.Tensor, positions: torch.Tensor, tables: Sequence[torch.Tensor]
    ) -> torch.Tensor:
        self._may_fail()
        self.batches.append(len(tokens))
        rows = []
        for token, place, table in zip(tokens.tolist(), positions.tolist(), tables, strict=True):
            self._write(place, token, table)
            rows.append(self._logits(place + 1, table))
        return torch.stack(rows)

    def _may_fail(self) -> None:
        if self.fails:
            raise MemoryError("the device is full")

    def _write(self, place: int, token: int, table: torch.Tensor) -> None:
        self.data[int(table[place // self.block_tokens]), place % self.block_tokens] = token

    def _logits(self, length: int, table: torch.Tensor) -> torch.Tensor:
        return logits_after(self.data[table.numpy()].reshape(-1)[:length])


def logits_after(history: Sequence[int] | np.ndarray) -> torch.Tensor:
    """The model: logits [VOCAB] after these tokens."""
    seed = zlib.crc32(np.asarray(history, dtype=np.int64).tobytes())
    return torch.from_numpy(np.random.default_rng(seed).normal(size=VOCAB))


def alone(request: Request) -> tuple[int, ...]:
    """The greedy answer, without an engine."""
    tokens = list(request.tokens)
    while len(tokens) < CONTEXT:
        tokens.append(int(logits_after(tokens).argmax()))
        new = len(tokens) - len(request.tokens)
        if new == request.max_new_tokens or tokens[-1] in request.stop_ids:
            break
    return tuple(tokens[len(request.tokens) :])


class Ticks:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def engine(blocks: int = 64, context: int = CONTEXT, **more: Any) -> Engine:
    """An engine on the tiny model."""
    model: Any = TinyModel(shape=TinyShape(max_context=context))
    runner_maker: Callable[..., Any] = TinyRunner
    settings = {"block_tokens": BLOCK_TOKENS, "chunk_tokens": 32, "max_batch": 8, **more}
    return Engine(model, blocks=blocks, runner_maker=runner_maker, **settings)


def prompt(length: int, seed: int = 0) -> tuple[int, ...]:
    """A prompt of so many tokens."""
    return tuple(int(token) for token in np.random.default_rng(seed).integers(0, VOCAB, length))
