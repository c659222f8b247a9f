"""Every way to name a device, and what is said of a name or a file that gives none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jobs import devices
from messages.errors import InputError, NotFoundError, SourceError

CARD = {"name": "My card", "memory_bytes": 80e9, "bandwidth_bytes_per_s": 3e12,
        "ops_per_s": {"fp16": 8e14}, "tdp_w": 500, "usd_per_hour": "1.75"}  # fmt: skip


def card(folder: Path, **changes: object) -> str:
    path = folder / "card.json"
    path.write_text(json.dumps({**CARD, **changes}), encoding="utf-8")
    return str(path)


def test_a_table_a_profile_and_a_file_each_give_a_device(tmp_path: Path) -> None:
    assert devices.device_of("H200 SXM").id == "h200-sxm"
    known = next(iter(devices.measured_devices().values()))
    assert devices.device_of(known.id) == known
    typed = devices.device_of(card(tmp_path))
    assert (typed.name, typed.memory_bytes, typed.tdp_w) == ("My card", 80 * 10**9, 500)
    assert devices.device_of(typed.id) == typed


@pytest.mark.parametrize(
    ("change", "place"),
    [({"memory_bytes": None}, "memory_bytes"), ({"memory_bytes": -1}, "memory_bytes"),
     ({"name": " "}, "name"), ({"colour": "red"}, "colour"),
     ({"ops_per_s": {"fp7": 1}}, "ops_per_s"), ({"tdp_w": True}, "tdp_w"),
     ({"usd_per_hour": "NaN"}, "usd_per_hour")],
)  # fmt: skip
def test_a_file_that_is_no_device_is_refused_with_the_place(
    tmp_path: Path, change: dict[str, object], place: str
) -> None:
    with pytest.raises(InputError) as refused:
        devices.device_of(card(tmp_path, **change))
    values = refused.value.message.values
    assert refused.value.message.id == "hardware.bad_device_file"
    assert place in f"{values['expected']} {values['found']}"


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(SourceError):
        devices.device_of("nowhere.json")
    for name in ("measured:ffffffff", "typed:ffffffff", "no such card"):
        with pytest.raises(NotFoundError):
            devices.device_of(name)
