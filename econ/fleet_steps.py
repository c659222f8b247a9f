"""How long a replica's steps take: what the queue of `econ.fleet` asks of any model of speed.

A step is one pass over the sequences in decode, with a chunk of prompt beside them or not. Any
object with the two functions of `StepModel` will do: the roofline of a datasheet, a fit to
published measurements, or what was measured here. `tabulated` asks it at a few hundred places and
reads straight between them, so that a trace of millions of steps need not ask a million times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np

from econ.kv_formats import KvFormat
from econ.roofline import Speeds, decode_step, prefill
from econ.speed_fit import Band
from econ.workload import FloatArray, IntArray
from kvcore.profile import DeviceProfile, curve, value_at
from price_tables.hardware import ModelSpec

SourceKind = Literal["datasheet", "published", "measured"]
PREFILL_POINTS = 192
LEAST_SPACING = 64
FIRST_CONTEXT = 256


class StepModel(Protocol):
    """Seconds of a replica's work, and how far they may be off (None: not known)."""

    @property
    def source_kind(self) -> SourceKind:
        """Where the seconds come from."""

    @property
    def request_s(self) -> float:
        """Seconds that every first token waits for beside the queue: sending, scheduling."""

    @property
    def ttft_band(self) -> Band | None:
        """How far times to the first token were off where they could be compared."""

    @property
    def tpot_band(self) -> Band | None:
        """How far times a token were off."""

    @property
    def outside(self) -> tuple[str, ...]:
        """What lies beyond the rows that the bands come from."""

    def prefill_s(self, prompt_tokens: int, cached_tokens: int) -> float:
        """Seconds for the tokens of a prompt behind its first `cached_tokens`."""

    def decode_s(self, batch: int, context_tokens: int) -> float:
        """Seconds for one token of each of `batch` sequences of `context_tokens` tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """A `StepModel` made of two functions."""

    source_kind: SourceKind
    prefill: Callable[[int, int], float]
    decode: Callable[[int, int], float]
    request_s: float = 0.0
    ttft_band: Band | None = None
    tpot_band: Band | None = None
    outside: tuple[str, ...] = ()

    def prefill_s(self, prompt_tokens: int, cached_tokens: int) -> float:
        """See `StepModel`."""
        return self.prefill(prompt_tokens, cached_tokens)

    def decode_s(self, batch: int, context_tokens: int) -> float:
        """See `StepModel`."""
        return self.decode(batch, context_tokens)


def roofline_steps(
    model: ModelSpec, speeds: Speeds, dtype: KvFormat, *, weights_bytes: float,
    tensor_parallel: int = 1, attention_copies: int = 1, ttft_band: Band | None = None,
    tpot_band: Band | None = None, outside: tuple[str, ...] = (),
    source_kind: SourceKind = "datasheet",
) -> Steps:  # fmt: skip
    """The floors of a device's limits (`econ.roofline`), with the efficiencies of `speeds`."""

    def prompt(prompt_tokens: int, cached_tokens: int) -> float:
        return prefill(
            model, speeds, prompt_tokens=prompt_tokens, cached_tokens=cached_tokens,
            tensor_parallel=tensor_parallel,
        ).prefill_s  # fmt: skip

    def token(batch: int, context_tokens: int) -> float:
        return decode_step(
            model, speeds, dtype, weights_bytes=weights_bytes, context_tokens=context_tokens,
            batch=batch, tensor_parallel=tensor_parallel, attention_copies=attention_copies,
        ).step_s  # fmt: skip

    return Steps(
        source_kind=source_kind, prefill=prompt, decode=token, ttft_band=ttft_band,
        tpot_band=tpot_band, outside=outside,
    )  # fmt: skip


