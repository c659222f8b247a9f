"""Every device that can be computed with: of the tables, measured by a profile, typed in.

A typed device is kept beside what was computed, under a name that every process of this server can
look up, and goes as that does: it is written again whenever its reader looks at it.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from data_sources.store.computed import computed, keep_computed
from data_sources.store.engine import current_store
from econ.device_names import find_device
from econ.measured_device import PREFIX as MEASURED
from econ.measured_device import is_measured, profile_device
from econ.own_device import RATES, own_device, typed_price
from jobs import profiling
from jobs.model_sizes import hardware
from messages.errors import InputError, Message, NotFoundError, SourceError
from price_tables.hardware import DeviceSpec

TYPED = "typed:"
FILE = "own-device-1.json"
LONGEST_NAME, MOST_BYTES = 60, 100_000
MOST = 10**18
_DIGEST = re.compile(r"[0-9a-f]{64}")
FIELDS = ("name", "memory_bytes", "bandwidth_bytes_per_s", "ops_per_s", "tdp_w", "usd_per_hour")


def device_of(name: str) -> DeviceSpec:
    """A device by its id or name, `measured:PROFILE`, a typed one, or the JSON file that describes
    one. NotFoundError naming those that are near, InputError with one sentence."""
    if is_measured(name):
        return _measured(name.removeprefix(MEASURED))
    if name.startswith(TYPED):
        return _typed(name)
    if name.lower().endswith(".json"):
        return _of_file(Path(name))
    return find_device(hardware().devices, name)


def measured_devices() -> dict[str, DeviceSpec]:
    """Id -> the devices whose limits were measured: here, in a file that was brought in, or with
    the program. Newest first, this machine's before all others."""
    found = []
    for entry in profiling.profiles():
        made = profile_device(entry.id, profiling.profile(entry.id), entry.origin)
        if made is not None:
            found.append((entry.origin != "measured", made))
    return {made.id: made for _, made in sorted(found, key=lambda pair: pair[0])}


def keep(device: DeviceSpec) -> str:
    """The name of a typed device: equal figures have equal names."""
    text = json.dumps(_plain(device), sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    if computed(current_store(), digest, FILE) is None:
        keep_computed(current_store(), digest, FILE, text)
    return TYPED + digest


def _plain(device: DeviceSpec) -> dict[str, Any]:
    usd = typed_price(device)
    return {
        "name": device.name,
        "memory_bytes": device.memory_bytes,
        "bandwidth_bytes_per_s": device.bandwidth_bytes_per_s,
        "ops_per_s": dict(device.dense_ops_per_s),
        "tdp_w": device.tdp_w,
        "usd_per_hour": None if usd is None else str(usd),
    }


def _measured(start: str) -> DeviceSpec:
    profile_id = profiling.full_profile_id(start)
    entry = next((e for e in profiling.profiles() if e.id == profile_id), None)
    if entry is None:
        raise NotFoundError(Message("store.no_profile", {"id": start[:12]}))
    made = profile_device(profile_id, profiling.profile(profile_id), entry.origin)
    if made is None:
        raise InputError(Message("results.profile_no_limits", {"name": entry.name}))
    return made


def _typed(name: str) -> DeviceSpec:
    digest = name.removeprefix(TYPED)
    text = computed(current_store(), digest, FILE) if _DIGEST.fullmatch(digest) else None
    if text is None:
        raise NotFoundError(Message("hardware.own_device_gone", {"name": name[:16]}))
    return replace(_made(json.loads(text), name), id=name)


def _of_file(path: Path) -> DeviceSpec:
    """A file of `FIELDS`: memory in bytes, the rest as far as it is known."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise SourceError(Message("hardware.no_file", {"name": path.name, "why": why})) from error
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise _refused(path.name, "JSON", content[:40].decode(errors="replace")) from None
    if not isinstance(data, dict):
        raise _refused(path.name, "{" + ", ".join(FIELDS) + "}", type(data).__name__)
    made = _made(data, path.name)
    return replace(made, id=keep(made))


def _made(data: dict[str, Any], file: str) -> DeviceSpec:
    unknown = sorted(data.keys() - set(FIELDS))
    if unknown:
        raise _refused(file, ", ".join(FIELDS), unknown[0])
    rates = data.get("ops_per_s") or {}
    if not isinstance(rates, dict) or rates.keys() - set(RATES):
        raise _refused(file, f"ops_per_s: {', '.join(RATES)}", str(rates))
    name = data.get("name")
    if not isinstance(name, str) or not name.strip():
        raise _refused(file, "name", str(name))
    memory = _whole(file, "memory_bytes", data.get("memory_bytes"))
    if memory is None:
        raise _refused(file, "memory_bytes", "-")
    each = {kind: _whole(file, f"ops_per_s.{kind}", rate) for kind, rate in rates.items()}
    return own_device(
        None, name=name.strip()[:LONGEST_NAME], memory_bytes=memory,
        bandwidth_bytes_per_s=_whole(
            file, "bandwidth_bytes_per_s", data.get("bandwidth_bytes_per_s")
        ),
        dense_ops_per_s={kind: rate for kind, rate in each.items() if rate is not None},
        tdp_w=_whole(file, "tdp_w", data.get("tdp_w")),
        usd_per_hour=_price(file, data.get("usd_per_hour")),
    )  # fmt: skip


def _whole(file: str, field: str, value: Any) -> int | None:
    """A number above zero, floats like 4.8e12 included; None where it is left out."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MOST:
        raise _refused(file, f"{field}: 1 .. 1e18", str(value))
    return int(value)


def _price(file: str, value: Any) -> Decimal | None:
    if value is None:
        return None
    try:
        price = Decimal(str(value))
    except InvalidOperation:
        price = Decimal("NaN")
    if not price.is_finite() or not 0 < price <= MOST:
        raise _refused(file, "usd_per_hour: 4.79", str(value))
    return price


def _refused(file: str, expected: str, found: str) -> InputError:
    values = {"file": file[:80], "expected": expected, "found": found[:80]}
    return InputError(Message("hardware.bad_device_file", values))
