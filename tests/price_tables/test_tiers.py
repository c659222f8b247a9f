"""Places for keys and values: complete, sourced, equal to the devices they name."""

from __future__ import annotations

import shutil
from decimal import Decimal
from pathlib import Path

import pytest

from messages.errors import DataError
from price_tables.hardware_load import load_hardware
from price_tables.load import FOLDER
from price_tables.tiers import CHAIN
from price_tables.tiers_load import TIERS_FILE, load_tiers


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("models.yaml", "devices.yaml", TIERS_FILE):
        shutil.copy(FOLDER / name, tmp_path / name)
    return tmp_path


def changed(folder: Path, old: str, new: str) -> Path:
    file = folder / TIERS_FILE
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return folder


def test_six_places_each_with_a_source_and_a_day() -> None:
    tiers = load_tiers()
    assert list(tiers) == [*CHAIN, "gddr7", "unified"]
    assert all(tier.source and tier.as_of for tier in tiers.values())
    assert [tier.id for tier in tiers.values() if tier.usd_per_gb is None] == ["gddr7", "unified"]


def test_memories_of_other_devices_are_as_fast_as_those_devices() -> None:
    devices = load_hardware().devices
    for tier in load_tiers().values():
        if tier.device is not None:
            assert tier.bytes_per_s == devices[tier.device].bandwidth_bytes_per_s
            assert tier.capacity_gb is not None
            assert tier.capacity_gb <= devices[tier.device].label_gb


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("- id: dram", "- id: hbm", "hbm"),
        ("bytes_per_s: 55000000000", "bytes_per_s: null", "dram"),
        ("device: apple-m4-pro", "device: apple-m9", "unified"),
        ("low: 14.06, mid: 15.16", "low: 16.06, mid: 15.16", "usd_per_gb"),
        ("source: pcie", "source: hearsay", "source"),
        ("latency_s: 0.00001", "latency_s: soon", "latency_s"),
        ("capacity_gb: 256", "capacity_gb: 256\n  colour: blue", "colour"),
    ],
)
def test_a_wrong_place_is_refused_with_file_and_place(
    folder: Path, old: str, new: str, place: str
) -> None:
    with pytest.raises(DataError) as refused:
        load_tiers(changed(folder, old, new))
    values = refused.value.message.values
    assert values["file"] == TIERS_FILE
    assert place in str(values["place"])


def test_bills_of_material_hold_the_memorys_share() -> None:
    devices = load_hardware().devices
    h200 = devices["h200-sxm"].bill_of_materials
    assert h200 is not None
    assert round(h200.usd * h200.memory_ratio) == Decimal(1500)
    known = [name for name, device in devices.items() if device.bill_of_materials]
    assert known == ["h200-sxm", "b200-sxm", "gb200", "mi325x", "mi355x"]
