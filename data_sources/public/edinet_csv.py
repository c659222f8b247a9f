"""The figures of an EDINET document, out of its ZIP of CSV (type 5).

Nine columns, tabs between them, UTF-16 or Shift-JIS; money in full yen. Only rows whose context is
exactly the current year are read: segments and the parent alone carry the same element ids.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import PurePosixPath

import pyarrow as pa
import pyarrow.csv as pacsv

from data_sources.public.archive import members, text_of
from data_sources.public.edinet import SOURCE, Document
from data_sources.public.numbers import number
from data_sources.public.web import Body
from econ.observation import Observation
from messages.errors import DataError, Message

COLUMNS = (
    "要素ID", "項目名", "コンテキストID", "相対年度", "連結・個別", "期間・時点",
    "ユニットID", "単位", "値",
)  # fmt: skip
MISSING = ("", "－", "-", "―", "‐")
CURRENT_YEAR = "CurrentYearDuration"
PARENT_ALONE = "CurrentYearDuration_NonConsolidatedMember"

# Tried in order; a company's own element is found by the item's name.
ELEMENTS: Mapping[str, tuple[str, ...]] = {
    "revenue": (
        "jpcrp_cor:RevenueIFRSSummaryOfBusinessResults",
        "jpcrp_cor:NetSalesIFRSSummaryOfBusinessResults",
        "jpigp_cor:RevenueIFRS",
        "jpigp_cor:NetSalesIFRS",
        "jpcrp_cor:NetSalesSummaryOfBusinessResults",
        "jppfs_cor:NetSales",
        "jpcrp_cor:RevenuesUSGAAPSummaryOfBusinessResults",
    ),
    "operating_income": (
        "jpigp_cor:OperatingProfitLossIFRS",
        "jpcrp_cor:OperatingProfitLossIFRSSummaryOfBusinessResults",
        "jppfs_cor:OperatingIncome",
    ),
    "research_and_development": (
        "jpcrp_cor:ResearchAndDevelopmentExpensesResearchAndDevelopmentActivities",
    ),
}
NAMES: Mapping[str, tuple[str, ...]] = {
    "revenue": ("売上収益", "売上高", "営業収益"),
    "operating_income": ("営業利益", "営業利益又は営業損失"),
    "research_and_development": ("研究開発費",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of the CSV as text."""

    element: str
    name: str
    context: str
    unit_id: str
    value: str


def read_rows(content: bytes, name: str) -> Iterator[Row]:
    """The rows of all CSV files in the ZIP but the auditors'. DataError where the ZIP is damaged or
    a table has other columns."""
    for member in members(content, name, _wanted):
        for cells in _cells(member.name, text_of(member.content)):
            yield Row(element=cells[0], name=cells[1], context=cells[2],
                      unit_id=cells[6], value=cells[8])  # fmt: skip


def _cells(name: str, text: str) -> Iterator[tuple[str, ...]]:
    """The rows under the header, each as wide as COLUMNS. Arrow reads them: a cell may hold a whole
    chapter, and the csv module's limit on cells can only be raised for the whole process."""
    content = text.encode()
    try:
        table = pacsv.read_csv(
            io.BytesIO(content),
            read_options=pacsv.ReadOptions(
                column_names=COLUMNS, block_size=max(len(content) + 1, 1 << 16), use_threads=False
            ),
            parse_options=pacsv.ParseOptions(delimiter="\t", newlines_in_values=True),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(COLUMNS, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        raise _bad_table(name, text.partition("\n")[0].split("\t")) from None
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    header = [cell.strip() for cell in next(rows, ())]
    if header != list(COLUMNS):
        raise _bad_table(name, header)
    yield from rows


def _wanted(path: str) -> bool:
    file = PurePosixPath(path).name
    return file.lower().endswith(".csv") and not file.startswith("jpaud")


def _bad_table(name: str, found: list[str]) -> DataError:
    said = {"name": name, "found": " ".join(found)[:60] or "''"}
    return DataError(Message("public.bad_edinet_csv", said))


def figures(body: Body, document: Document) -> list[Observation]:
    """Revenue, operating income and R&D of the document's year: the group's where it states them,
    else the parent's. What it does not state is not there."""
    rows = [
        row
        for row in read_rows(body.content, document.doc_id)
        if row.context in (CURRENT_YEAR, PARENT_ALONE)
    ]
    found = []
    for metric in ELEMENTS:
        for context in (CURRENT_YEAR, PARENT_ALONE):
            row = _choose([row for row in rows if row.context == context], metric)
            if row is not None and document.period_end is not None:
                found.append(_observation(row, metric, document, document.period_end, body))
                break
    return found


def _choose(rows: list[Row], metric: str) -> Row | None:
    for element in ELEMENTS[metric]:
        for row in rows:
            if row.element == element:
                return row
    for name in NAMES[metric]:
        for row in rows:
            own = not row.element.startswith(("jpcrp_cor", "jppfs_cor", "jpigp_cor"))
            if own and row.name.partition("、")[0].strip() == name:
                return row
    return None


def _observation(row: Row, metric: str, document: Document, end: date, body: Body) -> Observation:
    text = row.value.strip()
    value: Decimal | None = None if text in MISSING else number(text)
    currency = "JPY" if row.unit_id.upper() == "JPY" else ""
    return Observation(
        source=SOURCE,
        series=metric,
        entity=document.edinet_code,
        start=document.period_start,
        end=end,
        vintage=document.submitted,
        value=value,
        marker="" if value is not None else text[:40],
        unit=row.unit_id or "JPY",
        currency=currency,
        document=document.doc_id,
        form=f"{document.doc_type} {row.element}"[:64],
        url=body.url,
        fetched_utc=body.fetched_utc,
        body_sha256=body.sha256,
    )
