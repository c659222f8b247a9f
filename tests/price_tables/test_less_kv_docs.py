"""docs/less_kv.md names every field of the four fact files."""

from __future__ import annotations

from pathlib import Path

from price_tables import hbm, kv_quality, model_switch, power
from price_tables.records import Facts, Record

TEXT = (Path(__file__).parents[2] / "docs" / "less_kv.md").read_text(encoding="utf-8")
ELSEWHERE = {"compiled", "sender", "receiver", *Facts.model_fields} | {"note"}


def test_every_field_is_documented() -> None:
    kinds = [
        kind
        for module in (hbm, kv_quality, model_switch, power)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Record) and kind not in (Record, Facts)
    ]
    fields = {name for kind in kinds for name in kind.model_fields}
    assert len(fields) > 40
    assert [name for name in sorted(fields - ELSEWHERE) if f"`{name}`" not in TEXT] == []
