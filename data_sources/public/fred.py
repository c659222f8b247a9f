"""FRED: series of the Federal Reserve Bank of St. Louis, by key as JSON, without one as CSV.

https://fred.stlouisfed.org/docs/api/fred/series_observations.html
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from pydantic import SecretStr

from data_sources.public.failures import as_json, said, unexpected
from data_sources.public.hosts import FRED_API, FRED_CSV
from data_sources.public.numbers import day, end_of_months, number, period_months
from data_sources.public.web import Ask, Body
from econ.observation import Observation
from messages.errors import Message, NotFoundError, SourceError, input_error

SOURCE = "fred"
MISSING = (".", "")
SERIES = re.compile(r"[A-Z0-9_]{1,40}")
FIRST_DAY = "1776-07-04"
LAST_DAY = "9999-12-31"
MONTHS = {"M": 1, "Q": 3, "A": 12}
MOST_ROWS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """What FRED says of a series. `months` of one period: 1, 3, 12; 0 for days and weeks."""

    id: str
    title: str
    units: str
    months: int
    seasonal_adjustment: str
    last_updated: str


def series_id(text: str) -> str:
    """A series id in capitals. InputError for anything that cannot be one."""
    found = text.strip().upper()
    if not SERIES.fullmatch(found):
        raise input_error("public.bad_series", found=text[:40])
    return found


def observations_ask(
    series: str, key: SecretStr, *, all_vintages: bool = False, offset: int = 0
) -> Ask:
    """The values of a series: those of today, or every vintage that FRED keeps."""
    params = {"series_id": series_id(series), "file_type": "json", "limit": str(MOST_ROWS)}
    if all_vintages:
        params |= {"realtime_start": FIRST_DAY, "realtime_end": LAST_DAY}
    if offset:
        params["offset"] = str(offset)
    return Ask(host=FRED_API, path="/fred/series/observations", params=params,
               key=("api_key", key))  # fmt: skip


def info_ask(series: str, key: SecretStr) -> Ask:
    """Title, units, frequency and adjustment of a series."""
    params = {"series_id": series_id(series), "file_type": "json"}
    return Ask(host=FRED_API, path="/fred/series", params=params, key=("api_key", key))


def csv_ask(series: str) -> Ask:
    """The values of a series without a key: the download of its chart, promised to nobody."""
    return Ask(host=FRED_CSV, path="/graph/fredgraph.csv", params={"id": series_id(series)})


def read_info(body: Body) -> Info:
    """The answer of `/fred/series`. DataError where it is something else."""
    found = _checked(body)
    rows = found.get("seriess")  # FRED spells it so
    row = rows[0] if isinstance(rows, list) and rows else None
    if not isinstance(row, Mapping) or not isinstance(row.get("id"), str):
        raise unexpected(FRED_API, "seriess", body.content)
    return Info(
        id=row["id"],
        title=str(row.get("title", "")),
        units=str(row.get("units", "")),
        months=MONTHS.get(str(row.get("frequency_short", "")), 0),
        seasonal_adjustment=str(row.get("seasonal_adjustment_short", "")),
        last_updated=str(row.get("last_updated", "")),
    )


def read_observations(body: Body, series: str, units: str) -> list[Observation]:
    """The rows of an answer; `units` as its `Info` says. A row's vintage is its realtime_start."""
    rows = _checked(body).get("observations")
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise unexpected(FRED_API, "observations", body.content)
    made = [
        _observation(
            series, row.get("date"), row.get("value"), day(row.get("realtime_start")), units, body
        )
        for row in rows
    ]
    return _with_ends(one for one in made if one is not None)


def next_offset(body: Body) -> int | None:
    """Where the rest of a long answer begins; None at its end."""
    found = _checked(body)
    numbers = [found.get(name) for name in ("count", "offset", "limit")]
    count, offset, limit = (one if isinstance(one, int) else 0 for one in numbers)
    return offset + limit if limit > 0 and offset + limit < count else None


def read_csv(body: Body, series: str, units: str) -> list[Observation]:
    """The chart's CSV; its vintage is the day on which it was fetched. NotFoundError for a page of
    HTML, the answer to an unknown id; DataError for a table of something else."""
    text = body.content.decode("utf-8-sig", errors="replace")
    if body.content_type == "text/html" or text.lstrip().startswith("<"):
        raise NotFoundError(Message("public.no_series", {"host": FRED_CSV, "series": series}))
    try:
        rows = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error:
        raise unexpected(FRED_CSV, "CSV", body.content) from None
    header = rows[0] if rows else []
    if len(header) < 2 or header[0] not in ("observation_date", "DATE") or series not in header:
        raise unexpected(FRED_CSV, f"observation_date,{series}", body.content)
    at = header.index(series)
    made = []
    for row in rows[1:]:
        if row and len(row) != len(header):
            raise unexpected(FRED_CSV, f"observation_date,{series}", ",".join(row).encode())
        if row:
            today = body.fetched_utc.date()
            made.append(_observation(series, row[0], row[at], today, units, body))
    return _with_ends(one for one in made if one is not None)


def _checked(body: Body) -> Mapping[str, Any]:
    found = as_json(FRED_API, body.content)
    if "error_code" in found:
        why = said(str(found.get("error_message", "")), "")
        values = {"host": FRED_API, "status": str(found["error_code"])[:10], "why": why}
        raise SourceError(Message("public.refused", values))
    return found


def _observation(
    series: str, at: object, raw: object, vintage: date | None, units: str, body: Body
) -> Observation | None:
    start = day(at)
    value = number(raw)
    text = str(raw).strip()
    if start is None or (value is None and text not in MISSING):
        raise unexpected(FRED_API, "date, value", f"{at}, {text}".encode())
    return Observation(
        source=SOURCE,
        series=series,
        entity="",
        start=start,
        end=start,
        vintage=vintage,
        value=value,
        marker="" if value is not None else text,
        unit=units,
        url=body.url,
        fetched_utc=body.fetched_utc,
        body_sha256=body.sha256,
    )


def _with_ends(observations: Iterable[Observation]) -> list[Observation]:
    """FRED dates a period by its first day; the last one follows from the spacing."""
    found = list(observations)
    starts = sorted({one.start for one in found if one.start})
    months = period_months(starts)
    if not months:
        return found
    return [replace(one, end=end_of_months(one.start or one.end, months)) for one in found]
