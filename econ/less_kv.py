"""What keeping less of a token would do to one workload on one kind of device.

For each scenario (as is, a lever, a format, or the reader's own choice):

    room       of a device: memory x fraction - weights / devices of a group
    sequences  floor(room / KV of one sequence on the device)
    groups     ceil(peak KV of the workload on the device / room)
    devices    groups x devices a group: a floor by memory alone, however slow that would be
    HBM        GB-hours x (USD a GB / (life in years x 8,766 h)), low, mid and high

A group is the fewest devices to which the heads can be dealt out (`econ.layout`) and that hold the
weights and one sequence of the 95th percentile. What cannot be split each device of a group holds
whole: a latent vector, and heads where there are more devices than KV heads (`econ.kv_memory`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

import numpy as np

from econ.hbm_spend import UsdBand, hour_price
from econ.kv_formats import KvFormat, kv_format
from econ.kv_levers import LEVERS, with_heads, with_lever
from econ.kv_memory import growing_per_token, kv_bytes
from econ.kv_residence import Kept, gb_hours, peak_bytes, request_bytes
from econ.layout import valid_ranks
from econ.roofline import rank_kv_bytes
from price_tables.hardware import DeviceSpec, ModelSpec
from price_tables.hbm import GbPrice

FORMAT_ROWS = ("fp8", "int8", "kivi4", "k8v4", "q8_0", "q4_0")
MOST_DEVICES_A_GROUP = 1_024
P50, P95 = 50, 95


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What all scenarios of one study share. No weights: the model's parameters are not stated.
    A group of devices is not smaller than `least_devices`."""

    device: DeviceSpec
    weights_bytes: int | None
    fraction: Fraction
    life_years: Decimal
    price: GbPrice | None
    least_devices: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One row. `lever` and `kv_format` say what was changed; all bytes are KV alone.

    bytes_per_token: what a further token adds once windows are full. bytes_p50, bytes_p95: one
    request of that length, at the least; reserved_p95: what one page size for all layers sets
    aside. peak_bytes, gb_hours: of the whole workload. sequences_p95: on one group of devices.
    """

    lever: str
    kv_format: str
    model: ModelSpec
    bytes_per_token: Fraction
    bytes_p50: int
    bytes_p95: int
    reserved_p95: int
    peak_bytes: float
    gb_hours: float
    devices_a_group: int | None
    sequences_p95: int | None
    devices: int | None
    hbm_usd: UsdBand | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Tokens kept by a request (prompt and answer): nearest-rank percentiles, and how many."""

    p50: int
    p95: int
    most: int
    requests: int


def lengths(held: Kept) -> Lengths:
    """Percentiles of what the requests keep."""
    p50, p95, most = np.percentile(held.tokens, (P50, P95, 100), method="inverted_cdf").tolist()
    return Lengths(p50=int(p50), p95=int(p95), most=int(most), requests=len(held.tokens))


def scenarios(
    model: ModelSpec, held: Kept, setting: Setting, *, as_is: str, chosen: str, kv_heads: int = 8
) -> tuple[Scenario, ...]:
    """'As is' first, then every lever that changes this model, then every format, then `chosen`
    (keys and values in the reader's own formats), each against the model as it is."""
    rows = [_row(model, "as_is", as_is, held, setting)]
    for lever in LEVERS:
        changed = with_lever(model, lever, kv_heads)
        if changed is not None:
            rows.append(_row(changed, lever, as_is, held, setting))
    rows += [_row(model, "format", name, held, setting) for name in FORMAT_ROWS if name != as_is]
    rows.append(_row(model, "chosen", chosen, held, setting))
    return tuple(rows)


def heads_scenario(
    model: ModelSpec, held: Kept, setting: Setting, kv_format: str, kv_heads: int
) -> Scenario | None:
    """The model with so many KV heads; None where it keeps no heads."""
    changed = with_heads(model, kv_heads)
    return None if changed is None else _row(changed, "heads", kv_format, held, setting)


def unchanged(model: ModelSpec, kv_heads: int = 8) -> Sequence[str]:
    """Levers that have nothing to change in this model."""
    return [lever for lever in LEVERS if with_lever(model, lever, kv_heads) is None]


def _row(model: ModelSpec, lever: str, name: str, held: Kept, setting: Setting) -> Scenario:
    dtype = kv_format(name)
    found = lengths(held)
    sizes = request_bytes(model, dtype, held.tokens)
    one = kv_bytes(model, dtype, context_tokens=found.p95)
    hours = gb_hours(sizes, held.residence_s)
    peak = peak_bytes(sizes, held.start_s, held.residence_s)
    group = group_size(model, dtype, found.p95, setting)
    room, each, there = None, 0.0, 0.0
    if group is not None:
        room, each = _room(setting, group), rank_kv_bytes(model, dtype, found.p95, group)
        on_rank = request_bytes(model, dtype, held.tokens, group)
        there = peak_bytes(on_rank, held.start_s, held.residence_s)
    price = setting.price
    return Scenario(
        lever=lever,
        kv_format=name,
        model=model,
        bytes_per_token=growing_per_token(model, dtype),
        bytes_p50=kv_bytes(model, dtype, context_tokens=found.p50).bytes_min,
        bytes_p95=one.bytes_min,
        reserved_p95=one.bytes_reserved,
        peak_bytes=peak,
        gb_hours=hours,
        devices_a_group=group,
        sequences_p95=None if room is None else floor(room / max(each, 1)),
        devices=_devices(there, group, room),
        hbm_usd=None if price is None else hour_price(price, setting.life_years).times(hours),
    )


def group_size(
    model: ModelSpec, dtype: KvFormat, context_tokens: int, setting: Setting
) -> int | None:
    """The fewest devices that hold the weights and one sequence and to which the heads can be dealt
    out; None where none do, and where the weights are not known. Powers of two up to 1,024 where
    the number of heads is not known."""
    if setting.weights_bytes is None:
        return None
    ranks = valid_ranks(model) or tuple(2**n for n in range(MOST_DEVICES_A_GROUP.bit_length()))
    for group in (one for one in ranks if one >= setting.least_devices):
        needed = max(rank_kv_bytes(model, dtype, context_tokens, group), 1)
        if _room(setting, group) >= needed:
            return group
    return None


def _room(setting: Setting, devices: int) -> int:
    """Of one device of a group."""
    share = ceil((setting.weights_bytes or 0) / devices)
    return floor(setting.device.memory_bytes * setting.fraction) - share


def _devices(peak: float, group: int | None, room: int | None) -> int | None:
    if group is None or room is None:
        return None
    return max(ceil(peak / room), 1) * group
