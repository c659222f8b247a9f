"""What probes of people's own servers found. No key, no prompt and no answer is among it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from data_sources.store.engine import Store
from data_sources.store.tables import probe as table
from messages.errors import Message, NotFoundError


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredProbe:
    """One probe: where, which model, both times to the first token, and the whole result."""

    id: str
    url: str
    model: str
    api: str
    created_utc: datetime
    cold_s: float
    warm_s: float
    result: Mapping[str, Any]


def save_probe(store: Store, result: Mapping[str, Any]) -> str:
    """Keep a result in the shape that `probe --json` prints; returns its id."""
    values = {
        "id": uuid.uuid4().hex,
        "url": result["url"],
        "model": result["model"],
        "api": result["api"],
        "created_utc": datetime.fromisoformat(result["created_utc"]),
        "cold_s": result["cold"]["first_token_s"],
        "warm_s": result["warm"]["first_token_s"],
        "result": dict(result),
    }
    with store.write() as connection:
        connection.execute(sa.insert(table).values(values))
    return str(values["id"])


def list_probes(store: Store, limit: int = 100) -> list[StoredProbe]:
    """The newest `limit` probes, newest first."""
    query = sa.select(table).order_by(table.c.created_utc.desc(), table.c.id).limit(limit)
    with store.read() as connection:
        return [
            StoredProbe(**{name: getattr(row, name) for name in StoredProbe.__slots__})
            for row in connection.execute(query)
        ]


def delete_probe(store: Store, probe_id: str) -> None:
    """Delete a probe for good. NotFoundError if there is none."""
    with store.write() as connection:
        if not connection.execute(sa.delete(table).where(table.c.id == probe_id)).rowcount:
            raise NotFoundError(Message("store.no_probe", {"id": probe_id[:12]}))
