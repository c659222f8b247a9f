"""What re-use takes off a whole request: floors of `econ.roofline`, by how long the answer is.

cold = prefill(prompt) + sum of decode steps      warm = prefill(rest of the prompt) + the same
"""

from __future__ import annotations

from dataclasses import dataclass

from econ.kv_formats import KvFormat
from econ.roofline import Speeds, decode_step, prefill
from price_tables.hardware import ModelSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeRequest:
    """Floors in seconds of one request, cold and with `cached_tokens` of its prompt kept."""

    prompt_tokens: int
    cached_tokens: int
    reply_tokens: int
    cold_prefill_s: float
    warm_prefill_s: float
    decode_s: float

    @property
    def cold_s(self) -> float:
        """Everything computed."""
        return self.cold_prefill_s + self.decode_s

    @property
    def warm_s(self) -> float:
        """The kept prefix read."""
        return self.warm_prefill_s + self.decode_s

    @property
    def saved_share(self) -> float:
        """Of the whole request's time, 0..1."""
        return 1 - self.warm_s / self.cold_s if self.cold_s else 0.0


def whole_request(
    model: ModelSpec,
    speeds: Speeds,
    dtype: KvFormat,
    *,
    weights_bytes: float,
    prompt_tokens: int,
    cached_tokens: int,
    reply_tokens: int,
) -> WholeRequest:
    """One sequence alone. A step's floor is straight in the context, so the steps' sum is their
    number times the step in the middle."""
    middle = prompt_tokens + (reply_tokens + 1) // 2
    step = decode_step(
        model, speeds, dtype, weights_bytes=weights_bytes, context_tokens=middle, batch=1
    )
    return WholeRequest(
        prompt_tokens=prompt_tokens,
        cached_tokens=cached_tokens,
        reply_tokens=reply_tokens,
        cold_prefill_s=prefill(model, speeds, prompt_tokens=prompt_tokens).prefill_s,
        warm_prefill_s=prefill(
            model, speeds, prompt_tokens=prompt_tokens, cached_tokens=cached_tokens
        ).prefill_s,
        decode_s=step.step_s * reply_tokens,
    )
