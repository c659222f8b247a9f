"""Reads `hbm`, `power`, `kv_quality`, `model_switch` and `watch`, all `.yaml`, each once a folder.

Every loader takes a folder, by default the one that comes with kvledger, and raises DataError that
names file, place, what was expected and what was found.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from price_tables.hardware_load import DEVICES_FILE, load_hardware
from price_tables.hbm import HbmFacts
from price_tables.kv_quality import QualityFacts
from price_tables.load import FOLDER, validated
from price_tables.model_switch import SwitchFacts
from price_tables.power import PowerFacts
from price_tables.records import Facts
from price_tables.watch import WatchFacts
from price_tables.yaml_loader import data_error, read_yaml

HBM_FILE, POWER_FILE = "hbm.yaml", "power.yaml"
QUALITY_FILE, SWITCH_FILE = "kv_quality.yaml", "model_switch.yaml"
WATCH_FILE = "watch.yaml"
_Kind = TypeVar("_Kind", bound=Facts)


def load_hbm(folder: Path | None = None) -> HbmFacts:
    """Shares, forecasts, generations and prices of HBM."""
    return _hbm(_where(folder))


def load_power(folder: Path | None = None) -> PowerFacts:
    """Power scenarios, supply, operators, tariff."""
    return _power(_where(folder))


def load_quality(folder: Path | None = None) -> QualityFacts:
    """What was measured, and what was only said, of stored formats."""
    return _quality(_where(folder))


def load_switch(folder: Path | None = None) -> SwitchFacts:
    """The published pairs of models that hand over a cache."""
    return _switch(_where(folder))


def load_watch(folder: Path | None = None) -> WatchFacts:
    """What happened to the watched numbers, and what is expected."""
    return _watch(_where(folder))


def _where(folder: Path | None) -> Path:
    return (folder or FOLDER).resolve()


def _read(kind: type[_Kind], folder: Path, file_name: str) -> _Kind:
    return validated(kind, read_yaml(folder / file_name), file_name)


@lru_cache(maxsize=4)
def _hbm(folder: Path) -> HbmFacts:
    return _read(HbmFacts, folder, HBM_FILE)


@lru_cache(maxsize=4)
def _power(folder: Path) -> PowerFacts:
    return _read(PowerFacts, folder, POWER_FILE)


@lru_cache(maxsize=4)
def _quality(folder: Path) -> QualityFacts:
    return _read(QualityFacts, folder, QUALITY_FILE)


@lru_cache(maxsize=4)
def _watch(folder: Path) -> WatchFacts:
    return _read(WatchFacts, folder, WATCH_FILE)


@lru_cache(maxsize=4)
def _switch(folder: Path) -> SwitchFacts:
    file = _read(SwitchFacts, folder, SWITCH_FILE)
    ids = [pair.id for pair in file.pairs]
    for at, name in enumerate(ids):
        if name in ids[:at]:
            raise data_error(SWITCH_FILE, name, "id_once", name)
    if file.calibration.device not in load_hardware().devices:
        place = f"{file.calibration.device} ({DEVICES_FILE})"
        raise data_error(SWITCH_FILE, "calibration", "device_known", place)
    return file
