"""Time to the first token by prompt length: nothing cached, and the same prompt sent again."""

from __future__ import annotations

from collections.abc import Iterator

from kvcore.bench.context import BLOCK_TOKENS, TIME_BUDGET, Bench, missing, result
from kvcore.bench.measure import ShareMeter, Timing
from kvcore.profile import CaseResult
from kvcore.serve.engine import Engine

WARM_UP_TOKENS = 64
COLD_REPEATS = 3


def first_token(bench: Bench) -> Iterator[CaseResult]:
    """Cold and warm times of every length, as the engine's own reports give them.

    Warm is measured twice: the same prompt again (whole blocks hit, the last partial one and at
    least one token are computed), and for prompts of whole blocks the prompt with one token more,
    which leaves exactly one token to compute. Hashing and look-up are part of both.
    """
    engine = bench.engine()
    _time_cold(bench, engine, bench.tokens(WARM_UP_TOKENS), 1)
    first = _time_cold(bench, engine, bench.tokens(WARM_UP_TOKENS), 1)
    bench.prefill_seen = (WARM_UP_TOKENS, first.median_s)
    limit = min(bench.model.shape.max_context, engine.runner.blocks * BLOCK_TOKENS) - 2
    for count in bench.sizes.prompts:
        expected = bench.prefill_s(count)
        if count > limit or not bench.has_time(expected):
            reason = TIME_BUDGET if count <= limit else f"longer than {limit:,} tokens of room"
            yield missing("ttft_cold", reason, prompt_tokens=count)
            yield missing("ttft_warm", reason, prompt_tokens=count)
            continue
        prompt = bench.tokens(count)
        cold = _time_cold(bench, engine, prompt, COLD_REPEATS, expected)
        bench.prefill_seen = (count, cold.median_s)
        yield result("ttft_cold", cold, prompt_tokens=count)
        yield _warm(bench, engine, prompt)
        if count % BLOCK_TOKENS == 0:
            yield _warm(bench, engine, (*prompt, 7))


def _time_cold(
    bench: Bench, engine: Engine, prompt: tuple[int, ...], repeats: int, expected_s: float = 0.0
) -> Timing:
    """Prompts of this length, all different but the last, which is ``prompt`` and stays cached."""
    meter = ShareMeter(device_computes=bench.device.type != "cpu")
    seconds: list[float] = []
    while True:
        last = len(seconds) + 1 >= repeats or 3 * max([expected_s, *seconds]) > bench.budget.left_s
        tokens = prompt if last else bench.tokens(len(prompt))
        with meter.running():
            seconds.append(bench.serve(engine, tokens).report.ttft_s or 0.0)
        if last:
            return Timing(seconds=tuple(seconds), cpu_share=meter.share)


def _warm(bench: Bench, engine: Engine, prompt: tuple[int, ...]) -> CaseResult:
    meter, reports = ShareMeter(device_computes=bench.device.type != "cpu"), []
    for _ in range(bench.sizes.repeats + 1):
        with meter.running():
            reports.append(bench.serve(engine, prompt).report)
        if len(reports) > 1 and bench.budget.left_s < 2 * (reports[-1].ttft_s or 0.0):
            break
    timing = Timing(
        seconds=tuple(report.ttft_s or 0.0 for report in reports[1:]), cpu_share=meter.share
    )
    reused = reports[-1].hit_tokens
    return result(
        "ttft_warm",
        timing,
        prompt_tokens=len(prompt),
        reused_tokens=reused,
        computed_tokens=len(prompt) - reused,
    )
