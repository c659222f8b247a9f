"""What is asked of one's own hardware, and what follows from it where nothing else was said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from econ.fleet_setup import FleetAsked
from econ.fleet_study import FleetStudy
from econ.kv_formats import kv_format
from econ.kv_memory import reserved_per_token
from econ.method import DEFAULT_MODEL
from econ.roofline import WEIGHT_BYTES
from jobs import fleet_flows
from jobs.model_sizes import hardware
from jobs.tiering import BYTES_A_GB, DEFAULT_PREFIX_TOKENS, TiersAsked

BAND = ("deepseek-v3", "llama-3.1-70b")
"""Open models between whose bytes a closed one is put: a latent cache and grouped heads."""
PREMIUM_MODELS = ("claude-opus-5", "gpt-5.6-sol", "gemini-3.1-pro-preview")
"""Models whose premiums are drawn before anything is chosen, each from its maker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """What was chosen and found. `devices`: how many of the device serve the workload;
    `utilisation`: their load, 0..1 and above; `capacity_bytes`: one cache's room for keys and
    values; `ops_per_s`, `bandwidth_bytes_per_s`: the device's, where they were typed in. None: not
    known, then the tables or the reader say. `priced_as`: the API model that a hit is compared
    with.
    """

    workload_id: str
    model: str
    device: str
    dtype: str = "bf16"
    weights_dtype: str | None = None
    devices: int = 1
    utilisation: float | None = None
    capacity_bytes: int | None = None
    usd_per_gpu_hour: Decimal | None = None
    ops_per_s: Decimal | None = None
    bandwidth_bytes_per_s: Decimal | None = None
    priced_as: str = DEFAULT_MODEL


def of_fleet(workload_id: str, asked: FleetAsked, found: FleetStudy, priced_as: str) -> Own:
    """The smallest fleet that meets its target, else the first one."""
    one = found.smallest or next(iter(found.results), None)
    each = fleet_flows.kv_bytes_per_token(asked)
    known = asked.quantization if asked.quantization in WEIGHT_BYTES else None
    rate, bandwidth = asked.ops_per_s, asked.bandwidth_bytes_per_s
    return Own(
        workload_id=workload_id,
        model=asked.model,
        device=asked.device,
        dtype=asked.kv_dtype,
        weights_dtype=known,
        devices=asked.tensor_parallel * (one.replicas if one else 1),
        utilisation=one.utilisation if one else None,
        capacity_bytes=int(found.memory.tokens * each) or None,
        usd_per_gpu_hour=found.cost.usd_per_gpu_hour if found.cost else asked.usd_per_gpu_hour,
        ops_per_s=None if rate is None else Decimal(rate),
        bandwidth_bytes_per_s=None if bandwidth is None else Decimal(bandwidth),
        priced_as=priced_as,
    )


def room_gb(own: Own) -> dict[str, Decimal]:
    """The device's own room for KV by place, where it is known."""
    room = own.capacity_bytes
    return {} if room is None else {"hbm": Decimal(room) / BYTES_A_GB}


def places_of(
    own: Own, prefix_tokens: int = DEFAULT_PREFIX_TOKENS, typed: Mapping[str, Any] | None = None
) -> TiersAsked:
    """The question about places. `typed`: fields that the reader has overridden; None = none."""
    if typed is None:
        rate = own.bandwidth_bytes_per_s
        typed = {
            "bandwidths": {} if rate is None else {"hbm": rate},
            "capacities_gb": room_gb(own),
        }
    return TiersAsked(
        model=own.model,
        device=own.device,
        dtype=own.dtype,
        weights_dtype=own.weights_dtype,
        ops_per_s=own.ops_per_s,
        prefix_tokens=prefix_tokens,
        **typed,
    )


def band_bytes() -> tuple[int, int]:
    """Bytes a token, 16 bits, of both ends of the band."""
    models = hardware().models
    low, high = (int(reserved_per_token(models[name], kv_format("bf16"))) for name in BAND)
    return low, high
