"""Reads the dated tables, validates them and gives the price book. Every fault is a DataError
that names the file, the place in it, what was expected and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from messages.errors import DataError
from price_tables import build
from price_tables.book import PriceBook, ProviderTable
from price_tables.schema import BookFile, InheritRow, TableFile
from price_tables.yaml_loader import Node, data_error, read_yaml

FOLDER = Path(__file__).parent
BOOK_FILE = "book.yaml"

_File = TypeVar("_File", bound=BaseModel)

_EXPECTED = {
    "missing": "field",
    "extra_forbidden": "no_such_field",
    "literal_error": "one_of",
    "string_type": "text",
    "dict_type": "mapping",
    "model_type": "mapping",
    "model_attributes_type": "mapping",
    "list_type": "list",
    "too_short": "not_empty",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedTable:
    """One table file as `check_tables` found it: its table, or what is wrong with it."""

    provider: str
    table: ProviderTable | None
    error: DataError | None


def load_book(folder: Path | None = None) -> PriceBook:
    """The book in `folder`, by default the one that comes with kvledger. Read once a folder.

    Raises DataError where any table is not exactly as it should be.
    """
    return _load((folder or FOLDER).resolve())


@lru_cache(maxsize=8)
def _load(folder: Path) -> PriceBook:
    book = read_book_file(folder)
    files = {name: read_table_file(folder, name) for name in book.tables}
    own = {name: build.table(file) for name, file in files.items()}
    tables = {name: _resolved(own[name], files[name].inherits, own) for name in book.tables}
    as_of = build.book_moment(book.version)
    return PriceBook(version=book.version.isoformat(), as_of=as_of, tables=tables)


def check_tables(folder: Path | None = None) -> tuple[CheckedTable, ...]:
    """Every table of the book on its own, so that one fault does not hide the next.

    Tables come without what they inherit. Raises DataError if `book.yaml` itself is wrong.
    """
    folder = (folder or FOLDER).resolve()
    return tuple(_checked(folder, name) for name in read_book_file(folder).tables)


def _checked(folder: Path, name: str) -> CheckedTable:
    try:
        table = build.table(read_table_file(folder, name))
    except DataError as error:
        return CheckedTable(provider=name, table=None, error=error)
    return CheckedTable(provider=name, table=table, error=None)


def read_book_file(folder: Path) -> BookFile:
    """`book.yaml` of a folder, validated."""
    return validated(BookFile, read_yaml(folder / BOOK_FILE), BOOK_FILE)


def read_table_file(folder: Path, name: str) -> TableFile:
    """One table's file, validated by itself."""
    file_name = f"{name}.yaml"
    table = validated(TableFile, read_yaml(folder / file_name), file_name)
    if table.provider != name:
        raise data_error(file_name, "provider", "own_name", table.provider, name=name)
    return table


def _resolved(
    own: ProviderTable, rows: list[InheritRow], tables: dict[str, ProviderTable]
) -> ProviderTable:
    for row in rows:
        source = tables.get(row.provider)
        if source is None or not source.maker:
            place = f"{own.provider} inherits"
            raise data_error(f"{own.provider}.yaml", place, "maker", row.provider)
    return build.inherit(own, rows, tables)


def validated(kind: type[_File], raw: Node, file_name: str) -> _File:
    """`raw` as `kind`, or the DataError that says what is wrong where in `file_name`."""
    try:
        return kind.model_validate(raw, context={"sources": _sources(raw)})
    except ValidationError as error:
        raise as_data_error(error.errors(include_url=False)[0], raw, file_name) from error


def _sources(raw: Node) -> dict[str, str]:
    """What a `source` may name: the table's pages and references, as far as they are text."""
    known: dict[str, str] = {}
    for key in ("references", "pages"):
        entries = raw.get(key) if isinstance(raw, dict) else None
        if isinstance(entries, dict):
            known.update({name: to for name, to in entries.items() if isinstance(to, str)})
    return known


def as_data_error(detail: ErrorDetails, raw: Node, file_name: str) -> DataError:
    """One fault of a validation as the DataError that says where it is and what was expected."""
    place = _place(detail["loc"], raw)
    context = detail.get("ctx", {})
    if detail["type"] == "kvledger":
        return data_error(file_name, place, context["expected"], context["found"])
    expected = _EXPECTED.get(detail["type"], "valid")
    options = str(context.get("expected", detail["msg"]))
    found = None if detail["type"] == "missing" else _short(detail["input"])
    return data_error(file_name, place, expected, found, options=options)


def _short(found: Any) -> str:
    if isinstance(found, dict):
        return "{" + ", ".join(map(str, found)) + "}"
    return str(found)


def _place(loc: tuple[int | str, ...], raw: Node) -> str:
    """Where it is in words of the file: models by their id, periods by their first day."""
    parts: list[str] = []
    here: Any = raw
    for step in loc:
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            here = None
        parts.append(_step(step, here))
    return " > ".join(parts) or "–"


def _step(step: int | str, here: Any) -> str:
    if isinstance(step, str):
        return step
    if isinstance(here, dict):
        for key in ("id", "valid_from", "name", "provider", "topic", "api"):
            if isinstance(here.get(key), str):
                return str(here[key])
    return f"[{step + 1}]"
