"""A fleet as it is asked for, and with all looked up: model, device, memory, speed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any

from econ.fleet import DEFAULT_BUDGET_TOKENS, DEFAULT_SEQUENCES, Engine
from econ.fleet_memory import (
    DEFAULT_FRACTION,
    ReplicaMemory,
    replica_memory,
    weight_element,
    weights_bytes_of,
)
from econ.fleet_names import Routing
from econ.fleet_pools import DEFAULT_LINK_BYTES_PER_S
from econ.fleet_speed import datasheet_steps, limits_steps, published_steps
from econ.fleet_steps import SourceKind, Steps
from econ.kv_formats import KvFormat, kv_format
from econ.kv_memory import BLOCK_TOKENS
from econ.layout import PLACE, PREFILL_PLACE, check_copies, check_ranks
from econ.own_runs import OwnRun
from econ.speed_features import SpeedCase
from messages.errors import InputError, Message, UsageError, Value
from price_tables.hardware import DeviceSpec, ModelSpec
from price_tables.speed_fit import SpeedFit

NO_BANDWIDTH = 10**18
"""Stands in where a prefill device's bandwidth was never stated: reading weights takes no time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetAsked:
    """One fleet. Names are those of vLLM's flags where it has them. None = from the tables.

    `overhead_bytes` (a device's) and `engine_blocks` (from one's own log) replace the published
    log's overhead. `device_bytes`, `bandwidth_bytes_per_s`, `ops_per_s`, `usd_per_gpu_hour`
    override the device's row. `profile`: a device profile whose times stand in place of `speed`.
    `runs`: one's own benchmark runs, which set the estimate right.
    `prefill_device`: prompts are read there, on `prefill_replicas`. `attention_copies`: groups of
    a replica's devices that each keep their own sequences (data-parallel attention).
    """

    model: str
    device: str
    tensor_parallel: int = 1
    attention_copies: int = 1
    quantization: str | None = None
    kv_dtype: str = "auto"
    fraction: Fraction = DEFAULT_FRACTION
    block_tokens: int = BLOCK_TOKENS
    max_sequences: int = DEFAULT_SEQUENCES
    budget_tokens: int = DEFAULT_BUDGET_TOKENS
    max_model_len: int | None = None
    prefix_caching: bool = True
    overhead_bytes: int | None = None
    engine_blocks: int | None = None
    weights_bytes: int | None = None
    device_bytes: int | None = None
    bandwidth_bytes_per_s: int | None = None
    ops_per_s: int | None = None
    usd_per_gpu_hour: Decimal | None = None
    speed: SourceKind = "published"
    profile: str | None = None
    runs: tuple[OwnRun, ...] = ()
    replicas: tuple[int, ...] = (1,)
    routings: tuple[Routing, ...] = ("round-robin",)
    ttft_s: float | None = None
    tpot_s: float | None = None
    percentile: int = 95
    prefill_device: str | None = None
    prefill_replicas: int = 1
    prefill_tensor_parallel: int | None = None
    link_bytes_per_s: float = DEFAULT_LINK_BYTES_PER_S
    link_latency_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Everything looked up. `weights_bytes`: the model's, no part of it twice. `said`: what was
    assumed on the way."""

    asked: FleetAsked
    model: ModelSpec
    device: DeviceSpec
    dtype: KvFormat
    memory: ReplicaMemory
    weights_bytes: int
    said: tuple[Message, ...]

    @property
    def engine(self) -> Engine:
        """One replica as the queue knows it."""
        return Engine(
            capacity_tokens=self.memory.tokens,
            max_sequences=self.asked.max_sequences,
            budget_tokens=self.asked.budget_tokens,
        )


def set_up(asked: FleetAsked, model: ModelSpec, device: DeviceSpec) -> Setup:
    """Memory of one replica. UsageError where the heads cannot be dealt out to so many devices,
    InputError where the weights' bytes cannot be known, or a log's blocks do not fit beside them.
    """
    check_layout(asked, model)
    device = overridden(asked, device)
    weights = asked.weights_bytes
    if asked.quantization and weight_element(model, asked.quantization) is None:
        raise UsageError(Message("fleet.unknown_quantization", {"found": asked.quantization[:40]}))
    if weights is None:
        weights = weights_bytes_of(model, asked.quantization)
    if weights is None:
        raise InputError(Message("fleet.no_weights", {"model": model.id}))
    dtype = kv_format(asked.kv_dtype)
    memory = replica_memory(
        model, device.memory_bytes, dtype, weights_bytes=weights,
        tensor_parallel=asked.tensor_parallel, fraction=asked.fraction,
        block_tokens=asked.block_tokens, overhead_bytes=asked.overhead_bytes,
        engine_blocks=asked.engine_blocks, attention_copies=asked.attention_copies,
    )  # fmt: skip
    if memory.overhead_bytes < 0:
        raise InputError(Message("fleet.contradicts_log", {"blocks": memory.blocks}))
    return Setup(
        asked=asked, model=model, device=device, dtype=dtype, memory=memory,
        weights_bytes=ceil(weights / asked.tensor_parallel) * asked.tensor_parallel,
        said=_measured_said(device),
    )  # fmt: skip


def _measured_said(device: DeviceSpec) -> tuple[Message, ...]:
    found = device.measured
    if found is None:
        return ()
    values: dict[str, Value] = {
        "device": device.name, "date": found.day, "profile": found.name, "model": found.model,
        "origin": Message(f"fleet.origin_{found.origin}"),
    }  # fmt: skip
    return (Message("fleet.measured_limits", values),)


def check_layout(
    asked: FleetAsked, model: ModelSpec, place: Value = PLACE, prefill_place: Value = PREFILL_PLACE
) -> None:
    """UsageError naming the place where prompts or answers cannot be split over so many devices."""
    check_copies(model, asked.tensor_parallel, asked.attention_copies)
    check_ranks(model, asked.tensor_parallel // asked.attention_copies, place)
    if asked.prefill_device is not None and asked.prefill_tensor_parallel is not None:
        check_ranks(model, asked.prefill_tensor_parallel, prefill_place)


def overridden(asked: FleetAsked, device: DeviceSpec) -> DeviceSpec:
    """The device with what was typed in its place."""
    given: dict[str, Any] = {
        "usable_bytes": asked.device_bytes,
        "bandwidth_bytes_per_s": asked.bandwidth_bytes_per_s,
        "dense_ops_per_s": None if asked.ops_per_s is None else _all_rates(asked.ops_per_s),
    }
    changed = {name: value for name, value in given.items() if value is not None}
    if asked.bandwidth_bytes_per_s is not None or asked.ops_per_s is not None:
        changed["measured"] = None  # a limit that was typed over is nobody's measurement
    return replace(device, **changed)


def _all_rates(ops_per_s: int) -> dict[str, int]:
    """One typed rate, whatever the weights are stored in."""
    return dict.fromkeys(("fp32", "fp16", "fp8", "int8", "fp4"), ops_per_s)


def case_of(
    found: Setup, *, batch: int = 1, input_tokens: int = 1024, output_tokens: int = 128
) -> SpeedCase:
    """What the speed models are asked of this fleet's replica."""
    return SpeedCase(
        model=found.model,
        device=found.device,
        weights_dtype=weight_element(found.model, found.asked.quantization) or "bf16",
        batch=batch,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        tensor_parallel=found.asked.tensor_parallel,
        kv_dtype=found.asked.kv_dtype,
        weights_bytes=float(found.weights_bytes),
        attention_copies=found.asked.attention_copies,
    )


