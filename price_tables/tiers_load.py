"""Reads `tiers.yaml` as strictly as the price tables are read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from price_tables.hardware_load import DEVICES_FILE, load_hardware
from price_tables.load import FOLDER, validated
from price_tables.tiers import MemoryPrice, TierSpec
from price_tables.tiers_schema import TierRow, TiersFile
from price_tables.yaml_loader import data_error, read_yaml

TIERS_FILE = "tiers.yaml"


def load_tiers(folder: Path | None = None) -> Mapping[str, TierSpec]:
    """Places for keys and values by id, in the order of the file; read once.

    Raises DataError that names file, place, what was expected and what was found.
    """
    return _load((folder or FOLDER).resolve())


@lru_cache(maxsize=4)
def _load(folder: Path) -> Mapping[str, TierSpec]:
    file = validated(TiersFile, read_yaml(folder / TIERS_FILE), TIERS_FILE)
    devices = load_hardware(folder).devices
    found: dict[str, TierSpec] = {}
    for row in file.tiers:
        if row.id in found:
            raise data_error(TIERS_FILE, row.id, "id_once", row.id)
        if row.device is not None and row.device not in devices:
            raise data_error(TIERS_FILE, row.id, "device_known", f"{row.device} ({DEVICES_FILE})")
        found[row.id] = _tier(row)
    return found


def _tier(row: TierRow) -> TierSpec:
    price = row.usd_per_gb
    return TierSpec(
        id=row.id,
        place=row.place,
        device=row.device,
        bytes_per_s=row.bytes_per_s,
        capacity_gb=row.capacity_gb,
        latency_s=row.latency_s,
        usd_per_gb=None if price is None else MemoryPrice(**price.model_dump()),
        source=row.source,
        as_of=row.as_of,
        note=row.note,
    )
