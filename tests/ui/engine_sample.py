"""A whole profile with figures of a plausible size, written by hand: for pages and charts alone."""

from __future__ import annotations

from dataclasses import replace

from kvcore.profile import CaseResult, DeviceProfile
from tests.econ.test_device_cases import case, made

LENGTHS = "Azure 2023 conversation, every 151st request"


def _times() -> list[CaseResult]:
    cold = {128: 0.21, 1_024: 1.89, 4_096: 10.9, 13_220: 67.8}
    warm = {128: 0.026, 1_024: 0.031, 4_096: 0.044, 13_220: 0.0897}
    step = {128: 0.0251, 1_024: 0.0293, 4_096: 0.0426, 13_216: 0.0897}
    rows = [case("ttft_cold", s, prompt_tokens=n) for n, s in cold.items()]
    rows += [case("ttft_warm", s, prompt_tokens=n, reused_tokens=n - 1) for n, s in warm.items()]
    rows += [case("decode", s, context_tokens=n, batch=1) for n, s in step.items()]
    rows += [case("decode", 0.07, context_tokens=1_024, batch=4)]
    rows += [case("decode_no_cache", s, context_tokens=n) for n, s in cold.items() if n < 2_000]
    for tokens in (1, 16, 64, 256):
        for reused, first_s in ((0, 1.9), (1_023, 0.03)):
            about = {"prompt_tokens": 1_024, "reply_tokens": tokens, "reused_tokens": reused}
            rows.append(case("reply", first_s + 0.03 * tokens, **about))
            if tokens > 1:
                rows.append(case("reply_decode", 0.03 + reused * 1e-7, **about))
    return rows


def _counts() -> list[CaseResult]:
    rows = [
        case("throughput", value, "tokens/s", hit_ratio=ratio, prompt_tokens=1_280)
        for ratio, value in ((0.0, 420.0), (0.5, 760.0), (0.75, 1_300.0), (0.95, 3_100.0))
    ]
    rows += [case("salt", s, salt=kind) for kind, s in (("same", 0.031), ("other", 1.21))]
    rows += [case("block_size", s, block_tokens=n, context_tokens=1_024)
             for n, s in ((8, 0.034), (16, 0.0293), (32, 0.0291), (64, 0.0302))]  # fmt: skip
    rows += [case("block_waste", r, "ratio", allocation="paged", block_tokens=n, lengths=LENGTHS)
             for n, r in ((8, 0.004), (16, 0.0099), (32, 0.019), (64, 0.036))]  # fmt: skip
    held = {"lengths": LENGTHS, "memory_bytes": 6_000_000_000}
    for name, size, values in (
        ("contiguous", {"max_tokens": 8_192}, (0.832, 15.0, 96.0)),
        ("paged", {"block_tokens": 16}, (None, 84.6, 141.0)),
    ):
        about = {"allocation": name, **size, **held}
        if values[0] is not None:
            rows.append(case("block_waste", values[0], "ratio", **about))
        rows.append(case("admitted", values[1], "sequences", **about))
        rows.append(case("admitted_rate", values[2], "tokens/s", **about))
    for name, bits, kl, top1 in (
        ("bf16", 16.0, 0.00001, 0.999),
        ("int8", 8.25, 0.00021, 0.994),
        ("int4-kivi", 5.5, 0.0045, 0.972),
    ):
        rows.append(case("kv_format_bits", bits, "bits/element", format=name))
        rows.append(case("kv_error_kl", kl, "nats", format=name))
        rows.append(case("kv_error_top1", top1, "ratio", format=name))
    rows.append(case("offload", None, "bytes/s", not_measured="cpu has no memory of its own"))
    return rows


WHOLE: DeviceProfile = made(*_times(), *_counts(), name="a laptop")
OTHER: DeviceProfile = replace(
    WHOLE,
    name="a server",
    created_utc="2026-11-20T08:00:00Z",
    cases=tuple(
        replace(row, median=row.median / 9, contended=row.case == "decode")
        for row in WHOLE.cases
        if row.median is not None and row.unit == "s"
    ),
)
