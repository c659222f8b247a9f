"""What is asked of the engine, and what it answers: plain data and the arithmetic of its times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

FinishReason = Literal["stop", "length", "context", "cancelled"]
DEFAULT_PRIORITY = 35
"""Middle of the eviction priorities 0..100: as TensorRT-LLM has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the next token is drawn. `temperature` 0 is greedy: the highest logit, the lowest id on
    a tie. `top_p` in (0, 1] keeps the fewest tokens whose probabilities reach it. With the same
    `seed` the n-th sample of a request draws the same numbers, whatever else the engine runs."""

    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0


GREEDY = Sampling()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One prompt. `samples` answers are drawn from one prefill. Only requests with the same `salt`
    re-use each other's blocks. `priority` (0..100, more stays longer) is that of its blocks when
    they are free; it does not change whose turn it is. `keep_s`: seconds after which they fall back
    to the default priority. `arrival_s` on the engine's clock; None: when it is submitted."""

    id: str
    tokens: tuple[int, ...]
    max_new_tokens: int = 16
    stop_ids: frozenset[int] = frozenset()
    sampling: Sampling = GREEDY
    samples: int = 1
    salt: str = ""
    priority: int = DEFAULT_PRIORITY
    keep_s: float | None = None
    arrival_s: float | None = None

    def end(self, token: int, length: int, max_context: int) -> FinishReason | None:
        """Why `token`, with which prompt and answer are `length` tokens, is the last one; None
        where it is not."""
        if token in self.stop_ids:
            return "stop"
        if length - len(self.tokens) >= self.max_new_tokens:
            return "length"
        return "context" if length >= max_context else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One answer. The token that stopped it is its last one. `reason`: 'stop' a stop id, 'length'
    max_new_tokens, 'context' the model's longest context, 'cancelled' the caller or close()."""

    tokens: tuple[int, ...]
    reason: FinishReason


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestReport:
    """What one request cost. Times in seconds, None where there is nothing to measure.

    `queue_s`: arrival to the first step that computes for it. `ttft_s`: arrival to its first token.
    `tpot_s`: (last - first token) / (tokens - 1) of each sample, mean over the samples that have
    two or more. `hit_tokens`: prompt tokens found in the pool at the first admission; what a
    pre-empted request finds again is `found_again_tokens` and no hit. `computed_tokens`: positions
    that went through the model, recomputed ones included. `evictions`: free blocks with content
    that were taken from others for it.
    """

    id: str
    queue_s: float | None
    ttft_s: float | None
    tpot_s: float | None
    prompt_tokens: int
    hit_tokens: int
    found_again_tokens: int
    computed_tokens: int
    output_tokens: int
    evictions: int
    preemptions: int

    @property
    def hit_ratio(self) -> float:
        """Hit tokens over prompt tokens, 0..1."""
        return self.hit_tokens / self.prompt_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The answers of a request in the order of their numbers, and its report."""

    id: str
    samples: tuple[Sample, ...]
    report: RequestReport

    @property
    def tokens(self) -> tuple[int, ...]:
        """Tokens of the first answer."""
        return self.samples[0].tokens


@dataclass(slots=True, kw_only=True)
class Tally:
    """What is counted while a request runs; `report` reads it."""

    arrival_s: float
    started_s: float | None = None
    hit_tokens: int | None = None
    found_again_tokens: int = 0
    computed_tokens: int = 0
    evictions: int = 0
    preemptions: int = 0
    token_s: dict[int, list[float]] = field(default_factory=dict)

    def looked_up(self, hit_tokens: int, now_s: float) -> None:
        """A look-up that led to an admission: the first one counts as hits, later ones do not."""
        if self.hit_tokens is None:
            self.hit_tokens, self.started_s = hit_tokens, now_s
        else:
            self.found_again_tokens += hit_tokens

    def token_at(self, sample: int, now_s: float) -> None:
        """A token of this sample came at this time."""
        self.token_s.setdefault(sample, []).append(now_s)

    def report(self, request: Request) -> RequestReport:
        """The report as of now."""
        times = list(self.token_s.values())
        first = min((series[0] for series in times), default=None)
        return RequestReport(
            id=request.id,
            queue_s=_since(self.arrival_s, self.started_s),
            ttft_s=_since(self.arrival_s, first),
            tpot_s=tpot_s(times),
            prompt_tokens=len(request.tokens),
            hit_tokens=self.hit_tokens or 0,
            found_again_tokens=self.found_again_tokens,
            computed_tokens=self.computed_tokens,
            output_tokens=sum(map(len, times)),
            evictions=self.evictions,
            preemptions=self.preemptions,
        )


def tpot_s(token_times: Sequence[Sequence[float]]) -> float | None:
    """Seconds per output token: (last - first) / (n - 1) of each series of times, mean over those
    with n >= 2; None where there is none."""
    each = [(times[-1] - times[0]) / (len(times) - 1) for times in token_times if len(times) > 1]
    return sum(each) / len(each) if each else None


def _since(start_s: float, then_s: float | None) -> float | None:
    return None if then_s is None else then_s - start_s
