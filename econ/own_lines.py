"""A fleet study as figures of a report: memory, latencies, fleets, money of the reserved hours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from econ.fleet import FleetResult
from econ.fleet_names import PERCENTILES
from econ.fleet_setup import Setup
from econ.fleet_study import FleetStudy, SpeedView
from econ.own_device import basis_of
from econ.report_own import OwnLine
from econ.speed_fit import Band

SATURATED = "saturated"
Rests = dict[str, Any]
"""Source and day of a line."""
KINDS = ("uncached_input", "cached_input", "output")


def fleet_lines(found: Setup, made: FleetStudy, prefill: str = "") -> tuple[OwnLine, ...]:
    """Every figure of the study that the page shows. `prefill`: the name of the device that reads
    the prompts, where it is another one."""
    return (
        *_memory(found, made), *_speeds(made), *_fleets(found, made), *_pools(found, made, prefill),
        *_cost(made),
    )  # fmt: skip


def _memory(found: Setup, made: FleetStudy) -> Iterator[OwnLine]:
    bar = made.memory
    device: Rests = {"source": found.device.source, "as_of": found.device.as_of}
    model: Rests = {"source": found.model.source, "as_of": found.model.as_of}
    nothing: Rests = {}
    rest = max(bar.held_back_bytes, 0) + bar.free_bytes
    for item, value, basis, where in (
        ("device_bytes", bar.device_bytes, basis_of(found.device), device),
        ("weights_bytes", bar.weights_bytes, "computed", model),
        ("overhead_bytes", bar.overhead_bytes, "estimated", nothing),
        ("kv_bytes", bar.kv_bytes, "computed", nothing),
        ("held_back_bytes", rest, "computed", nothing),
    ):
        yield OwnLine(section="memory", item=item, unit="bytes", basis=basis, value=value, **where)
    yield OwnLine(section="memory", item="kv_tokens", unit="tokens", basis="computed",
                  value=bar.tokens)  # fmt: skip
    for level, context, fits in zip((50, 95), made.contexts, made.sequences, strict=True):
        yield OwnLine(section="memory", item=f"context_p{level}_tokens", unit="tokens",
                      basis="observed", value=context, n=made.requests)  # fmt: skip
        yield OwnLine(section="memory", item=f"sequences_p{level}", unit="", basis="computed",
                      value=fits, n=made.requests, **model)  # fmt: skip


def _speeds(made: FleetStudy) -> Iterator[OwnLine]:
    for view in made.speeds:
        state = SATURATED if view.saturated else ""
        yield OwnLine(section="speed", item="utilisation", unit="ratio", basis="simulated",
                      key=view.source_kind, value=view.utilisation, state=state)  # fmt: skip
        for name in ("ttft", "tpot"):
            yield from _latencies(view, name, state)


def _latencies(view: SpeedView, name: str, state: str) -> Iterator[OwnLine]:
    latency = getattr(view, name)
    band: Band | None = getattr(view, f"{name}_band")
    for level in PERCENTILES:
        seconds = latency.at(level)
        low = high = None
        if seconds is not None and band is not None:
            low, high = seconds * band.low_ratio, seconds * band.high_ratio
        maximum = level == 99 and latency.p99 is None and seconds is not None
        yield OwnLine(
            section="speed", item=f"{name}_{'max' if maximum else f'p{level}'}_s", unit="s",
            basis=view.source_kind, key=view.source_kind, value=seconds,
            low=low, high=high, state=state, n=latency.n,
        )  # fmt: skip


def _fleets(found: Setup, made: FleetStudy) -> Iterator[OwnLine]:
    level = found.asked.percentile
    for row in made.results:
        yield from _fleet(row, level)
    best = made.smallest
    yield OwnLine(section="fleet", item="smallest_replicas", unit="", basis="simulated",
                  key="" if best is None else best.routing,
                  value=None if best is None else best.replicas)  # fmt: skip


def _fleet(row: FleetResult, level: int) -> Iterator[OwnLine]:
    state = SATURATED if row.saturated else ""
    for item, value, unit, n in (
        ("utilisation", row.utilisation, "ratio", None),
        ("token_hit_ratio", row.token_hit_ratio, "ratio", None),
        ("lost_hit_tokens", row.lost_hit_tokens, "tokens", None),
        (f"ttft_p{level}_s", row.ttft.at(level), "s", row.ttft.n),
        (f"tpot_p{level}_s", row.tpot.at(level), "s", row.tpot.n),
    ):
        yield OwnLine(section="fleet", item=item, unit=unit, basis="simulated", value=value, n=n,
                      key=f"{row.replicas} {row.routing}", state=state)  # fmt: skip


def _pools(found: Setup, made: FleetStudy, key: str) -> Iterator[OwnLine]:
    """Prompts read on another device, and what is handed over; nothing where none was chosen."""
    both, moved, level = made.pools, made.handoff, found.asked.percentile
    if both is None or moved is None:
        return
    state = SATURATED if both.saturated else ""
    for item, value, unit, n in (
        (f"ttft_p{level}_s", both.ttft.at(level), "s", both.ttft.n),
        (f"tpot_p{level}_s", both.tpot.at(level), "s", both.tpot.n),
        ("prefill_utilisation", both.prefill_utilisation, "ratio", None),
        ("decode_utilisation", both.decode_utilisation, "ratio", None),
    ):
        yield OwnLine(section="pools", item=item, unit=unit, basis="simulated", value=value, n=n,
                      key=key, state=state)  # fmt: skip
    for item, amount, unit in (
        ("handoff_prompt_tokens", made.prompt_p50, "tokens"),
        ("handoff_bytes", moved.bytes, "bytes"),
        ("handoff_s", moved.transfer_s, "s"),
        ("handoff_share_of_ttft", moved.share_of_ttft, "ratio"),
        ("handoff_most_in_decode", moved.max_in_decode, ""),
    ):
        yield OwnLine(section="pools", item=item, unit=unit, basis="computed", value=amount,
                      key=key)  # fmt: skip


def _cost(made: FleetStudy) -> Iterator[OwnLine]:
    cost = made.cost
    if cost is None:
        return
    typed = cost.source == "typed"
    where: Rests = {"source": "" if typed else cost.source, "as_of": cost.as_of}
    yield OwnLine(section="cost", item="usd_per_gpu_hour", unit="USD/h",
                  basis="typed" if typed else "published", value=cost.usd_per_gpu_hour,
                  **where)  # fmt: skip
    yield OwnLine(section="cost", item="reserved_gpu_hours", unit="h", basis="simulated",
                  value=cost.reserved_gpu_hours)  # fmt: skip
    yield OwnLine(section="cost", item="reserved_usd", unit="USD", basis="simulated",
                  value=cost.usd, **where)  # fmt: skip
    for name in KINDS:
        yield OwnLine(section="cost", item=f"usd_per_mtok_{name}", unit="USD/Mtok",
                      basis="simulated", value=getattr(cost, name), **where)  # fmt: skip
