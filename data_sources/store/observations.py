"""Public figures that were fetched: raw answers with their moment, and observations by vintage.

Nothing is replaced: another value for a period is another row. Values are exact decimal text.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from data_sources.store.engine import Store
from data_sources.store.tables import observation as table
from data_sources.store.tables import public_body, public_fetch
from econ.observation import Observation
from messages.errors import DataError, Message

LONGEST_CONTENT_TYPE = 128
FIELDS = {"series": 200, "entity": 64, "marker": 64, "unit": 160, "currency": 8,
          "document": 64, "form": 64}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptBody:
    """A raw answer as it came. `url` holds no key."""

    source: str
    url: str
    content_type: str
    fetched_utc: datetime
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a fetch brought: `before` is None for a figure that was not there."""

    before: Observation | None
    after: Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What became of observations: rows that are new, those whose value differs from the newest
    vintage before, and how many said nothing new."""

    new: tuple[Change, ...]
    changed: tuple[Change, ...]
    unchanged: int


def keep_body(store: Store, body: KeptBody, sha256: str) -> None:
    """Keep a raw answer; equal content is kept once, every fetch is noted."""
    with store.write() as connection:
        have = sa.select(public_body.c.sha256).where(public_body.c.sha256 == sha256)
        if connection.execute(have).first() is None:
            connection.execute(
                sa.insert(public_body).values(
                    sha256=sha256,
                    size_bytes=len(body.content),
                    packed=zlib.compress(body.content, 6),
                )
            )
        connection.execute(
            sa.insert(public_fetch).values(
                source=body.source,
                url=body.url,
                content_type=body.content_type[:LONGEST_CONTENT_TYPE],
                fetched_utc=body.fetched_utc,
                sha256=sha256,
            )
        )


def find_body(store: Store, url: str, since: datetime | None) -> KeptBody | None:
    """The newest raw answer of `url` that was fetched at or after `since` (None: at any time)."""
    query = (
        sa.select(public_fetch, public_body.c.packed, public_body.c.size_bytes)
        .join(public_body, public_body.c.sha256 == public_fetch.c.sha256)
        .where(public_fetch.c.url == url)
        .order_by(public_fetch.c.fetched_utc.desc(), public_fetch.c.id.desc())
        .limit(1)
    )
    if since is not None:
        query = query.where(public_fetch.c.fetched_utc >= since)
    with store.read() as connection:
        row = connection.execute(query).first()
    if row is None:
        return None
    try:
        content = zlib.decompress(row.packed, bufsize=max(1, row.size_bytes))
    except zlib.error:
        raise DataError(Message("store.bad_json", {"found": url[:40]})) from None
    return KeptBody(
        source=row.source,
        url=row.url,
        content_type=row.content_type,
        fetched_utc=row.fetched_utc,
        content=content,
    )


def last_fetches(store: Store) -> dict[str, datetime]:
    """The newest fetch of each source that was ever asked."""
    newest = sa.func.max(public_fetch.c.fetched_utc).label("newest")
    query = sa.select(public_fetch.c.source, newest).group_by(public_fetch.c.source)
    with store.read() as connection:
        return {row.source: row.newest for row in connection.execute(query)}


def keep(store: Store, found: Sequence[Observation], *, repeats: bool) -> Kept:
    """Keep observations. With `repeats` every document's statement is a row of its own; without,
    a value equal to the newest vintage before it is none."""
    new, changed, unchanged = [], [], 0
    with store.write() as connection:
        known = _known(connection, found)
        for one in sorted(found, key=lambda one: (one.vintage or date.min, one.document)):
            vintages = known.setdefault(one.key, [])
            if any(_same_statement(old, one) for old in vintages):
                unchanged += 1
                continue
            before = _newest_until(vintages, one.vintage)
            differs = before is None or before.value != one.value or before.marker != one.marker
            if not differs and not repeats:
                unchanged += 1
                continue
            if not _insert(connection, one):
                unchanged += 1
                continue
            if before is None and not vintages:
                new.append(Change(before=None, after=one))
            elif differs:
                changed.append(Change(before=before, after=one))
            else:
                unchanged += 1
            vintages.append(one)
    return Kept(new=tuple(new), changed=tuple(changed), unchanged=unchanged)


def _same_statement(old: Observation, one: Observation) -> bool:
    return (old.vintage, old.document, old.value, old.marker) == (
        one.vintage, one.document, one.value, one.marker)  # fmt: skip


def _newest_until(vintages: Iterable[Observation], vintage: date | None) -> Observation | None:
    until = vintage or date.min
    before = [one for one in vintages if (one.vintage or date.min) <= until]
    return max(before, key=lambda one: (one.vintage or date.min, one.fetched_utc), default=None)


def _insert(connection: Connection, one: Observation) -> bool:
    """Whether a row was added. One document that says two things on one day keeps the first."""
    values = _values(one)
    unique = ("source", "entity", "series", "unit", "start_day", "end_day", "vintage", "document")
    same = sa.and_(*(table.c[name] == values[name] for name in unique))
    old = connection.execute(sa.select(table.c.id).where(same)).first()
    if old is not None and one.document:
        return False
    if old is not None:  # no document: the source changed its mind within the day
        connection.execute(sa.update(table).where(table.c.id == old.id).values(values))
        return True
    connection.execute(sa.insert(table).values(values))
    return True


def _known(
    connection: Connection, found: Sequence[Observation]
) -> dict[tuple[Any, ...], list[Observation]]:
    known: dict[tuple[Any, ...], list[Observation]] = {}
    for source, entity, series in sorted({(o.source, o.entity, o.series) for o in found}):
        query = sa.select(table).where(
            table.c.source == source, table.c.entity == entity, table.c.series == series
        )
        for row in connection.execute(query):
            one = _observation(row)
            known.setdefault(one.key, []).append(one)
    return known


def list_observations(
    store: Store,
    *,
    source: str | None = None,
    entity: str | None = None,
    series: Sequence[str] | None = None,
    limit: int | None = None,
) -> list[Observation]:
    """Every vintage of what was fetched, by source, entity, series, period and vintage."""
    query = sa.select(table).order_by(
        table.c.source, table.c.entity, table.c.series, table.c.end_day, table.c.start_day,
        table.c.vintage, table.c.document,
    )  # fmt: skip
    if source is not None:
        query = query.where(table.c.source == source)
    if entity is not None:
        query = query.where(table.c.entity == entity)
    if series is not None:
        query = query.where(table.c.series.in_(list(series)))
    if limit is not None:
        query = query.limit(limit)
    with store.read() as connection:
        return [_observation(row) for row in connection.execute(query)]


def names_kept(store: Store) -> set[tuple[str, str, str, str]]:
    """(source, entity, series, unit) of everything that was fetched."""
    columns = (table.c.source, table.c.entity, table.c.series, table.c.unit)
    with store.read() as connection:
        return {tuple(row) for row in connection.execute(sa.select(*columns).distinct())}


def _values(one: Observation) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(one, name)[:most] for name, most in FIELDS.items()}
    return values | {
        "source": one.source,
        "start_day": one.start.isoformat() if one.start else "",
        "end_day": one.end.isoformat(),
        "vintage": one.vintage.isoformat() if one.vintage else "",
        "value": None if one.value is None else str(one.value),
        "url": one.url,
        "fetched_utc": one.fetched_utc,
        "body_sha256": one.body_sha256,
    }


def _observation(row: Row[Any]) -> Observation:
    return Observation(
        **{name: getattr(row, name) for name in FIELDS},
        source=row.source,
        start=date.fromisoformat(row.start_day) if row.start_day else None,
        end=date.fromisoformat(row.end_day),
        vintage=date.fromisoformat(row.vintage) if row.vintage else None,
        value=None if row.value is None else Decimal(row.value),
        url=row.url,
        fetched_utc=row.fetched_utc,
        body_sha256=row.body_sha256,
    )
