"""What can never be answered is refused at once."""

from __future__ import annotations

from typing import Any

import pytest

from kvcore.errors import KvcoreError
from kvcore.serve.request import Request, Sampling
from tests.kvcore.serve.tiny import CONTEXT, engine, prompt


def _refusal(request: Request, **more: Any) -> KvcoreError:
    with engine(**more) as one, pytest.raises(KvcoreError) as caught:
        one.submit(request)
    return caught.value


def test_a_request_longer_than_the_pool_names_both_numbers() -> None:
    error = _refusal(Request(id="a", tokens=prompt(30), max_new_tokens=12), blocks=10)
    assert error.message_id == "engine.beyond_pool"
    assert (error.values["need"], error.values["blocks"]) == (11, 10)
    assert "11 blocks" in str(error)
    assert "has 10" in str(error)


def test_the_last_token_needs_no_place_of_its_own() -> None:
    with engine(blocks=10) as one:
        done = one.run_all([Request(id="a", tokens=prompt(30), max_new_tokens=11)])
    assert len(done[0].tokens) == 11


def test_a_prompt_that_fills_the_context_names_both_numbers() -> None:
    error = _refusal(Request(id="a", tokens=prompt(CONTEXT)))
    assert error.message_id == "engine.prompt_beyond_context"
    assert error.values == {"prompt": CONTEXT, "context": CONTEXT}


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"max_new_tokens": 0}, "max_new_tokens"),
        ({"samples": 0}, "samples"),
        ({"samples": 9}, "samples"),
        ({"priority": 101}, "priority"),
        ({"sampling": Sampling(temperature=-1.0)}, "temperature"),
        ({"sampling": Sampling(temperature=float("nan"))}, "temperature"),
        ({"sampling": Sampling(seed=-1)}, "seed"),
    ],
)
def test_a_value_out_of_range_is_named(changed: dict[str, Any], field: str) -> None:
    error = _refusal(Request(id="a", tokens=(1,), **changed))
    assert error.message_id == "engine.request_value"
    assert error.values["field"] == field


@pytest.mark.parametrize("top_p", [0.0, 1.5])
def test_top_p_is_above_zero_and_at_most_one(top_p: float) -> None:
    error = _refusal(Request(id="a", tokens=(1,), sampling=Sampling(top_p=top_p)))
    assert error.message_id == "engine.request_top_p"


def test_an_empty_prompt_is_refused() -> None:
    assert _refusal(Request(id="a", tokens=())).message_id == "engine.empty_prompt"


def test_a_token_outside_the_vocabulary_is_named() -> None:
    assert _refusal(Request(id="a", tokens=(1, 97))).values == {"token": 97, "vocab": 97}


def test_an_id_is_used_once_at_a_time() -> None:
    with engine() as one:
        one.submit(Request(id="a", tokens=(1,)))
        with pytest.raises(KvcoreError, match="id a"):
            one.submit(Request(id="a", tokens=(2,)))
        one.result("a")
        assert one.submit(Request(id="a", tokens=(2,))) == "a"


def test_a_closed_engine_takes_nothing() -> None:
    with engine() as one:
        pass
    with pytest.raises(KvcoreError, match="closed"):
        one.submit(Request(id="a", tokens=(1,)))
