"""SmolLM2 out of its package equals transformers, number for number and token for token."""

from __future__ import annotations

import pytest
import torch

from kvcore.model.dense import dense_generate, dense_logits, forward, head_logits
from kvcore.model.shape import SMOLLM2
from tests.kvcore.model.models import logits_of, smollm2, smollm2_in_transformers

PROMPTS = (
    "The capital of France is",
    "Once upon a time there was",
    "def fibonacci(n): # the",
)


def prompt_tokens() -> torch.Tensor:
    """The prompts, cut to one length so that transformers takes them without padding."""
    tokenizer = smollm2().tokenizer
    assert tokenizer is not None
    return torch.tensor([tokenizer.encode(prompt)[:5] for prompt in PROMPTS])


def test_the_shape_in_the_file_is_the_shape_written_down() -> None:
    found = smollm2().shape
    for field in ("layers", "hidden", "intermediate", "heads", "kv_heads", "head_dim", "vocab"):
        assert getattr(found, field) == getattr(SMOLLM2, field), field
    assert (found.rope_theta, found.max_context) == (100_000.0, 8192)
    assert found.tied_embeddings
    assert not found.qkv_bias
    assert not found.qk_norm


def test_bytes_of_the_weights_are_those_of_134_5_million_parameters() -> None:
    weights = smollm2().weights
    assert SMOLLM2.parameters == 134_515_008
    assert weights.bytes == 4 * 134_515_008
    assert weights.head is weights.embedding


def test_in_bfloat16_only_the_norms_keep_four_bytes() -> None:
    moved = smollm2().to(torch.bfloat16).weights
    norms = (2 * SMOLLM2.layers + 1) * SMOLLM2.hidden
    assert moved.bytes == 2 * SMOLLM2.parameters + 2 * norms
    assert moved.layers[3].attn_norm.dtype == torch.float32
    assert moved.layers[3].wqkv.dtype == torch.bfloat16
    assert moved.head is moved.embedding


def test_the_source_says_what_the_weights_were() -> None:
    assert smollm2().source == "SmolLM2-135M-Instruct.Q4_1.gguf, dequantised from Q4_1, Q8_0"
    assert not smollm2().is_random


def test_logits_equal_transformers() -> None:
    tokens = torch.randint(0, SMOLLM2.vocab, (96,), generator=torch.Generator().manual_seed(1))
    ours = dense_logits(smollm2(), tokens)
    assert (ours - logits_of(smollm2_in_transformers(), tokens)).abs().max() < 1e-4


def test_64_greedy_tokens_equal_transformers() -> None:
    """Ours after each of its tokens chooses its next one: by induction the same 64 tokens."""
    prompts = prompt_tokens()
    theirs = smollm2_in_transformers().generate(
        prompts, max_new_tokens=64, do_sample=False, eos_token_id=None, pad_token_id=2
    )
    assert theirs.shape == (3, prompts.shape[1] + 64)
    for sequence in theirs:
        chosen = dense_logits(smollm2(), sequence[:-1]).argmax(-1)
        start = prompts.shape[1]
        assert torch.equal(chosen[start - 1 :], sequence[start:])


def test_without_a_cache_the_best_next_token_follows_each_time() -> None:
    prompt = prompt_tokens()[0]
    generated = dense_generate(smollm2(), prompt, 3)
    whole = torch.cat((prompt, torch.tensor(generated)))
    chosen = dense_logits(smollm2(), whole[:-1]).argmax(-1)
    assert generated == chosen[len(prompt) - 1 :].tolist()


@pytest.mark.parametrize("cut", [1, 7, 15])
def test_a_pass_over_kept_kv_equals_the_pass_over_everything(cut: int) -> None:
    tokens = torch.arange(100, 116)
    whole = dense_logits(smollm2(), tokens)
    first = forward(smollm2(), tokens[:cut])
    rest = forward(smollm2(), tokens[cut:], first.kv)
    assert (head_logits(smollm2(), rest.hidden) - whole[cut:]).abs().max() < 1e-3
    assert rest.kv[0].k.shape == (3, 16 - cut, 64)
