"""A device that the reader has typed in, or one of the tables with figures of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from price_tables.hardware import DeviceSpec, HourlyPrice

OWN = "own"
TYPED = "typed"
RATES = ("fp32", "fp16", "fp8", "int8", "fp4")
"""Types whose dense rate can be stated."""
GB = 1_000_000_000


def own_device(
    base: DeviceSpec | None,
    *,
    name: str = "",
    memory_bytes: int | None = None,
    bandwidth_bytes_per_s: int | None = None,
    dense_ops_per_s: Mapping[str, int] | None = None,
    tdp_w: int | None = None,
    usd_per_hour: Decimal | None = None,
) -> DeviceSpec:
    """`base` with what is given put in place of its own; without `base` a device that has nothing
    else. Offers and prices stay the base's. ValueError where memory is missing or not above 0."""
    if base is None:
        if memory_bytes is None or memory_bytes <= 0:
            raise ValueError("a device has memory")
        return DeviceSpec(
            id=OWN, name=name, vendor="", status="sold",
            label_gb=Decimal(memory_bytes) / GB, usable_bytes=memory_bytes, memory_type="",
            bandwidth_bytes_per_s=bandwidth_bytes_per_s,
            dense_ops_per_s=dict(dense_ops_per_s or {}), tdp_w=tdp_w, source="", as_of="",
            hourly=() if usd_per_hour is None else (_typed_hour(usd_per_hour),),
        )  # fmt: skip
    if memory_bytes is not None and memory_bytes <= 0:
        raise ValueError("a device has memory")
    return replace(
        base,
        name=name or base.name,
        usable_bytes=memory_bytes or base.usable_bytes,
        bandwidth_bytes_per_s=bandwidth_bytes_per_s or base.bandwidth_bytes_per_s,
        dense_ops_per_s={**base.dense_ops_per_s, **(dense_ops_per_s or {})},
    )


def _typed_hour(usd: Decimal) -> HourlyPrice:
    return HourlyPrice(
        provider=TYPED, usd=usd, pricing="on_demand", tier=TYPED, region=None, instance=None,
        variant=None, committed_1y_usd=None, committed_3y_usd=None, as_of="", source=TYPED,
        note=None,
    )  # fmt: skip


def typed_price(device: DeviceSpec) -> Decimal | None:
    """USD an hour, where the reader has stated it with the device."""
    return next((offer.usd for offer in device.hourly if offer.source == TYPED), None)


def shown_id(device: DeviceSpec) -> str:
    """What a program prints for a device: its id, of a typed one the name it was given."""
    return device.name if device.id.startswith(f"{TYPED}:") else device.id


def basis_of(device: DeviceSpec) -> str:
    """What a device's own figures are: 'datasheet', 'measured' or 'typed'."""
    if device.measured is not None:
        return "measured"
    return "datasheet" if device.source else TYPED
