"""The articles' cache sizes by `econ.kv_memory`, step and prefill times by `econ.roofline`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from econ.articles_inputs import Inputs
from econ.guide_sizes import Shape, dense_model, kept_bytes
from econ.kv_formats import kv_format
from econ.roofline import DecodeStep, decode_step, prefill
from econ.speed_features import datasheet_speeds

K8, K32, K128 = 8_192, 32_768, 131_072
HEADS = {"mha": 32, "gqa": 8, "mqa": 1}
LENGTHS = {"token": 1, "8k": K8, "32k": K32, "128k": K128}
REAL = {
    "gpt3": "gpt3-175b", "llama2": "llama-2-7b", "mistral": "mistral-7b",
    "mixtral": "mixtral-8x7b", "llama31": "llama-3.1-70b", "qwen3": "qwen3-235b-a22b",
    "deepseek": "deepseek-v3",
}  # fmt: skip
CASE_MODEL, CASE_DEVICE, CASE_WEIGHTS_BYTES, CASE_PARAMETERS = (
    "llama-3.1-70b",
    "b300-sxm",
    70e9,
    70e9,
)
Compute = Callable[[Inputs], float]


def _example(heads: int, tokens: int) -> Compute:
    model = dense_model(Shape(layers=32, kv_heads=heads, head_dim=128))
    return lambda _: float(kept_bytes(model, tokens))


def _real(model: str, tokens: int) -> Compute:
    return lambda inputs: float(kept_bytes(inputs.hardware.models[model], tokens))


def _tenfold(inputs: Inputs) -> float:
    each = [kept_bytes(inputs.hardware.models[model], 1) for model in REAL.values()]
    return max(each) / min(each)


def step(inputs: Inputs, context_tokens: int, batch: int) -> DecodeStep:
    """A step of Llama 3.1 70B in FP8 weights and 16-bit KV on one B300, at full efficiency."""
    hardware = inputs.hardware
    return decode_step(
        hardware.models[CASE_MODEL],
        datasheet_speeds(hardware.devices[CASE_DEVICE], "fp8"),
        kv_format("bf16"),
        weights_bytes=CASE_WEIGHTS_BYTES,
        context_tokens=context_tokens,
        batch=batch,
    )


def _case(context: int, batch: int) -> tuple[Compute, Compute, Compute]:
    """KV bytes, seconds of a step, tokens a second of each sequence."""
    return (
        lambda inputs: step(inputs, context, batch).kv_bytes,
        lambda inputs: step(inputs, context, batch).step_s,
        lambda inputs: step(inputs, context, batch).tokens_per_s / batch,
    )


def _prefill(inputs: Inputs) -> tuple[float, float]:
    """Linear operations and seconds, causal attention included, of 131,072 tokens."""
    hardware = inputs.hardware
    found = prefill(
        hardware.models[CASE_MODEL],
        datasheet_speeds(hardware.devices[CASE_DEVICE], "fp8"),
        prompt_tokens=K128,
        parameters=CASE_PARAMETERS,
    )
    return found.linear_ops, found.prefill_s


_CASES = {"8k_1": _case(K8, 1), "128k_1": _case(K128, 1), "128k_4": _case(K128, 4)}
_CONVERSATION = dense_model(Shape(layers=28, kv_heads=8, head_dim=128))
COMPUTED: Mapping[str, Compute] = {
    **{
        f"guide_{name}_{at}": _example(heads, tokens)
        for name, heads in HEADS.items()
        for at, tokens in LENGTHS.items()
    },
    "mqa_share": lambda _: _example(32, 1)(_) / _example(1, 1)(_),
    **{f"{name}_token": _real(model, 1) for name, model in REAL.items()},
    **{f"{name}_128k": _real(REAL[name], K128) for name in ("gpt3", "llama31", "deepseek")},
    "tenfold": _tenfold,
    **{f"kv_{name}": case[0] for name, case in _CASES.items()},
    **{f"step_{name}": case[1] for name, case in _CASES.items()},
    **{f"each_{name}": case[2] for name, case in _CASES.items()},
    "kv_128k_6": _case(K128, 6)[0],
    "all_128k_6": lambda inputs: CASE_WEIGHTS_BYTES + step(inputs, K128, 6).kv_bytes,
    "prefill_flop": lambda inputs: _prefill(inputs)[0],
    "prefill_s": lambda inputs: _prefill(inputs)[1],
    "conversation_gib": lambda _: float(kept_bytes(_CONVERSATION, K32)),
    "conversation_gb": lambda _: float(kept_bytes(_CONVERSATION, K32)),
}
"""By the id of the figure."""
