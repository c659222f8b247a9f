"""The packaged model answers as it does in transformers, however its requests are scheduled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kvcore import optional
from kvcore.model.load import load_model
from kvcore.model.weights import Model
from kvcore.serve.engine import Engine
from kvcore.serve.no_cache import run_without_cache
from kvcore.serve.request import Request, Sampling
from tests.kvcore.serve.reference import is_greedy_answer, transformers_twin

NEW = 8
TEXTS = (
    "The block table of a sequence maps",
    "Once upon a time there was a library whose books were read again and again, because "
    "reading a page that lies open costs nothing and",
    "<|im_start|>user\nName three rivers in Europe and the seas they reach.<|im_end|>\n"
    "<|im_start|>assistant\n",
)
ROOMY: dict[str, Any] = {"blocks": 64, "chunk_tokens": 512, "max_batch": 8}


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def model() -> Model:
    if optional.smollm2_path() is None:
        pytest.skip("the packaged model is not installed")
    return load_model("smollm2")


@pytest.fixture(scope="module")
def requests(model: Model) -> list[Request]:
    assert model.tokenizer is not None
    encoded = [model.tokenizer.encode(text) for text in TEXTS]
    return [
        Request(id=str(number), tokens=tuple(tokens), max_new_tokens=NEW)
        for number, tokens in enumerate(encoded)
    ]


@pytest.fixture(scope="module")
def expected(model: Model, requests: list[Request]) -> list[tuple[int, ...]]:
    """The answers of lone, cold requests, each held against transformers."""
    twin = transformers_twin(model)
    answers = []
    for request in requests:
        with Engine(model, **(ROOMY | {"prefix_cache": False})) as engine:
            answers.append(engine.run_all([request])[0].tokens)
        assert is_greedy_answer(twin, request.tokens, answers[-1])
    return answers


@pytest.fixture
def roomy(model: Model) -> Iterator[Engine]:
    with Engine(model, **ROOMY) as engine:
        yield engine
        assert engine.pool.blocks_in_use == 0


def _answers(engine: Engine, requests: list[Request]) -> list[tuple[int, ...]]:
    return [done.tokens for done in engine.run_all(requests)]


def test_the_answers_are_those_of_transformers(expected: list[tuple[int, ...]]) -> None:
    assert [len(answer) for answer in expected] == [NEW] * len(TEXTS)


def test_one_after_the_other_cold_and_then_warm(
    roomy: Engine, requests: list[Request], expected: list[tuple[int, ...]]
) -> None:
    cold = [_answers(roomy, [request])[0] for request in requests]
    warm = [roomy.run_all([request])[0] for request in requests]
    assert cold == expected
    assert [done.tokens for done in warm] == expected
    known = [(len(request.tokens) - 1) // 16 * 16 for request in requests]
    assert [done.report.hit_tokens for done in warm] == known
    assert sum(known) > 0


def test_all_in_one_batch(
    roomy: Engine, requests: list[Request], expected: list[tuple[int, ...]]
) -> None:
    assert _answers(roomy, requests) == expected


def test_in_chunks_beside_decodes(
    model: Model, requests: list[Request], expected: list[tuple[int, ...]]
) -> None:
    with Engine(model, **(ROOMY | {"chunk_tokens": 19})) as engine:
        engine.submit(requests[0])
        engine.step()
        assert _answers(engine, requests[1:]) == expected[1:]
        assert engine.result("0").tokens == expected[0]


def test_after_pre_emption(roomy: Engine, model: Model, requests: list[Request]) -> None:
    pair = [
        Request(id=request.id, tokens=request.tokens[:14], max_new_tokens=NEW)
        for request in requests[1:]
    ]
    lone = [_answers(roomy, [request])[0] for request in pair]
    with Engine(model, **(ROOMY | {"blocks": 3})) as engine:
        done = engine.run_all(pair)
        assert engine.pool.blocks_in_use == 0
    assert [one.tokens for one in done] == lone
    assert [one.report.preemptions for one in done] == [0, 1]
    assert done[1].report.found_again_tokens == 16


def test_a_full_hit_computes_one_token_and_answers_the_same(
    roomy: Engine, requests: list[Request], expected: list[tuple[int, ...]]
) -> None:
    whole = Request(id="a", tokens=requests[1].tokens[:16], max_new_tokens=6)
    cold = roomy.run_all([whole])[0]
    warm = roomy.run_all([whole])[0]
    assert warm.tokens == cold.tokens
    assert warm.report.computed_tokens == 1 + 5


def test_samples_of_one_prompt_are_those_of_lone_requests(
    roomy: Engine, requests: list[Request]
) -> None:
    hot = Sampling(temperature=0.8, top_p=0.9, seed=3)
    many = Request(id="many", tokens=requests[0].tokens, max_new_tokens=8, samples=3, sampling=hot)
    samples = roomy.run_all([many])[0].samples
    assert len({sample.tokens for sample in samples}) > 1
    again = roomy.run_all([many])[0].samples
    assert again == samples


def test_without_any_cache_the_answer_is_the_same(
    model: Model, requests: list[Request], expected: list[tuple[int, ...]]
) -> None:
    short = Request(id="0", tokens=requests[0].tokens, max_new_tokens=6)
    done = run_without_cache(model, [short])[0]
    assert done.tokens == expected[0][:6]
    prompt = len(short.tokens)
    assert done.report.computed_tokens == sum(range(prompt, prompt + 6))
    assert done.report.hit_tokens == 0
