"""How much faster a hybrid model writes, and what of that a workload gets.

Published for Kimi Linear (arXiv 2510.26692): 1.84 ms a token against 11.48 ms with latent
attention throughout, at 1,000,000 tokens: 6.24 times, printed as 6.3. An article adds hardly any
difference at 4,000 tokens, 4.8 times at 128,000 and 5.7 at 512,000; those were found nowhere else.

    floor    t(all layers full) / t(hybrid), both by `econ.roofline` at the same batch
    overall  sum of w / sum of (w / g): w = tokens written, g = gain at the context they met;
             with one gain for a share s of the work this is 1 / ((1 - s) + s / g)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from econ.kv_formats import KvFormat
from econ.roofline import Speeds, decode_step
from econ.workload import FloatArray, IntArray
from price_tables.hardware import ModelSpec

FULL_MS, HYBRID_MS, TIMED_CONTEXT = 11.48, 1.84, 1_000_000
PRINTED_PERCENT, PRINTED_GAIN = 75, 6.3
PUBLISHED: tuple[tuple[int, float, str], ...] = (
    (4_000, 1.0, "article"),
    (128_000, 4.8, "article"),
    (512_000, 5.7, "article"),
    (TIMED_CONTEXT, FULL_MS / HYBRID_MS, "paper"),
)
"""Context in tokens, gain in time a token, and who says so."""
LONG_CONTEXT = 128_000
EXAMPLE_CONTEXT, EXAMPLE_TOKENS = 100_000, 10_000
"""An article's document: read 100,000 tokens, write 10,000; it takes the times at 1,000,000."""
CURVE_CONTEXTS = (4_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class GainPoint:
    """One context: a step's floor with all layers full and as the hybrid is, in seconds."""

    context_tokens: int
    full_s: float
    hybrid_s: float
    published: float | None

    @property
    def gain(self) -> float:
        """How many times faster by the floor."""
        return self.full_s / self.hybrid_s


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadGain:
    """What a workload's written tokens gain: by published points, and by the floor.

    long_share: of the tokens written at contexts of LONG_CONTEXT and more; at_long: the overall
    gain if those had the published gain at 1,000,000 tokens and all others none.
    """

    by_published: float
    by_floor: float
    long_share: float
    at_long: float


def overall_gain(share: float, gain: float) -> float:
    """1 / ((1 - s) + s / g): the gain on all work where only the share `s` of it gains g."""
    if not 0 <= share <= 1 or gain <= 0:
        raise ValueError("a share lies between 0 and 1, a gain above 0")
    return 1 / ((1 - share) + share / gain)


def published_gain(context_tokens: float) -> float:
    """The published gain at a context: straight in the logarithm of the context between two
    points, the nearest one's beyond them."""
    return float(_published(np.array([context_tokens], dtype=np.float64))[0])


def _published(contexts: FloatArray) -> FloatArray:
    known = [math.log(context) for context, _, _ in PUBLISHED]
    gains = [gain for _, gain, _ in PUBLISHED]
    found = np.interp(np.log(np.maximum(contexts, 1)), known, gains)
    return np.asarray(found, dtype=np.float64)


def all_full(hybrid: ModelSpec) -> ModelSpec | None:
    """The same model with every layer as its full ones are; None where it is no hybrid."""
    full = [group for group in hybrid.groups if group.kind in ("mla", "full")]
    linear = sum(group.layers for group in hybrid.groups if group.kind == "linear_state")
    if len(full) != 1 or not linear:
        return None
    return replace(hybrid, groups=(replace(full[0], layers=full[0].layers + linear),))


def kv_saving(hybrid: ModelSpec) -> float | None:
    """The share of growing KV that the linear layers save: 20 of 27 layers are 74.1 %."""
    whole = all_full(hybrid)
    if whole is None:
        return None
    grows = sum(group.layers for group in hybrid.groups if group.kind in ("mla", "full"))
    return 1 - grows / whole.groups[0].layers


def gain_curve(
    hybrid: ModelSpec,
    speeds: Speeds,
    dtype: KvFormat,
    weights_bytes: float,
    batch: int,
    contexts: Sequence[int] = CURVE_CONTEXTS,
) -> tuple[GainPoint, ...]:
    """Floors over context. ValueError for a model that is no hybrid."""
    whole = all_full(hybrid)
    if whole is None:
        raise ValueError("not a hybrid model")
    known = {context: gain for context, gain, _ in PUBLISHED}

    def step(model: ModelSpec, context: int) -> float:
        return decode_step(
            model, speeds, dtype, weights_bytes=weights_bytes, context_tokens=context, batch=batch
        ).step_s

    return tuple(
        GainPoint(
            context_tokens=context,
            full_s=step(whole, context),
            hybrid_s=step(hybrid, context),
            published=known.get(context),
        )
        for context in contexts
    )


def workload_gain(
    contexts: IntArray, written: IntArray, curve: Sequence[GainPoint]
) -> WorkloadGain | None:
    """The gain of a workload whose requests wrote `written` tokens at `contexts`. None where
    nothing was written. By the published points every token of the slower model is taken to cost
    the same, since its times at shorter contexts are not published; the floor has both times."""
    total = float(written.sum())
    if not total:
        return None
    published = _published(contexts.astype(np.float64))
    long_share = float(written[contexts >= LONG_CONTEXT].sum()) / total
    return WorkloadGain(
        by_published=total / float((written / published).sum()),
        by_floor=_floor_gain(contexts, written, curve),
        long_share=long_share,
        at_long=overall_gain(long_share, FULL_MS / HYBRID_MS),
    )


def writing_s(curve: Sequence[GainPoint], context_tokens: int, tokens: int) -> tuple[float, float]:
    """Seconds to write `tokens` at a context by the floor: with all layers full, as the hybrid."""
    at = np.array([point.context_tokens for point in curve], dtype=np.float64)
    here = np.array([context_tokens], dtype=np.int64)
    full = _times(here, at, [point.full_s for point in curve])
    hybrid = _times(here, at, [point.hybrid_s for point in curve])
    return float(full[0] * tokens), float(hybrid[0] * tokens)


def _floor_gain(contexts: IntArray, written: IntArray, curve: Sequence[GainPoint]) -> float:
    """Time of all tokens with full layers over their time with the hybrid's."""
    at = np.array([point.context_tokens for point in curve], dtype=np.float64)
    full = _times(contexts, at, [point.full_s for point in curve])
    hybrid = _times(contexts, at, [point.hybrid_s for point in curve])
    return float((written * full).sum() / (written * hybrid).sum())


def _times(contexts: IntArray, at: FloatArray, seconds: Sequence[float]) -> FloatArray:
    return np.asarray(np.interp(contexts.astype(np.float64), at, seconds), dtype=np.float64)
