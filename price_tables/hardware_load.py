"""Reads `models.yaml` and `devices.yaml` as strictly as the price tables are read."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from price_tables.hardware import (
    BillOfMaterials,
    DeviceSpec,
    Hardware,
    HourlyPrice,
    IndexMedian,
    KvGroup,
    ModelSpec,
    OwnershipCost,
    PurchasePrice,
    TierRange,
)
from price_tables.hardware_schema import DeviceRow, DevicesFile, ModelRow, ModelsFile, Tiers
from price_tables.load import FOLDER, validated
from price_tables.yaml_loader import data_error, read_yaml

MODELS_FILE, DEVICES_FILE = "models.yaml", "devices.yaml"
_TIERS = ("hyperscaler", "specialty", "long_tail")


def load_hardware(folder: Path | None = None) -> Hardware:
    """Models and devices of `folder`, by default those that come with kvledger; read once.

    Raises DataError that names file, place, what was expected and what was found.
    """
    return _load((folder or FOLDER).resolve())


@lru_cache(maxsize=4)
def _load(folder: Path) -> Hardware:
    models = validated(ModelsFile, read_yaml(folder / MODELS_FILE), MODELS_FILE)
    devices = validated(DevicesFile, read_yaml(folder / DEVICES_FILE), DEVICES_FILE)
    as_of = models.compiled.isoformat(), devices.compiled.isoformat()
    specs = [_model(row, as_of[0]) for row in models.models]
    parts = [_device(row, as_of[1]) for row in devices.devices]
    _no_doubles(MODELS_FILE, [spec.id for spec in specs])
    _no_doubles(DEVICES_FILE, [part.id for part in parts])
    return Hardware(
        models={spec.id: spec for spec in specs}, devices={part.id: part for part in parts}
    )


def _no_doubles(file_name: str, ids: list[str]) -> None:
    for at, name in enumerate(ids):
        if name in ids[:at]:
            raise data_error(file_name, name, "id_once", name)


def _model(row: ModelRow, as_of: str) -> ModelSpec:
    return ModelSpec(
        id=row.id,
        name=row.name,
        repository=row.repository,
        parameters_total=row.parameters.total,
        parameters_active=row.parameters.active,
        parameters_verified=row.parameters.verified,
        hidden=row.shape.hidden,
        layers=row.shape.layers,
        query_heads=row.shape.query_heads,
        experts=row.shape.experts,
        experts_per_token=row.shape.experts_per_token,
        attention=row.attention,
        max_context_tokens=row.max_context_tokens,
        checkpoint_dtype=row.checkpoint_dtype,
        groups=tuple(KvGroup(**group.model_dump()) for group in row.groups),
        source=row.source,
        as_of=as_of,
        note=row.note,
    )


def _device(row: DeviceRow, as_of: str) -> DeviceSpec:
    tiers = row.tier_usd_per_hour
    return DeviceSpec(
        id=row.id,
        name=row.name,
        vendor=row.vendor,
        status=row.status,
        label_gb=row.memory.label_gb,
        usable_bytes=row.memory.usable_bytes,
        memory_type=row.memory.type,
        bandwidth_bytes_per_s=row.bandwidth_bytes_per_s,
        dense_ops_per_s={str(kind): rate for kind, rate in row.dense_ops_per_s.items()},
        tdp_w=row.tdp_w,
        source=row.source,
        as_of=as_of,
        note=row.note,
        purchase_usd=_as(PurchasePrice, row.purchase_usd),
        ownership=_as(OwnershipCost, row.ownership_usd_per_hour),
        tiers=() if tiers is None else (_tiers(tiers),),
        index_median=_as(IndexMedian, row.index_median_usd_per_hour, without="note"),
        hourly=tuple(HourlyPrice(**offer.model_dump()) for offer in row.hourly_usd),
        bill_of_materials=_as(BillOfMaterials, row.bill_of_materials_usd),
    )


def _as(kind: Any, row: Any, without: str | None = None) -> Any:
    return None if row is None else kind(**row.model_dump(exclude={without} if without else None))


def _tiers(row: Tiers) -> TierRange:
    pairs = {name: getattr(row, name) for name in _TIERS}
    ranges = {name: (pair[0], pair[1]) for name, pair in pairs.items() if pair is not None}
    return TierRange(ranges=ranges, spot=row.spot, as_of=row.as_of, source=row.source)
