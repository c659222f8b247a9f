"""Answers made up for tests, in the shapes of the four sources."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from data_sources.public.edinet_csv import COLUMNS
from data_sources.public.web import Body

MOMENT = datetime(2026, 11, 29, 12, tzinfo=UTC)


def body(content: Any, content_type: str = "application/json", url: str = "https://x/y") -> Body:
    """A body of bytes, text or anything that JSON can hold."""
    if isinstance(content, str):
        content = content.encode()
    if not isinstance(content, bytes):
        content = json.dumps(content).encode()
    return Body(content=content, content_type=content_type, url=url, fetched_utc=MOMENT)


def fact(start: str | None, end: str, val: Any, filed: str, **more: Any) -> dict[str, Any]:
    """One row of companyfacts."""
    row = {"end": end, "val": val, "filed": filed, "form": "10-Q", "accn": f"a-{filed}",
           "fy": 2026, "fp": "Q1", **more}  # fmt: skip
    return row if start is None else {"start": start, **row}


def companyfacts(concepts: Mapping[str, list[dict[str, Any]]], unit: str = "USD") -> Body:
    """companyfacts of one company (CIK 7)."""
    facts = {tag: {"label": tag, "units": {unit: rows}} for tag, rows in concepts.items()}
    return body({"cik": 7, "entityName": "MADE UP", "facts": {"us-gaap": facts}})


def edinet_row(doc_id: str, **changes: Any) -> dict[str, Any]:
    """One row of EDINET's list."""
    row = {
        "docID": doc_id, "edinetCode": "E00001", "secCode": "285A0", "filerName": "架空",
        "docTypeCode": "120", "periodStart": "2025-04-01", "periodEnd": "2026-03-31",
        "submitDateTime": "2026-06-22 09:00", "docDescription": "有価証券報告書",
        "parentDocID": None, "withdrawalStatus": "0", "disclosureStatus": "0",
        "legalStatus": "1", "xbrlFlag": "1", "csvFlag": "1",
    }  # fmt: skip
    return row | changes


def edinet_list(*rows: dict[str, Any]) -> dict[str, Any]:
    """A day's list."""
    return {
        "metadata": {"resultset": {"count": len(rows)}, "status": "200", "message": "OK"},
        "results": list(rows),
    }


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A ZIP."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def csv_row(
    element: str, value: str, context: str = "CurrentYearDuration", name: str = "項目"
) -> list[str]:
    """One row of EDINET's CSV."""
    return [element, name, context, "当期", "連結", "期間", "JPY", "円", value]


def edinet_csv(*rows: list[str]) -> str:
    """EDINET's CSV as text."""
    return "\r\n".join("\t".join(f'"{cell}"' for cell in row) for row in [COLUMNS, *rows]) + "\r\n"


def estat(root: str, status: int = 0, message: str = "", **parts: Any) -> dict[str, Any]:
    """An answer of e-Stat."""
    return {root: {"RESULT": {"STATUS": status, "ERROR_MSG": message}, **parts}}
