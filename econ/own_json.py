"""One's own hardware in the shape of `report --json`: money as decimal strings, counts as whole
numbers, unknown as null."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from econ.own_break_even import ApiRow
from econ.report_own import Number, OwnLine, OwnPart, number_text
from messages.errors import Message

Say = Callable[[Message], str]
RATIO_DIGITS = 6


def own_to_json(own: OwnPart | None, say: Say) -> dict[str, Any] | None:
    """The part; None where the report has none."""
    if own is None:
        return None
    rate = own.rate
    return {
        "model": own.model,
        "device": own.device,
        "choice": dict(own.choice),
        "figures": [_line(line) for line in own.lines],
        "rate": None
        if rate is None
        else {
            "usd_per_hour": number_text(rate.usd_per_hour),
            "tokens_per_s": number_text(rate.tokens_per_s),
            "busy_usd_per_mtok": number_text(rate.busy_usd_per_mtok),
        },
        "load": None if own.load is None else round(own.load, RATIO_DIGITS),
        "break_even": [_api(row) for row in own.api_rows],
        "assumptions": [say(message) for message in own.assumptions],
        "missing": [say(message) for message in own.missing],
        "sources": [{"basis": mark, "text": text} for mark, text in own.sources],
    }


def _line(line: OwnLine) -> dict[str, Any]:
    return {
        "section": line.section,
        "item": line.item,
        "key": line.key or None,
        "provider": line.provider or None,
        "model": line.model or None,
        "value": _value(line.value),
        "low": _value(line.low),
        "high": _value(line.high),
        "unit": line.unit or None,
        "basis": line.basis,
        "state": line.state or None,
        "n": line.n,
        "source": line.source or None,
        "as_of": line.as_of or None,
    }


def _value(value: Number | None) -> Any:
    return number_text(value) if isinstance(value, Decimal) else value


def _api(row: ApiRow) -> dict[str, Any]:
    point = row.point
    return {
        "provider": row.provider,
        "surface": row.surface,
        "model": row.model,
        "policy": row.policy,
        "api_usd_per_mtok": number_text(point.api_usd_per_mtok),
        "low_usd_per_mtok": number_text(row.low_usd_per_mtok),
        "utilisation_ratio": round(float(point.utilisation_ratio), RATIO_DIGITS),
        "tokens_per_day": round(point.tokens_per_day) if point.reachable else None,
        "source": row.source,
        "as_of": row.as_of,
    }
