"""DeviceProfile: what was measured on one device. Plain data, no torch, JSON in and out.

A figure that could not be taken is kept as a case with ``n = 0``, ``median = None`` and the reason
in ``params["not_measured"]``; a figure that was not timed here says so in ``params["basis"]``
("computed" or "extrapolated"). Without ``basis`` a case was measured on the device.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

PROFILE_VERSION = 1
STOPPED = "stopped"

Param = str | int | float | bool
DeviceKind = Literal["cpu", "cuda", "mps"]
KeyPosition = Literal["after_rope", "before_rope"]

UNITS: Mapping[str, str] = {
    "limit_bytes": "bytes/s",  # limit ("copy", "triad", "host to device", "device to host")
    "limit_flop": "FLOP/s",  # limit ("matmul float32", ...), side
    "ttft_cold": "s",  # prompt_tokens
    "ttft_warm": "s",  # prompt_tokens, reused_tokens: the same prompt with that many tokens cached
    "decode": "s",  # one step: context_tokens, batch
    "decode_no_cache": "s",  # one token with everything computed again: context_tokens
    "layers_prefill": "s",  # a large model's first few layers: layers, prompt_tokens
    "layers_decode": "s",  # one step of them: layers, context_tokens, batch
    "block_gather": "bytes/s",  # context_tokens, block_tokens: scattered blocks into one tensor
    "block_size": "s",  # one decode step: block_tokens, context_tokens
    "block_waste": "ratio",  # unused / reserved: allocation, block_tokens or max_tokens
    "admitted": "sequences",  # held at once in equal memory: allocation, memory_bytes
    "admitted_rate": "tokens/s",  # decode with that many at once: allocation, sequences
    "reply": "s",  # whole request: prompt_tokens, reply_tokens, reused_tokens
    "reply_decode": "s",  # its decode alone, a token: prompt_tokens, reply_tokens, reused_tokens
    "throughput": "tokens/s",  # prompt and reply tokens served: hit_ratio
    "salt": "s",  # TTFT of a prompt another request left in the cache: salt ("same", "other")
    "hash": "s/token",  # block identity: method
    "collision": "probability",  # at least one among blocks: bits, blocks
    "offload": "bytes/s",  # blocks to and from host memory: direction, block_tokens
    "attention": "bytes/s",  # decode attention, one layer: kernel, heads, batch, context_tokens
    "decode_graphs": "s",  # one step with and without CUDA graphs: graphs, batch
    "kv_error_kl": "nats",  # against the same model with unquantised KV: format
    "kv_error_top1": "ratio",  # equal most likely token: format
    "kv_format_bits": "bits/element",  # scales included: format
}
"""Name of each case and its unit; the comment names the parameters that tell its rows apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceInfo:
    """The device: kind, name as the system gives it, memory in bytes (None: unknown), threads."""

    kind: DeviceKind
    name: str
    memory_bytes: int | None
    threads: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """What ran: its shape, types and bytes; ``keys``: whether K is stored after or before RoPE."""

    name: str
    source: str
    layers: int
    kv_heads: int
    head_dim: int
    weight_dtype: str
    kv_dtype: str
    weights_bytes: int
    kv_bytes_per_token: int
    keys: KeyPosition


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The device's own limits, measured in the same run; None where there is no such path."""

    copy_bytes_per_s: float | None = None
    triad_bytes_per_s: float | None = None
    matmul_flop_per_s: Mapping[str, float] = field(default_factory=dict)
    host_to_device_bytes_per_s: float | None = None
    device_to_host_bytes_per_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """One figure: median and interquartile range (``spread``) in ``unit`` over ``n`` repeats.

    ``cpu_share``: processor time of this process / (wall time x the threads it should get), 0..1,
    over the repeats. ``contended``: that share was under 0.9, so others slowed the measurement.
    """

    case: str
    params: Mapping[str, Param]
    unit: str
    median: float | None
    spread: float | None
    n: int
    cpu_share: float | None
    contended: bool | None

    @property
    def measured(self) -> bool:
        """Taken on this device: neither missing nor computed nor extrapolated."""
        return self.median is not None and "basis" not in self.params

    @property
    def not_measured(self) -> str | None:
        """Why there is no figure, or None where there is one."""
        return str(self.params.get("not_measured", "")) or None if self.median is None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceProfile:
    """Everything that one run found; ``created_utc`` is ISO 8601 with a Z."""

    name: str
    created_utc: str
    device: DeviceInfo
    versions: Mapping[str, str]
    model: ModelInfo
    limits: Limits
    cases: tuple[CaseResult, ...]
    profile_version: int = PROFILE_VERSION

    @property
    def partial(self) -> bool:
        """The run was stopped before its end."""
        return any(case.not_measured == STOPPED for case in self.cases)

    @property
    def unmeasured(self) -> tuple[CaseResult, ...]:
        """The cases without a figure, each with its reason."""
        return tuple(case for case in self.cases if case.median is None)

    @property
    def contended(self) -> bool:
        """At least one case shared its processors with others."""
        return any(bool(case.contended) for case in self.cases)


def find(profile: DeviceProfile, case: str, **params: Param) -> tuple[CaseResult, ...]:
    """The rows of ``case`` with a figure whose parameters equal every one that is given."""
    return tuple(
        row
        for row in profile.cases
        if row.case == case
        and row.median is not None
        and all(row.params.get(name) == value for name, value in params.items())
    )


def curve(
    profile: DeviceProfile, case: str, *, over: str, **params: Param
) -> tuple[tuple[float, float], ...]:
    """Points (``over``, median) of a case, ascending; the later of two rows at one place counts.

    ``curve(p, "decode", over="context_tokens", batch=1)`` is the decode step by context length.
    """
    points = {
        float(row.params[over]): row.median
        for row in find(profile, case, **params)
        if row.median is not None and isinstance(row.params.get(over), int | float)
    }
    return tuple(sorted(points.items()))


def value_at(points: tuple[tuple[float, float], ...], x: float) -> float | None:
    """Median at ``x`` between two measured points, straight in log-log; None outside them.

    Times over lengths and batches follow powers, so that line errs least; nothing is stretched
    beyond what was measured.
    """
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 <= x <= x1:
            if x == x0 or x0 <= 0 or min(y0, y1) <= 0:
                return y0 if x == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)
            weight = math.log(x / x0) / math.log(x1 / x0)
            return math.exp(math.log(y0) * (1 - weight) + math.log(y1) * weight)
    return next((y for px, y in points if px == x), None)
