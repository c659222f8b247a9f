"""A fleet in the shape that `fleet --json` prints, and the same study as plain JSON and back."""

from __future__ import annotations

from dataclasses import asdict, fields
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from econ.fleet import FleetResult, Latency
from econ.fleet_memory import ReplicaMemory
from econ.fleet_plan import FleetCost
from econ.fleet_pools import Handoff, PoolsResult
from econ.fleet_setup import Setup
from econ.fleet_study import FleetStudy, SpeedView
from econ.own_device import shown_id
from econ.replay import rounded
from econ.speed_fit import Band
from messages.errors import Message

LAYOUT = 1
USD_STEP = Decimal("0.000001")
SECOND_DIGITS = 6


def fleet_to_json(found: Setup, made: FleetStudy) -> dict[str, Any]:
    """What `fleet --json` prints."""
    memory, asked = made.memory, found.asked
    p50, p95 = made.sequences
    best, cost = made.smallest, made.cost
    return {
        "model": found.model.id,
        "device": shown_id(found.device),
        "memory": {
            "device_bytes": memory.device_bytes,
            "weights_bytes": memory.weights_bytes,
            "overhead_bytes": memory.overhead_bytes,
            "kv_bytes": memory.kv_bytes,
            "block_tokens": memory.block_tokens,
            "blocks": memory.blocks,
            "sequences_p50": p50,
            "sequences_p95": p95,
        },
        "results": [_result(result) for result in made.results],
        "smallest": None
        if best is None
        else {
            "replicas": best.replicas,
            "routing": best.routing,
            "target_ttft_s": asked.ttft_s,
            "target_tpot_s": asked.tpot_s,
            "percentile": asked.percentile,
        },
        "handoff": None if made.handoff is None else _handoff(made.handoff),
        "cost": None if cost is None else _cost(cost),
    }


def _result(found: FleetResult) -> dict[str, Any]:
    return {
        "replicas": found.replicas,
        "routing": found.routing,
        "token_hit_ratio": rounded(found.token_hit_ratio),
        "lost_hit_tokens": found.lost_hit_tokens,
        "utilisation": rounded(found.utilisation),
        "saturated": found.saturated,
        "ttft_s": _latency(found.ttft),
        "tpot_s": _latency(found.tpot),
    }


def _latency(found: Latency) -> dict[str, Any]:
    return {
        **{name: _seconds(getattr(found, name)) for name in ("p50", "p95", "p99", "max")},
        "n": found.n,
    }


def _seconds(value: float | None) -> float | None:
    return None if value is None else round(value, SECOND_DIGITS)


def _handoff(found: Handoff) -> dict[str, Any]:
    return {
        "bytes": found.bytes,
        "transfer_s": _seconds(found.transfer_s),
        "share_of_ttft": rounded(found.share_of_ttft),
        "max_in_decode": found.max_in_decode,
    }


def _cost(found: FleetCost) -> dict[str, Any]:
    names = ("uncached_input", "cached_input", "output")
    return {
        "usd_per_gpu_hour": _usd(found.usd_per_gpu_hour),
        "reserved_gpu_hours": round(float(found.reserved_gpu_hours), SECOND_DIGITS),
        "usd": _usd(found.usd),
        "usd_per_mtok": {name: _usd(getattr(found, name)) for name in names},
        "source": found.source,
        "as_of": found.as_of or None,
    }


def _usd(value: Decimal | None) -> str | None:
    """A decimal string, to a millionth."""
    if value is None:
        return None
    return f"{value.quantize(USD_STEP, ROUND_HALF_UP).normalize():f}"


def study_to_json(found: FleetStudy) -> dict[str, Any]:
    """Plain JSON; `study_from_json` gives the same study back."""
    plain: dict[str, Any] = _plain(asdict(found))
    plain["said"] = [[m.id, dict(m.values), m.n] for m in found.said]
    return {"layout": LAYOUT, **plain}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return str(value) if isinstance(value, Decimal | Fraction) else value


def study_from_json(data: Any) -> FleetStudy | None:
    """The study; None where it was written by another version."""
    if not isinstance(data, dict) or data.get("layout") != LAYOUT:
        return None
    memory = {**data["memory"], "bytes_per_token": Fraction(data["memory"]["bytes_per_token"])}
    cost = data["cost"]
    money = ("usd_per_gpu_hour", "reserved_gpu_hours", "usd", "uncached_input", "cached_input",
             "output")  # fmt: skip
    if cost is not None:
        typed: dict[str, Any] = {
            n: Decimal(v) if n in money and v is not None else v for n, v in cost.items()
        }
        cost = FleetCost(**typed)
    p50, p95 = data["contexts"]
    return FleetStudy(
        memory=ReplicaMemory(**memory),
        requests=data["requests"],
        contexts=(p50, p95),
        prompt_p50=data["prompt_p50"],
        output_p50=data["output_p50"],
        results=tuple(_one(FleetResult, row) for row in data["results"]),
        speeds=tuple(_one(SpeedView, row) for row in data["speeds"]),
        smallest=_one(FleetResult, data["smallest"]),
        pools=_one(PoolsResult, data["pools"]),
        handoff=_one(Handoff, data["handoff"]),
        cost=cost,
        said=tuple(Message(name, values, n) for name, values, n in data["said"]),
    )


def _one(kind: Any, data: dict[str, Any] | None) -> Any:
    """A flat record with latencies and bands in it."""
    if data is None:
        return None
    values = {field.name: data[field.name] for field in fields(kind)}
    for name, value in values.items():
        if name in ("ttft", "tpot"):
            values[name] = Latency(**value)
        elif name.endswith("_band") and value is not None:
            values[name] = Band(**value)
        elif isinstance(value, list):
            values[name] = tuple(value)
    return kind(**values)
