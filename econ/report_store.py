"""A report as JSON-able data without loss, and back: a saved report reopens to the same numbers.

Every value that JSON has no word for is an object with one tag. Only the classes listed here are
ever made, so a stored report cannot name anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from econ import (
    levers,
    own_break_even,
    receipt,
    report,
    report_finance,
    report_own,
    report_params,
    sensitivity,
)
from econ.report import CostReport
from messages.errors import DataError, Message

STORE_VERSION = 1

_CLASSES: Mapping[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        Message,
        levers.Lever,
        sensitivity.Swing,
        receipt.Ignored,
        receipt.Receipt,
        receipt.Rejection,
        receipt.SourceFile,
        report_params.Adjustment,
        report_params.Period,
        report_params.Rate,
        report_params.ReportParams,
        report_params.StatedTotal,
        report_finance.AdjustedRow,
        report_finance.FittedPrice,
        report_finance.FocusRow,
        report_finance.InvoiceCheck,
        report_finance.Reconciliation,
        report.Amount,
        report.Baselines,
        report.BestRef,
        report.BreakEven,
        report.Change,
        report.CostReport,
        report.GroupRow,
        report.Month,
        report.PolicyRow,
        report.PriceSource,
        report.Provenance,
        report.Ratios,
        report.Saving,
        report.UnpricedRow,
        report.WorkloadInfo,
        own_break_even.ApiBill,
        own_break_even.OwnRate,
        report_own.OwnLine,
        report_own.OwnPart,
    )
}
_SCALARS: Mapping[str, Callable[[str], Any]] = {
    "decimal": Decimal,
    "fraction": Fraction,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
}


def report_to_store(value: CostReport) -> dict[str, Any]:
    """`value` as plain JSON data (dict, list, str, int, float, bool, None)."""
    return {"store_version": STORE_VERSION, "report": _encode(value)}


def params_to_store(params: report_params.ReportParams) -> dict[str, Any]:
    """The parameters alone as plain JSON data: equal parameters give equal data."""
    encoded: dict[str, Any] = _encode(params)
    return encoded


def params_from_store(data: Mapping[str, Any]) -> report_params.ReportParams:
    """The parameters that `params_to_store` made `data` from. Raises DataError on anything else."""
    (found,) = parts_from_store([data])
    if not isinstance(found, report_params.ReportParams):
        raise DataError(Message("report.store_broken", {"found": type(found).__name__}))
    return found


def parts_to_store(parts: tuple[object, ...]) -> list[Any]:
    """Rows and other parts of a report as plain JSON data."""
    return [_encode(part) for part in parts]


def parts_from_store(data: object) -> tuple[Any, ...]:
    """The parts that `parts_to_store` made `data` from. Raises DataError on anything else."""
    try:
        return tuple(_decode(part) for part in data)  # type: ignore[attr-defined]
    except (KeyError, TypeError, ValueError, AttributeError, InvalidOperation) as error:
        raise DataError(Message("report.store_broken", {"found": str(error)})) from error


def report_from_store(data: Mapping[str, Any]) -> CostReport:
    """The report that `report_to_store` made `data` from. Raises DataError on anything else."""
    version = data.get("store_version")
    if version != STORE_VERSION:
        raise DataError(
            Message("report.store_version", {"found": str(version), "expected": str(STORE_VERSION)})
        )
    try:
        decoded = _decode(data["report"])
    except (KeyError, TypeError, ValueError, AttributeError, InvalidOperation) as error:
        raise DataError(Message("report.store_broken", {"found": str(error)})) from error
    if not isinstance(decoded, CostReport):
        raise DataError(Message("report.store_broken", {"found": type(decoded).__name__}))
    return decoded


def _encode(value: object) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, datetime):
        return {"datetime": value.isoformat()}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    if isinstance(value, Mapping):
        return {"map": [[_encode(key), _encode(item)] for key, item in value.items()]}
    name = type(value).__name__
    if _CLASSES.get(name) is not type(value):
        raise AssertionError(f"{name} cannot be stored in a report")
    return {
        name: {field.name: _encode(getattr(value, field.name)) for field in fields(_CLASSES[name])}
    }


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_decode(item) for item in value)
    if not isinstance(value, dict):
        return value
    ((tag, inner),) = value.items()
    if tag == "map":
        return {_decode(key): _decode(item) for key, item in inner}
    if tag in _SCALARS:
        return _SCALARS[tag](inner)
    return _CLASSES[tag](**{name: _decode(item) for name, item in inner.items()})
