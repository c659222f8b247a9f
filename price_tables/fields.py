"""Field types of a price table: text in, exact values out, one clear reason where it is wrong."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ValidationInfo
from pydantic_core import PydanticCustomError

from price_tables.book import BUCKETS, EXTRA_PRICES

PRICE_NAMES = frozenset(BUCKETS + EXTRA_PRICES)
NEVER_FREE = frozenset({"uncached", "output"})

_PRICE = re.compile(r"(0|[1-9]\d{0,5})(\.\d{1,9})?")
_COUNT = re.compile(r"(0|[1-9]\d{0,8})")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_WINDOW = re.compile(r"([01]\d|2[0-4]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)")
_NAME = re.compile(r"\S(?:[^\x00-\x1f\x7f]{0,118}\S)?")
_NOTE = re.compile(r"\S(?:[^\x00-\x1f\x7f]{0,398}\S)?")


def wrong(expected: str, found: object) -> PydanticCustomError:
    """A validation error of kind `expected` (a key under prices.expected) that carries `found`."""
    context = {"expected": expected, "found": str(found)}
    return PydanticCustomError("kvledger", "{expected}: {found}", context)


def _matching(pattern: re.Pattern[str], value: object, expected: str) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise wrong(expected, value)
    return value


def _price(value: object) -> Decimal:
    return Decimal(_matching(_PRICE, value, "price"))


def _factor(value: object) -> Decimal:
    factor = Decimal(_matching(_PRICE, value, "factor"))
    if not 0 < factor <= 100:
        raise wrong("factor", value)
    return factor


def _count(value: object) -> int:
    return int(_matching(_COUNT, value, "count"))


def _flag(value: object) -> bool:
    if value not in ("true", "false"):
        raise wrong("flag", value)
    return value == "true"


def _day(value: object) -> date:
    text = _matching(_DAY, value, "date")
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise wrong("date", value) from error


def _moment(value: object) -> datetime:
    """A date is 00:00 UTC of that day."""
    if isinstance(value, str) and _DAY.fullmatch(value):
        day = _day(value)
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    text = _matching(_MOMENT, value, "moment")
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        raise wrong("moment", value) from error


def _as_of(value: object) -> str:
    if isinstance(value, str) and _MONTH.fullmatch(value):
        return value
    try:
        return _day(value).isoformat()
    except PydanticCustomError as error:
        raise wrong("as_of", value) from error


def _window(value: object) -> tuple[int, int]:
    """'01:00-04:00' as minutes of the UTC day, the end not included."""
    found = _WINDOW.fullmatch(_matching(_WINDOW, value, "window"))
    assert found is not None  # noqa: S101
    start_h, start_m, end_h, end_m = map(int, found.groups())
    start, end = start_h * 60 + start_m, end_h * 60 + end_m
    if not 0 <= start < end <= 24 * 60:
        raise wrong("window", value)
    return start, end


def _name(value: object) -> str:
    return _matching(_NAME, value, "name")


def _note(value: object) -> str:
    return _matching(_NOTE, value, "note")


def _source(value: object, info: ValidationInfo) -> str:
    """A key of the table's `pages` or `references`, or an https address. Gives what it names."""
    known: dict[str, str] = info.context["sources"] if info.context else {}
    if isinstance(value, str) and value in known:
        return known[value]
    if isinstance(value, str) and value.startswith("https://"):
        return value
    raise wrong("source", value)


def _address(value: object) -> str:
    if not isinstance(value, str) or not value.startswith("https://"):
        raise wrong("address", value)
    return value


def _plain(value: Any) -> Any:
    """A rule's value: true, false, whole numbers and decimals out of text; text stays text."""
    if isinstance(value, list):
        return tuple(_plain(item) for item in value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if value in ("true", "false"):
        return value == "true"
    if isinstance(value, str) and _COUNT.fullmatch(value):
        return int(value)
    if isinstance(value, str) and _PRICE.fullmatch(value):
        return Decimal(value)
    return value


def _prices(value: dict[str, Decimal]) -> dict[str, Decimal]:
    for name, price in value.items():
        if name not in PRICE_NAMES:
            raise wrong("bucket", name)
        if price == 0 and name in NEVER_FREE:
            raise wrong("price_above_zero", f"{name}: {price}")
    if not value.keys() >= NEVER_FREE:
        raise wrong("input_and_output", ", ".join(value) or "–")
    return value


def _buckets(value: dict[str, Decimal]) -> dict[str, Decimal]:
    for name in value:
        if name not in PRICE_NAMES:
            raise wrong("bucket", name)
    return value


def _bucket(value: object) -> str:
    if value not in PRICE_NAMES:
        raise wrong("bucket", value)
    return str(value)


def _listed(value: Any) -> Any:
    """One entry or a list of them."""
    return [value] if isinstance(value, dict) else value


Price = Annotated[Decimal, BeforeValidator(_price)]
Factor = Annotated[Decimal, BeforeValidator(_factor)]
Count = Annotated[int, BeforeValidator(_count)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Day = Annotated[date, BeforeValidator(_day)]
Moment = Annotated[datetime, BeforeValidator(_moment)]
AsOf = Annotated[str, BeforeValidator(_as_of)]
Window = Annotated[tuple[int, int], BeforeValidator(_window)]
Name = Annotated[str, BeforeValidator(_name)]
Note = Annotated[str, BeforeValidator(_note)]
Source = Annotated[str, BeforeValidator(_source)]
Address = Annotated[str, BeforeValidator(_address)]
Plain = Annotated[Any, BeforeValidator(_plain)]
Prices = Annotated[dict[str, Price], AfterValidator(_prices)]
SomePrices = Annotated[dict[str, Price], AfterValidator(_buckets)]
SomeFactors = Annotated[dict[str, Factor], AfterValidator(_buckets)]
Bucket = Annotated[str, BeforeValidator(_bucket)]
Listed = BeforeValidator(_listed)
