"""e-Stat v3: official statistics of Japan. Failures come with HTTP status 200 as RESULT.STATUS.

https://www.e-stat.go.jp/api/api-info/e-stat-manual3-0
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import SecretStr

from data_sources.public.failures import as_json, at, said, unexpected
from data_sources.public.hosts import ESTAT
from data_sources.public.numbers import day, end_of_months, number
from data_sources.public.web import Ask, Body
from econ.observation import Observation
from messages.errors import KvledgerError, Message, SourceError, Value, input_error

SOURCE = "estat"
BASE = "/rest/3.0/app/json/"
TABLE = re.compile(r"\d{10}")
CODE = re.compile(r"[0-9A-Za-z_-]{1,40}")
MOST_ROWS = 100_000
NO_DATA = 1
FIRST_ERROR = 100
BAD_KEY = 100
SERVER_ERROR = 200
MONTH_NAME = re.compile(r"(\d{4})\D{0,2}(\d{1,2})月?")
YEAR_NAME = re.compile(r"(\d{4})年?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table of the catalogue."""

    id: str
    title: str
    cycle: str
    updated: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """One value of a dimension ('cat01', 'time', ...)."""

    dimension: str
    code: str
    name: str
    unit: str


def list_ask(stats_code: str, words: str, key: SecretStr, *, start: int = 1) -> Ask:
    """The tables of a survey whose description has `words`."""
    params = {"statsCode": _code(stats_code), "searchWord": words[:200], "limit": "100"}
    return _ask("getStatsList", params | ({"startPosition": str(start)} if start > 1 else {}), key)


def meta_ask(table: str, key: SecretStr) -> Ask:
    """The dimensions of a table and their codes."""
    return _ask("getMetaInfo", {"statsDataId": table_id(table)}, key)


def data_ask(table: str, key: SecretStr, *, cat01: str = "", start: int = 1) -> Ask:
    """The values of a table, of some codes of its first category. Markers stay markers."""
    params = {
        "statsDataId": table_id(table),
        "metaGetFlg": "Y",
        "cntGetFlg": "N",
        "replaceSpChars": "0",
        "limit": str(MOST_ROWS),
    }
    if cat01:
        params["cdCat01"] = ",".join(_code(one) for one in cat01.split(","))
    if start > 1:
        params["startPosition"] = str(start)
    return _ask("getStatsData", params, key)


def table_id(text: str) -> str:
    """Ten digits. InputError otherwise."""
    if not TABLE.fullmatch(text.strip()):
        raise input_error("public.bad_series", found=text[:40])
    return text.strip()


def _code(text: str) -> str:
    if not CODE.fullmatch(text.strip()):
        raise input_error("public.bad_series", found=text[:40])
    return text.strip()


def _ask(what: str, params: Mapping[str, str], key: SecretStr) -> Ask:
    return Ask(host=ESTAT, path=BASE + what, params=params, key=("appId", key))


def table_url(table: str) -> str:
    """Where a person reads the table."""
    return f"https://www.e-stat.go.jp/dbview?sid={table}"


def read_list(body: Body) -> list[Table]:
    """The tables of an answer; none where nothing matches."""
    found = _checked(body, "GET_STATS_LIST")
    rows = wrap(_part(found, "DATALIST_INF").get("TABLE_INF"))
    return [_table(row) for row in rows if isinstance(row, Mapping)]


def read_codes(body: Body) -> list[Code]:
    """The codes of getMetaInfo."""
    found = _checked(body, "GET_META_INFO")
    return _codes(_part(found, "METADATA_INF"))


def next_start(body: Body) -> int | None:
    """Where the next page of getStatsData or getStatsList begins; None at the end."""
    found = as_json(ESTAT, body.content)
    inner = next((part for part in found.values() if isinstance(part, Mapping)), {})
    part = _part(inner, "STATISTICAL_DATA") or _part(inner, "DATALIST_INF")
    key = number(_part(part, "RESULT_INF").get("NEXT_KEY"))
    return int(key) if key is not None and key == int(key) and key > 1 else None


def read_data(body: Body) -> list[Observation]:
    """The values of a table; none where it matches nothing. The series is 'table:code[:code]'; the
    vintage is the table's last update. Rows for weights, whose time is no period, are left out."""
    found = _checked(body, "GET_STATS_DATA")
    data = _part(found, "STATISTICAL_DATA")
    if not data:
        return []
    table = _table(_part(data, "TABLE_INF"))
    codes = {(one.dimension, one.code): one for one in _codes(data)}
    rows = wrap(_part(data, "DATA_INF").get("VALUE"))
    made = [_observation(row, table, codes, body) for row in rows if isinstance(row, Mapping)]
    return [one for one in made if one is not None]


def wrap(part: Any) -> list[Any]:
    """A list with one member is sent as that member; an absent one as nothing."""
    if part is None:
        return []
    return part if isinstance(part, list) else [part]


