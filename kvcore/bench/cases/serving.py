"""What re-use does for whole requests: reply length, hit ratio, and who may share."""

from __future__ import annotations

import time
from collections.abc import Iterator

from kvcore.bench.context import BLOCK_TOKENS, TIME_BUDGET, Bench, missing, result
from kvcore.bench.measure import ShareMeter, Timing
from kvcore.profile import CaseResult
from kvcore.serve.request import Request

HIT_RATIOS = (0.0, 0.5, 0.75, 0.95)
REPLY_TOKENS = 16
REPLY_REPEATS = 3


def reply(bench: Bench) -> Iterator[CaseResult]:
    """A request with and without its prompt cached, by reply length: the whole and its decode.

    Re-use takes away prefill and nothing else: the time a generated token takes is the same.
    """
    engine = bench.engine()
    count = min(1024, engine.runner.blocks * BLOCK_TOKENS - max(bench.sizes.replies) - BLOCK_TOKENS)
    seconds_a_token = 0.0
    bench.serve(engine, bench.tokens(64), 2)
    for new in bench.sizes.replies:
        params = {"prompt_tokens": count, "reply_tokens": new}
        if not bench.has_time(bench.prefill_s(count) + 2 * new * seconds_a_token):
            yield missing("reply", TIME_BUDGET, **params)
            continue
        times: dict[int, list[tuple[float, float]]] = {}
        meter = ShareMeter(device_computes=bench.device.type != "cpu")
        for _ in range(1 if bench.quick else REPLY_REPEATS):
            prompt = bench.tokens(count)
            for _ in ("cold", "warm"):
                start = time.perf_counter()
                with meter.running():
                    report = bench.serve(engine, prompt, new).report
                took = time.perf_counter() - start
                decode_s = report.tpot_s or 0.0
                seconds_a_token = max(seconds_a_token, decode_s)
                times.setdefault(report.hit_tokens, []).append((took, decode_s))
            if 2 * took > bench.budget.left_s:
                break
        for reused, pairs in sorted(times.items()):
            whole, decode = zip(*pairs, strict=True)
            timing = Timing(seconds=whole, cpu_share=meter.share)
            yield result("reply", timing, **params, reused_tokens=reused)
            if new > 1:
                timing = Timing(seconds=decode, cpu_share=meter.share)
                yield result("reply_decode", timing, **params, reused_tokens=reused)


def throughput(bench: Bench) -> Iterator[CaseResult]:
    """Prompt and reply tokens served a second when this part of every prompt is cached.

    All requests arrive at once; ``hit_ratio`` is what was meant, ``measured_hit_ratio`` what the
    reports say: hit tokens / prompt tokens.
    """
    count, requests = bench.sizes.serve_prompt_tokens, bench.sizes.serve_requests
    fits = bench.runner().blocks * BLOCK_TOKENS // (count + REPLY_TOKENS + BLOCK_TOKENS)
    requests = max(1, min(requests, fits))
    for ratio in HIT_RATIOS:
        params = {"hit_ratio": ratio, "prompt_tokens": count, "requests": requests}
        computed = requests * bench.prefill_s(round(count * (1 - ratio)))
        if not bench.has_time(computed + bench.prefill_s(round(count * ratio))):
            yield missing("throughput", TIME_BUDGET, **params)
            continue
        engine = bench.engine(max_batch=requests)
        shared = bench.tokens(round(count * ratio / BLOCK_TOKENS) * BLOCK_TOKENS)
        if shared:
            bench.serve(engine, (*shared, 1))
        batch = [
            Request(
                id=f"{ratio}-{i}",
                tokens=shared + bench.tokens(count - len(shared)),
                max_new_tokens=REPLY_TOKENS,
            )
            for i in range(requests)
        ]
        meter = ShareMeter(device_computes=bench.device.type != "cpu")
        start = time.perf_counter()
        with meter.running():
            done = engine.run_all(batch)
        took = time.perf_counter() - start
        hits = sum(completion.report.hit_tokens for completion in done) / (count * requests)
        served = requests * (count + REPLY_TOKENS)
        timing = Timing(seconds=(served / took,), cpu_share=meter.share)
        yield result("throughput", timing, **params, measured_hit_ratio=round(hits, 6))


def salt(bench: Bench) -> Iterator[CaseResult]:
    """TTFT of a prompt that another request has left in the cache, with its salt and with another.

    The difference is what a stranger would learn without salts: that somebody sent this text.
    """
    engine, count = bench.engine(), min(bench.sizes.serve_prompt_tokens, 1024)
    repeats = 3 if bench.quick else bench.sizes.repeats
    for kind in ("same", "other"):
        if not bench.has_time(2 * bench.prefill_s(count)):
            yield missing("salt", TIME_BUDGET, salt=kind, prompt_tokens=count)
            continue
        meter = ShareMeter(device_computes=bench.device.type != "cpu")
        seconds: list[float] = []
        for i in range(repeats):
            prompt = bench.tokens(count)
            bench.serve(engine, prompt, salt="a")
            with meter.running():
                report = bench.serve(engine, prompt, salt="a" if kind == "same" else f"b{i}").report
            seconds.append(report.ttft_s or 0.0)
            if bench.budget.left_s < 2 * seconds[-1]:
                break
        timing = Timing(seconds=tuple(seconds), cpu_share=meter.share)
        yield result(
            "salt", timing, salt=kind, prompt_tokens=count, reused_tokens=report.hit_tokens
        )
