"""What a time is made of: the pieces of `econ.roofline` that a fit may weigh.

Every feature but the counts is a time in seconds at the data sheet's limits, so its coefficient
says how many times longer that piece takes than it should; the counts are in millions, so that
theirs are microseconds each.

    TPOT  weights, kv: bytes / bandwidth of one step. linear: 2 x active parameters x batch / rate.
          attention: operations over latent histories, where every head reads the same vector
          and they may take longer than its bytes; 0 without, at the 16-bit rate.
          prefill_linear, prefill_attention: prompts of newcomers run between the steps of the
          others, batch x input / output tokens of them a step. all_reduce: two a layer.
          layers, layers_split, sequences: launching and scheduling
    TTFT  prompt_linear, prompt_attention: the prompt's own. queue_linear, queue_attention,
          queue_all_reduce: the prompts of a whole batch, which wait for each other.
          all_reduce, weights_whole, step_weights, step_kv, layers, layers_split, sequences, request
          With prefill on machines of its own they are those machines' times, queue_* wait in
          line there (requests at a time / groups of machines), and transfer is the prompt's KV
          at 50 GB/s. Where each group reads its own prompts, they come side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from econ.kv_formats import KvFormat, kv_format
from econ.roofline import (
    RATE_OF,
    WEIGHT_BYTES,
    DecodeStep,
    Prefill,
    Speeds,
    active_parameters,
    decode_step,
    prefill,
    rank_kv_bytes,
)
from price_tables.hardware import DeviceSpec, ModelSpec

Metric = Literal["tpot", "ttft"]
Serving = Literal["aggregated", "disaggregated"]
METRICS: tuple[Metric, ...] = ("tpot", "ttft")
MICRO = 1e-6
TRANSFER_BYTES_PER_S = 50e9


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefillPool:
    """Where prompts are read on machines of their own: `workers` groups of `devices` equal devices,
    for `requests` requests at a time over all decode groups."""

    workers: int
    devices: int
    requests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedCase:
    """One server under one steady load: `batch` requests at a time of `input_tokens` and
    `output_tokens`, on `tensor_parallel` equal devices, with `attention_copies` as
    `econ.roofline.decode_step` has them. `weights_bytes` None: parameters x bytes of
    `weights_dtype`, which also chooses the device's rate."""

    model: ModelSpec
    device: DeviceSpec
    weights_dtype: str
    batch: int
    input_tokens: int
    output_tokens: int
    tensor_parallel: int = 1
    kv_dtype: str = "bf16"
    weights_bytes: float | None = None
    attention_copies: int = 1
    prefill_pool: PrefillPool | None = None

    @property
    def context_tokens(self) -> int:
        """The middle of the answer: what a decode step meets on average."""
        return int(self.input_tokens + self.output_tokens / 2)

    @property
    def weight_bytes(self) -> float:
        """Bytes of all weights. ValueError where neither bytes nor parameters are known."""
        return weights_of(self.model, self.weights_dtype, self.weights_bytes)

    @property
    def format(self) -> KvFormat:
        """The cache format."""
        return kv_format(self.kv_dtype)

    @property
    def speeds(self) -> Speeds:
        """The data sheet's limits. ValueError where it states no bandwidth or rate."""
        return datasheet_speeds(self.device, self.weights_dtype)


def weights_of(model: ModelSpec, dtype: str, given: float | None = None) -> float:
    """Bytes of a model's weights. ValueError where neither bytes nor parameters are known."""
    if given is not None:
        return given
    if model.parameters_total is None:
        raise ValueError("parameters of this model are not stated")
    return float(model.parameters_total * WEIGHT_BYTES[dtype])


def rate_of(device: DeviceSpec, weights_dtype: str) -> float | None:
    """Dense operations a second with such weights; those that a device does not multiply in their
    own type are unpacked to 16 bits."""
    rates = device.dense_ops_per_s
    wanted = (RATE_OF.get(weights_dtype, weights_dtype), "fp16", "fp32")
    found = next((rates[name] for name in wanted if name in rates), None)
    return None if found is None else float(found)


def datasheet_speeds(device: DeviceSpec, weights_dtype: str) -> Speeds:
    """The data sheet's limits. ValueError where it states no bandwidth or rate."""
    rate = rate_of(device, weights_dtype)
    if device.bandwidth_bytes_per_s is None or rate is None:
        raise ValueError("the data sheet states no bandwidth or no rate")
    return Speeds(bandwidth_bytes_per_s=float(device.bandwidth_bytes_per_s), ops_per_s=rate)


def step_of(case: SpeedCase) -> DecodeStep:
    """The floor of one decode step."""
    return decode_step(
        case.model,
        case.speeds,
        case.format,
        weights_bytes=case.weight_bytes,
        context_tokens=case.context_tokens,
        batch=case.batch,
        tensor_parallel=case.tensor_parallel,
        attention_copies=case.attention_copies,
    )


