"""What public sources said: raw answers, and the figures in them with their vintages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "v0003"
down_revision = "v0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables of raw answers, fetches and observations."""
    _answers()
    _observations()


def _answers() -> None:
    op.create_table(
        "public_body",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_public_body")),
    )
    op.create_table(
        "public_fetch",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("content_type", sa.String(length=128), nullable=False),
        sa.Column("fetched_utc", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["sha256"], ["public_body.sha256"], name=op.f("fk_public_fetch_sha256_public_body")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_public_fetch")),
    )
    op.create_index(
        op.f("ix_public_fetch_url_fetched_utc"),
        "public_fetch",
        ["url", "fetched_utc"],
        unique=False,
    )


def _observations() -> None:
    op.create_table(
        "observation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("series", sa.String(length=200), nullable=False),
        sa.Column("entity", sa.String(length=64), nullable=False),
        sa.Column("start_day", sa.String(length=10), nullable=False),
        sa.Column("end_day", sa.String(length=10), nullable=False),
        sa.Column("vintage", sa.String(length=10), nullable=False),
        sa.Column("value", sa.String(length=80), nullable=True),
        sa.Column("marker", sa.String(length=64), nullable=False),
        sa.Column("unit", sa.String(length=160), nullable=False),
        sa.Column("currency", sa.String(length=8), nullable=False),
        sa.Column("document", sa.String(length=64), nullable=False),
        sa.Column("form", sa.String(length=64), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("fetched_utc", sa.DateTime(timezone=True), nullable=False),
        sa.Column("body_sha256", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_observation")),
        sa.UniqueConstraint(
            "source",
            "entity",
            "series",
            "unit",
            "start_day",
            "end_day",
            "vintage",
            "document",
            name=op.f("uq_observation_vintage"),
        ),
    )
