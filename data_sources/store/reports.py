"""Saved reports: visible to everyone on this server, the same numbers whenever reopened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from data_sources.store.engine import Store, take_turn
from data_sources.store.tables import report as table
from data_sources.store.workloads import collect, forget_deleted, keep, release
from messages.errors import Message, NotFoundError

REPORTS_TURN = 2
"""Advisory lock: saving and deleting reports decide together whether a workload stays saved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewReport:
    """A report to be saved. `id` is its hash (64 hex digits): the same inputs, the same id.
    `report` is `econ.report`'s stored form, any plain JSON with Decimals; name and note are kept
    as given."""

    id: str
    workload_digest: str
    params: Mapping[str, Any]
    report: Mapping[str, Any]
    name: str
    owner: str
    method_version: int
    price_book_version: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSummary:
    """A saved report without its rows, for lists."""

    id: str
    workload_digest: str
    params: Mapping[str, Any]
    name: str
    note: str
    method_version: int
    price_book_version: str
    created_utc: datetime
    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedReport:
    """A saved report: its summary and its stored form."""

    summary: ReportSummary
    report: Mapping[str, Any]


def save_report(store: Store, new: NewReport) -> SavedReport:
    """Save `new` and the workload it rests on; returns what is stored afterwards.

    A report whose id is saved already stays as it is, name and note too: no second one, and no
    writer overwrites another. NotFoundError: the owner has no such workload (any more).
    """
    values = {name: getattr(new, name) for name in NewReport.__slots__}
    values.update(params=dict(new.params), report=dict(new.report), created_utc=datetime.now(UTC))
    with store.write() as connection:
        take_turn(connection, REPORTS_TURN)
        replaced = keep(connection, new.workload_digest, new.owner)
        row = _find(connection, new.id)
        if row is None:
            connection.execute(sa.insert(table).values(values))
            row = _find(connection, new.id)
    collect(store, replaced)
    return _saved(_existing(row, new.id))


def list_reports(store: Store, limit: int = 1_000) -> list[ReportSummary]:
    """The newest `limit` saved reports, newest first."""
    columns = [column for column in table.c if column.name != "report"]
    query = sa.select(*columns).order_by(table.c.created_utc.desc(), table.c.id).limit(limit)
    with store.read() as connection:
        return [_summary(row) for row in connection.execute(query)]


def get_report(store: Store, report_id: str) -> SavedReport:
    """The saved report. NotFoundError if there is none; DataError if its row is damaged."""
    with store.read() as connection:
        return _saved(_existing(_find(connection, report_id), report_id))


def rename_report(store: Store, report_id: str, name: str, note: str) -> None:
    """Give a saved report another name and note. NotFoundError if there is none."""
    change = sa.update(table).where(table.c.id == report_id).values(name=name, note=note)
    with store.write() as connection:
        if not connection.execute(change).rowcount:
            raise _missing(report_id)


def delete_report(store: Store, report_id: str, owner: str) -> None:
    """Delete a saved report for good. When it was the last on its workload, that goes too; where
    the workload is `owner`'s own it lives on until their session ends. NotFoundError if none."""
    with store.write() as connection:
        take_turn(connection, REPORTS_TURN)
        row = _existing(_find(connection, report_id), report_id)
        connection.execute(sa.delete(table).where(table.c.id == report_id))
        others = sa.select(table.c.id).where(table.c.workload_digest == row.workload_digest)
        last = connection.execute(others.limit(1)).first() is None
        keys = release(connection, row.workload_digest, owner) if last else []
    collect(store, keys)
    forget_deleted(store)


def _find(connection: Connection, report_id: str) -> Row[Any] | None:
    return connection.execute(sa.select(table).where(table.c.id == report_id)).first()


def _existing(row: Row[Any] | None, report_id: str) -> Row[Any]:
    if row is None:
        raise _missing(report_id)
    return row


def _missing(report_id: str) -> NotFoundError:
    return NotFoundError(Message("store.no_report", {"id": report_id[:12]}))


def _summary(row: Row[Any]) -> ReportSummary:
    return ReportSummary(**{name: getattr(row, name) for name in ReportSummary.__slots__})


def _saved(row: Row[Any]) -> SavedReport:
    return SavedReport(summary=_summary(row), report=row.report)
