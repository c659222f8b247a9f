"""The first released schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "v0001"
down_revision = None
branch_labels = None
depends_on = None

# Column types are spelled out, not imported: this file must mean the same in every later release.


def upgrade() -> None:
    """Make the tables of the first release."""
    _installation_and_reports()
    _jobs()
    _workloads()


def _installation_and_reports() -> None:
    op.create_table(
        "installation",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_installation")),
    )
    op.create_table(
        "report",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("workload_digest", sa.String(length=64), nullable=False),
        sa.Column("params", sa.Text(), nullable=False),
        sa.Column("report", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("method_version", sa.Integer(), nullable=False),
        sa.Column("price_book_version", sa.String(length=64), nullable=False),
        sa.Column("created_utc", sa.DateTime(timezone=True), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_report")),
    )
    op.create_index(op.f("ix_report_created_utc"), "report", ["created_utc"], unique=False)
    op.create_index(op.f("ix_report_workload_digest"), "report", ["workload_digest"], unique=False)


def _jobs() -> None:
    op.create_table(
        "job",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("params_hash", sa.String(length=64), nullable=False),
        sa.Column("params", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("fraction", sa.Float(), nullable=False),
        sa.Column("stage", sa.String(length=64), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("runner", sa.String(length=128), nullable=False),
        sa.Column("worker_pid", sa.Integer(), nullable=True),
        sa.Column("created_utc", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_utc", sa.DateTime(timezone=True), nullable=True),
        sa.Column("heartbeat_utc", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_utc", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("result_id", sa.String(length=128), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
    )
    op.create_index(op.f("ix_job_owner_params_hash"), "job", ["owner", "params_hash"], unique=False)
    op.create_index(op.f("ix_job_state"), "job", ["state"], unique=False)


def _workloads() -> None:
    op.create_table(
        "workload",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("content_key", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("format", sa.String(length=64), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.Column("receipt", sa.Text(), nullable=False),
        sa.Column("stats", sa.Text(), nullable=False),
        sa.Column("saved", sa.Boolean(), nullable=False),
        sa.Column("created_utc", sa.DateTime(timezone=True), nullable=False),
        sa.Column("touched_utc", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workload")),
        sa.UniqueConstraint(
            "digest", "owner", "saved", name=op.f("uq_workload_digest_owner_saved")
        ),
    )
    op.create_index(op.f("ix_workload_content_key"), "workload", ["content_key"], unique=False)
    op.create_index(op.f("ix_workload_owner"), "workload", ["owner"], unique=False)

    op.create_table(
        "source_file",
        sa.Column("workload_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("format", sa.String(length=64), nullable=False),
        sa.Column("encoding", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["workload_id"],
            ["workload.id"],
            name=op.f("fk_source_file_workload_id_workload"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workload_id", "position", name=op.f("pk_source_file")),
    )
    op.create_index(op.f("ix_source_file_sha256"), "source_file", ["sha256"], unique=False)
