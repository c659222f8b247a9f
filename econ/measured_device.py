"""A device profile as a device to compute with: its measured limits in place of a data sheet's.

    bandwidth   the triad's, else the copy's
    rates       the matrix multiplications by type
    band        what the profile's own model took / its floor by these limits:
                a token   max(weights + KV of the batch / bandwidth, 2 x parameters x batch / rate)
                a prompt  2 x parameters x tokens / rate: a profile does not say how many query
                          heads there were, so attention is left out and the band reaches higher

The floors of another model are estimates by these limits, never times that were measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

from kvcore.profile import DeviceProfile, find
from price_tables.hardware import DeviceSpec, MeasuredLimits, Ratios

PREFIX = "measured:"
ID_DIGITS = 16
GB = 1_000_000_000
RATES = {
    "float32": "fp32", "float16": "fp16", "bfloat16": "fp16", "float8": "fp8",
    "float8_e4m3fn": "fp8", "int8": "int8",
}  # fmt: skip
"""torch's names of types, and those of the tables; of two that share a name the faster counts."""
BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}


def is_measured(name: str) -> bool:
    """Whether this is the name of a profile's device."""
    return name.startswith(PREFIX)


def profile_device(
    profile_id: str, profile: DeviceProfile, origin: Literal["measured", "imported", "reference"]
) -> DeviceSpec | None:
    """The device; None where the profile has no memory, no bandwidth or no rate."""
    memory, bandwidth, rates = profile.device.memory_bytes, _bandwidth(profile), _rates(profile)
    if not memory or not bandwidth or not rates:
        return None
    day = profile.created_utc[:10]
    measured = MeasuredLimits(
        profile=profile_id, name=profile.name, origin=origin, model=profile.model.name, day=day,
        tpot=_ratios(_tokens(profile, bandwidth, rates)),
        ttft=_ratios(_prompts(profile, rates)),
    )  # fmt: skip
    return DeviceSpec(
        id=f"{PREFIX}{profile_id[:ID_DIGITS]}", name=profile.device.name, vendor="", status="sold",
        label_gb=Decimal(memory) / GB, usable_bytes=memory, memory_type="",
        bandwidth_bytes_per_s=int(bandwidth),
        dense_ops_per_s={name: int(rate) for name, rate in rates.items()}, tdp_w=None,
        source=f"kvcore bench, {profile.name}, {profile.model.name}", as_of=day, measured=measured,
    )  # fmt: skip


def _bandwidth(profile: DeviceProfile) -> float | None:
    return profile.limits.triad_bytes_per_s or profile.limits.copy_bytes_per_s


def _rates(profile: DeviceProfile) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, rate in profile.limits.matmul_flop_per_s.items():
        kind = RATES.get(name)
        if kind is not None and rate:
            found[kind] = max(rate, found.get(kind, 0.0))
    return found


def _rate(profile: DeviceProfile, rates: dict[str, float]) -> float:
    """The rate of the type that the profile's model was multiplied in."""
    return rates.get(RATES.get(profile.model.weight_dtype, ""), max(rates.values()))


def _parameters(profile: DeviceProfile) -> float:
    return profile.model.weights_bytes / BYTES.get(profile.model.weight_dtype, 2)


def _tokens(profile: DeviceProfile, bandwidth: float, rates: dict[str, float]) -> list[float]:
    model, rate = profile.model, _rate(profile, rates)
    found = []
    for row in find(profile, "decode"):
        batch, context = row.params.get("batch"), row.params.get("context_tokens")
        if not row.measured or not isinstance(batch, int) or not isinstance(context, int):
            continue
        read = model.weights_bytes + batch * context * model.kv_bytes_per_token
        floor = max(read / bandwidth, 2 * _parameters(profile) * batch / rate)
        found.append((row.median or 0.0) / floor)
    return found


def _prompts(profile: DeviceProfile, rates: dict[str, float]) -> list[float]:
    found = []
    for row in find(profile, "ttft_cold"):
        tokens = row.params.get("prompt_tokens")
        if row.measured and isinstance(tokens, int) and tokens > 0:
            floor = 2 * _parameters(profile) * tokens / _rate(profile, rates)
            found.append((row.median or 0.0) / floor)
    return found


def _ratios(found: Sequence[float]) -> Ratios | None:
    """None below two rows: one is no band."""
    return Ratios(low=min(found), high=max(found), n=len(found)) if len(found) > 1 else None
