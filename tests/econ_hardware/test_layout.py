"""Over how many devices heads can be dealt out."""

from __future__ import annotations

import pytest

from econ.kv_formats import kv_format
from econ.kv_memory import reserved_per_token
from econ.layout import can_split, check_ranks, valid_ranks
from messages.errors import Message, UsageError
from price_tables.hardware_load import load_hardware

MODELS = load_hardware().models


@pytest.mark.parametrize(
    ("model", "possible"),
    [
        ("llama-3.1-70b", (1, 2, 4, 8, 16, 32, 64)),  # 64 heads, 8 KV heads
        ("qwen3.5-27b", (1, 2, 4, 8, 12, 24)),  # 24 and 4: 3 and 6 split the first alone
        ("qwen2.5-7b", (1, 2, 4, 28)),  # 28 and 4: 7 and 14 are no multiples of 4
        ("llama-4-scout", (1, 2, 4, 8, 40)),  # 40 and 8
        ("deepseek-v3", (1, 2, 4, 8, 16, 32, 64, 128)),  # a latent vector has no heads
        ("gemma-4-26b-a4b", (1, 2, 4, 8, 16)),  # 2 KV heads in full layers, 8 in sliding ones
    ],
)
def test_query_heads_divide_and_kv_heads_divide_or_are_held_by_several(
    model: str, possible: tuple[int, ...]
) -> None:
    assert valid_ranks(MODELS[model]) == possible


def test_a_refusal_names_place_heads_and_what_is_possible() -> None:
    with pytest.raises(UsageError) as caught:
        check_ranks(MODELS["llama-3.1-70b"], 3, "--tp")
    values = caught.value.message.values
    assert (values["place"], values["found"], values["heads"], values["kv_heads"]) == (
        "--tp", 3, 64, 8,
    )  # fmt: skip
    assert values["expected"] == "1, 2, 4, 8, 16, 32, 64"
    with pytest.raises(UsageError) as caught:
        check_ranks(MODELS["deepseek-v3"], 12)
    assert caught.value.message.id == "hardware.ranks_heads"
    assert isinstance(caught.value.message.values["place"], Message)
    assert check_ranks(MODELS["llama-3.1-70b"], 16) is None


def test_more_devices_than_kv_heads_hold_copies() -> None:
    """Llama 3.1 70B on 16 devices: one of 8 KV heads each, as on 8."""
    model, dtype = MODELS["llama-3.1-70b"], kv_format("bf16")
    assert can_split(model, 16)
    assert reserved_per_token(model, dtype, 16) == reserved_per_token(model, dtype, 8)
