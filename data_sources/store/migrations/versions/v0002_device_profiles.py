"""What was measured on devices, and on people's own servers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "v0002"
down_revision = "v0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables of device profiles, their figures, and probes."""
    _profiles()
    _cases()
    _probes()


def _profiles() -> None:
    op.create_table(
        "device_profile",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("origin", sa.String(length=16), nullable=False),
        sa.Column("device_kind", sa.String(length=16), nullable=False),
        sa.Column("device_name", sa.Text(), nullable=False),
        sa.Column("model_name", sa.Text(), nullable=False),
        sa.Column("measured_utc", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_utc", sa.DateTime(timezone=True), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_device_profile")),
    )
    op.create_index(
        op.f("ix_device_profile_measured_utc"), "device_profile", ["measured_utc"], unique=False
    )


def _cases() -> None:
    op.create_table(
        "device_case",
        sa.Column("profile_id", sa.String(length=64), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("case_name", sa.String(length=64), nullable=False),
        sa.Column("params", sa.Text(), nullable=False),
        sa.Column("unit", sa.String(length=32), nullable=False),
        sa.Column("median", sa.Float(), nullable=True),
        sa.Column("spread", sa.Float(), nullable=True),
        sa.Column("repeats", sa.Integer(), nullable=False),
        sa.Column("cpu_share", sa.Float(), nullable=True),
        sa.Column("contended", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(
            ["profile_id"],
            ["device_profile.id"],
            name=op.f("fk_device_case_profile_id_device_profile"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("profile_id", "position", name=op.f("pk_device_case")),
    )
    op.create_index(op.f("ix_device_case_case_name"), "device_case", ["case_name"], unique=False)


def _probes() -> None:
    op.create_table(
        "probe",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("api", sa.String(length=16), nullable=False),
        sa.Column("created_utc", sa.DateTime(timezone=True), nullable=False),
        sa.Column("cold_s", sa.Float(), nullable=False),
        sa.Column("warm_s", sa.Float(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_probe")),
    )
    op.create_index(op.f("ix_probe_created_utc"), "probe", ["created_utc"], unique=False)
