"""SmolLM2 over paged keys and values chooses transformers' tokens, all 64 of all 20 prompts."""

from __future__ import annotations

from functools import cache

import pytest
import torch

from kvcore.attention.cpu import CpuRunner
from tests.kvcore.attention.shapes import shuffled_tables
from tests.kvcore.model.models import smollm2, smollm2_in_transformers

SHARED = (
    "You are a careful assistant. Answer in plain words, give one example, and say so "
    "where you are not sure. The conversation so far was short. The next question is this one: "
)
QUESTIONS = (
    "Why is the sky blue in the morning and red",
    "How do I bake bread without any yeast at home",
    "What does a compiler do with a loop that never",
    "Who wrote the first novel that was printed in",
    "Write a short poem about the sea and the wind",
    "List the planets in order of their size and the",
    "Explain what a cache is to a child of seven",
    "What is the difference between a frog and a toad",
    "Translate good evening into French and into German",
    "How many legs do eight spiders and two ants have",
    "Tell me about the history of the bicycle in Europe",
    "def quicksort(items): # sorts a list and returns",
    "What should I pack for a week in the mountains",
    "Summarise the rules of chess in three sentences for",
    "Why do cats purr when they are held by people",
    "What is the square root of one hundred and forty",
    "Give me five names for a small grey rabbit that",
    "How does a heat pump warm a house in cold winters",
    "Is it safe to eat raw eggs in a cake or sauce",
    "What were the causes of the First World War in",
)
SHARED_TOKENS, LENGTH, NEW = 32, 44, 64
BLOCKS_EACH = 7
ALONE = 4


@cache
def prompts() -> torch.Tensor:
    """``[20, 44]``, the first two blocks alike."""
    tokenizer = smollm2().tokenizer
    assert tokenizer is not None
    shared = tokenizer.encode(SHARED)[:SHARED_TOKENS]
    assert len(shared) == SHARED_TOKENS
    return torch.tensor([(shared + tokenizer.encode(text) * 2)[:LENGTH] for text in QUESTIONS])


@cache
def theirs() -> torch.Tensor:
    """The 64 greedy tokens of transformers after each prompt, ``[20, 64]``."""
    tokens = smollm2_in_transformers().generate(
        prompts(), max_new_tokens=NEW, do_sample=False, eos_token_id=None, pad_token_id=2
    )
    return tokens[:, LENGTH:]


@pytest.fixture(scope="module")
def runner() -> CpuRunner:
    return CpuRunner(smollm2(), blocks=150)


def continued(
    runner: CpuRunner, first: list[torch.Tensor], tables: list[torch.Tensor]
) -> torch.Tensor:
    """The greedy continuation ``[B, 64]`` of prompts whose last logits are given."""
    tokens = torch.stack(first).argmax(-1)
    chosen = [tokens]
    for place in range(LENGTH, LENGTH + NEW - 1):
        positions = torch.full((len(tables),), place)
        tokens = runner.decode(tokens, positions, tables).argmax(-1)
        chosen.append(tokens)
    return torch.stack(chosen, dim=1)


@pytest.mark.filterwarnings("ignore")
def test_cold_the_first_ones_alone_and_the_others_together(runner: CpuRunner) -> None:
    """A step for one takes nearly as long as a step for many: only a few go alone."""
    tables = shuffled_tables([BLOCKS_EACH] * 20, 150, seed=2)
    first = [
        runner.prefill(prompt, 0, table) for prompt, table in zip(prompts(), tables, strict=True)
    ]
    for row in range(ALONE):
        one = slice(row, row + 1)
        assert torch.equal(continued(runner, first[one], tables[one]), theirs()[one]), row
    others = slice(ALONE, 20)
    assert torch.equal(continued(runner, first[others], tables[others]), theirs()[others])


@pytest.mark.filterwarnings("ignore")
def test_warm_over_two_shared_blocks_in_batches_of_five(runner: CpuRunner) -> None:
    shared, *own = shuffled_tables([2] + [BLOCKS_EACH - 2] * 20, 150)
    runner.prefill(prompts()[0, :SHARED_TOKENS], 0, shared)
    tables = [torch.cat((shared, table)) for table in own]
    first = [
        runner.prefill(prompt[SHARED_TOKENS:], SHARED_TOKENS, table)
        for prompt, table in zip(prompts(), tables, strict=True)
    ]
    for start in range(0, 20, 5):
        five = slice(start, start + 5)
        assert torch.equal(continued(runner, first[five], tables[five]), theirs()[five])


@pytest.mark.filterwarnings("ignore")
def test_in_chunks_of_many_sizes_then_all_twenty_together(runner: CpuRunner) -> None:
    tables = shuffled_tables([BLOCKS_EACH] * 20, 150, seed=1)
    first = []
    for row, (prompt, table) in enumerate(zip(prompts(), tables, strict=True)):
        chunk = (1, 5, 16, 23, 40)[row % 5]
        for start in range(0, LENGTH, chunk):
            logits = runner.prefill(prompt[start : start + chunk], start, table)
        first.append(logits)
    assert torch.equal(continued(runner, first, tables), theirs())


@pytest.mark.filterwarnings("ignore")
def test_in_bfloat16_nearly_all_choices_are_those_of_float32() -> None:
    """Fed transformers' own tokens, the next choice is the same in at least 93 % of places."""
    runner = CpuRunner(smollm2().to(torch.bfloat16), blocks=10)
    (table,) = shuffled_tables([BLOCKS_EACH], 10)
    same = 0
    for row in range(2):
        prompt, expected = prompts()[row], theirs()[row]
        logits = runner.prefill(prompt, 0, table)
        same += int(logits.argmax() == expected[0])
        for step in range(NEW - 1):
            positions = torch.tensor([LENGTH + step])
            logits = runner.decode(expected[step : step + 1], positions, [table])
            same += int(logits[0].argmax() == expected[step + 1])
    assert same >= 0.93 * 2 * NEW