def steps_of(fit: SpeedFit, case: SpeedCase, speed: SourceKind) -> Steps:
    """The speed that was asked for; the data sheet's floors where nothing was fitted, and the
    measured limits' of a device that was measured: a fit to other machines is not mixed with them.
    InputError where the sheet states no bandwidth or no rate."""
    try:
        if case.device.measured is not None:
            return limits_steps(case, case.device.measured)
        made = published_steps(fit, case) if speed == "published" else None
        return made or datasheet_steps(fit, case)
    except ValueError as error:
        raise InputError(Message("fleet.no_limits", {"device": case.device.id})) from error


def prefill_device(device: DeviceSpec) -> tuple[DeviceSpec, tuple[Message, ...]]:
    """A device that only reads prompts, with stand-ins for what was never stated, and words that
    say so: an FP4 rate where there is no other, no time for weights where no bandwidth is known."""
    said: list[Message] = []
    rates = dict(device.dense_ops_per_s)
    if not {"fp16", "fp8", "fp32"} & set(rates) and "fp4" in rates:
        rates = _all_rates(rates["fp4"])
        said.append(Message("fleet.fp4_rate", {"device": device.name}))
    bandwidth = device.bandwidth_bytes_per_s
    if bandwidth is None:
        bandwidth = NO_BANDWIDTH
        said.append(Message("fleet.no_bandwidth", {"device": device.name}))
    if device.status != "sold":
        said.append(Message(f"fleet.status_{device.status}", {"device": device.name}))
    return replace(device, dense_ops_per_s=rates, bandwidth_bytes_per_s=bandwidth), tuple(said)
