"""docs/prices.md names every field a table may have."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from price_tables import schema
from price_tables.book import BUCKETS, EXTRA_PRICES

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
