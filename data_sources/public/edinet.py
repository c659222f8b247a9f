"""EDINET v2: what companies file with Japan's Financial Services Agency.

Its failures come with HTTP status 200; only the body tells. The key travels in a header.
https://disclosure2dl.edinet-fsa.go.jp/guide/static/disclosure/WZEK0110.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from pydantic import SecretStr

from data_sources.public.failures import as_json, at, said, unexpected
from data_sources.public.hosts import EDINET
from data_sources.public.numbers import day
from data_sources.public.web import Ask, Body
from messages.errors import KvledgerError, Message, NotFoundError, SourceError, input_error

SOURCE = "edinet"
KEY_HEADER = "Ocp-Apim-Subscription-Key"
DOCUMENT = re.compile(r"S[0-9A-Z]{7}")
ANNUAL, AMENDED_ANNUAL, HALF_YEAR = "120", "130", "160"
DocumentType = Literal[1, 5]
"""1: ZIP of XBRL and inline HTML; 5: ZIP of CSV."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One row of the list. `sec_code` has five characters and may hold letters: it is no number.
    `parent` names the document that an amendment corrects. `readable`: not withdrawn, not hidden,
    and its body is still kept."""

    doc_id: str
    edinet_code: str
    sec_code: str
    filer: str
    doc_type: str
    description: str
    period_start: date | None
    period_end: date | None
    submitted: date | None
    parent: str
    has_xbrl: bool
    has_csv: bool
    readable: bool


def list_ask(on: date, key: SecretStr) -> Ask:
    """The documents that were submitted on one calendar day; there is no search by company."""
    return Ask(
        host=EDINET,
        path="/api/v2/documents.json",
        params={"date": on.isoformat(), "type": "2"},
        key=(KEY_HEADER, key),
        key_in_header=True,
    )


def document_ask(doc_id: str, kind: DocumentType, key: SecretStr) -> Ask:
    """The body of one document. InputError for what cannot be a document id."""
    if not DOCUMENT.fullmatch(doc_id):
        raise input_error("public.bad_document", found=doc_id[:40])
    return Ask(
        host=EDINET,
        path=f"/api/v2/documents/{doc_id}",
        params={"type": str(kind)},
        key=(KEY_HEADER, key),
        key_in_header=True,
    )


def document_url(doc_id: str) -> str:
    """Where a person reads the document."""
    return f"https://disclosure2.edinet-fsa.go.jp/WZEK0040.aspx?{doc_id}"


def read_list(body: Body) -> list[Document]:
    """The documents of a day; an empty list on a day without. SourceError, NotFoundError or
    DataError for the failures that come with status 200."""
    found = _checked(body.content)
    rows = found.get("results")
    if not isinstance(rows, list):
        raise unexpected(EDINET, "results", body.content)
    return [_document(row) for row in rows if isinstance(row, Mapping) and row.get("docID")]


def check_zip(body: Body) -> bytes:
    """The ZIP of a document. The error that the body tells where it is none."""
    if body.content.startswith(b"PK"):
        return body.content
    if body.content.lstrip().startswith(b"{"):
        _checked(body.content)
    raise unexpected(EDINET, "ZIP", body.content)


def newest(
    documents: Iterable[Document], edinet_code: str, doc_types: Iterable[str]
) -> list[Document]:
    """The readable documents of a company, amended ones replaced by their amendments, by day."""
    wanted = set(doc_types)
    mine = [
        one
        for one in documents
        if one.edinet_code == edinet_code and one.readable and one.doc_type in wanted
    ]
    replaced = {one.parent for one in mine if one.parent}
    left = [one for one in mine if one.doc_id not in replaced]
    return sorted(left, key=lambda one: (one.submitted or date.min, one.doc_id))


def _checked(content: bytes) -> Mapping[str, Any]:
    found = as_json(EDINET, content)
    if "StatusCode" in found or "statusCode" in found:
        raise _failure(str(found.get("StatusCode", found.get("statusCode"))), found)
    metadata = found.get("metadata")
    if not isinstance(metadata, Mapping):
        raise unexpected(EDINET, "metadata", content)
    status = str(metadata.get("status", ""))
    if status != "200":
        raise _failure(status, metadata)
    return found


def _failure(status: str, found: Mapping[str, Any]) -> KvledgerError:
    values = {**at(EDINET), "status": status[:10]}
    if status in ("401", "403"):
        return SourceError(Message("public.bad_key", values))
    if status == "404":
        return NotFoundError(Message("public.not_found", values))
    if status == "429":
        return SourceError(Message("public.too_many_now", values))
    if status.startswith("5"):
        return SourceError(Message("public.failed", values))
    why = said(str(found.get("message", "")), "")
    return SourceError(Message("public.refused", {**values, "why": why}))


def _document(row: Mapping[str, Any]) -> Document:
    def text(name: str) -> str:
        return str(row.get(name) or "")

    return Document(
        doc_id=text("docID"),
        edinet_code=text("edinetCode"),
        sec_code=text("secCode"),
        filer=text("filerName"),
        doc_type=text("docTypeCode"),
        description=text("docDescription"),
        period_start=day(row.get("periodStart")),
        period_end=day(row.get("periodEnd")),
        submitted=day(row.get("submitDateTime")),
        parent=text("parentDocID"),
        has_xbrl=text("xbrlFlag") == "1",
        has_csv=text("csvFlag") == "1",
        readable=text("withdrawalStatus") == "0"
        and text("disclosureStatus") == "0"
        and text("legalStatus") != "0",
    )
