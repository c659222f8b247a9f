"""The tables of the ledger, and the column types that lose nothing on either database."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from data_sources.store.messages_json import dumps, loads

SCHEMA_REVISION = "v0003"
"""The newest migration; a test holds it equal to the migrations folder."""

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC. SQLite forgets time zones, so naive values are refused on the way in."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """An aware moment, in UTC. ValueError for a naive one."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"naive time {value.isoformat()}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The moment, always in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class ExactJson(TypeDecorator[Any]):
    """Any plain value or text as JSON text: Decimals, tuples, NUL and odd Unicode survive."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """JSON text; None stays NULL."""
        return None if value is None else dumps(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """The value; DataError where the text is damaged."""
        return None if value is None else loads(value)


metadata = sa.MetaData(naming_convention=NAMING)

installation = sa.Table(
    "installation",
    metadata,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

# Owners never share rows, because names inside a workload (sessions, keys, users) are not part of
# its digest. An owner's saved row stands beside their session's: a second upload must not change
# what everyone sees, for example when names were replaced by numbers before saving.
workload = sa.Table(
    "workload",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("content_key", sa.String(64), nullable=False),
    sa.Column("name", ExactJson, nullable=False),
    sa.Column("format", sa.String(64), nullable=False),
    sa.Column("rows", sa.BigInteger, nullable=False),
    sa.Column("receipt", sa.Text, nullable=False),
    sa.Column("stats", ExactJson, nullable=False),
    sa.Column("saved", sa.Boolean, nullable=False),
    sa.Column("created_utc", UtcTime, nullable=False),
    sa.Column("touched_utc", UtcTime, nullable=False),
    sa.UniqueConstraint("digest", "owner", "saved"),
    sa.Index(None, "content_key"),
    sa.Index(None, "owner"),
)

source_file = sa.Table(
    "source_file",
    metadata,
    sa.Column(
        "workload_id",
        sa.Integer,
        sa.ForeignKey("workload.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("path", ExactJson, nullable=False),
    sa.Column("sha256", sa.String(64), nullable=False),
    sa.Column("format", sa.String(64), nullable=False),
    sa.Column("encoding", sa.String(32), nullable=False),
    sa.Index(None, "sha256"),
)

report = sa.Table(
    "report",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("workload_digest", sa.String(64), nullable=False),
    sa.Column("params", ExactJson, nullable=False),
    sa.Column("report", ExactJson, nullable=False),
    sa.Column("name", ExactJson, nullable=False),
    sa.Column("note", ExactJson, nullable=False),
    sa.Column("method_version", sa.Integer, nullable=False),
    sa.Column("price_book_version", sa.String(64), nullable=False),
    sa.Column("created_utc", UtcTime, nullable=False),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Index(None, "workload_digest"),
    sa.Index(None, "created_utc"),
)

job = sa.Table(
    "job",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("kind", sa.String(64), nullable=False),
    sa.Column("params_hash", sa.String(64), nullable=False),
    sa.Column("params", ExactJson, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("cancel_requested", sa.Boolean, nullable=False),
    sa.Column("fraction", sa.Float, nullable=False),
    sa.Column("stage", sa.String(64), nullable=False),
    sa.Column("rows", sa.BigInteger),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("runner", sa.String(128), nullable=False),
    sa.Column("worker_pid", sa.Integer),
    sa.Column("created_utc", UtcTime, nullable=False),
    sa.Column("started_utc", UtcTime),
    sa.Column("heartbeat_utc", UtcTime),
    sa.Column("finished_utc", UtcTime),
    sa.Column("error", ExactJson),
    sa.Column("result_id", sa.String(128)),
    sa.Index(None, "owner", "params_hash"),
    sa.Index(None, "state"),
)

# The whole profile as JSON, and its figures as rows for those who ask the database.
device_profile = sa.Table(
    "device_profile",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("name", ExactJson, nullable=False),
    sa.Column("origin", sa.String(16), nullable=False),
    sa.Column("device_kind", sa.String(16), nullable=False),
    sa.Column("device_name", ExactJson, nullable=False),
    sa.Column("model_name", ExactJson, nullable=False),
    sa.Column("measured_utc", UtcTime, nullable=False),
    sa.Column("created_utc", UtcTime, nullable=False),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("profile", ExactJson, nullable=False),
    sa.Index(None, "measured_utc"),
)

device_case = sa.Table(
    "device_case",
    metadata,
    sa.Column(
        "profile_id",
        sa.String(64),
        sa.ForeignKey("device_profile.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("case_name", sa.String(64), nullable=False),
    sa.Column("params", ExactJson, nullable=False),
    sa.Column("unit", sa.String(32), nullable=False),
    sa.Column("median", sa.Float),
    sa.Column("spread", sa.Float),
    sa.Column("repeats", sa.Integer, nullable=False),
    sa.Column("cpu_share", sa.Float),
    sa.Column("contended", sa.Boolean),
    sa.Index(None, "case_name"),
)

probe = sa.Table(
    "probe",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("url", ExactJson, nullable=False),
    sa.Column("model", ExactJson, nullable=False),
    sa.Column("api", sa.String(16), nullable=False),
    sa.Column("created_utc", UtcTime, nullable=False),
    sa.Column("cold_s", sa.Float, nullable=False),
    sa.Column("warm_s", sa.Float, nullable=False),
    sa.Column("result", ExactJson, nullable=False),
    sa.Index(None, "created_utc"),
)

# Raw answers of public sources, one copy a content, and when each was fetched.
public_body = sa.Table(
    "public_body",
    metadata,
    sa.Column("sha256", sa.String(64), primary_key=True),
    sa.Column("size_bytes", sa.BigInteger, nullable=False),
    sa.Column("packed", sa.LargeBinary, nullable=False),
)

public_fetch = sa.Table(
    "public_fetch",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("source", sa.String(16), nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("content_type", sa.String(128), nullable=False),
    sa.Column("fetched_utc", UtcTime, nullable=False),
    sa.Column("sha256", sa.String(64), sa.ForeignKey("public_body.sha256"), nullable=False),
    sa.Index(None, "url", "fetched_utc"),
)

# Days are ISO text: they sort, and sources use days such as 9999-12-31. '' is an unknown day.
observation = sa.Table(
    "observation",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("source", sa.String(16), nullable=False),
    sa.Column("series", sa.String(200), nullable=False),
    sa.Column("entity", sa.String(64), nullable=False),
    sa.Column("start_day", sa.String(10), nullable=False),
    sa.Column("end_day", sa.String(10), nullable=False),
    sa.Column("vintage", sa.String(10), nullable=False),
    sa.Column("value", sa.String(80)),
    sa.Column("marker", sa.String(64), nullable=False),
    sa.Column("unit", sa.String(160), nullable=False),
    sa.Column("currency", sa.String(8), nullable=False),
    sa.Column("document", sa.String(64), nullable=False),
    sa.Column("form", sa.String(64), nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("fetched_utc", UtcTime, nullable=False),
    sa.Column("body_sha256", sa.String(64), nullable=False),
    sa.UniqueConstraint(
        "source", "entity", "series", "unit", "start_day", "end_day", "vintage", "document",
        name="uq_observation_vintage",
    ),
)  # fmt: skip
