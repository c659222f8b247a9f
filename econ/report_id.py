"""The report's id: the same inputs give the same id and the same numbers next year.

SHA-256 over the workload's digest, all parameters, the price rows used and METHOD_VERSION. Of a
price row only what decides the numbers is in it: a later row that ends its validity, or a newer
date of checking, changes no bill and no id. The price book's version and the program's commit
stand beside the id, not in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from econ.method import METHOD_VERSION
from econ.money import plain
from econ.report import PriceSource, ReportParams

OWN = "own"  # a row that its owner entered is not the list's, even at the same price


def report_id(
    workload_sha256: str,
    collapsed_cost_e13: int | None,
    params: ReportParams,
    sources: Iterable[PriceSource],
) -> str:
    """64 hex digits. `collapsed_cost_e13` is the receipt's: the reconciliation depends on it."""
    prices = sorted(json.dumps(_price_row(source), sort_keys=True) for source in sources)
    content = {
        "method_version": METHOD_VERSION,
        "workload_sha256": workload_sha256,
        "collapsed_cost_e13": collapsed_cost_e13,
        "params": _asked(params),
        "prices": sorted(set(prices)),
    }
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


LATER = ("invoices",)
"""Parameters that came later: left out where nothing is asked, so that older ids stay."""


def _asked(params: ReportParams) -> dict[str, Any]:
    known: dict[str, Any] = canonical(params)
    return {name: value for name, value in known.items() if value or name not in LATER}


def canonical(value: Any) -> Any:
    """JSON-able and independent of order: mappings by key, lists of names sorted, decimals without
    trailing zeros, moments in UTC."""
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat() if value.tzinfo else f"{value.isoformat()}+00:00"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): canonical(item) for key, item in value.items()}
    if isinstance(value, tuple):
        items = [canonical(item) for item in value]
        return sorted(items) if all(isinstance(item, str) for item in items) else items
    if is_dataclass(value):
        return {field.name: canonical(getattr(value, field.name)) for field in fields(value)}
    return value


def _price_row(source: PriceSource) -> dict[str, Any]:
    own = {"source": OWN} if source.source == OWN else {}
    return {
        **own,
        "provider": source.provider,
        "surface": source.surface,
        "model": source.model,
        "mode": source.mode,
        "tier": source.tier_above_tokens,
        "peak": source.peak,
        "valid_from": canonical(source.valid_from),
        "prices": canonical(source.prices),
    }
