"""Device profiles that were measured here or brought in: visible to everyone on this server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Row

from data_sources.store.engine import Store
from data_sources.store.tables import device_case as cases_table
from data_sources.store.tables import device_profile as table
from messages.errors import Message, NotFoundError

Origin = Literal["measured", "imported"]
"""'measured' on the machine of this ledger by this program; 'imported' from a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewProfile:
    """A profile to be kept. `id` is the SHA-256 of `profile`, its documented JSON; `cases` are the
    rows of `profile["cases"]`."""

    id: str
    name: str
    origin: Origin
    device_kind: str
    device_name: str
    model_name: str
    measured_utc: datetime
    owner: str
    profile: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileSummary:
    """A kept profile without its figures."""

    id: str
    name: str
    origin: Origin
    device_kind: str
    device_name: str
    model_name: str
    measured_utc: datetime
    created_utc: datetime


def save_profile(store: Store, new: NewProfile) -> None:
    """Keep a profile and its rows. The same figures are kept once: a measured one that is imported
    again stays measured."""
    values = {name: getattr(new, name) for name in NewProfile.__slots__}
    values.update(profile=dict(new.profile), created_utc=datetime.now(UTC))
    rows = case_rows(new.id, new.profile["cases"])
    with store.write() as connection:
        if connection.execute(sa.select(table.c.id).where(table.c.id == new.id)).first():
            return
        connection.execute(sa.insert(table).values(values))
        if rows:
            connection.execute(sa.insert(cases_table), rows)


def case_rows(profile_id: str, cases: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The figures of a profile as rows of `device_case`, in their order."""
    return [
        {
            "profile_id": profile_id,
            "position": position,
            "case_name": case["case"][:64],
            "params": dict(case["params"]),
            "unit": case["unit"][:32],
            "median": case["median"],
            "spread": case["spread"],
            "repeats": min(case["n"], 2**31 - 1),
            "cpu_share": case["cpu_share"],
            "contended": case["contended"],
        }
        for position, case in enumerate(cases)
    ]


def list_profiles(store: Store, limit: int = 1_000) -> list[ProfileSummary]:
    """The kept profiles, the newest measurement first."""
    columns = [table.c[name] for name in ProfileSummary.__slots__]
    query = sa.select(*columns).order_by(table.c.measured_utc.desc(), table.c.id).limit(limit)
    with store.read() as connection:
        return [_summary(row) for row in connection.execute(query)]


def get_profile(store: Store, profile_id: str) -> Mapping[str, Any]:
    """The whole profile as JSON. NotFoundError if there is none; DataError if it is damaged."""
    query = sa.select(table.c.profile).where(table.c.id == profile_id)
    with store.read() as connection:
        row = connection.execute(query).first()
    if row is None:
        raise _missing(profile_id)
    found: Mapping[str, Any] = row.profile
    return found


def delete_profile(store: Store, profile_id: str) -> None:
    """Delete a profile and its rows for good. NotFoundError if there is none."""
    with store.write() as connection:
        connection.execute(sa.delete(cases_table).where(cases_table.c.profile_id == profile_id))
        if not connection.execute(sa.delete(table).where(table.c.id == profile_id)).rowcount:
            raise _missing(profile_id)


def _summary(row: Row[Any]) -> ProfileSummary:
    return ProfileSummary(**{name: getattr(row, name) for name in ProfileSummary.__slots__})


def _missing(profile_id: str) -> NotFoundError:
    return NotFoundError(Message("store.no_profile", {"id": profile_id[:12]}))
