"""docs/prices.md and docs/hardware.md name every field a table may have."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from pydantic import BaseModel

from econ.kv_formats import FORMATS
from price_tables import hardware_schema, schema
from price_tables.book import BUCKETS, EXTRA_PRICES
from price_tables.hardware import GroupKind

TEXT = (Path(__file__).parents[2] / "docs" / "prices.md").read_text(encoding="utf-8")
COMMON = {"source", "as_of", "via", "note", "default", "tables"}


def test_every_field_bucket_and_status_of_the_schema_is_documented() -> None:
    kinds = [
        kind
        for kind in vars(schema).values()
        if isinstance(kind, type) and issubclass(kind, BaseModel) and kind is not BaseModel
    ]
    fields = {name for kind in kinds for name in kind.model_fields}
    statuses = {*schema.PeriodStatus.__args__, *schema.ModelStatus.__args__}
    missing = [
        name
        for name in sorted((fields - COMMON) | statuses | {*BUCKETS, *EXTRA_PRICES})
        if f"`{name}`" not in TEXT and f"`{name}:" not in TEXT
    ]
    assert missing == []


def test_every_field_of_models_and_devices_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "hardware.md").read_text(encoding="utf-8")
    kinds = [
        kind
        for kind in vars(hardware_schema).values()
        if isinstance(kind, type) and issubclass(kind, BaseModel) and kind is not BaseModel
    ]
    fields = {name for kind in kinds for name in kind.model_fields}
    statuses = get_args(hardware_schema.DeviceRow.model_fields["status"].annotation)
    words = {*get_args(GroupKind), *statuses}
    assert [name for name in sorted(fields | words) if f"`{name}" not in text] == []


def test_every_cache_format_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "hardware.md").read_text(encoding="utf-8")
    assert [name for name in FORMATS if f"`{name}`" not in text] == []
