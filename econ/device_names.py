"""Finds a device by what people call it: id or name; nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches

from messages.errors import Message, NotFoundError
from price_tables.hardware import DeviceSpec

MOST_NEAR = 5
LONGEST = 120
_BETWEEN = re.compile(r"[\s_/()-]+")


def find_device(devices: Mapping[str, DeviceSpec], text: str) -> DeviceSpec:
    """The one device whose id or name is `text`, or whose id without its form (sxm, pcie) is, if
    only one has it. NotFoundError listing near names where there is none."""
    asked = _plain(text[:LONGEST])
    for device in devices.values():
        if asked in (_plain(device.id), _plain(device.name)):
            return device
    short = [d for d in devices.values() if asked and _plain(d.id).startswith(f"{asked}-")]
    if len(short) == 1:
        return short[0]
    near = [d.id for d in short] or [i for i in devices if asked and asked in _plain(i)]
    near += get_close_matches(asked, devices, MOST_NEAR, cutoff=0.4)
    shown = ", ".join(list(dict.fromkeys(near))[:MOST_NEAR] or devices)
    raise NotFoundError(Message("results.unknown_device", {"found": text[:LONGEST], "near": shown}))


def _plain(name: str) -> str:
    return _BETWEEN.sub("-", name.strip().lower()).strip("-")
