"""What the program knows without network and keys: dated figures, each with source and status."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path

from data_sources.public import edinet, estat, sec
from econ.observation import Observation
from messages.errors import DataError, Message
from price_tables.yaml_loader import Node, read_yaml

FOLDER = Path(__file__).parent / "snapshot"
INDEX = FOLDER / "index.yaml"
FILES = ("sec", "fred", "edinet", "estat", "makers")
COLUMNS = ("entity", "series", "span", "start", "end", "vintage", "value", "unit", "currency",
           "document", "form", "derived", "reference", "note")  # fmt: skip
SPANS = ("instant", "day", "month", "quarter", "half", "year")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Where figures were read. `status`: 'copy' of the source's own data, 'filing', 'release' of
    the issuer, 'press', or 'article': printed there and read in no primary source yet."""

    id: str
    status: str
    what: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """Who files. `source` names the client that reads it, 'makers' for none. `id` is a CIK of ten
    digits, an EDINET code or a name of ours."""

    id: str
    source: str
    name: str
    name_ja: str
    ticker: str
    currency: str
    year_end: str
    weeks: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesInfo:
    """A statistical series. `months` of a period: 1, 3, 12; 0 for days and mixed ones."""

    id: str
    source: str
    title: str
    title_ja: str
    units: str
    months: int
    adjusted: str
    agency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledFigure:
    """One figure of the snapshot. Its observation's `fetched_utc` is the snapshot's day."""

    observation: Observation
    span: str
    derived: str
    reference: Reference
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All bundled figures, as of one day."""

    as_of: date
    figures: tuple[BundledFigure, ...]
    companies: tuple[Company, ...]
    series: tuple[SeriesInfo, ...]
    references: Mapping[str, Reference]


@cache
def snapshot() -> Snapshot:
    """The bundled figures, read once. DataError names file and line of what cannot be read."""
    index = _mapping(read_yaml(INDEX))
    as_of = date.fromisoformat(_text(index["as_of"]))
    references = {
        name: Reference(id=name, **{k: _text(row[k]) for k in ("status", "what", "url")})
        for name, node in _mapping(index["references"]).items()
        for row in [_mapping(node)]
    }
    companies = tuple(
        Company(**{name: _text(row.get(name)) for name in Company.__slots__})
        for row in map(_mapping, _list(index["companies"]))
    )
    series = tuple(
        SeriesInfo(
            months=int(_text(row["months"])),
            **{n: _text(row.get(n)) for n in SeriesInfo.__slots__ if n != "months"},
        )
        for row in map(_mapping, _list(index["series"]))
    )
    figures = tuple(one for name in FILES for one in _figures(name, as_of, references))
    return Snapshot(
        as_of=as_of, figures=figures, companies=companies, series=series, references=references
    )


def _figures(name: str, as_of: date, references: Mapping[str, Reference]) -> list[BundledFigure]:
    path = FOLDER / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file)
        if tuple(table.fieldnames or ()) != COLUMNS:
            raise _bad(path.name, 1)
        found = []
        for line, row in enumerate(table, start=2):
            try:
                found.append(_figure(name, row, as_of, references))
            except (KeyError, ValueError, ArithmeticError):
                raise _bad(path.name, line) from None
        return found


def _figure(
    source: str, row: Mapping[str, str], as_of: date, references: Mapping[str, Reference]
) -> BundledFigure:
    reference = references[row["reference"]]
    if row["span"] not in SPANS:
        raise ValueError(row["span"])
    return BundledFigure(
        observation=Observation(
            source=source,
            series=row["series"],
            entity=row["entity"],
            start=_day(row["start"]),
            end=date.fromisoformat(row["end"]),
            vintage=_day(row["vintage"]),
            value=Decimal(row["value"]) if row["value"] else None,
            unit=row["unit"],
            currency=row["currency"],
            document=row["document"],
            form=row["form"],
            url=_url(source, row, reference),
            fetched_utc=datetime(as_of.year, as_of.month, as_of.day, tzinfo=UTC),
        ),
        span=row["span"],
        derived=row["derived"],
        reference=reference,
        note=row["note"],
    )


def _url(source: str, row: Mapping[str, str], reference: Reference) -> str:
    """The document itself where it is known, else where it was read."""
    if row["document"] and source == "sec":
        return sec.filing_url(row["entity"], row["document"])
    if row["document"] and source == "edinet":
        return edinet.document_url(row["document"])
    if row["document"] and source == "estat":
        return estat.table_url(row["document"])
    if source == "fred" and reference.status == "copy":
        return f"https://fred.stlouisfed.org/series/{row['series']}"
    return reference.url


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None


def _bad(file: str, line: int) -> DataError:
    return DataError(Message("public.bad_snapshot", {"file": file, "line": line}))


def _mapping(node: Node) -> dict[str, Node]:
    if not isinstance(node, dict):
        raise _bad(INDEX.name, 0)
    return node


def _list(node: Node) -> list[Node]:
    if not isinstance(node, list):
        raise _bad(INDEX.name, 0)
    return node


def _text(node: Node) -> str:
    if isinstance(node, dict | list):
        raise _bad(INDEX.name, 0)
    return node or ""
