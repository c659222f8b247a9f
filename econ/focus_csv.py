"""FOCUS-style rows as CSV: UTF-8 with a byte-order mark, raw numbers, text that nothing runs.

BilledCost is at list price in USD, empty where it is unknown; a cost that is a range stands in
x_BilledCostLow and x_BilledCostHigh. Other currencies are columns of their own with rate and date.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from econ.csv_safe import Cell, csv_bytes
from econ.money import product
from econ.report import CostReport, FocusRow, Rate

COLUMNS = (
    "BillingCurrency",
    "BilledCost",
    "ChargePeriodStart",
    "ChargePeriodEnd",
    "ServiceName",
    "SkuMeter",
    "ConsumedQuantity",
    "ConsumedUnit",
    "x_CacheAction",
    "x_TokenDirection",
    "x_Model",
    "x_Surface",
    "x_Mode",
    "x_BilledCostLow",
    "x_BilledCostHigh",
    "x_ReportId",
    "x_PriceBook",
)
UNIT = "Tokens"
MOMENT = "%Y-%m-%dT%H:%M:%SZ"


def focus_csv(rows: Iterable[FocusRow], report: CostReport, rates: Sequence[Rate] = ()) -> bytes:
    """The file for rows of the workload of `report`; `rates` replace the report's own."""
    currencies = {rate.currency: rate for rate in (*report.rates, *rates)}
    extra = [
        column
        for name in currencies
        for column in (f"x_BilledCost{name}", f"x_{name}PerUSD", f"x_{name}RateDate")
    ]
    lines = (_line(row, report, currencies.values()) for row in rows)
    return csv_bytes([*COLUMNS, *extra], lines)


def cache_action(bucket: str) -> str:
    """'Read', 'Write' or 'None'."""
    return "Read" if bucket == "read" else "Write" if bucket.startswith("write") else "None"


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.strftime(MOMENT)


def _line(row: FocusRow, report: CostReport, rates: Iterable[Rate]) -> dict[str, Cell]:
    usd = None if row.cost is None else row.cost.usd
    line: dict[str, Cell] = {
        "BillingCurrency": "USD",
        "BilledCost": usd,
        "ChargePeriodStart": _moment(row.start),
        "ChargePeriodEnd": _moment(row.end),
        "ServiceName": row.provider,
        "SkuMeter": row.bucket,
        "ConsumedQuantity": row.tokens,
        "ConsumedUnit": UNIT,
        "x_CacheAction": cache_action(row.bucket),
        "x_TokenDirection": "Output" if row.bucket == "output" else "Input",
        "x_Model": row.model,
        "x_Surface": row.surface,
        "x_Mode": row.mode,
        "x_BilledCostLow": None if row.cost is None else row.cost.low_usd,
        "x_BilledCostHigh": None if row.cost is None else row.cost.high_usd,
        "x_ReportId": report.report_id,
        "x_PriceBook": report.price_book_version,
    }
    for rate in rates:
        line[f"x_BilledCost{rate.currency}"] = None if usd is None else product(usd, rate.per_usd)
        line[f"x_{rate.currency}PerUSD"] = rate.per_usd
        line[f"x_{rate.currency}RateDate"] = None if rate.date is None else str(rate.date)
    return line
