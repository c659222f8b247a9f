"""The runner against the plain forward pass, on small random models of every kind."""

from __future__ import annotations

import pytest
import torch

from kvcore.attention.cpu import CpuRunner
from kvcore.model.dense import dense_logits
from tests.kvcore.attention.shapes import (
    MLA,
    SHAPES,
    random_tokens,
    shuffled_tables,
    small_model,
)

ALL = SHAPES | MLA
TOLERANCE = 2e-5  # of logits of order one, float32 sums in another order


@pytest.mark.parametrize("block_tokens", [8, 16, 32])
@pytest.mark.parametrize("name", ALL)
def test_chunked_prefill_and_decode_equal_the_plain_forward_pass(
    name: str, block_tokens: int
) -> None:
    model = small_model(ALL[name])
    tokens = random_tokens(75, model.shape.vocab)
    expected = dense_logits(model, tokens)
    runner = CpuRunner(model, blocks=20, block_tokens=block_tokens)
    (table,) = shuffled_tables([-(-75 // block_tokens)], 20)
    for start, end in ((0, 32), (32, 33), (33, 70)):
        logits = runner.prefill(tokens[start:end], start, table)
        torch.testing.assert_close(logits, expected[end - 1], atol=TOLERANCE, rtol=0)
    for place in range(70, 75):
        logits = runner.decode(tokens[place : place + 1], torch.tensor([place]), [table])
        torch.testing.assert_close(logits[0], expected[place], atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize("batch", [2, 3, 9])
@pytest.mark.parametrize("name", ["GQA", "biases", "query and key norms", "MLA"])
def test_a_batch_of_sequences_of_all_lengths_decodes_as_each_alone(name: str, batch: int) -> None:
    model = small_model(ALL[name])
    lengths = [1 + 13 * row % 40 for row in range(batch)]
    runner = CpuRunner(model, blocks=40)
    tables = shuffled_tables([-(-length // 16) for length in lengths], 40)
    sequences = [
        random_tokens(length, model.shape.vocab, row) for row, length in enumerate(lengths)
    ]
    for sequence, table in zip(sequences, tables, strict=True):
        if len(sequence) > 1:
            runner.prefill(sequence[:-1], 0, table)
    last = torch.stack([sequence[-1] for sequence in sequences])
    logits = runner.decode(last, torch.tensor(lengths) - 1, tables)
    for row, sequence in enumerate(sequences):
        expected = dense_logits(model, sequence)[-1]
        torch.testing.assert_close(logits[row], expected, atol=TOLERANCE, rtol=0)


def test_a_copied_block_serves_a_fork_and_the_fork_leaves_its_source_alone() -> None:
    model = small_model(SHAPES["GQA"])
    tokens = random_tokens(22, model.shape.vocab)
    runner = CpuRunner(model, blocks=4)
    runner.prefill(tokens[:20], 0, torch.tensor([2, 0], dtype=torch.int32))
    runner.copy_block(0, 3)
    fork = torch.tensor([2, 3], dtype=torch.int32)
    kept = runner.kv.k[:, :, 0].clone()
    logits = runner.decode(tokens[20:21], torch.tensor([20]), [fork])
    expected = dense_logits(model, tokens[:21])[-1]
    torch.testing.assert_close(logits[0], expected, atol=TOLERANCE, rtol=0)
    assert torch.equal(runner.kv.k[:, :, 0], kept)


def test_bfloat16_stays_within_its_own_rounding_of_float32() -> None:
    exact = small_model(SHAPES["GQA"], torch.bfloat16).to(torch.float32)
    tokens = random_tokens(60, exact.shape.vocab)
    expected = dense_logits(exact, tokens)[-1]
    runner = CpuRunner(exact.to(torch.bfloat16), blocks=8)
    (table,) = shuffled_tables([4], 8)
    runner.prefill(tokens[:59], 0, table)
    logits = runner.decode(tokens[59:], torch.tensor([59]), [table])[0]
    assert (logits - expected).abs().max() < 0.03 * expected.abs().max()
