"""How fast a device decodes and prefills: the service call behind `roofline`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from econ.kv_formats import KvFormat, kv_format
from econ.layout import check_copies, check_ranks
from econ.measured_device import PREFIX as MEASURED
from econ.measured_device import is_measured
from econ.own_device import shown_id
from econ.roofline import (
    DecodeStep,
    Prefill,
    Speeds,
    decode_step,
    held_weights,
    prefill,
)
from econ.speed_features import SpeedCase, datasheet_speeds, weights_of
from econ.speed_fit import Band, estimate, floor_band
from jobs import model_sizes, profiling
from jobs.devices import device_of
from kvcore.profile import DeviceProfile
from messages.errors import InputError, input_error
from price_tables.hardware import DeviceSpec, ModelSpec
from price_tables.speed_fit import SpeedFit
from price_tables.speed_fit_load import load_speed_fit

Source = Literal["datasheet", "published", "measured"]
BY_NAME = {"bfloat16": "bf16", "float16": "bf16", "float32": "fp32",
           "float8_e4m3fn": "fp8", "mxfp4": "fp4"}  # fmt: skip
BY_BYTES = {"bf16": 2.0, "fp8": 1.0, "fp4": 0.5}
OUTPUT_TOKENS = 1024
RATIO_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class RooflineAsked:
    """One question. `device` may be None with a profile; `weights_bytes` None: parameters x the
    checkpoint's type; `output_tokens` matters to the fitted times alone."""

    model: str
    device: str | None
    contexts: tuple[int, ...]
    batches: tuple[int, ...]
    weights_bytes: float | None = None
    tensor_parallel: int = 1
    attention_copies: int = 1
    dtype: str = "bf16"
    source: Source = "datasheet"
    profile_id: str | None = None
    output_tokens: int = OUTPUT_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    """The question with everything looked up; `base` is None for a profile's device."""

    asked: RooflineAsked
    model: ModelSpec
    dtype: KvFormat
    weights_bytes: float
    weights_dtype: str
    name: str
    memory_bytes: int | None
    speeds: Speeds
    base: DeviceSpec | None


def roofline(asked: RooflineAsked) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The answer in the shell's shape, and what of it lies outside the validated range.

    Raises NotFoundError for an unknown model, device or profile, UsageError for devices that the
    heads cannot be dealt out to, InputError where a figure that is needed is nowhere stated.
    """
    if asked.device is not None and is_measured(asked.device):
        start = asked.device.removeprefix(MEASURED)
        asked = replace(asked, device=None, profile_id=start, source="measured")
    setting = _setting(asked)
    outside: dict[str, None] = {}
    points = list(_points(setting, outside))
    answer = {
        "model": setting.model.id,
        "device": setting.name,
        "source_kind": asked.source,
        "weights_bytes": round(setting.weights_bytes),
        "tensor_parallel": asked.tensor_parallel,
        "points": points,
    }
    return answer, tuple(outside)


def weights_dtype(model: ModelSpec, weights_bytes: float | None) -> str:
    """The type that the weights are multiplied in: from their bytes a parameter where bytes are
    given, else the checkpoint's."""
    if weights_bytes is None or not model.parameters_total:
        return BY_NAME.get(model.checkpoint_dtype, "bf16")
    each = weights_bytes / model.parameters_total
    return min(BY_BYTES, key=lambda name: abs(BY_BYTES[name] - each) / BY_BYTES[name])


def _setting(asked: RooflineAsked) -> _Setting:
    model = model_sizes.model_of(asked.model).spec
    _check_layout(model, asked)
    kind = weights_dtype(model, asked.weights_bytes)
    try:
        weights = weights_of(model, kind, asked.weights_bytes)
    except ValueError:
        raise input_error("results.no_parameters", model=model.id) from None
    base, name, memory, speeds = _device(asked, kind)
    return _Setting(
        asked=asked,
        model=model,
        dtype=kv_format(asked.dtype),
        weights_bytes=weights,
        weights_dtype=kind,
        name=name,
        memory_bytes=memory,
        speeds=speeds,
        base=base,
    )


