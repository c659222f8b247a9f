"""Bytes of KV formats by hand, codes against llama.cpp's own, and errors measured on the model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from kvcore.errors import KvcoreError
from kvcore.model.dense import LayerKv
from kvcore.model.kv_formats import (
    FORMATS,
    HALVES,
    format_errors,
    kv_format,
    through_format,
)
from kvcore.model.load import load_model
from kvcore.model.shape import SMOLLM2, MlaShape, ModelShape
from tests.kvcore.model.models import smollm2

ROOT = Path(__file__).resolve().parents[3]
SMALL = ModelShape(
    name="small",
    layers=2,
    hidden=64,
    intermediate=96,
    heads=2,
    kv_heads=1,
    head_dim=32,
    vocab=64,
    rope_theta=10_000.0,
)
#: One head of 64 over 32 tokens, bytes counted by hand.
BY_HAND = {
    "f32": 32 * 64 * 4,
    "bf16": 32 * 64 * 2,
    "fp8_e4m3": 32 * 64,
    "fp8_e4m3_scaled": 32 * (64 + 2),
    "int8": 32 * (64 + 2),
    "q8_0": 32 * 2 * 34,
    "q4_0": 32 * 2 * 18,
    "int4_channel": 2 * 64 * (16 // 2 + 2 + 2),
    "int4_token": 32 * 2 * (32 // 2 + 2 + 2),
}


def drawn(heads: int, tokens: int, head_dim: int, seed: int = 5) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(heads, tokens, head_dim, generator=generator)


def test_every_half_is_counted_by_hand() -> None:
    assert BY_HAND.keys() == HALVES.keys()


@pytest.mark.parametrize("name", BY_HAND)
def test_formula_and_stored_bytes_are_those_counted_by_hand(name: str) -> None:
    half = HALVES[name]
    assert half.bytes(1, 32, 64) == BY_HAND[name]
    assert half.code(drawn(1, 32, 64)).bytes == BY_HAND[name]
    assert half.bits_per_element(64) == BY_HAND[name] * 8 / (32 * 64)


@given(
    name=st.sampled_from(sorted(HALVES)),
    heads=st.integers(1, 3),
    tokens=st.integers(1, 50),
    head_dim=st.sampled_from([32, 64, 128]),
)
def test_formula_equals_stored_bytes_at_any_size(
    name: str, heads: int, tokens: int, head_dim: int
) -> None:
    half = HALVES[name]
    coded = half.code(drawn(heads, tokens, head_dim))
    assert coded.bytes == half.bytes(heads, tokens, head_dim)
    assert coded.read().shape == (heads, tokens, head_dim)


#: Greatest error relative to the greatest magnitude that a format's steps allow.
STEP = {
    "f32": 0.0,
    "bf16": 2**-8,
    "fp8_e4m3": 2**-4,
    "fp8_e4m3_scaled": 2**-4,
    "int8": 0.5 / 127 + 1e-3,
    "q8_0": 0.5 / 127 + 1e-3,
    "q4_0": 1 / 8 + 1e-3,
    "int4_channel": 1 / 15 + 2e-3,
    "int4_token": 1 / 15 + 2e-3,
}


@given(name=st.sampled_from(sorted(HALVES)), seed=st.integers(0, 99), scale=st.floats(0.1, 30))
def test_reading_back_errs_by_at_most_one_step(name: str, seed: int, scale: float) -> None:
    x = drawn(2, 20, 64, seed) * scale
    error = (HALVES[name].code(x).read() - x).abs().max()
    assert error <= STEP[name] * x.abs().max()


@pytest.mark.parametrize("name", sorted(HALVES))
def test_zeros_are_read_back_as_zeros(name: str) -> None:
    assert HALVES[name].code(torch.zeros(1, 16, 32)).read().abs().max() < 1e-5


@pytest.mark.parametrize("name", ["q8_0", "q4_0"])
def test_blocks_read_back_as_the_package_gguf_reads_its_own(name: str) -> None:
    quants = pytest.importorskip("gguf.quants")
    kind = getattr(pytest.importorskip("gguf").GGMLQuantizationType, name.upper())
    x = drawn(2, 24, 64, 11)
    theirs = quants.dequantize(quants.quantize(x.numpy(), kind), kind)
    assert np.array_equal(HALVES[name].code(x).read().numpy(), theirs)


def test_tokens_after_the_last_whole_block_stay_in_bfloat16() -> None:
    x = drawn(1, 21, 64)
    read = HALVES["int4_channel"].code(x).read()
    assert torch.equal(read[:, 16:], x[:, 16:].to(torch.bfloat16).float())
    assert HALVES["int4_channel"].bytes(1, 21, 64) == 64 * 12 + 5 * 64 * 2


@pytest.mark.parametrize(
    ("keys", "values", "bytes_per_block"),
    [
        ("bf16", "bf16", 30 * 3 * 2 * 16 * 64 * 2),
        ("int8", "int8", 30 * 3 * 2 * 16 * 66),
        ("q8_0", "q8_0", 30 * 3 * 2 * 16 * 68),
        ("int8", "int4_token", 30 * 3 * 16 * (66 + 40)),
        ("int4_channel", "int4_token", 30 * 3 * (64 * 12 + 16 * 40)),
    ],
)
def test_a_block_of_smollm2_takes_the_bytes_counted_by_hand(
    keys: str, values: str, bytes_per_block: int
) -> None:
    assert kv_format(keys, values).bytes(SMOLLM2, 16) == bytes_per_block


def test_latent_attention_keeps_rank_and_position_once() -> None:
    mla = MlaShape(q_rank=None, kv_rank=512, nope_dim=128, rope_dim=64, v_dim=128)
    shape = ModelShape(
        name="latent",
        layers=27,
        hidden=2048,
        intermediate=10944,
        heads=16,
        kv_heads=16,
        head_dim=192,
        vocab=1024,
        rope_theta=10_000.0,
        mla=mla,
    )
    assert kv_format("bf16", "bf16").bytes(shape, 10) == 10 * 27 * (512 + 64) * 2
    assert kv_format("q8_0", "q8_0").bytes(shape, 10) == 10 * 27 * (512 + 64) // 32 * 34


def test_keys_stored_before_rope_are_read_back_in_their_places() -> None:
    kv = [LayerKv(drawn(1, 40, 32, 1), drawn(1, 40, 32, 2))]
    fmt = kv_format("f32", "f32", keys_stored="before_rope")
    read = through_format(SMALL, kv, fmt)
    assert (read[0].k - kv[0].k).abs().max() < 1e-5
    assert torch.equal(read[0].v, kv[0].v)


def test_an_exact_format_changes_nothing() -> None:
    model = load_model(SMALL, seed=4)
    sequence = torch.randint(0, 64, (40,), generator=torch.Generator().manual_seed(1)).tolist()
    (exact,) = format_errors(model, [sequence], formats=[kv_format("f32", "f32")], prefix_tokens=16)
    assert exact.kl_nats == pytest.approx(0, abs=1e-9)
    assert (exact.top1_agreement, exact.positions) == (1.0, 23)


def test_a_sequence_that_leaves_nothing_to_score_is_refused() -> None:
    with pytest.raises(KvcoreError, match="at least 18 tokens; one has 17"):
        format_errors(load_model(SMALL), [[1] * 17], prefix_tokens=16)


def test_a_format_that_is_not_known_is_refused_with_those_that_are() -> None:
    with pytest.raises(KvcoreError, match="no KV format int5; known are f32, bf16"):
        kv_format("bf16", "int5")


def test_a_head_that_cannot_be_cut_into_groups_is_refused() -> None:
    with pytest.raises(KvcoreError, match="groups 32 elements; a head of 48"):
        HALVES["q8_0"].code(drawn(1, 4, 48))


def test_smollm2_suffers_from_formats_in_the_order_and_size_that_is_known() -> None:
    """KL to exact KV: int8 some 2e-4 nats, K int8 with V int4 2e-3, four bits per token 2e-2."""
    tokenizer = smollm2().tokenizer
    assert tokenizer is not None
    ids = tokenizer.encode((ROOT / "LICENSE").read_text(encoding="utf-8"))
    sequences = [ids[start : start + 128] for start in (0, 700, 1400)]
    chosen = [fmt for fmt in FORMATS if "q" not in fmt.name and "scaled" not in fmt.name]
    errors = format_errors(smollm2(), sequences, formats=chosen, prefix_tokens=96)
    kl = {error.format: error.kl_nats for error in errors}
    assert {error.positions for error in errors} == {3 * 31}
    assert kl["bf16"] < 5e-5
    assert 1e-5 < kl["int8"] < 2e-3
    assert kl["int8"] < kl["fp8_e4m3"] < 2e-2
    assert kl["int8"] < kl["K int8, V int4_token"] < kl["int4_token"]
    assert kl["K int4_channel, V int4_token"] < kl["int4_token"] < 0.2
    assert all(error.top1_agreement > 0.8 for error in errors)