def words(part: Any) -> str:
    """Text that is sent bare or as an object with `$`."""
    found = part.get("$", "") if isinstance(part, Mapping) else part
    return "" if found is None else str(found)


def period(name: str, code: str) -> tuple[date, date] | None:
    """First and last day of the month, quarter or year behind a time code and its name; None for
    rows that are no period (weights). Codes may be surrogates: the name is asked first."""
    for text in (name.strip(), code if len(code) in (6, 8, 10) else ""):
        found = MONTH_NAME.fullmatch(text)
        if found and 1 <= int(found.group(2)) <= 12 and int(found.group(1)) > 0:
            start = date(int(found.group(1)), int(found.group(2)), 1)
            return start, end_of_months(start, 1)
        year = YEAR_NAME.fullmatch(text)
        if year and int(year.group(1)) > 0:
            return date(int(year.group(1)), 1, 1), date(int(year.group(1)), 12, 31)
        if text.isascii() and text.isdigit() and len(text) == 10:
            return _ten_digits(text)
    return None


def _ten_digits(text: str) -> tuple[date, date] | None:
    """YYYY00MMMM: first and last month; annual rows carry 0000."""
    year, first, last = int(text[:4]), int(text[6:8]), int(text[8:10])
    if not 1900 <= year <= 2200:
        return None
    if (first, last) == (0, 0):
        return date(year, 1, 1), date(year, 12, 31)
    if not 1 <= first <= last <= 12:
        return None
    start = date(year, first, 1)
    return start, end_of_months(start, last - first + 1)


def _checked(body: Body, root: str) -> Mapping[str, Any]:
    found = as_json(ESTAT, body.content)
    inner = found.get(root)
    # A refused key may be answered under another root than the one asked for.
    inner = next((v for v in found.values() if isinstance(v, Mapping)), None) if not isinstance(
        inner, Mapping) else inner  # fmt: skip
    result = _part(inner or {}, "RESULT")
    status = number(result.get("STATUS"))
    if inner is None or status is None:
        raise unexpected(ESTAT, f"{root}.RESULT.STATUS", body.content)
    if status >= FIRST_ERROR:
        raise _failure(int(status), str(result.get("ERROR_MSG", "")))
    if root not in found:
        raise unexpected(ESTAT, root, body.content)
    return inner


def _failure(status: int, text: str) -> KvledgerError:
    values: dict[str, Value] = {**at(ESTAT), "status": str(status)}
    if status == BAD_KEY:
        return SourceError(Message("public.bad_key", values))
    if status >= SERVER_ERROR:
        return SourceError(Message("public.failed", values))
    return SourceError(Message("public.refused", {**values, "why": said(text, "")}))


def _part(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = found.get(name)
    return part if isinstance(part, Mapping) else {}


def _table(row: Mapping[str, Any]) -> Table:
    return Table(
        id=str(row.get("@id", "")),
        title=words(row.get("TITLE")),
        cycle=words(row.get("CYCLE")),
        updated=day(row.get("UPDATED_DATE")),
    )


def _codes(data: Mapping[str, Any]) -> list[Code]:
    return [
        Code(
            dimension=str(dimension.get("@id", "")),
            code=str(one.get("@code", "")),
            name=str(one.get("@name", "")),
            unit=str(one.get("@unit", "")),
        )
        for dimension in wrap(_part(data, "CLASS_INF").get("CLASS_OBJ"))
        if isinstance(dimension, Mapping)
        for one in wrap(dimension.get("CLASS"))
        if isinstance(one, Mapping)
    ]


def _observation(
    row: Mapping[str, Any], table: Table, codes: Mapping[tuple[str, str], Code], body: Body
) -> Observation | None:
    time = str(row.get("@time", ""))
    known = codes.get(("time", time))
    span = period(known.name if known else "", "" if known and known.name else time)
    if span is None:
        return None
    dimensions = sorted(name for name in row if name.startswith("@") and name not in TIMELESS)
    values = [str(row[name]) for name in dimensions]
    raw = words(row.get("$")).strip()
    value = number(raw)
    unit = str(row.get("@unit") or next(
        (codes[(n[1:], v)].unit for n, v in zip(dimensions, values, strict=True)
         if (n[1:], v) in codes and codes[(n[1:], v)].unit), "index"))  # fmt: skip
    return Observation(
        source=SOURCE,
        series=":".join([table.id, *values])[:200],
        entity="",
        start=span[0],
        end=span[1],
        vintage=table.updated,
        value=value,
        marker="" if value is not None else raw[:40],
        unit=unit,
        document=table.id,
        form=table.cycle,
        url=body.url,
        fetched_utc=body.fetched_utc,
        body_sha256=body.sha256,
    )


TIMELESS = ("@time", "@unit", "@annotation")