def _check_layout(model: ModelSpec, asked: RooflineAsked) -> None:
    """UsageError for devices that the heads cannot be dealt out to, for copies of attention that
    do not divide the devices, and for a model whose experts are not known."""
    check_copies(model, asked.tensor_parallel, asked.attention_copies)
    check_ranks(model, asked.tensor_parallel // asked.attention_copies, "--tp")


def _device(asked: RooflineAsked, kind: str) -> tuple[DeviceSpec | None, str, int | None, Speeds]:
    if asked.source == "measured":
        found = profiling.profile(profiling.full_profile_id(asked.profile_id or ""))
        return None, found.device.name, found.device.memory_bytes, profile_speeds(found)
    device = device_of(asked.device or "")
    try:
        speeds = datasheet_speeds(device, kind)
    except ValueError:
        raise input_error("results.no_limits", device=device.id, dtype=kind) from None
    return device, shown_id(device), device.memory_bytes, speeds


def profile_speeds(found: DeviceProfile) -> Speeds:
    """What a profile measured: its triad (else copy) bandwidth and its fastest multiplication."""
    limits = found.limits
    bandwidth = limits.triad_bytes_per_s or limits.copy_bytes_per_s
    rates = [rate for rate in limits.matmul_flop_per_s.values() if rate]
    if not bandwidth or not rates:
        raise input_error("results.profile_no_limits", name=found.name)
    return Speeds(bandwidth_bytes_per_s=bandwidth, ops_per_s=max(rates))


def _points(setting: _Setting, outside: dict[str, None]) -> Iterator[dict[str, Any]]:
    for context in setting.asked.contexts:
        for batch in setting.asked.batches:
            yield _point(setting, context, batch, outside)


def _point(setting: _Setting, context: int, batch: int, outside: dict[str, None]) -> dict[str, Any]:
    asked = setting.asked
    step = decode_step(
        setting.model,
        setting.speeds,
        setting.dtype,
        weights_bytes=setting.weights_bytes,
        context_tokens=context,
        batch=batch,
        tensor_parallel=asked.tensor_parallel,
        attention_copies=asked.attention_copies,
    )
    prompt = prefill(
        setting.model,
        setting.speeds,
        prompt_tokens=context,
        tensor_parallel=asked.tensor_parallel,
    )
    held = round(step.kv_bytes)  # on all ranks together, with the copies of several
    total = held_weights(setting.model, setting.weights_bytes, asked.attention_copies) + held
    memory = setting.memory_bytes
    found = {
        "context_tokens": context,
        "batch": batch,
        "kv_bytes": held,
        "total_bytes": round(total),
        "fits": None if memory is None else total <= memory * asked.tensor_parallel,
        **_times(setting, step, prompt),
        "bound": step.bound,
        "band": None,
    }
    if setting.base is not None:
        _estimated(setting, found, outside, device=setting.base)
    return found


def _times(setting: _Setting, step: DecodeStep, prompt: Prefill) -> dict[str, Any]:
    """Floors; without parameters nothing can be said of a prompt."""
    known = setting.model.parameters_total is not None
    return {
        "decode_step_s": step.step_s,
        "tokens_per_s": step.tokens_per_s,
        "prefill_s": prompt.prefill_s if known else None,
        "prefill_linear_s": prompt.linear_s if known else None,
        "prefill_attention_s": prompt.attention_s,
    }


def _estimated(
    setting: _Setting, found: dict[str, Any], outside: dict[str, None], device: DeviceSpec
) -> None:
    """The band; for published times also TPOT and TTFT in place of the floors."""
    asked, fit = setting.asked, load_speed_fit()
    whole = asked.source == "published"
    case = SpeedCase(
        model=setting.model,
        device=device,
        weights_dtype=setting.weights_dtype,
        batch=found["batch"],
        input_tokens=found["context_tokens"],
        output_tokens=asked.output_tokens if whole else 1,
        tensor_parallel=asked.tensor_parallel,
        kv_dtype=asked.dtype,
        weights_bytes=setting.weights_bytes,
        attention_copies=asked.attention_copies,
    )
    band, beyond = _fitted(fit, case, found) if whole else floor_band(fit, case)
    outside.update(dict.fromkeys(beyond))
    found["band"] = None if band is None else _band(band)


def _fitted(
    fit: SpeedFit, case: SpeedCase, found: dict[str, Any]
) -> tuple[Band | None, tuple[str, ...]]:
    try:
        tpot, ttft = estimate(fit, case, "tpot"), estimate(fit, case, "ttft")
    except ValueError:
        raise _no_fit(case) from None
    found |= {
        "decode_step_s": tpot.seconds,
        "tokens_per_s": case.batch / tpot.seconds,
        "prefill_s": ttft.seconds,
        "prefill_linear_s": None,
        "prefill_attention_s": None,
    }
    return tpot.band, tpot.outside


def _no_fit(case: SpeedCase) -> InputError:
    return input_error("results.no_parameters", model=case.model.id)


def _band(band: Band) -> dict[str, Any]:
    return {
        "low_ratio": round(band.low_ratio, RATIO_DIGITS),
        "high_ratio": round(band.high_ratio, RATIO_DIGITS),
        "basis": band.basis,
        "n": band.n,
    }
