"""Numbers and days out of foreign text, exactly or not at all."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

NUMBER = re.compile(r"[-+]?(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?([eE][-+]?\d{1,2})?")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
CURRENCY = re.compile(r"([A-Z]{3})(/[A-Za-z]+)?")
LONGEST = 64


def number(text: object) -> Decimal | None:
    """The exact number of an int or of plain decimal text; None for every marker of a missing
    value ('-', '***', 'X', '.', '') and for anything else. A marker is never zero."""
    if isinstance(text, bool) or not isinstance(text, int | str):
        return None
    plain = str(text).strip().replace("−", "-")
    if len(plain) > LONGEST or not plain.isascii() or not NUMBER.fullmatch(plain):
        return None
    if not any(c.isdigit() for c in plain):
        return None
    return Decimal(plain.replace(",", ""))


def day(text: Any) -> date | None:
    """The day of YYYY-MM-DD, with or without a time behind it; None for anything else."""
    if not isinstance(text, str) or not DAY.fullmatch(text[:10]):
        return None
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def currency_of(unit: str) -> str:
    """'USD' of 'USD' and 'USD/shares'; '' for 'shares', 'pure' and the like."""
    found = CURRENCY.fullmatch(unit)
    return found.group(1) if found else ""


def end_of_months(start: date, months: int) -> date:
    """The last day of the `months` calendar months that begin with `start`'s."""
    index = start.year * 12 + start.month - 2 + months
    year, month = divmod(index, 12)
    if year > date.max.year:
        return date.max
    return date(year, month + 1, calendar.monthrange(year, month + 1)[1])


def period_months(days: list[date]) -> int:
    """1, 3 or 12 where all days begin a month and the nearest two lie that far apart; else 0: the
    values are of single days or weeks."""
    if len(days) < 2 or any(one.day != 1 for one in days):
        return 0
    ordered = sorted(days)
    nearest = min(b - a for a, b in pairwise(ordered))
    for months, most in ((1, 31), (3, 92), (12, 366)):
        if nearest <= timedelta(days=most):
            return months if nearest >= timedelta(days=28) else 0
    return 0
