"""Floors of decode and prefill against worked figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.kv_formats import kv_format
from econ.kv_memory import kv_bytes
from econ.roofline import (
    DecodeStep,
    Prefill,
    Speeds,
    decode_step,
    prefill,
    rank_kv_bytes,
    touched_share,
)
from price_tables.hardware_load import load_hardware

MODELS = load_hardware().models
BF16 = kv_format("bf16")
B300 = Speeds(bandwidth_bytes_per_s=8e12, ops_per_s=4.5e15)
LLAMA = MODELS["llama-3.1-70b"]


def step(context_tokens: int, batch: int) -> DecodeStep:
    """Llama 3.1 70B in 70 GB of fp8 weights on one B300."""
    return decode_step(
        LLAMA, B300, BF16, weights_bytes=70e9, context_tokens=context_tokens, batch=batch
    )


def test_the_articles_decode_steps() -> None:
    assert round(step(8_192, 1).step_s * 1e3, 2) == 9.09
    assert round(step(8_192, 1).tokens_per_s, 1) == 110.1
    assert round(step(131_072, 1).step_s * 1e3, 2) == 14.12
    assert round(step(131_072, 1).tokens_per_s, 1) == 70.8
    assert round(step(131_072, 4).step_s * 1e3, 1) == 30.2
    assert round(step(131_072, 4).tokens_per_s / 4, 1) == 33.1
    assert round((step(131_072, 6).kv_bytes + 70e9) / 1e9, 1) == 327.7


H200 = Speeds(bandwidth_bytes_per_s=4.8e12, ops_per_s=1.979e15)
V3 = MODELS["deepseek-v3"]


def test_every_rank_reads_its_own_copy_of_a_latent_cache() -> None:
    """DeepSeek V3 in FP8 on eight H200, 64 sequences of 4,096 tokens, by hand.

    Experts hold (671 - 37) / (1 - 8/256) = 654.45e9 parameters; 64 tokens miss (31/32)^64 =
    0.13109 of them, so 671e9 - 85.79e9 = 585.2e9 bytes are read, 73.15e9 a rank. A sequence keeps
    4,096 x 61 x 576 x 2 = 287,834,112 bytes, and every rank reads all 64: 18.42e9. Together
    91.57e9 / 4.8e12 = 19.08 ms; with 122 all-reduces of 64 x 7,168 x 2 bytes at 450 GB/s, 0.44 ms
    more. One copy for all ranks would have been 16.15 ms.
    """
    found = decode_step(
        V3, H200, BF16, weights_bytes=671e9, context_tokens=4_096, batch=64, tensor_parallel=8
    )
    assert round(found.rank_weight_bytes / 1e9, 2) == 73.15
    assert found.rank_kv_bytes == 64 * 287_834_112
    assert found.kv_bytes == 8 * found.rank_kv_bytes
    assert round(found.link_s * 1e3, 2) == 0.44
    assert round(found.step_s * 1e3, 2) == 19.51
    once = (found.rank_weight_bytes + found.rank_kv_bytes / 8) / 4.8e12 + found.link_s
    assert round(once * 1e3, 2) == 16.15


def test_a_group_for_each_device_reads_its_own_sequences_alone() -> None:
    """The same with data-parallel attention: 671e9 - 654.45e9 = 16.55e9 bytes that are no experts
    are read by every rank, (585.2 - 16.55) / 8 = 71.08e9 of experts, and 8 sequences: 2.30e9."""
    found = decode_step(
        V3, H200, BF16, weights_bytes=671e9, context_tokens=4_096, batch=64, tensor_parallel=8,
        attention_copies=8,
    )  # fmt: skip
    assert round(found.rank_weight_bytes / 1e9, 2) == 87.63
    assert found.rank_kv_bytes == 8 * 287_834_112
    assert round(found.step_s * 1e3, 2) == 18.95
    far = [
        decode_step(V3, H200, BF16, weights_bytes=671e9, context_tokens=65_536, batch=64,
                    tensor_parallel=8, attention_copies=copies).step_s
        for copies in (1, 8)
    ]  # fmt: skip
    assert far[1] < far[0] / 2


@pytest.mark.parametrize("copies", [0, 3, 16])
def test_copies_of_attention_that_are_no_whole_groups_are_refused(copies: int) -> None:
    with pytest.raises(ValueError, match="divide"):
        decode_step(V3, H200, BF16, weights_bytes=671e9, context_tokens=1, batch=1,
                    tensor_parallel=8, attention_copies=copies)  # fmt: skip
    with pytest.raises(ValueError, match="mixture"):
        decode_step(LLAMA, H200, BF16, weights_bytes=70e9, context_tokens=1, batch=1,
                    tensor_parallel=8, attention_copies=8)  # fmt: skip


@pytest.mark.parametrize(("ranks", "heads"), [(1, 8), (2, 4), (4, 2), (8, 1), (16, 1), (32, 1)])
def test_a_rank_reads_whole_heads_and_more_ranks_than_heads_read_copies(
    ranks: int, heads: int
) -> None:
    """Llama 3.1 70B has 8 KV heads: 2 x 80 x 128 x 2 = 40,960 bytes a head and token."""
    found = decode_step(
        LLAMA, B300, BF16, weights_bytes=70e9, context_tokens=1_000, batch=3, tensor_parallel=ranks
    )
    assert found.rank_kv_bytes == 3 * 1_000 * 40_960 * heads
    assert found.rank_weight_bytes == pytest.approx(70e9 / ranks)


def test_what_a_rank_reads_is_what_the_memory_of_a_rank_holds() -> None:
    for model in MODELS.values():
        for ranks in (1, 2, 8):
            kept = kv_bytes(model, BF16, context_tokens=4_096, tensor_parallel=ranks)
            read = rank_kv_bytes(model, BF16, 4_096, ranks)
            if all(group.kind in ("full", "mla", "linear_state") for group in model.groups):
                assert read == kept.bytes_per_rank
            else:
                assert read <= kept.bytes_per_rank


def test_the_articles_prefill_with_and_without_attention() -> None:
    whole = prefill(LLAMA, B300, prompt_tokens=131_072, parameters=70e9)
    assert f"{whole.linear_ops:.2e}" == "1.84e+16"
    assert f"{whole.attention_ops:.2e}" == "2.25e+16"
    assert round(whole.linear_s, 1) == 4.1
    assert round(whole.prefill_s, 1) == 9.1
    shorter = prefill(LLAMA, B300, prompt_tokens=128_000, parameters=70e9)
    assert round(shorter.prefill_s, 1) == 8.8


def test_recomputing_a_prefix_at_forty_per_cent() -> None:
    speeds = Speeds(bandwidth_bytes_per_s=8e12, ops_per_s=4.5e15, ops_ratio=0.4)
    again = prefill(LLAMA, speeds, prompt_tokens=32_768, parameters=70e9)
    assert f"{again.linear_ops:.2e}" == "4.59e+15"
    assert f"{again.attention_ops:.2e}" == "1.41e+15"
    assert round(again.prefill_s, 2) == 3.33


def test_a_cached_prefix_leaves_the_rest_and_both_parts_add_up() -> None:
    def part(tokens: int, cached: int) -> Prefill:
        return prefill(LLAMA, B300, prompt_tokens=tokens, cached_tokens=cached)

    whole, head, tail = part(32_768, 0), part(20_000, 0), part(32_768, 20_000)
    assert head.linear_ops + tail.linear_ops == pytest.approx(whole.linear_ops)
    assert head.attention_ops + tail.attention_ops == pytest.approx(whole.attention_ops)
    assert part(100, 100).prefill_s == 0


def test_one_token_touches_the_active_parameters_and_many_touch_all() -> None:
    mixtral = MODELS["mixtral-8x7b"]
    one = touched_share(mixtral, 1)
    assert one == pytest.approx(12.9 / 46.7)
    assert touched_share(mixtral, 10_000) == pytest.approx(1)
    assert touched_share(LLAMA, 1) == 1


def test_a_mixture_without_published_experts_is_unknown() -> None:
    assert touched_share(MODELS["kimi-linear-48b-a3b"], 8) is None


@given(
    model=st.sampled_from(sorted(m for m in MODELS if MODELS[m].parameters_active)),
    tokens=st.integers(0, 200_000),
    cached=st.integers(0, 200_000),
    batch=st.integers(1, 256),
)
def test_more_work_never_takes_less_time(model: str, tokens: int, cached: int, batch: int) -> None:
    spec = MODELS[model]
    kept = min(tokens, cached)
    part = prefill(spec, B300, prompt_tokens=tokens, cached_tokens=kept)
    assert 0 <= part.prefill_s <= prefill(spec, B300, prompt_tokens=tokens).prefill_s

    def of(size: int, length: int) -> DecodeStep:
        return decode_step(spec, B300, BF16, weights_bytes=1e11, context_tokens=length, batch=size)

    assert of(batch, tokens).step_s <= of(batch + 1, tokens).step_s
    assert of(batch, tokens).step_s <= of(batch, tokens + 100).step_s