def prompt_of(case: SpeedCase) -> Prefill:
    """The floor of reading the prompt alone, where prompts are read."""
    return prefill(
        case.model,
        case.speeds,
        prompt_tokens=case.input_tokens,
        tensor_parallel=_prompt_devices(case),
    )


def _prompt_devices(case: SpeedCase) -> int:
    return case.prefill_pool.devices if case.prefill_pool else case.tensor_parallel


def floors(case: SpeedCase, metric: Metric) -> Mapping[str, float]:
    """Speed of light in seconds: `bandwidth` reads every byte once, `roofline` is the longer of
    that and the operations. No communication, no waiting, 100 % of the data sheet."""
    if metric == "tpot":
        step = step_of(case)
        return {
            "bandwidth": step.bandwidth_s,
            "roofline": max(step.bandwidth_s, step.compute_s),
        }
    prompt, whole = prompt_of(case), _weights_s(case)
    return {"bandwidth": whole, "roofline": max(whole, prompt.linear_s + prompt.attention_s)}


def _weights_s(case: SpeedCase) -> float:
    return case.weight_bytes / _prompt_devices(case) / case.speeds.bytes_per_s


def features(case: SpeedCase, metric: Metric) -> dict[str, float]:
    """The pieces of one time, in the order of this module's docstring."""
    return _tpot(case) if metric == "tpot" else _ttft(case)


def names(metric: Metric, serving: Serving = "aggregated") -> tuple[str, ...]:
    """Names of the pieces that count, in order: where decode has machines of its own no prompt
    runs between its steps."""
    if metric == "ttft":
        return _TTFT if serving == "aggregated" else _TTFT_APART
    return _TPOT if serving == "aggregated" else tuple(n for n in _TPOT if "prefill" not in n)


_TPOT = (
    "weights", "kv", "linear", "attention", "prefill_linear", "prefill_attention", "all_reduce",
    "layers", "layers_split", "sequences",
)  # fmt: skip
_TTFT = (
    "prompt_linear", "prompt_attention", "queue_linear", "queue_attention", "queue_all_reduce",
    "all_reduce", "weights_whole", "step_weights", "step_kv", "layers", "layers_split",
    "sequences", "request",
)  # fmt: skip
_TTFT_APART = (
    "prompt_linear", "prompt_attention", "queue_linear", "queue_attention", "all_reduce",
    "weights_whole", "transfer", "layers", "sequences", "request",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pieces:
    """What both metrics are made of, in seconds."""

    weights: float
    kv: float
    linear: float
    attention: float
    prompt_linear: float
    prompt_attention: float
    step_link: float
    prompt_link: float
    layers: float
    split: float


def _pieces(case: SpeedCase) -> _Pieces:
    ranks, speeds, layers = case.tensor_parallel, case.speeds, case.model.layers
    prompt_ranks = _prompt_devices(case)
    step, prompt = step_of(case), prompt_of(case)
    half = rate_of(case.device, "fp16") or speeds.ops
    layer_counts = layers * MICRO
    linear = 2.0 * (active_parameters(case.model) or 0) * case.batch
    latent = any(group.kind == "mla" for group in case.model.groups)
    return _Pieces(
        weights=step.rank_weight_bytes / speeds.bytes_per_s,
        kv=step.rank_kv_bytes / speeds.bytes_per_s,
        linear=linear / ranks / speeds.ops,
        # Attention runs in 16 bits whatever the weights are stored in.
        attention=(step.ops - linear) / ranks / half if latent else 0.0,
        prompt_linear=prompt.linear_s,
        prompt_attention=prompt.attention_ops / prompt_ranks / half,
        step_link=step.link_s,
        prompt_link=prompt.link_s,
        layers=layer_counts,
        split=layer_counts if ranks > 1 else 0.0,
    )


def _tpot(case: SpeedCase) -> dict[str, float]:
    found, turns = _pieces(case), case.batch / case.output_tokens
    values = (
        found.weights, found.kv, found.linear, found.attention, found.prompt_linear * turns,
        found.prompt_attention * turns, found.step_link, found.layers, found.split,
        case.batch * MICRO,
    )  # fmt: skip
    return dict(zip(_TPOT, values, strict=True))


def _ttft(case: SpeedCase) -> dict[str, float]:
    found, pool = _pieces(case), case.prefill_pool
    waiting = pool.requests / pool.workers if pool else case.batch
    kept = rank_kv_bytes(case.model, case.format, case.input_tokens)
    values = (
        found.prompt_linear, found.prompt_attention, found.prompt_linear * waiting,
        found.prompt_attention * waiting, found.prompt_link * waiting, found.prompt_link,
        _weights_s(case), found.weights, found.kv, found.layers, found.split, waiting * MICRO,
        1000 * MICRO,
    )  # fmt: skip
    made = dict(zip(_TTFT, values, strict=True))
    return made | {"transfer": kept / TRANSFER_BYTES_PER_S} if pool else made