def profile_steps(profile: DeviceProfile) -> Steps | None:
    """What was measured of the profile's own model. Between lengths and batches as
    `kvcore.profile.value_at` reads them, at the nearest measured place outside. None where the
    profile has no cold prompt or no decode step."""
    cold = curve(profile, "ttft_cold", over="prompt_tokens")
    by_batch = [
        (int(batch), points)
        for batch in sorted({int(b) for b in _values(profile, "decode", "batch")})
        if (points := curve(profile, "decode", over="context_tokens", batch=batch))
    ]
    if not cold or not by_batch:
        return None

    def prompt(prompt_tokens: int, cached_tokens: int) -> float:
        return max(_at(cold, prompt_tokens) - _at(cold, cached_tokens), 0.0)

    def token(batch: int, context_tokens: int) -> float:
        points = tuple((float(b), _inside(found, context_tokens)) for b, found in by_batch)
        return _inside(points, batch)

    return Steps(source_kind="measured", prefill=prompt, decode=token)


def _values(profile: DeviceProfile, case: str, name: str) -> list[float]:
    found = (row.params.get(name) for row in profile.cases if row.case == case)
    return [float(value) for value in found if isinstance(value, int | float)]


def _at(points: tuple[tuple[float, float], ...], tokens: int) -> float:
    """A prompt's time from nothing: in proportion below the shortest and beyond the longest."""
    first, last = points[0], points[-1]
    if tokens <= first[0]:
        return first[1] * tokens / first[0]
    if tokens >= last[0]:
        return last[1] * tokens / last[0]
    return value_at(points, tokens) or 0.0


def _inside(points: tuple[tuple[float, float], ...], x: float) -> float:
    return value_at(points, min(max(x, points[0][0]), points[-1][0])) or points[0][1]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTable:
    """Seconds at places: `decode_s[batch, i]` at `contexts[i]` tokens, batch from 0 (0.0) on;
    `prefill_s[i]` for a prompt of i x `spacing` tokens from nothing; `request_s` delays every
    first token and keeps no device busy."""

    contexts: FloatArray
    decode_s: FloatArray
    spacing: float
    prefill_s: FloatArray
    request_s: float = 0.0

    def faster(self, times: int) -> StepTable:
        """The same work in a whole fraction of the time."""
        return replace(self, decode_s=self.decode_s / times, prefill_s=self.prefill_s / times)

    def prompt_s(self, tokens: IntArray) -> FloatArray:
        """Seconds of prompts of so many tokens from nothing."""
        places = np.arange(len(self.prefill_s)) * self.spacing
        return np.asarray(np.interp(tokens, places, self.prefill_s))

    def step_s(self, batch: int, context_tokens: float) -> float:
        """Seconds of one decode step."""
        row = self.decode_s[min(batch, len(self.decode_s) - 1)]
        return float(np.interp(context_tokens, self.contexts, row))


def tabulated(steps: StepModel, *, longest_tokens: int, max_sequences: int) -> StepTable:
    """The table for prompts and contexts of up to `longest_tokens`, batches up to
    `max_sequences`: batches and contexts at powers of two, prompts at equal distances."""
    spacing = max(LEAST_SPACING, -(-longest_tokens // PREFILL_POINTS))
    prompts = [steps.prefill_s(n * spacing, 0) for n in range(-(-longest_tokens // spacing) + 1)]
    contexts = _powers(FIRST_CONTEXT, longest_tokens)
    batches = _powers(1, max_sequences)
    asked = np.array([[steps.decode_s(b, c) for c in (0, *contexts)] for b in batches])
    every = np.arange(1, max_sequences + 1)
    dense = np.stack(
        [np.interp(every, batches, asked[:, at]) for at in range(len(contexts) + 1)], axis=1
    )
    return StepTable(
        contexts=np.array([0.0, *contexts]),
        decode_s=np.vstack([np.zeros((1, dense.shape[1])), dense]),
        spacing=float(spacing),
        prefill_s=np.array(prompts, dtype=np.float64),
        request_s=steps.request_s,
    )


def _powers(first: int, last: int) -> list[int]:
    found = []
    while first < last:
        found.append(first)
        first *= 2
    return [*found, last]
