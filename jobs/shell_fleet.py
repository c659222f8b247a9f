"""What `fleet` is asked for on the command line, as typed parameters."""

from __future__ import annotations

import argparse
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction

from econ.engine_line import ServeLine, read_log_line, read_serve_line
from econ.fleet_names import MOST_REPLICAS, ROUTINGS, Routing
from econ.fleet_setup import FleetAsked, check_layout
from jobs.fleet_flows import known_model
from jobs.model_sizes import model_of
from jobs.shell_input import number, refused
from jobs.shell_kv import whole
from messages.errors import Message, UsageError

WHOLE = {
    "tensor_parallel": ("tp", "2"),
    "attention_copies": ("attention-copies", "8"),
    "block_tokens": ("engine-block-size", "16"),
    "max_sequences": ("max-num-seqs", "256"),
    "budget_tokens": ("max-num-batched-tokens", "8192"),
    "max_model_len": ("max-model-len", "131072"),
    "overhead_bytes": ("overhead-bytes", "1237612953"),
    "weights_bytes": ("weights-bytes", "70600000000"),
    "device_bytes": ("device-bytes", "151397597184"),
    "bandwidth_bytes_per_s": ("bandwidth-bytes-per-s", "4800000000000"),
    "ops_per_s": ("ops-per-s", "1979000000000000"),
    "prefill_replicas": ("prefill-replicas", "2"),
    "prefill_tensor_parallel": ("prefill-tp", "2"),
}
"""Fields that are counts: their flags, and an example."""
MOST_DEVICES, MOST_SEQUENCES, MOST_BLOCK = 1_024, 4_096, 4_096


def fleet_asked(arguments: argparse.Namespace) -> FleetAsked:
    """The fleet. UsageError naming the flag, InputError for a line that cannot be read."""
    given: dict[str, object] = {}
    if arguments.serve is not None:
        given.update(from_line(read_serve_line(arguments.serve)))
    for name, (flag, example) in WHOLE.items():
        value = whole(getattr(arguments, flag.replace("-", "_")), f"--{flag}", example)
        if value is not None:
            given[name] = value
    given.update(_names(arguments), **_numbers(arguments))
    for name in ("model", "device"):
        if given.get(name) is None:
            raise UsageError(Message("cli.fleet_needs", {"flag": f"--{name}"}))
    asked = checked(FleetAsked(**given))  # type: ignore[arg-type]
    check_layout(asked, model_of(asked.model).spec, "--tp", "--prefill-tp")
    if arguments.log_line is not None:
        blocks = read_log_line(arguments.log_line).blocks_of(asked.block_tokens)
        asked = replace(asked, engine_blocks=blocks)
    return asked


def from_line(line: ServeLine) -> dict[str, object]:
    """Fields of `FleetAsked` that a `vllm serve` line fills."""
    named = {field.name: getattr(line, field.name) for field in fields(ServeLine)}
    named.pop("ignored")
    found = {name: value for name, value in named.items() if value is not None}
    if line.model is not None and not line.model.lower().endswith((".json", ".gguf")):
        found["model"] = known_model(line.model)
    if "fraction" in found:
        found["fraction"] = Fraction(found["fraction"])
    if "replicas" in found:
        found["replicas"] = (found["replicas"],)
    return found


def checked(asked: FleetAsked) -> FleetAsked:
    """The same, unless a number is beyond what can be served. UsageError naming the flag."""
    limits = {
        "--tp": (asked.tensor_parallel, MOST_DEVICES),
        "--max-num-seqs": (asked.max_sequences, MOST_SEQUENCES),
        "--engine-block-size": (asked.block_tokens, MOST_BLOCK),
        "--replicas": (max(asked.replicas), MOST_REPLICAS),
        "--prefill-replicas": (asked.prefill_replicas, MOST_REPLICAS),
    }
    for flag, (value, most) in limits.items():
        if value > most:
            raise refused(flag, f"1 .. {most}", str(value))
    if asked.budget_tokens < asked.max_sequences:
        raise refused("--max-num-batched-tokens", f">= {asked.max_sequences}",
                       str(asked.budget_tokens))  # fmt: skip
    return asked


def _names(arguments: argparse.Namespace) -> dict[str, object]:
    found: dict[str, object] = {
        "model": arguments.model, "device": arguments.device,
        "quantization": arguments.quantization, "kv_dtype": arguments.kv_cache_dtype,
        "prefill_device": arguments.prefill_device, "speed": arguments.speed,
        "profile": arguments.profile,
    }  # fmt: skip
    if arguments.replicas is not None:
        found["replicas"] = replicas_of(arguments.replicas)
    if arguments.routing is not None:
        found["routings"] = routings_of(arguments.routing)
    if arguments.no_prefix_caching:
        found["prefix_caching"] = False
    return {name: value for name, value in found.items() if value is not None}


def _numbers(arguments: argparse.Namespace) -> dict[str, object]:
    found: dict[str, object] = {
        "usd_per_gpu_hour": number(arguments.usd_per_gpu_hour, "--usd-per-gpu-hour", "4.79"),
        "percentile": arguments.percentile,
        "fraction": _fraction(arguments.gpu_memory_utilization),
    }
    seconds = {
        "ttft_s": ("--target-ttft-s", "2"),
        "tpot_s": ("--target-tpot-s", "0.05"),
        "link_bytes_per_s": ("--link-bytes-per-s", "50e9"),
    }
    for name, (flag, example) in seconds.items():
        value = number(getattr(arguments, flag[2:].replace("-", "_").replace("target_", "")), flag,
                       example)  # fmt: skip
        found[name] = None if value is None else _positive(value, flag, example)
    return {name: value for name, value in found.items() if value is not None}


def _fraction(text: str | None) -> Fraction | None:
    value = number(text, "--gpu-memory-utilization", "0.9")
    if value is not None and not 0 < value <= 1:
        raise refused("--gpu-memory-utilization", "0 < x <= 1", str(value))
    return None if value is None else Fraction(value)


def _positive(value: Decimal, flag: str, expected: str) -> float:
    if value <= 0:
        raise refused(flag, expected, str(value))
    return float(value)


def replicas_of(text: str) -> tuple[int, ...]:
    """'1,2,4' as numbers of replicas."""
    found = [whole(part, "--replicas", "1,2,4") for part in text.split(",")]
    return tuple(dict.fromkeys(n for n in found if n is not None))


def routings_of(text: str) -> tuple[Routing, ...]:
    """'round-robin,prefix-affine' as routings; 'all' = every one."""
    if text == "all":
        return ROUTINGS
    found = []
    for part in text.split(","):
        name = part.strip()
        if name not in ROUTINGS:
            raise refused("--routing", " | ".join((*ROUTINGS, "all")), name)
        found.append(ROUTINGS[ROUTINGS.index(name)])
    return tuple(dict.fromkeys(found))
